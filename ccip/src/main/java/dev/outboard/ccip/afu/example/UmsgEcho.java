package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.BurstReader;
import dev.outboard.ccip.afu.BurstWriter;
import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;
import java.util.UUID;

/// Consumes what software produces and gives it back: a UMsg describes a message, the AFU copies it
/// and then, behind a write fence, writes the sequence number to the flag that software polls.
///
/// The longs of the UMsg are [#SEQUENCE], [#SOURCE], [#DESTINATION], [#LINES] and [#FLAG]. Software
/// writes the sequence number last: a UMsg with that of the one before says nothing new, whatever
/// else it holds. Of several UMsgs that come during a copy the last one counts, as UMsgs may be
/// missed anyway (CCI-P manual 1.3.4). Hints are counted, nothing more: they may be false.
public final class UmsgEcho implements Afu {
    /// Which AFU this is.
    public static final UUID AFU_ID = UUID.fromString("ee2193e6-4e44-43fb-b1a6-a47a774a81fb");

    /// Long 0 of the UMsg: what comes back in the flag; the first one is not 0.
    public static final int SEQUENCE = 0;

    /// Long 1 of the UMsg: line address of the message.
    public static final int SOURCE = 1;

    /// Long 2 of the UMsg: line address where it goes.
    public static final int DESTINATION = 2;

    /// Long 3 of the UMsg: lines of the message.
    public static final int LINES = 3;

    /// Long 4 of the UMsg: line address of the flag, of which long 0 becomes the sequence number.
    public static final int FLAG = 4;

    /// Register: UMsgs that came.
    public static final int UMSGS = 0x40;

    /// Register: hints that came.
    public static final int HINTS = 0x48;

    private static final int BUFFER_LINES = 64;
    private static final int MESSAGE_TAG = 0;
    private static final int FLAG_TAG = 1;

    private enum State {
        /// No message.
        IDLE,
        /// Copies the message.
        COPYING,
        /// All lines are driven; the fence goes out.
        FENCING,
        /// The fence is driven; the flag goes out. The FIU keeps them in order.
        FLAGGING
    }

    private final CsrSpace csrs = new CsrSpace(AFU_ID).readOnly(UMSGS, 0).readOnly(HINTS, 0);
    private final BurstReader reader = new BurstReader(0, BUFFER_LINES);
    private final BurstWriter writer = new BurstWriter(MESSAGE_TAG);
    private final long[] next = new long[Line.LONGS];
    private final long[] message = new long[Line.LONGS];
    private State state = State.IDLE;
    private boolean pending;
    private boolean waits;

    /// An AFU without a message.
    public UmsgEcho() {}

    @Override
    public void clock(Rx rx, Tx tx) {
        csrs.clock(rx, tx);
        if (rx.softReset) {
            reader.reset();
            writer.reset();
            state = State.IDLE;
            pending = false;
            next[SEQUENCE] = 0;
            waits = true;
            return;
        }
        reader.accept(rx);
        writer.accept(rx);
        receive(rx);
        State before = state;
        state = next(rx, tx);
        boolean mayDrive = !rx.c0TxAlmFull && !rx.c1TxAlmFull;
        waits = mayDrive && state == before && !tx.c0.valid && !tx.c1.valid;
    }

    private void receive(Rx rx) {
        if (!rx.c0.isUmsg()) {
            return;
        }
        int counter = rx.c0.isHint() ? HINTS : UMSGS;
        csrs.set(counter, csrs.get(counter) + 1);
        if (!rx.c0.isHint() && rx.c0.data[SEQUENCE] != next[SEQUENCE]) {
            Line.copy(rx.c0.data, next);
            pending = true;
        }
    }

    private State next(Rx rx, Tx tx) {
        return switch (state) {
            case IDLE -> pending ? start() : State.IDLE;
            case COPYING -> copy(rx, tx) ? State.FENCING : State.COPYING;
            case FENCING -> {
                if (rx.c1TxAlmFull) {
                    yield State.FENCING;
                }
                tx.c1.fence(VirtualChannel.VA, FLAG_TAG);
                yield State.FLAGGING;
            }
            case FLAGGING -> {
                if (rx.c1TxAlmFull) {
                    yield State.FLAGGING;
                }
                Arrays.fill(tx.c1.data, 0);
                tx.c1.data[0] = message[SEQUENCE];
                tx.c1.write(
                        WriteType.WRLINE_I,
                        VirtualChannel.VA,
                        LineCount.ONE,
                        message[FLAG],
                        FLAG_TAG);
                yield State.IDLE;
            }
        };
    }

    private State start() {
        Line.copy(next, message);
        pending = false;
        reader.start(message[SOURCE], message[LINES]);
        writer.start(message[DESTINATION], message[LINES]);
        return State.COPYING;
    }

    /// Returns whether the whole message is driven.
    private boolean copy(Rx rx, Tx tx) {
        reader.request(rx, tx);
        if (writer.ready(rx) && reader.available()) {
            reader.take(tx.c1.data);
            writer.write(tx);
        }
        return writer.written();
    }

    @Override
    public long quietCycles() {
        return waits ? Long.MAX_VALUE : 0;
    }
}
