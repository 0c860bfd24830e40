package dev.outboard.ccip.afu;

import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;

/// Writes consecutive lines with requests as large as alignment allows, one line a cycle, and
/// counts what is answered (CCI-P manual 1.3.9, 1.3.13.1.1).
///
/// ```java
/// writer.accept(rx);
/// if (writer.ready(rx) && reader.available()) {
///     reader.take(tx.c1.data);
///     writer.write(tx);
/// }
/// ```
///
/// Once Tx C1 is nearly full it begins no request, but ends the one that it has begun: at most
/// three beats of the eight that may follow. Until [#betweenRequests] the AFU drives nothing else
/// on Tx C1. An object belongs to its AFU.
public final class BurstWriter {
    private final int mdata;

    private WriteType type = WriteType.WRLINE_I;
    private VirtualChannel channel = VirtualChannel.VA;
    private LineCount most = LineCount.FOUR;

    private long address;
    private long unwritten;
    private long unanswered;
    private int beatsLeft;

    /// A writer whose requests carry this `mdata`, by which it knows their responses.
    public BurstWriter(int mdata) {
        if (mdata < 0 || mdata > 0xFFFF) {
            throw new IllegalArgumentException("mdata " + mdata + "; valid are 0 to 65535");
        }
        this.mdata = mdata;
    }

    /// How the lines of the next [#start] are written; without it WrLine_I on VA, four lines at a
    /// time.
    public void use(WriteType writeType, VirtualChannel vc, LineCount mostLines) {
        type = writeType;
        channel = vc;
        most = mostLines;
    }

    /// Begins to write `count` lines from a line address. All lines of the start before are
    /// written, though perhaps not answered.
    public void start(long lineAddress, long count) {
        assert unwritten == 0 : unwritten + " lines of the start before are left";
        address = lineAddress;
        unwritten = count;
    }

    /// Forgets everything, as an AFU does on a soft reset.
    public void reset() {
        unwritten = 0;
        unanswered = 0;
        beatsLeft = 0;
    }

    /// Counts the response that `rx` carries, if it answers this writer: a packed one counts for
    /// all lines of its request, another for one.
    public void accept(Rx rx) {
        C1Rx c1 = rx.c1;
        if (c1.isWriteResponse() && c1.mdata() == mdata) {
            unanswered -= c1.packed() ? LineCount.of(c1.lineNumber()).lines() : 1;
        }
    }

    /// Whether the next line may be driven now.
    public boolean ready(Rx rx) {
        return beatsLeft > 0 || (unwritten > 0 && !rx.c1TxAlmFull);
    }

    /// Drives the next line, which the AFU puts on `tx.c1.data`. Only when [#ready].
    public void write(Tx tx) {
        assert unwritten > 0 : "no line is left to write";
        if (beatsLeft > 0) {
            tx.c1.writeNext(type, address);
        } else {
            LineCount count = LineCount.fitting(address, unwritten, most);
            tx.c1.write(type, channel, count, address, mdata);
            beatsLeft = count.lines();
        }
        beatsLeft--;
        address++;
        unwritten--;
        unanswered++;
    }

    /// Whether no request is half driven: a fence, an interrupt or another write may go now.
    public boolean betweenRequests() {
        return beatsLeft == 0;
    }

    /// Whether all lines that were started were driven.
    ///
    /// CCIP-ORD-35, CCIP-ORD-37: a packed response counts for all lines of its write.
    public boolean written() {
        return unwritten == 0;
    }

    /// Whether all lines that were started were driven and answered.
    public boolean done() {
        return unwritten == 0 && unanswered == 0;
    }
}
