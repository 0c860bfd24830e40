package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SharedReceiveQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Sizes on every provider: the smallest and the largest that its limits promise are given, what is
/// beyond is refused and leaves nothing behind, and a queue that is full says so and loses nothing.
public abstract class LimitsContract {
    private static final int SMALL = 4;

    private Device device;
    private DeviceLimits limits;
    private ProtectionDomain domain;
    private CompletionQueue queue;

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @BeforeEach
    void create() {
        device = open();
        limits = device.limits();
        domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(1);
    }

    /// Nothing that was refused is in the way.
    @AfterEach
    void close() {
        queue.close();
        domain.close();
        assertThat(device.counters())
                .containsEntry("open.completion-queues", 0L)
                .containsEntry("open.queue-pairs", 0L)
                .containsEntry("open.protection-domains", 0L);
        device.close();
    }

    /// Asks for each size at the ends of `least` to `most`, and for those beyond.
    private static void assertRange(
            String what, int least, int most, IntFunction<? extends AutoCloseable> maker)
            throws Exception {
        for (int size : new int[] {least, most}) {
            maker.apply(size).close();
        }
        for (int size : new int[] {Integer.MIN_VALUE, least - 1, most + 1, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> maker.apply(size))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT_REACHED))
                    .hasMessageContaining(
                            "%s is %d; valid: %d to %d".formatted(what, size, least, most));
        }
    }

    private QueuePairAttributes attributes() {
        return QueuePairAttributes.of(queue, 1, 1);
    }

    @Test
    void theCapacityOfACompletionQueue() throws Exception {
        assertRange(
                "capacity of a completion queue",
                1,
                limits.maxCompletions(),
                device::createCompletionQueue);
        try (CompletionQueue odd = device.createCompletionQueue(1000)) {
            assertThat(odd.capacity()).isEqualTo(1000);
        }
    }

    @Test
    void theCapacityOfACompletionQueueWithAChannel() throws Exception {
        try (CompletionChannel channel = device.createCompletionChannel()) {
            assertRange(
                    "capacity of a completion queue",
                    1,
                    limits.maxCompletions(),
                    capacity -> device.createCompletionQueue(capacity, channel));
        }
    }

    @Test
    void theQueuesOfAQueuePair() throws Exception {
        assertRange(
                "sends of a queue pair",
                1,
                limits.maxWorkRequests(),
                sends -> domain.createQueuePair(QueuePairAttributes.of(queue, sends, 1)));
        assertRange(
                "receives of a queue pair",
                1,
                limits.maxWorkRequests(),
                receives -> domain.createQueuePair(QueuePairAttributes.of(queue, 1, receives)));
    }

    @Test
    void theRequestsOfAQueuePair() throws Exception {
        assertRange(
                "memory pieces of a request",
                1,
                limits.maxScatterGather(),
                pieces -> domain.createQueuePair(attributes().withMaxScatterGather(pieces)));
        assertRange(
                "inline bytes of a request",
                0,
                limits.maxInlineBytes(),
                bytes -> domain.createQueuePair(attributes().withMaxInlineBytes(bytes)));
    }

    @Test
    void theSizesOfASharedReceiveQueue() throws Exception {
        assertRange(
                "receives of a queue",
                1,
                limits.maxWorkRequests(),
                receives -> domain.createSharedReceiveQueue(receives, 1));
        assertRange(
                "memory pieces of a receive",
                1,
                limits.maxScatterGather(),
                pieces -> domain.createSharedReceiveQueue(1, pieces));
    }

    @Test
    void theMemoryPiecesOfAReceive() {
        try (VerbsEnd end = new VerbsEnd(device);
                SharedReceiveQueue shared = end.domain().createSharedReceiveQueue(SMALL, 2)) {
            ReceiveRequest request = new ReceiveRequest().buffer(end.region(), 0, 64);
            assertThat(shared.post(request.appendBuffer(end.region(), 64, 64))).isTrue();
            request.appendBuffer(end.region(), 128, 64);
            assertThatThrownBy(() -> shared.post(request))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT))
                    .hasMessageContaining("3 pieces of memory; at most 2");
        }
    }

    @Test
    void theInlineBytesOfARequest() {
        try (Peers peers = new Peers()) {
            long most = limits.maxInlineBytes();
            SendRequest request = new SendRequest().id(1).inline(true);
            assertThatThrownBy(() ->
                            peers.sender.post(request.payload(peers.sender.region(), 0, most + 1)))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT))
                    .hasMessageContaining("inline send request has " + (most + 1) + " bytes");
            peers.receiver.post(
                    new ReceiveRequest().id(2).buffer(peers.receiver.region(), 0, most));
            peers.sender.post(request.payload(peers.sender.region(), 0, most));
            assertThat(peers.sender.status()).isEqualTo("1 SUCCESS");
            assertThat(peers.receiver.completion().byteCount()).isEqualTo(most);
        }
    }

    /// A queue pair that drains its send queue holds what is posted.
    @Test
    void aFullSendQueueSaysSoAndLosesNothing() {
        try (Peers peers = new Peers()) {
            VerbsEnd sender = peers.sender;
            sender.queuePair().modify(QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN));
            for (int id = 1; id <= SMALL; id++) {
                peers.receiver.postReceive(id);
                sender.post(sender.message(id));
            }
            assertThat(sender.queuePair().post(sender.message(SMALL + 1))).isFalse();
            assertThat(sender.queuePair().post(sender.message(SMALL + 1))).isFalse();

            sender.event();
            sender.queuePair().modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
            for (int id = 1; id <= SMALL; id++) {
                assertThat(sender.status()).isEqualTo(id + " SUCCESS");
                assertThat(peers.receiver.status()).isEqualTo(id + " SUCCESS");
            }
            peers.receiver.postReceive(9);
            sender.post(sender.message(8));
            assertThat(sender.status()).isEqualTo("8 SUCCESS");
            assertThat(peers.receiver.status()).isEqualTo("9 SUCCESS");
        }
    }

    @Test
    void aListIsPostedAsFarAsItFits() {
        try (Peers peers = new Peers()) {
            VerbsEnd sender = peers.sender;
            sender.queuePair().modify(QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN));
            sender.event();
            List<SendRequest> requests = new ArrayList<>();
            for (int id = 1; id <= SMALL + 2; id++) {
                requests.add(sender.message(id));
            }
            assertThat(sender.queuePair().post(requests)).isEqualTo(SMALL);
            assertThat(sender.queuePair().post(requests)).as("a full queue").isZero();
            assertThat(sender.queuePair().post(List.of())).as("an empty list").isZero();

            for (int id = 1; id <= SMALL; id++) {
                peers.receiver.postReceive(id);
            }
            sender.queuePair().modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
            for (int id = 1; id <= SMALL; id++) {
                assertThat(sender.status()).isEqualTo(id + " SUCCESS");
                assertThat(peers.receiver.status()).isEqualTo(id + " SUCCESS");
            }
            for (int id = SMALL + 1; id <= SMALL + 2; id++) {
                peers.receiver.postReceive(id);
            }
            assertThat(sender.queuePair().post(requests.subList(SMALL, SMALL + 2))).isEqualTo(2);
            for (int id = SMALL + 1; id <= SMALL + 2; id++) {
                assertThat(sender.status()).isEqualTo(id + " SUCCESS");
                assertThat(peers.receiver.status()).isEqualTo(id + " SUCCESS");
            }
        }
    }

    @Test
    void aListEndsBeforeARequestThatIsRefused() {
        try (Peers peers = new Peers()) {
            VerbsEnd sender = peers.sender;
            SendRequest stranger = new SendRequest().send().payload(peers.receiver.region(), 0, 8);
            List<SendRequest> requests = List.of(sender.message(1), stranger, sender.message(3));
            peers.receiver.postReceive(1);
            assertThat(sender.queuePair().post(requests)).isEqualTo(1);
            assertThatThrownBy(() -> sender.queuePair().post(requests.subList(1, 3)))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT))
                    .hasMessageContaining("region of another device");
            assertThat(sender.status()).as("what stands before it").isEqualTo("1 SUCCESS");
            assertThat(peers.receiver.status()).isEqualTo("1 SUCCESS");
            peers.receiver.postReceive(3);
            assertThat(sender.queuePair().post(requests.subList(2, 3))).isEqualTo(1);
            assertThat(sender.status()).isEqualTo("3 SUCCESS");
        }
    }

    @Test
    void aFullReceiveQueueSaysSoAndLosesNothing() {
        try (Peers peers = new Peers()) {
            VerbsEnd receiver = peers.receiver;
            for (int id = 1; id <= SMALL; id++) {
                receiver.postReceive(id);
            }
            assertThat(receiver.queuePair().post(receiver.receive(SMALL + 1))).isFalse();
            for (int id = 1; id <= SMALL; id++) {
                peers.sender.post(peers.sender.message(id));
                assertThat(peers.sender.status()).isEqualTo(id + " SUCCESS");
                assertThat(receiver.status()).isEqualTo(id + " SUCCESS");
            }
            receiver.postReceive(9);
            receiver.queuePair().modify(QueuePairChange.to(QueuePairState.ERROR));
            assertThat(receiver.status()).as("the only one").startsWith("9 ");
        }
    }

    /// Two connected queue pairs whose queues hold few requests.
    private final class Peers implements AutoCloseable {
        final VerbsEnd sender = new VerbsEnd(device);
        final VerbsEnd receiver = new VerbsEnd(open());

        Peers() {
            for (VerbsEnd end : new VerbsEnd[] {sender, receiver}) {
                end.create(attributes ->
                        QueuePairAttributes.of(end.completions(), SMALL, SMALL)
                                .withMaxInlineBytes(limits.maxInlineBytes()));
            }
            VerbsEnd.connect(sender, receiver);
        }

        @Override
        public void close() {
            sender.close();
            receiver.close();
            receiver.device().close();
        }
    }
}
