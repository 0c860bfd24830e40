package dev.outboard.ccip.host;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.UUID;
import java.util.function.BiConsumer;

/// An AFU with a few registers, which also does what the test adds.
final class RegisterAfu implements Afu {
    static final UUID AFU_ID = UUID.fromString("d8424dc4-a4a3-c413-f89e-433683f9040b");

    /// Registers that keep what is written, eight of them.
    static final int SCRATCH = 0x40;

    final CsrSpace csrs = new CsrSpace(AFU_ID);
    private final BiConsumer<Rx, Tx> more;

    RegisterAfu() {
        this((rx, tx) -> {});
    }

    RegisterAfu(BiConsumer<Rx, Tx> more) {
        this.more = more;
        for (int i = 0; i < 8; i++) {
            csrs.readWrite(SCRATCH + 8 * i);
        }
    }

    @Override
    public void clock(Rx rx, Tx tx) {
        csrs.clock(rx, tx);
        more.accept(rx, tx);
    }
}
