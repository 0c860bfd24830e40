package dev.outboard.ccip.fiu;

import dev.outboard.ccip.wire.Line;
import org.jspecify.annotations.Nullable;

/// What is in flight between acceptance at the port and response: a line of a read or write, a
/// fence, or an interrupt. The first line of a request stands for the request.
///
/// They are made once and used again and again; they belong to a [LinePool].
final class PendingLine {
    static final byte READ = 0;
    static final byte WRITE = 1;
    static final byte FENCE = 2;
    static final byte INTERRUPT = 3;

    /// [#READ], [#WRITE], [#FENCE] or [#INTERRUPT].
    byte kind;

    /// `req_type`.
    byte type;

    /// The channel the AFU named, VA included: the scope of a fence.
    byte named;

    /// The physical channel taken; 0 until it is chosen.
    byte channel;

    /// Which line of its request, from 0.
    byte number;

    /// Whether the FPGA cache held the line.
    boolean hit;

    /// How many cycles it would take by itself.
    int latency;

    /// Of a write: the first byte that counts.
    byte start;

    /// Of a write: how many bytes count, 64 of a whole line.
    byte length;

    /// What must still happen before the line is released: its write to memory, its response.
    byte pending;

    /// Of the first line: how many lines the request has.
    byte count;

    /// Of the first line: how many lines have not been committed, or of a read not been answered.
    byte open;

    /// Of the first line of a write without a packed response: how many lines have not been
    /// answered.
    byte unanswered;

    /// Of the first line: how many lines of the request are not released.
    byte held;

    /// Of the first line of a write: whether one response answers all lines.
    boolean packed;

    /// `mdata`, or the `id` of an interrupt.
    int mdata;

    /// The line address.
    long address;

    /// The number of the request on its Tx channel.
    long ordinal;

    /// Where the line lies.
    @Nullable Mapping mapping;

    /// The first line of the request.
    PendingLine first = this;

    /// For whoever keeps a list of lines.
    @Nullable PendingLine next;

    /// The bytes.
    final long[] data = new long[Line.LONGS];

    /// Becomes the first line of a request of `count` lines.
    void begin(byte kind, int type, int named, long ordinal, int mdata, int count) {
        this.kind = kind;
        this.type = (byte) type;
        this.named = (byte) named;
        this.ordinal = ordinal;
        this.mdata = mdata;
        this.count = (byte) count;
        open = (byte) count;
        unanswered = (byte) count;
        held = (byte) count;
        first = this;
        number = 0;
        channel = 0;
        hit = false;
    }

    /// Becomes a later line of a request.
    void follow(PendingLine first, int number) {
        this.first = first;
        this.number = (byte) number;
        kind = first.kind;
        type = first.type;
        named = first.named;
        ordinal = first.ordinal;
        mdata = first.mdata;
        address = first.address + number;
        mapping = first.mapping;
        channel = 0;
        hit = false;
    }

    /// Which line it is, among those in flight of an AFU whose mdata are unique, and on which
    /// channel.
    long digest() {
        return (((long) mdata << 8 | kind) << 8 | number) << 8 | channel;
    }
}
