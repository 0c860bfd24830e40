package dev.outboard.ccip.fiu;

import dev.outboard.ccip.wire.Line;
import org.jspecify.annotations.Nullable;

/// What is in flight between acceptance at the port and the last response: a read or write with its
/// lines, a fence, or an interrupt. A set of its lines is written as bits, bit i for line i; a
/// fence or an interrupt counts as one line.
///
/// They are made once and used again and again; they belong to a [RequestPool].
final class PendingRequest {
    static final byte READ = 0;
    static final byte WRITE = 1;
    static final byte FENCE = 2;
    static final byte INTERRUPT = 3;

    private static final int MOST_LINES = 4;

    /// [#READ], [#WRITE], [#FENCE] or [#INTERRUPT].
    byte kind;

    /// `req_type`.
    byte type;

    /// The channel the AFU named, VA included: the scope of a fence.
    byte named;

    /// The physical channel taken; 0 until it is chosen.
    byte channel;

    /// How many lines its header asks for.
    byte count;

    /// Of a write: the first byte that counts.
    byte start;

    /// Of a write: how many bytes of a line count, 64 of a whole one.
    byte length;

    /// Of a write: whether one response answers all lines.
    boolean packed;

    /// Lines of which no beat is still to come.
    int lines;

    /// Lines that are in their pool or beyond it.
    int admitted;

    /// Lines that the FPGA cache held.
    int hits;

    /// Lines of a write that are not at the point of observation of their channel.
    int uncommitted;

    /// Lines of a write that are not in memory.
    int unwritten;

    /// Lines that have no response.
    int unanswered;

    /// `mdata`, or the `id` of an interrupt.
    int mdata;

    /// The address of line 0.
    long address;

    /// The number of the request on its Tx channel.
    long ordinal;

    /// Where its lines lie, which are never in two pages.
    @Nullable Mapping mapping;

    /// For whoever keeps a list of requests.
    @Nullable PendingRequest next;

    /// The bytes, line after line.
    final long[] data = new long[MOST_LINES * Line.LONGS];

    /// Becomes a request of `count` lines, of which `lines` are there.
    void begin(byte kind, int type, int named, long ordinal, int mdata, int count, int lines) {
        this.kind = kind;
        this.type = (byte) type;
        this.named = (byte) named;
        this.ordinal = ordinal;
        this.mdata = mdata;
        this.count = (byte) count;
        this.lines = lines;
        channel = 0;
        admitted = 0;
        hits = 0;
        unanswered = first(count);
        unwritten = kind == WRITE ? unanswered : 0;
        uncommitted = unwritten;
    }

    /// Whether all beats that belong to it have come.
    boolean isComplete() {
        return (unanswered & ~lines) == 0;
    }

    /// Where line `line` begins in [#data].
    static int at(int line) {
        return line * Line.LONGS;
    }

    /// The first `count` lines.
    static int first(int count) {
        return (1 << count) - 1;
    }

    /// Which of some lines comes first.
    static int lowest(int lines) {
        return Integer.numberOfTrailingZeros(lines);
    }

    /// Which lines of which request they are, among those in flight of an AFU whose mdata are
    /// unique, and on which channel.
    long digest(int lines) {
        return (((long) mdata << 8 | kind) << 8 | lines) << 8 | channel;
    }
}
