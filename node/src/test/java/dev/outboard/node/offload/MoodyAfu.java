package dev.outboard.node.offload;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/// Does as the user bytes say.
public final class MoodyAfu implements Afu {
    public static final UUID ID = UUID.fromString("11111111-2222-3333-4444-555555555555");
    private static final long NOWHERE = 0x3_0000_0000L;

    public static final int ENDS = 0;
    public static final int HANGS = 1;
    public static final int WRITES_NOWHERE = 2;
    public static final int TELLS_NO_CODE = 3;
    public static final int TELLS_A_CODE = 4;
    public static final int READS_ON = 5;
    public static final int THROWS = 6;

    /// One line of the first region.
    public static final int READS = 7;

    /// Whether one reads on.
    public static final AtomicBoolean reads = new AtomicBoolean();

    private final CallRegisters call = new CallRegisters(ID);
    private int tag;

    @Override
    public void clock(Rx rx, Tx tx) {
        boolean starts = call.clock(rx, tx);
        if (rx.softReset) {
            return;
        }
        if (call.job().running() && call.userBytes() == READS_ON && !rx.c0TxAlmFull) {
            tx.c0.read(
                    ReadType.RDLINE_I,
                    VirtualChannel.VA,
                    LineCount.ONE,
                    call.lineAddress(0),
                    tag++ & 0xFFF);
            reads.set(true);
        }
        if (rx.c0.rspValid && call.userBytes() == READS) {
            call.job().end((int) rx.c0.data[0] & 0x7F);
        }
        if (!starts) {
            return;
        }
        switch (call.userBytes()) {
            case ENDS -> call.job().end(0);
            case WRITES_NOWHERE ->
                    tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, NOWHERE, 1);
            case THROWS -> throw new IllegalArgumentException("the design has had enough");
            case READS ->
                    tx.c0.read(
                            ReadType.RDLINE_I,
                            VirtualChannel.VA,
                            LineCount.ONE,
                            call.lineAddress(0),
                            0);
            case TELLS_NO_CODE -> call.job().end(0x99);
            case TELLS_A_CODE -> call.job().end(0x42);
            default -> {}
        }
    }
}
