package dev.outboard.fabric.roce.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Ieth;
import dev.outboard.fabric.roce.wire.Immediate;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ReceivedMessageTest {
    private static final int DEPTH = 2;
    private static final int IMMEDIATE = 0x1234_5678;
    private static final int KEY = 0x0A0B_0C0D;
    private static final int SENDER = 0x33;

    private int notified;
    private final CompletionRing completions = new CompletionRing(DEPTH, ring -> notified++);
    private final QueuePairCore core =
            new QueuePairCore(
                    17,
                    1,
                    new RegionTable(1, new SplittableRandom(1)),
                    completions,
                    completions,
                    new QueueSizes(1, DEPTH, 1, 0),
                    Optional.empty(),
                    false,
                    event -> {});
    private final Completion completion = new Completion();

    @Test
    void aPlainMessageTellsItsLengthOnly() {
        take(5);
        assertThat(complete(Opcode.SEND_ONLY, false)).isTrue();

        assertThat(completions.poll(completion)).isTrue();
        assertThat(completion.id()).isEqualTo(5);
        assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(completion.opcode()).isEqualTo(CompletionOpcode.RECEIVE);
        assertThat(completion.byteCount()).isEqualTo(99);
        assertThat(completion.hasImmediate()).isFalse();
        assertThat(completion.hasInvalidatedKey()).isFalse();
        assertThat(completion.hasRouteHeader()).isFalse();
        assertThat(core.takeReceive()).as("the receive is used up").isFalse();
    }

    @Test
    void aMessageTellsWhatItsLastPacketBrought() {
        take(5);
        complete(Opcode.SEND_ONLY_IMM, false);
        completions.poll(completion);
        assertThat(completion.immediate()).isEqualTo(IMMEDIATE);

        take(6);
        complete(Opcode.SEND_ONLY_INV, false);
        completions.poll(completion);
        assertThat(completion.hasImmediate()).isFalse();
        assertThat(completion.invalidatedKey()).isEqualTo(KEY);

        take(7);
        complete(Opcode.UD_SEND_ONLY_IMM, false);
        completions.poll(completion);
        assertThat(completion.immediate()).isEqualTo(IMMEDIATE);
        assertThat(completion.hasRouteHeader()).isTrue();
        assertThat(completion.sourceQueuePairNumber()).isEqualTo(SENDER);
    }

    @Test
    void aMessageWakesWhoWaitsForSolicitedOnesIfItIsOne() {
        completions.arm(true);
        take(5);
        complete(Opcode.SEND_ONLY, false);
        assertThat(notified).isZero();
        take(6);
        complete(Opcode.SEND_ONLY, true);
        assertThat(notified).isEqualTo(1);
    }

    @Test
    void aFailureWakesAndTellsTheImmediateThatCameWithIt() {
        completions.arm(true);
        take(5);
        assertThat(fail(Opcode.SEND_ONLY_IMM)).isTrue();
        assertThat(notified).isEqualTo(1);

        completions.poll(completion);
        assertThat(completion.id()).isEqualTo(5);
        assertThat(completion.status()).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
        assertThat(completion.immediate()).isEqualTo(IMMEDIATE);
        take(6);
        fail(Opcode.SEND_ONLY);
        completions.poll(completion);
        assertThat(completion.hasImmediate()).isFalse();
    }

    @Test
    void withoutPlaceForItsCompletionItIsNotTold() {
        for (int i = 0; i < DEPTH; i++) {
            take(i);
            complete(Opcode.SEND_ONLY, false);
        }
        take(5);
        assertThat(complete(Opcode.SEND_ONLY_IMM, false)).isFalse();
        take(6);
        assertThat(fail(Opcode.SEND_ONLY_IMM)).isFalse();
        assertThat(core.takeReceive()).isFalse();
    }

    private void take(long id) {
        assertThat(core.post(new ReceiveRequest().id(id))).isTrue();
        assertThat(core.takeReceive()).isTrue();
    }

    private boolean complete(Opcode opcode, boolean solicited) {
        return ReceivedMessage.complete(
                core, CompletionOpcode.RECEIVE, 99, packet(opcode, solicited));
    }

    private boolean fail(Opcode opcode) {
        return ReceivedMessage.fail(
                core, CompletionStatus.LOCAL_LENGTH_ERROR, packet(opcode, false));
    }

    private static Packet packet(Opcode opcode, boolean solicited) {
        int end = opcode.headerLength();
        MemorySegment bytes = Arena.ofAuto().allocate(end + 4L);
        Bth.write(bytes, 0, opcode, solicited, 0, Bth.DEFAULT_PARTITION_KEY, 17, false, 0);
        if (opcode.hasDeth()) {
            Deth.write(bytes, Bth.LENGTH, 0, SENDER);
        }
        if (opcode.hasImmediate()) {
            Immediate.write(bytes, end - Immediate.LENGTH, IMMEDIATE);
        }
        if (opcode.hasIeth()) {
            Ieth.write(bytes, end - Ieth.LENGTH, KEY);
        }
        Packet packet = new Packet();
        assertThat(packet.wrap(bytes, 0, (int) bytes.byteSize())).isNull();
        return packet;
    }
}
