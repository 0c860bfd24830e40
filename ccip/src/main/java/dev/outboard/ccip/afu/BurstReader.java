package dev.outboard.ccip.afu;

import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;

/// Reads consecutive lines with requests as large as alignment allows, and gives them in order,
/// whatever the order in which they come. It asks for no line that it has no room for (CCI-P manual
/// 1.3.8: responses are never held back).
///
/// ```java
/// reader.accept(rx);
/// if (reader.available()) {
///     reader.take(line);
/// }
/// reader.request(rx, tx);
/// ```
///
/// The place of a line in its buffer is the `mdata` of the request, so that several readers of one
/// AFU need separate ranges. An object belongs to its AFU and allocates only when made.
public final class BurstReader {
    private static final int TAGS = 1 << 16;

    private final int firstTag;
    private final int capacity;
    private final long[] lines;
    private final boolean[] here;

    private ReadType type = ReadType.RDLINE_I;
    private VirtualChannel channel = VirtualChannel.VA;
    private LineCount most = LineCount.FOUR;

    private long address;
    private long unrequested;
    private int held;
    private int head;
    private int tail;

    /// A reader with a buffer for `capacity` lines, a power of two and at least 4, that uses as
    /// many values of `mdata` from `firstTag` on.
    public BurstReader(int firstTag, int capacity) {
        if (Integer.bitCount(capacity) != 1
                || capacity < LineCount.FOUR.lines()
                || firstTag < 0
                || firstTag + capacity > TAGS) {
            throw new IllegalArgumentException(
                    "A reader of "
                            + capacity
                            + " lines with tags from "
                            + firstTag
                            + "; valid are a power of two from 4, and tags below "
                            + TAGS);
        }
        this.firstTag = firstTag;
        this.capacity = capacity;
        lines = new long[capacity * Line.LONGS];
        here = new boolean[capacity];
    }

    /// How the lines of the next [#start] are asked for; without it RdLine_I on VA, four lines at a
    /// time.
    public void use(ReadType readType, VirtualChannel vc, LineCount mostLines) {
        type = readType;
        channel = vc;
        most = mostLines;
    }

    /// Begins to read `count` lines from a line address. All lines of the start before are taken.
    public void start(long lineAddress, long count) {
        assert done() : held + unrequested + " lines of the start before are left";
        address = lineAddress;
        unrequested = count;
    }

    /// Forgets everything, as an AFU does on a soft reset.
    public void reset() {
        unrequested = 0;
        for (; held > 0; held--) {
            here[head] = false;
            head = after(head, 1);
        }
    }

    /// Keeps the line that `rx` carries, if it is one of this reader's.
    public void accept(Rx rx) {
        C0Rx c0 = rx.c0;
        if (!c0.isReadResponse()) {
            return;
        }
        int first = c0.mdata() - firstTag;
        if (first >= 0 && first < capacity) {
            int slot = after(first, c0.lineNumber());
            System.arraycopy(c0.data, 0, lines, slot * Line.LONGS, Line.LONGS);
            here[slot] = true;
        }
    }

    /// Drives the next request if there is one, with room for its lines, and C0 is not nearly full.
    /// Returns whether it did.
    ///
    /// CCIP-FLW-10: a read is sent when there is room for what it brings.
    public boolean request(Rx rx, Tx tx) {
        if (unrequested == 0 || rx.c0TxAlmFull) {
            return false;
        }
        LineCount count = LineCount.fitting(address, unrequested, most);
        if (held + count.lines() > capacity) {
            return false;
        }
        tx.c0.read(type, channel, count, address, firstTag + tail);
        address += count.lines();
        unrequested -= count.lines();
        held += count.lines();
        tail = after(tail, count.lines());
        return true;
    }

    /// Whether the next line is here.
    public boolean available() {
        return here[head];
    }

    /// Takes the next line, which is here.
    public void take(long[] to) {
        assert here[head] : "the next line is not here";
        System.arraycopy(lines, head * Line.LONGS, to, 0, Line.LONGS);
        here[head] = false;
        head = after(head, 1);
        held--;
    }

    /// Whether all lines that were started were taken.
    public boolean done() {
        return unrequested == 0 && held == 0;
    }

    private int after(int slot, int count) {
        return slot + count & capacity - 1;
    }
}
