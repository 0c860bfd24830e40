package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Queue pairs without connection management, on every provider: states, events, and what may not
/// be done with them.
public abstract class QueuePairContract {
    private static final String SUCCESS = " SUCCESS";
    private static final String FLUSHED = " WORK_REQUEST_FLUSHED";

    private VerbsEnd one;
    private VerbsEnd other;

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @BeforeEach
    void create() {
        one = new VerbsEnd(open()).create();
        other = new VerbsEnd(open()).create();
    }

    @AfterEach
    void close() {
        one.close();
        other.close();
        one.device().close();
        other.device().close();
    }

    private static void change(QueuePair pair, QueuePairState state) {
        pair.modify(QueuePairChange.to(state));
        assertThat(pair.state()).isEqualTo(state);
    }

    private void exchangeMessage(long id) {
        other.postReceive(id + 100);
        one.post(one.message(id));
        assertThat(one.status()).isEqualTo(id + SUCCESS);
        assertThat(other.status()).isEqualTo((id + 100) + SUCCESS);
    }

    @Test
    @Requirement("ROCE-RC-30")
    void connectsWithWhatThePeersTellEachOther() {
        assertThat(one.queuePair().type()).isEqualTo(QueuePairType.RELIABLE_CONNECTED);
        assertThat(one.queuePair().state()).isEqualTo(QueuePairState.RESET);
        VerbsEnd.connect(one, other);
        assertThat(one.queuePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);

        exchangeMessage(1);
        one.postReceive(2);
        other.post(other.message(3));
        assertThat(one.status()).isEqualTo(2 + SUCCESS);
    }

