package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;
import java.util.UUID;

/// Writes `Hello world!` to the line whose address software writes to [#BUFFER]. The rest of the
/// line becomes 0; software polls its first byte.
public final class Hello implements Afu {
    /// Which AFU this is.
    public static final UUID AFU_ID = UUID.fromString("ba8a831a-d396-441a-82b7-32ace4715fde");

    /// Line address of the buffer; writing it makes the AFU say hello.
    public static final int BUFFER = 0x40;

    /// `Hello world!`, little-endian as all of a line is.
    private static final long[] GREETING = {0x6F77_206F_6C6C_6548L, 0x2164_6C72L};

    private final CsrSpace csrs =
            new CsrSpace(AFU_ID).readWrite(BUFFER).readWrite(JobRegisters.SCRATCH);
    private boolean asked;

    /// An AFU that was not asked yet.
    public Hello() {}

    @Override
    public void clock(Rx rx, Tx tx) {
        csrs.clock(rx, tx);
        asked = !rx.softReset && (asked || csrs.written(BUFFER));
        if (asked && !rx.c1TxAlmFull) {
            Arrays.fill(tx.c1.data, 0);
            System.arraycopy(GREETING, 0, tx.c1.data, 0, GREETING.length);
            tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, csrs.get(BUFFER), 0);
            asked = false;
        }
    }

    @Override
    public long quietCycles() {
        return asked ? 0 : Long.MAX_VALUE;
    }
}
