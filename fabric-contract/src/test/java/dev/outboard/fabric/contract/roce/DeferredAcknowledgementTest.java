package dev.outboard.fabric.contract.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.ConnectedPair;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Between two devices of ours an acknowledgement may wait for a request to ride behind (decision
/// 0010).
class DeferredAcknowledgementTest {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int ROUNDS = 200;
    private static final int CONNECTIONS = 20;

    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest().noBuffer();
    private final Completion completion = new Completion();

    /// Whoever took a completion does nothing any more: the peer learns of its success anyway.
    @Test
    void anAcknowledgementLeavesAlthoughTheApplicationFallsSilent() {
        try (Device one = RoceLoopback.open();
                Device two = RoceLoopback.open();
                ConnectedPair pair = ConnectedPair.connect(one, two, 7_000)) {
            for (int i = 0; i < ROUNDS; i++) {
                pair.server().post(receive);
                pair.client().post(send.writeWithImmediate(0, 0, 7).noPayload());
                take(pair.server());

                take(pair.client());

                assertThat(completion.opcode()).isEqualTo(CompletionOpcode.RDMA_WRITE);
            }
        }
    }

    /// What the application was told of has arrived, so the peer learns of its success.
    @Test
    void anAcknowledgementLeavesBeforeItsQueuePairIsDestroyed() {
        try (Device one = RoceLoopback.open();
                Device two = RoceLoopback.open()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                try (ConnectedPair pair = ConnectedPair.connect(one, two, 7_000)) {
                    pair.server().post(receive);
                    pair.client().post(send.writeWithImmediate(0, 0, 7).noPayload());
                    take(pair.server());
                    pair.server().queuePair().close();

                    take(pair.client());

                    assertThat(completion.opcode()).isEqualTo(CompletionOpcode.RDMA_WRITE);
                }
            }
        }
    }

    /// The server sends an answer and, by another call, an acknowledgement.
    @ParameterizedTest
    @CsvSource({"first, together", "together, first", "first, first"})
    void anAnswerGoesAloneUnlessBothSidesAgreed(String client, String server) {
        try (Device one = RoceLoopback.open("acknowledge=" + client);
                Device two = RoceLoopback.open("acknowledge=" + server);
                ConnectedPair pair = ConnectedPair.connect(one, two, 7_000);
                Arena arena = Arena.ofShared();
                MemoryRegion near = pair.client().register(arena.allocate(64));
                MemoryRegion far = pair.server().register(arena.allocate(64))) {
            long before = two.counters().getOrDefault("sent.calls", 0L);
            for (int i = 0; i < ROUNDS; i++) {
                pair.client().post(receive);
                pair.server().post(receive);
                pair.client().post(write(far).payload(near, 0, 64));
                awaitAnswer(pair.server());
                pair.server().post(write(near).payload(far, 0, 64));
                awaitAnswer(pair.client());
            }
            long calls = two.counters().getOrDefault("sent.calls", 0L) - before;
            assertThat(calls).isGreaterThanOrEqualTo(2 * ROUNDS);
        }
    }

    private SendRequest write(MemoryRegion target) {
        return send.writeWithImmediate(target.address(), target.remoteKey(), 7);
    }

    /// Other completions are thrown away.
    private void awaitAnswer(ConnectedPair.End end) {
        do {
            take(end);
        } while (completion.opcode() != CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE);
    }

    private void take(ConnectedPair.End end) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!end.completions().poll(completion)) {
            assertThat(System.nanoTime()).as("deadline for a completion").isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
    }
}