    @Test
    @Requirement("ROCE-RC-30")
    void aRefusedChangeNamesQueuePairStatesAndWhatIsValid() {
        QueuePair pair = one.queuePair();
        assertThatThrownBy(() ->
                        pair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND).sendPsn(1)))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_STATE))
                .hasMessageContaining("queue pair " + pair.number())
                .hasMessageContaining("RESET to READY_TO_SEND")
                .hasMessageContaining("INIT");
        assertThatThrownBy(() -> pair.modify(QueuePairChange.to(QueuePairState.INIT)))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT))
                .hasMessageContaining("[ACCESS] missing");
        assertThat(pair.state()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    void aPeerThatItKnowsIsAPeerLikeAnyOther() {
        VerbsEnd.initialize(one.queuePair()::modify);
        VerbsEnd.initialize(other.queuePair()::modify);
        readyTowards(one, other, 1000, 2000);
        readyTowards(other, one, 2000, 1000);

        exchangeMessage(1);
        assertThat(one.device().guid()).isNotEqualTo(other.device().guid());
    }

    @Test
    void thePeersDeviceIsNamedTogetherWithItsAddressOnly() {
        VerbsEnd.connect(one, other);
        assertThatThrownBy(() ->
                        one.queuePair()
                                .modify(
                                        QueuePairChange.to(QueuePairState.READY_TO_SEND)
                                                .peerGuid(other.device().guid())))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT))
                .hasMessageContaining("PEER_GUID");
    }

    private static void readyTowards(VerbsEnd end, VerbsEnd peer, int peerPsn, int psn) {
        end.queuePair()
                .modify(
                        QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                                .addressVector(AddressVector.to(peer.device().address()))
                                .destinationNumber(peer.queuePair().number())
                                .pathMtu(1024)
                                .receivePsn(peerPsn)
                                .maxDestinationReadAtomic(1)
                                .minRnrTimer(12)
                                .peerGuid(peer.device().guid()));
        VerbsEnd.readyToSend(end.queuePair()::modify, psn);
    }

    @Test
    @Requirement("ROCE-RC-31")
    void errorFlushesAndResetMakesTheQueuePairUsableAgain() {
        VerbsEnd.connect(one, other);
        one.postReceive(11);
        one.postReceive(12);
        change(one.queuePair(), QueuePairState.ERROR);
        one.post(one.message(1));
        assertThat(one.status()).isEqualTo(11 + FLUSHED);
        assertThat(one.status()).isEqualTo(12 + FLUSHED);
        assertThat(one.status()).isEqualTo(1 + FLUSHED);

        change(one.queuePair(), QueuePairState.RESET);
        change(other.queuePair(), QueuePairState.RESET);
        assertThat(one.queuePair().counters().values()).containsOnly(0L);
        VerbsEnd.connect(one, other);
        exchangeMessage(2);
    }

    @Test
    @Requirement("ROCE-RC-31")
    void resetDropsWhatIsOutstandingInSilence() {
        VerbsEnd.connect(one, other);
        one.postReceive(1);
        one.post(one.message(2));
        change(one.queuePair(), QueuePairState.RESET);
        change(other.queuePair(), QueuePairState.RESET);
        VerbsEnd.connect(one, other);
        exchangeMessage(3);
        assertThat(one.completions().poll(new Completion())).isFalse();
    }

    @Test
    @Requirement("ROCE-RC-32")
    void aDrainedSendQueueHoldsRequestsUntilItResumes() {
        VerbsEnd.connect(one, other);
        other.postReceive(1);
        other.postReceive(2);
        one.post(one.message(1));
        change(one.queuePair(), QueuePairState.SEND_QUEUE_DRAIN);
        one.post(one.message(2));

        assertThat(one.event())
                .isEqualTo(new AsyncEvent(AsyncEvent.Type.SQ_DRAINED, one.queuePair()));
        assertThat(one.status()).isEqualTo(1 + SUCCESS);
        assertThat(other.status()).isEqualTo(1 + SUCCESS);
        assertThat(other.completions().poll(new Completion())).isFalse();

        change(one.queuePair(), QueuePairState.READY_TO_SEND);
        assertThat(one.status()).isEqualTo(2 + SUCCESS);
        assertThat(other.status()).isEqualTo(2 + SUCCESS);
    }

    @Test
    void memoryMayHaveOtherAddressesThanItsOwn() {
        VerbsEnd.connect(one, other);
        MemorySegment memory = other.region().segment().asSlice(256, 128);
        long address = 0x20_0000_0000L;
        try (MemoryRegion region =
                other.domain()
                        .register(
                                memory,
                                address,
                                Access.LOCAL_WRITE,
                                Access.REMOTE_WRITE,
                                Access.REMOTE_ATOMIC)) {
            assertThat(region.address()).isEqualTo(address);
            int key = region.remoteKey();
            one.post(one.message(5).write(address + 8, key));
            assertThat(one.status()).isEqualTo(5 + SUCCESS);
            one.post(one.message(6).fetchAndAdd(address + 8, key, 10));
            assertThat(one.status()).isEqualTo(6 + SUCCESS);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(15);
            one.post(one.message(7).write(memory.address() + 8, key));
            assertThat(one.status()).isEqualTo("7 REMOTE_ACCESS_ERROR");
        }
        assertThatThrownBy(() ->
                        other.domain()
                                .register(
                                        memory,
                                        address + 4,
                                        Access.LOCAL_WRITE,
                                        Access.REMOTE_ATOMIC))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("a multiple of 8");
    }

    @Test
    @Requirement("ROCE-RC-27")
    void allSignaledOverridesTheRequest() {
        try (VerbsEnd loud = new VerbsEnd(one.device())) {
            loud.create(attributes -> attributes.withAllSignaled(true));
            VerbsEnd.connect(loud, other);
            other.postReceive(1);
            loud.post(loud.message(1).signaled(false));
            assertThat(loud.status()).isEqualTo(1 + SUCCESS);
        }
    }

    @Test
    @Requirement("ROCE-RC-27")
    void withoutItAnUnsignaledRequestSucceedsInSilence() {
        VerbsEnd.connect(one, other);
        other.postReceive(1);
        other.postReceive(2);
        one.post(one.message(1).signaled(false));
        one.post(one.message(2));
        assertThat(one.status()).isEqualTo(2 + SUCCESS);
        assertThat(one.completions().poll(new Completion())).isFalse();
    }

    @Test
    void thePeersFirstPacketIsAnEventOfAQueuePairReadyToReceive() {
        VerbsEnd.initialize(one.queuePair()::modify);
        VerbsEnd.initialize(other.queuePair()::modify);
        VerbsEnd.readyToReceive(
                one.queuePair()::modify, other.device(), other.queuePair().number(), 5);
        VerbsEnd.readyToReceive(
                other.queuePair()::modify, one.device(), one.queuePair().number(), 6);
        VerbsEnd.readyToSend(one.queuePair()::modify, 6);
        other.postReceive(1);
        one.post(one.message(1));

        assertThat(other.event())
                .isEqualTo(
                        new AsyncEvent(
                                AsyncEvent.Type.COMMUNICATION_ESTABLISHED, other.queuePair()));
        assertThat(other.status()).isEqualTo(1 + SUCCESS);
    }

    @Test
    void aForeignKeyIsAnEventAtItsOwner() {
        VerbsEnd.connect(one, other);
        one.post(one.message(1).write(other.region().address(), other.region().remoteKey() ^ 1));
        assertThat(one.status()).isEqualTo("1 REMOTE_ACCESS_ERROR");
        assertThat(other.event())
                .isEqualTo(new AsyncEvent(AsyncEvent.Type.QP_ACCESS_ERROR, other.queuePair()));
        assertThat(other.queuePair().state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void aCompletionQueueThatRunsFullIsAnEvent() {
        CompletionQueue small = other.device().createCompletionQueue(1);
        QueuePair pair =
                other.domain()
                        .createQueuePair(
                                QueuePairAttributes.of(other.completions(), 4, 4)
                                        .withReceiveQueue(small));
        VerbsEnd.connect(one.device(), one.queuePair(), other.device(), pair);
        for (int id = 1; id <= 2; id++) {
            assertThat(pair.post(other.receive(id))).isTrue();
        }
        one.post(one.message(1));
        assertThat(one.status()).isEqualTo(1 + SUCCESS);
        one.post(one.message(2));

        assertThat(one.status()).isEqualTo("2 REMOTE_OPERATION_ERROR");
        assertThat(other.event()).isEqualTo(new AsyncEvent(AsyncEvent.Type.CQ_ERROR, small));
        assertThat(other.event()).isEqualTo(new AsyncEvent(AsyncEvent.Type.QP_FATAL, pair));
        pair.close();
        small.close();
    }

    @Test
    void eventsThatNobodyTakesAreBoundedAndCounted() {
        VerbsEnd.connect(one, other);
        int drains = 3000;
        for (int i = 0; i < drains; i++) {
            change(one.queuePair(), QueuePairState.SEND_QUEUE_DRAIN);
            change(one.queuePair(), QueuePairState.READY_TO_SEND);
        }
        long kept = 0;
        while (one.device().nextEvent(Duration.ZERO).isPresent()) {
            kept++;
        }
        assertThat(kept).isPositive().isLessThan(drains);
        assertThat(one.device().counters()).containsEntry("events.lost", drains - kept);
    }

    @Test
    void nothingHappenedIsNoEvent() {
        assertThat(one.device().nextEvent(Duration.ZERO)).isEqualTo(Optional.empty());
        assertThat(one.device().nextEvent(Duration.ofMillis(1))).isEqualTo(Optional.empty());
    }

    @Test
    void aParentWithAnOpenQueuePairCannotBeClosed() {
        assertInUse(one.domain(), "1 queue pairs");
        assertInUse(one.completions(), "queue pair");
        VerbsEnd.connect(one, other);
        other.postReceive(1);
        one.post(one.message(1));
        assertThat(one.status()).as("nothing is broken by trying").isEqualTo(1 + SUCCESS);
    }

    static void assertInUse(AutoCloseable parent, String child) {
        assertThatThrownBy(parent::close)
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(Reason.IN_USE))
                .hasMessageContaining(child);
    }

    @Test
    void aQueuePairNeedsPartsOfItsOwnDevice() {
        assertThatThrownBy(() ->
                        one.domain()
                                .createQueuePair(QueuePairAttributes.of(other.completions(), 1, 1)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("completion queues")
                .hasMessageContaining(one.device().name());
    }

    @Test
    void closingTheDeviceClosesItsQueuePairs() {
        Device third = open();
        ProtectionDomain domain = third.allocateProtectionDomain();
        QueuePair pair =
                domain.createQueuePair(
                        QueuePairAttributes.of(third.createCompletionQueue(2), 1, 1));
        third.close();
        assertThatThrownBy(() -> pair.modify(QueuePairChange.to(QueuePairState.RESET)))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED));
        pair.close();
    }

    @Test
    void aClosedQueuePairRefusesEverythingButClosing() {
        QueuePair pair = one.queuePair();
        pair.close();
        pair.close();
        assertThatThrownBy(() -> pair.modify(QueuePairChange.to(QueuePairState.ERROR)))
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED))
                .hasMessageContaining("queue pair " + pair.number());
        assertThatThrownBy(() -> pair.post(new ReceiveRequest()))
                .isInstanceOf(FabricException.class);
    }
}
