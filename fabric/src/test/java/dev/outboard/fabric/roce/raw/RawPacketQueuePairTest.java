package dev.outboard.fabric.roce.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.sim.network.FrameBuffer;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.NoRegisters;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a raw packet queue pair does with frames, and how it ends. Steering and the network around
/// it are the business of `RawPacketContract`.
final class RawPacketQueuePairTest {
    private static final int DOMAIN = 7;
    private static final int NUMBER = 0x11;

    /// More than leave in one turn.
    private static final int DEPTH = 128;

    private static final int SOME = 100;

    private final RegionTable regions = new RegionTable(16, new SplittableRandom(1));
    private final RegisteredRegion region = register(Arena.ofAuto().allocate(1 << 16));
    private final CompletionRing sends = new CompletionRing(2 * DEPTH, ring -> {});
    private final CompletionRing receives = new CompletionRing(DEPTH, ring -> {});
    private final FrameBuffer port = new FrameBuffer(MacAddress.of("02:00:0a:00:00:01"), DEPTH);
    private final DatagramSink sink = new DatagramSink(1);
    private final List<AsyncEvent.Type> events = new ArrayList<>();
    private final List<Discard> discards = new ArrayList<>();
    private final RawPacketQueuePair queuePair =
            new RawPacketQueuePair(
                    new QueuePairCore(
                            NUMBER,
                            DOMAIN,
                            regions,
                            sends,
                            receives,
                            new QueueSizes(DEPTH, DEPTH, 2, 64),
                            Optional.empty(),
                            false,
                            events::add),
                    new Port(Gid.ofIpv4(0x0A00_0001), 1024),
                    port,
                    discards::add);

    RawPacketQueuePairTest() {
        modify(QueuePairState.INIT);
        modify(QueuePairState.READY_TO_RECEIVE);
        modify(QueuePairState.READY_TO_SEND);
    }

    private RegisteredRegion register(MemorySegment memory) {
        return regions.register(DOMAIN, memory, Set.of(Access.LOCAL_WRITE));
    }

    /// A region that is no memory, and refuses to be one.
    private RegisteredRegion refusing() {
        return regions.registerMmio(DOMAIN, 4096, new NoRegisters(), Set.of(Access.LOCAL_WRITE));
    }

    private void modify(QueuePairState state) {
        queuePair.modify(QueuePairChange.to(state));
    }

    private void postSend(RegisteredRegion from, long length) {
        assertThat(queuePair.post(new SendRequest().id(5).payload(from, 0, length))).isTrue();
    }

    private void postReceive(RegisteredRegion into, long length) {
        assertThat(queuePair.post(new ReceiveRequest().id(6).buffer(into, 0, length))).isTrue();
    }

    private boolean transmit() {
        return queuePair.transmit(sink, 0);
    }

    private void receiveFrame(int length) {
        queuePair.receive(MemorySegment.ofArray(new byte[length]), length);
    }

    private Map<String, Long> counters() {
        Map<String, Long> counters = new TreeMap<>();
        queuePair.countersTo(counters);
        return counters;
    }

    private static CompletionStatus take(CompletionRing ring) {
        Completion completion = new Completion();
        assertThat(ring.poll(completion)).as("a completion").isTrue();
        return completion.status();
    }

