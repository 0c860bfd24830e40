package dev.outboard.ccip.host;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.function.LongUnaryOperator;

/// An AFU that answers reads of 8 bytes with whatever the test says, and does nothing else.
///
/// @param registers the value at an address in bytes
record ReadOnlyAfu(LongUnaryOperator registers) implements Afu {
    @Override
    public void clock(Rx rx, Tx tx) {
        if (rx.c0.mmioRdValid) {
            tx.c2.respond(rx.c0.tid(), registers.applyAsLong(4L * rx.c0.mmioAddress()));
        }
    }
}
