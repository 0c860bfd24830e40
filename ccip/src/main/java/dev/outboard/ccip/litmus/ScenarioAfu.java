package dev.outboard.ccip.litmus;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The AFU of a scenario: plays its program, with pauses by chance between requests.
final class ScenarioAfu implements Afu {
    private static final UUID AFU_ID = UUID.fromString("7b0e6b9c-5d3a-4d0a-9a53-2f6c1d7e8a41");

    /// The longest pause between two requests of a run: one of these.
    private static final int[] PAUSES = {0, 0, 4, 32, 200};

    private static final ReadType[] READS = ReadType.values();
    private static final WriteType[] WRITES = {
        WriteType.WRLINE_I, WriteType.WRLINE_M, WriteType.WRPUSH_I
    };

    private final CsrSpace csrs = new CsrSpace(AFU_ID);
    private final Variant variant;
    private final SplittableRandom random;

    /// Whether the platform heeds cache hints.
    private final boolean hints;

    private @Nullable Execution execution;
    private long firstLine;
    private int longestPause;
    private int pause;

    /// The beats of a write that are still to be sent.
    private int beats;

    private WriteType type = WriteType.WRLINE_I;
    private long address;
    private long value;

    ScenarioAfu(Variant variant, SplittableRandom random) {
        this.variant = variant;
        this.random = random;
        hints = variant.profile().cached();
    }

    /// Begins the program; the variables lie from this line on.
    void begin(Execution execution, long firstLine) {
        this.execution = execution;
        this.firstLine = firstLine;
        longestPause = PAUSES[random.nextInt(PAUSES.length)];
        pause = random.nextInt(longestPause + 1);
    }

    @Override
    public void clock(Rx rx, Tx tx) {
        csrs.clock(rx, tx);
        Execution current = execution;
        if (!rx.softReset && current != null) {
            clock(current, rx, tx);
        }
    }

    private void clock(Execution execution, Rx rx, Tx tx) {
        receive(execution, rx.c0);
        receive(execution, rx.c1);
        if (pause > 0) {
            pause--;
            return;
        }
        if (isHeld(execution, rx)) {
            return;
        }
        if (beats > 0) {
            beats--;
            Arrays.fill(tx.c1.data, value);
            tx.c1.writeNext(type, ++address);
        } else {
            int next = execution.afu().ready();
            if (next == AfuThread.NONE) {
                return;
            }
            send(execution.afu().request(next), next, tx);
            execution.afu().sent();
        }
        pause = random.nextInt(longestPause + 1);
    }

    /// Whether the channel of the next beat is almost full.
    private boolean isHeld(Execution execution, Rx rx) {
        int next = beats > 0 ? AfuThread.NONE : execution.afu().ready();
        boolean reads =
                next != AfuThread.NONE && execution.afu().request(next) instanceof AfuStep.Read;
        return reads ? rx.c0TxAlmFull : rx.c1TxAlmFull;
    }

    private static void receive(Execution execution, C0Rx c0) {
        if (c0.isReadResponse()) {
            execution.read(c0.mdata(), c0.lineNumber(), c0.data);
        }
    }

    private static void receive(Execution execution, C1Rx c1) {
        if (!c1.rspValid) {
            return;
        }
        if (c1.responseType() == C1Response.INTR.code()) {
            execution.afu().interruptAnswered(c1.interruptId());
        } else {
            boolean packed = c1.isWriteResponse() && c1.packed();
            execution.afu().answered(c1.mdata(), packed ? c1.lineNumber() + 1 : 1);
        }
    }

    private void send(AfuStep.Request request, int position, Tx tx) {
        switch (request) {
            case AfuStep.Read(String channel, int line, int lines, int register) ->
                    tx.c0.read(
                            READS[random.nextInt(hints ? READS.length : 1)],
                            variant.channel(channel),
                            LineCount.ofLines(lines),
                            firstLine + line,
                            position);
            case AfuStep.Write(String channel, int line, int lines, long written) -> {
                value = written;
                type = WRITES[random.nextInt(hints ? WRITES.length : 1)];
                address = firstLine + line;
                beats = lines - 1;
                Arrays.fill(tx.c1.data, value);
                LineCount count = LineCount.ofLines(lines);
                tx.c1.write(type, variant.channel(channel), count, address, position);
            }
            case AfuStep.Fence(String channel) -> tx.c1.fence(variant.channel(channel), position);
            case AfuStep.Interrupt(int id) -> tx.c1.interrupt(VirtualChannel.VA, id);
        }
    }
}
