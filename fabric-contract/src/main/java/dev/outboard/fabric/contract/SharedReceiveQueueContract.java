package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SharedReceiveQueue;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Shared receive queues on every provider: two senders, one receiver whose two queue pairs share
/// their receives (roce.md 3.12).
public abstract class SharedReceiveQueueContract {
    private static final int CAPACITY = 8;

    private VerbsEnd firstSender;
    private VerbsEnd secondSender;
    private VerbsEnd receiver;
    private SharedReceiveQueue shared;
    private QueuePair first;
    private QueuePair second;

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @BeforeEach
    void create() {
        firstSender = new VerbsEnd(open()).create();
        secondSender = new VerbsEnd(firstSender.device()).create();
        receiver = new VerbsEnd(open());
        shared = receiver.domain().createSharedReceiveQueue(CAPACITY, 1);
        first = connect(firstSender);
        second = connect(secondSender);
    }

    private QueuePair connect(VerbsEnd sender) {
        receiver.create(attributes -> attributes.withSharedReceiveQueue(shared));
        VerbsEnd.connect(sender, receiver);
        return receiver.queuePair();
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
        shared.close();
        receiver.close();
        firstSender.close();
        secondSender.close();
        firstSender.device().close();
        receiver.device().close();
    }

    private void post(long id) {
        assertThat(shared.post(receiver.receive(id))).as("posted").isTrue();
    }

    @Test
    @Requirement("ROCE-SRQ-1")
    void receivesAreTakenInOrderByWhoeverNeedsThem() {
        for (int id = 1; id <= 4; id++) {
            post(id);
        }
        List<String> taken = new ArrayList<>();
        for (int id = 1; id <= 4; id++) {
            VerbsEnd sender = id % 2 == 0 ? firstSender : secondSender;
            sender.post(sender.message(id));
            assertThat(sender.status()).isEqualTo(id + " SUCCESS");
            Completion completion = receiver.completion();
            taken.add(completion.id() + " on " + completion.queuePairNumber());
            assertThat(receiver.region().segment().get(ValueLayout.JAVA_LONG, 64L * id))
                    .isEqualTo(id);
        }
        assertThat(taken)
                .containsExactly(
                        "1 on " + second.number(),
                        "2 on " + first.number(),
                        "3 on " + second.number(),
                        "4 on " + first.number());
    }

    @Test
    @Requirement("ROCE-SRQ-1")
    void anEmptyQueueMakesSendersWait() {
        firstSender.post(firstSender.message(1));
        Completions.awaitWithout(
                receiver.completions(),
                () -> first.counters().getOrDefault("rnr-naks-sent", 0L) > 0);
        assertThat(first.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        post(5);
        assertThat(firstSender.status()).isEqualTo("1 SUCCESS");
        assertThat(receiver.status()).isEqualTo("5 SUCCESS");
    }

    @Test
    @Requirement("ROCE-SRQ-1")
    void fewerReceivesThanTheLimitAreOneEvent() {
        for (int id = 1; id <= 4; id++) {
            post(id);
        }
        shared.arm(3);
        assertThat(receiver.device().nextEvent(Duration.ZERO)).isEmpty();
        for (int id = 1; id <= 3; id++) {
            firstSender.post(firstSender.message(id));
            assertThat(receiver.status()).isEqualTo(id + " SUCCESS");
            assertThat(receiver.device().nextEvent(Duration.ZERO).isPresent())
                    .as("after receive %d", id)
                    .isEqualTo(id == 2);
        }
        shared.arm(2);
        assertThat(receiver.event())
                .as("reached already")
                .isEqualTo(new AsyncEvent(AsyncEvent.Type.SRQ_LIMIT_REACHED, shared));
    }

    @Test
    @Requirement({"ROCE-SRQ-1", "ROCE-RC-31"})
    void aFailedQueuePairLeavesTheReceivesToTheOthers() {
        post(1);
        post(2);
        first.modify(QueuePairChange.to(QueuePairState.ERROR));
        assertThat(receiver.event())
                .isEqualTo(new AsyncEvent(AsyncEvent.Type.QP_LAST_WQE_REACHED, first));
        assertThat(receiver.completions().poll(new Completion())).as("not flushed").isFalse();

        secondSender.post(secondSender.message(3));
        assertThat(receiver.status()).isEqualTo("1 SUCCESS");
    }

    @Test
    @Requirement("ROCE-SRQ-1")
    void aQueuePairOnItRefusesReceives() {
        assertThatThrownBy(() -> first.post(receiver.receive(1)))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_STATE))
                .hasMessageContaining("queue pair " + first.number())
                .hasMessageContaining("shared receive queue");
    }

    @Test
    void aFullQueueRefusesWithoutChange() {
        for (int id = 0; id < CAPACITY; id++) {
            post(id);
        }
        assertThat(shared.post(receiver.receive(9))).isFalse();
        assertThat(shared.capacity()).isEqualTo(CAPACITY);
        firstSender.post(firstSender.message(1));
        assertThat(receiver.status()).isEqualTo("0 SUCCESS");
        post(9);
    }

    @Test
    void itCannotBeClosedBeforeItsQueuePairs() {
        QueuePairContract.assertInUse(shared, "2 queue pairs");
        QueuePairContract.assertInUse(receiver.domain(), "1 shared receive queues");
        first.close();
        second.close();
        shared.close();
        shared.close();
        assertThatThrownBy(() -> shared.post(receiver.receive(1)))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED));
    }

    @Test
    void itServesItsOwnDomainOnly() {
        ProtectionDomain foreign = receiver.device().allocateProtectionDomain();
        QueuePairAttributes attributes =
                QueuePairAttributes.of(receiver.completions(), 1, 1).withSharedReceiveQueue(shared);
        assertThatThrownBy(() -> foreign.createQueuePair(attributes))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("shared receive queue")
                .hasMessageContaining("protection domain");
        foreign.close();
    }

    @Test
    void theLimitLiesWithinTheCapacity() {
        for (int beyond : new int[] {-1, CAPACITY + 1}) {
            assertThatThrownBy(() -> shared.arm(beyond))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("is " + beyond + "; valid: 0 to " + CAPACITY);
        }
        post(1);
        shared.arm(0);
        assertThat(receiver.device().nextEvent(Duration.ZERO)).as("asked for none").isEmpty();
        shared.arm(CAPACITY);
        assertThat(receiver.event())
                .isEqualTo(new AsyncEvent(AsyncEvent.Type.SRQ_LIMIT_REACHED, shared));
    }
}