    @Test
    void hasNoPeerNoTimerAndNoPackets() {
        assertThat(queuePair.number()).isEqualTo(NUMBER);
        assertThat(queuePair.type()).isEqualTo(QueuePairType.RAW_PACKET);
        assertThat(queuePair.path()).isNull();
        assertThat(queuePair.accepts(new Packet())).isFalse();
        assertThat(queuePair.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(queuePair.onTimer(0)).isFalse();
    }

    @Test
    void countsWhatItSendsAndReceivesUntilItIsReset() {
        postSend(region, 14);
        transmit();
        transmit();
        assertThat(port.bytes(0)).hasSize(EthernetFrame.MIN_LENGTH);
        assertThat(take(sends)).isEqualTo(CompletionStatus.SUCCESS);
        postReceive(region, SOME);
        receiveFrame(SOME);
        assertThat(take(receives)).isEqualTo(CompletionStatus.SUCCESS);

        assertThat(counters())
                .containsEntry("frames-sent", 1L)
                .containsEntry("bytes-sent", 14L)
                .containsEntry("frames-received", 1L)
                .containsEntry("bytes-received", (long) SOME);
        modify(QueuePairState.SEND_QUEUE_DRAIN);
        assertThat(queuePair.bytesReceived()).isEqualTo(SOME);
        modify(QueuePairState.RESET);
        assertThat(queuePair.bytesReceived()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {13, EthernetFrame.MAX_LENGTH + 1})
    void whatIsNoFrameFailsTheSendQueueAlone(int length) {
        postSend(region, length);
        postSend(region, SOME);
        transmit();
        transmit();

        assertThat(port.count()).isZero();
        assertThat(take(sends)).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
        assertThat(take(sends)).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.SEND_QUEUE_ERROR);
    }

    @ParameterizedTest
    @ValueSource(ints = {14, EthernetFrame.MAX_LENGTH})
    void theShortestAndTheLongestFrameLeave(int length) {
        postSend(region, length);
        transmit();

        assertThat(port.bytes(0)).hasSize(Math.max(length, EthernetFrame.MIN_LENGTH));
    }

    @Test
    void memoryThatIsGoneFailsTheSend() {
        Arena arena = Arena.ofShared();
        RegisteredRegion gone = register(arena.allocate(SOME));
        postSend(gone, SOME);
        arena.close();
        transmit();

        assertThat(take(sends)).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertThat(port.count()).isZero();
    }

    @Test
    void registersThatRefuseFailTheSend() {
        postSend(refusing(), 60);
        transmit();
        transmit();

        assertThat(take(sends)).isEqualTo(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
        assertThat(port.count()).isZero();
        assertThat(queuePair.state()).isEqualTo(QueuePairState.SEND_QUEUE_ERROR);
    }

    @Test
    void aTurnSendsItsShare() {
        for (int i = 0; i <= RawPacketQueuePair.FRAMES_PER_TURN; i++) {
            postSend(region, SOME);
        }

        assertThat(transmit()).isTrue();
        assertThat(port.count()).isEqualTo(RawPacketQueuePair.FRAMES_PER_TURN);
        transmit();
        assertThat(port.count()).isEqualTo(RawPacketQueuePair.FRAMES_PER_TURN + 1);
        assertThat(transmit()).isFalse();
    }

    @Test
    void whatFindsNoPlaceIsNotPosted() {
        SendRequest send = new SendRequest().payload(region, 0, SOME);
        ReceiveRequest receive = new ReceiveRequest().buffer(region, 0, SOME);
        for (int i = 0; i < DEPTH; i++) {
            assertThat(queuePair.post(send)).isTrue();
            assertThat(queuePair.post(receive)).isTrue();
        }

        assertThat(queuePair.post(send)).isFalse();
        assertThat(queuePair.post(receive)).isFalse();
    }

    @Test
    void onlySendsArePossible() {
        SendRequest write = new SendRequest().write(0, 1).payload(region, 0, SOME);

        assertThatThrownBy(() -> queuePair.post(write))
                .isInstanceOf(FabricException.class)
                .hasMessage(
                        "queue pair 17: RDMA_WRITE is not possible with raw packets; valid: SEND");
    }

    @Test
    void aFrameMayFillTheReceive() {
        postReceive(region, SOME);
        receiveFrame(SOME);
        postReceive(region, SOME);
        receiveFrame(SOME + 1);
        receiveFrame(SOME);

        assertThat(take(receives)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(take(receives)).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
        assertThat(discards).containsExactly(Discard.RECEIVE_TOO_SMALL, Discard.NO_RECEIVE);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void aReceiveWhoseArenaIsClosedFailsTheQueuePair() {
        Arena arena = Arena.ofShared();
        postReceive(register(arena.allocate(SOME)), SOME);
        arena.close();
        receiveFrame(SOME);

        assertThat(take(receives)).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertThat(discards).containsExactly(Discard.RECEIVE_UNWRITABLE);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void aReceiveWhoseRegionIsClosedFailsTheQueuePair() {
        RegisteredRegion gone = register(Arena.ofAuto().allocate(SOME));
        postReceive(gone, SOME);
        gone.close();
        receiveFrame(SOME);

        assertThat(take(receives)).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void registersThatRefuseFailTheReceive() {
        postReceive(refusing(), SOME);
        receiveFrame(SOME);

        assertThat(take(receives)).isEqualTo(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void inErrorItFlushesAndDrops() {
        postReceive(region, SOME);
        queuePair.fail();
        postSend(region, SOME);
        transmit();
        receiveFrame(SOME);

        assertThat(take(receives)).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(take(sends)).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(discards).containsExactly(Discard.WRONG_STATE);
        assertThat(counters()).containsEntry("wrong-state-dropped", 1L);
    }

    /// The frames before took every place.
    @Test
    void aFrameWhoseCompletionFindsNoPlaceFailsTheQueuePair() {
        fillCompletions();
        postReceive(region, SOME);
        receiveFrame(SOME);

        assertOverrun();
    }

    @Test
    void aFailedReceiveWhoseCompletionFindsNoPlaceFailsTheQueuePair() {
        fillCompletions();
        postReceive(region, SOME - 1);
        receiveFrame(SOME);

        assertOverrun();
    }

    @Test
    void anUnwritableReceiveWhoseCompletionFindsNoPlaceIsCounted() {
        fillCompletions();
        postReceive(refusing(), SOME);
        receiveFrame(SOME);

        assertOverrun();
    }

    private void fillCompletions() {
        for (int i = 0; i < DEPTH; i++) {
            postReceive(region, SOME);
            receiveFrame(SOME);
        }
        assertThat(events).isEmpty();
    }

    private void assertOverrun() {
        assertThat(counters()).containsEntry("completion-queue-overruns", 1L);
        assertThat(events).containsExactly(AsyncEvent.Type.QP_FATAL);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }
}
