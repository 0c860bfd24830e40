package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.Flow;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SharedReceiveQueue;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Raw Ethernet on every provider: those that have a port there send, receive and steer frames, the
/// others refuse.
public abstract class RawPacketContract {
    private static final int IPV4 = 0x0800;
    private static final int OTHER = 0x88B5;
    private static final int SHORTEST = 60;
    private static final MacAddress UNKNOWN = MacAddress.of("02:ff:00:00:00:01");

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T opened(T each) {
        open.push(each);
        return each;
    }

    private Device device() {
        return opened(open());
    }

    /// A queue pair on a device of its own that has Ethernet.
    private RawPacketEnd end() {
        Device device = device();
        assumeThat(device.limits().maxFlows()).as("flows").isPositive();
        return opened(new RawPacketEnd(device));
    }

    /// A queue pair like that of `end`, ready to send.
    private QueuePair another(RawPacketEnd end) {
        QueuePair queuePair = opened(end.domain().createQueuePair(end.attributes()));
        RawPacketEnd.getReady(queuePair);
        return queuePair;
    }

    private static void assertRefused(ThrowingCallable call, Reason reason, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(message);
    }

    private static void awaitCounter(RawPacketEnd end, String name, long value) {
        Completions.awaitWithout(
                end.completions(), () -> end.device().counters().getOrDefault(name, 0L) >= value);
        assertThat(end.device().counters()).containsEntry(name, value);
    }

    @Test
    void aDeviceWithoutEthernetSaysSoAndRefuses() {
        Device device = device();
        boolean hasEthernet = device.limits().maxFlows() > 0;
        assertThat(device.macAddress().isPresent()).isEqualTo(hasEthernet);
        assertThat(device.limits().maxFrameBytes() > 0).isEqualTo(hasEthernet);
        if (!hasEthernet) {
            assertRefused(
                    () -> new RawPacketEnd(device), Reason.INVALID_ARGUMENT, "type RAW_PACKET");
            assertThat(device.counters()).containsEntry("open.queue-pairs", 0L);
        }
    }

    @Test
    void everyPortHasAnAddressOfItsOwn() {
        RawPacketEnd one = end();
        RawPacketEnd other = end();
        assertThat(one.address()).isNotEqualTo(other.address());
        assertThat(one.address().isMulticast()).isFalse();
        assertThat(one.device().limits().maxFrameBytes()).isGreaterThanOrEqualTo(1518);
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 59, 60, 61, 1514, 9014})
    void aFrameArrivesAsItWasSent(int length) {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        assumeThat(near.device().limits().maxFrameBytes()).isGreaterThanOrEqualTo(length);
        opened(far.queuePair().createFlow(FlowMatch.destination(far.address())));
        far.postReceive(5);
        byte[] frame = near.frame(far.address(), OTHER, length);

        near.post(near.send(3, frame));
        Completion sent = near.completion();
        assertThat(sent.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(sent.opcode()).isEqualTo(CompletionOpcode.SEND);
        assertThat(sent.id()).isEqualTo(3);
        Completion received = far.completion();

        assertThat(received.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(received.opcode()).isEqualTo(CompletionOpcode.RECEIVE);
        assertThat(received.id()).isEqualTo(5);
        assertThat(received.queuePairNumber()).isEqualTo(far.queuePair().number());
        assertThat(received.byteCount()).isEqualTo(Math.max(SHORTEST, length));
        assertThat(far.bytes(5, received.byteCount()))
                .isEqualTo(Arrays.copyOf(frame, (int) received.byteCount()));
        assertThat(far.queuePair().bytesReceived()).isEqualTo(received.byteCount());
    }

    @Test
    void aFrameComesFromManyPiecesAndGoesToMany() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        opened(far.queuePair().createFlow(FlowMatch.all()));
        byte[] frame = near.frame(far.address(), IPV4, 200);
        near.send(0, frame);
        assertThat(
                        far.queuePair()
                                .post(
                                        new ReceiveRequest()
                                                .id(1)
                                                .buffer(far.region(), 0, 14)
                                                .appendBuffer(far.region(), 1000, 100)
                                                .appendBuffer(far.region(), 2000, 100)))
                .isTrue();

        near.post(
                new SendRequest()
                        .payload(near.region(), 0, 6)
                        .appendPayload(near.region(), 6, 8)
                        .appendPayload(near.region(), 14, 186));

        assertThat(far.completion().byteCount()).isEqualTo(200);
        byte[] memory = far.region().segment().asSlice(0, 3000).toArray(ValueLayout.JAVA_BYTE);
        assertThat(Arrays.copyOf(memory, 14)).isEqualTo(Arrays.copyOf(frame, 14));
        assertThat(Arrays.copyOfRange(memory, 1000, 1100))
                .isEqualTo(Arrays.copyOfRange(frame, 14, 114));
        assertThat(Arrays.copyOfRange(memory, 2000, 2086))
                .isEqualTo(Arrays.copyOfRange(frame, 114, 200));
    }

    @Test
    void anInlineFrameIsCopiedWhenItIsPosted() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        opened(far.queuePair().createFlow(FlowMatch.all()));
        far.postReceive(1);
        byte[] frame = near.frame(far.address(), IPV4, RawPacketEnd.MAX_INLINE_BYTES);
        SendRequest request = near.send(0, frame).inline(true).signaled(false);
        near.post(request);
        near.region().segment().asSlice(0, frame.length).fill((byte) 0);
        assertThat(far.receivedFrame()).isEqualTo(frame);

        far.postReceive(2);
        near.sendAndAwait(1, frame);
        assertThat(far.receivedFrame()).isEqualTo(frame);
    }

    @Test
    void aFrameThatIsTooShortOrTooLongFailsAndStopsTheSendQueue() {
        RawPacketEnd near = end();
        int most = near.device().limits().maxFrameBytes();
        for (int length : new int[] {0, 13, most + 1}) {
            near.post(new SendRequest().id(1).payload(near.region(), 0, length));
            assertThat(near.status()).isEqualTo("1 LOCAL_LENGTH_ERROR");
            assertThat(near.queuePair().state()).isEqualTo(QueuePairState.SEND_QUEUE_ERROR);
            near.post(near.send(2, near.frame(UNKNOWN, IPV4, 60)));
            assertThat(near.status()).isEqualTo("2 WORK_REQUEST_FLUSHED");
            near.queuePair().modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
        }
        near.sendAndAwait(3, near.frame(UNKNOWN, IPV4, most));
    }

    @Test
    void memoryThatCannotBeReadFailsTheSendAfterThoseBefore() {
        RawPacketEnd near = end();
        MemoryRegion gone = near.domain().register(near.region().segment(), Access.LOCAL_WRITE);
        gone.close();
        near.post(near.send(1, near.frame(UNKNOWN, IPV4, 100)));
        near.post(new SendRequest().id(2).payload(gone, 0, 100));
        assertThat(near.status()).isEqualTo("1 SUCCESS");
        assertThat(near.status()).isEqualTo("2 LOCAL_PROTECTION_ERROR");
    }

    @Test
    void onlySendIsPossible() {
        RawPacketEnd near = end();
        for (SendRequest request :
                List.of(
                        new SendRequest().sendWithImmediate(1),
                        new SendRequest().write(0, 0),
                        new SendRequest().read(0, 0))) {
            assertRefused(
                    () -> near.queuePair().post(request), Reason.INVALID_ARGUMENT, "valid: SEND");
        }
    }

    @Test
    void statesChangeWithoutAttributes() {
        RawPacketEnd near = end();
        QueuePair fresh = opened(near.domain().createQueuePair(near.attributes()));
        assertThat(fresh.type()).isEqualTo(QueuePairType.RAW_PACKET);
        assertRefused(
                () -> fresh.modify(QueuePairChange.to(QueuePairState.INIT).queueKey(1)),
                Reason.INVALID_ARGUMENT,
                "QUEUE_KEY");
        assertRefused(
                () -> fresh.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND)),
                Reason.INVALID_STATE,
                "RAW_PACKET");
        assertRefused(() -> fresh.post(near.receive(1, 64)), Reason.INVALID_STATE, "from INIT on");
        fresh.modify(QueuePairChange.to(QueuePairState.INIT));
        assertThat(fresh.post(near.receive(1, 64))).isTrue();
        assertRefused(
                () -> fresh.post(new SendRequest()), Reason.INVALID_STATE, "READY_TO_SEND on");
    }

    @Test
    void whatIsOutstandingIsFlushedInOrder() {
        RawPacketEnd near = end();
        near.postReceive(1);
        near.postReceive(2);
        near.queuePair().modify(QueuePairChange.to(QueuePairState.ERROR));
        assertThat(near.status()).isEqualTo("1 WORK_REQUEST_FLUSHED");
        assertThat(near.status()).isEqualTo("2 WORK_REQUEST_FLUSHED");
        near.post(near.send(3, near.frame(UNKNOWN, IPV4, 60)));
        assertThat(near.status()).isEqualTo("3 WORK_REQUEST_FLUSHED");
    }

    @Test
    void manyFramesArriveInOrder() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        opened(far.queuePair().createFlow(FlowMatch.destination(far.address())));
        for (int i = 0; i < RawPacketEnd.DEPTH; i++) {
            far.postReceive(i);
            near.post(near.send(0, near.frame(far.address(), OTHER, 60 + i)).id(i).signaled(false));
        }
        for (int i = 0; i < RawPacketEnd.DEPTH; i++) {
            Completion received = far.completion();
            assertThat(received.id()).isEqualTo(i);
            assertThat(received.byteCount()).isEqualTo(60 + i);
        }
        assertThat(near.queuePair().counters())
                .containsEntry("frames-sent", (long) RawPacketEnd.DEPTH);
        assertThat(far.queuePair().counters())
                .containsEntry("frames-received", (long) RawPacketEnd.DEPTH);
    }

    @Test
    void theMostSpecificFlowTakesAFrame() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        MacAddress group = MacAddress.of("03:00:00:00:00:01");
        List<FlowMatch> matches =
                List.of(
                        FlowMatch.all(),
                        FlowMatch.etherType(IPV4),
                        FlowMatch.destination(far.address()),
                        FlowMatch.destination(far.address()).withEtherType(IPV4),
                        FlowMatch.destination(group));
        List<QueuePair> takers = new ArrayList<>();
        for (FlowMatch match : matches) {
            QueuePair taker = another(far);
            for (int i = 0; i < 3; i++) {
                assertThat(taker.post(far.receive(i, RawPacketEnd.SLOT))).isTrue();
            }
            Flow flow = opened(taker.createFlow(match));
            assertThat(flow.match()).isEqualTo(match);
            takers.add(taker);
        }
        assertThat(far.device().counters()).containsEntry("open.flows", 5L);
        Consumer<byte[]> send = frame -> near.sendAndAwait(1, frame);
        send.accept(near.frame(far.address(), IPV4, 100));
        assertThat(far.completion().queuePairNumber()).isEqualTo(takers.get(3).number());
        send.accept(near.frame(far.address(), OTHER, 100));
        assertThat(far.completion().queuePairNumber()).isEqualTo(takers.get(2).number());
        send.accept(near.frame(MacAddress.BROADCAST, IPV4, 100));
        assertThat(far.completion().queuePairNumber()).isEqualTo(takers.get(1).number());
        send.accept(near.frame(MacAddress.BROADCAST, OTHER, 100));
        assertThat(far.completion().queuePairNumber()).isEqualTo(takers.get(0).number());
        send.accept(near.frame(group, IPV4, 100));
        assertThat(far.completion().queuePairNumber()).isEqualTo(takers.get(4).number());
        // A length, which is no EtherType.
        send.accept(near.frame(UNKNOWN, 100 - 14, 100));
        assertThat(far.completion().queuePairNumber()).isEqualTo(takers.get(0).number());
    }

    @Test
    void thereIsOneFlowForTheSameFrames() {
        RawPacketEnd end = end();
        QueuePair other = another(end);
        FlowMatch match = FlowMatch.destination(end.address()).withEtherType(IPV4);
        Flow first = end.queuePair().createFlow(match);
        assertRefused(
                () -> other.createFlow(match),
                Reason.IN_USE,
                "frames to %s of EtherType 0x0800 already, which leads to queue pair %d"
                        .formatted(end.address(), end.queuePair().number()));
        assertRefused(() -> end.queuePair().createFlow(match), Reason.IN_USE, "close that first");
        first.close();
        Flow second = other.createFlow(match);
        first.close();
        assertRefused(() -> end.queuePair().createFlow(match), Reason.IN_USE, "already");
        other.close();
        assertThat(end.device().counters()).containsEntry("open.flows", 0L);
        end.queuePair().createFlow(match);
        second.close();
        assertThat(end.device().counters()).containsEntry("open.flows", 1L);
        assertRefused(() -> other.createFlow(match), Reason.CLOSED, "closed");
    }

    @Test
    void thereAreAsManyFlowsAsTheLimitSays() {
        RawPacketEnd end = end();
        int most = end.device().limits().maxFlows();
        for (int i = 0; i < most; i++) {
            end.queuePair().createFlow(FlowMatch.destination(new MacAddress(i)));
        }
        assertRefused(
                () -> end.queuePair().createFlow(FlowMatch.all()),
                Reason.LIMIT_REACHED,
                "all " + most + " flows");
    }

    @Test
    void flowsLeadToRawPacketsOnly() {
        RawPacketEnd end = end();
        QueuePair connected =
                opened(
                        end.domain()
                                .createQueuePair(QueuePairAttributes.of(end.completions(), 4, 4)));
        assertRefused(
                () -> connected.createFlow(FlowMatch.all()), Reason.INVALID_STATE, "RAW_PACKET");
    }

    @Test
    void framesThatNoFlowTakesAreCounted() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        far.postReceive(1);
        near.sendAndAwait(1, near.frame(far.address(), IPV4, 100));
        awaitCounter(far, "discarded.no-flow", 1);
        try (Flow _ = far.queuePair().createFlow(FlowMatch.etherType(OTHER))) {
            near.sendAndAwait(2, near.frame(far.address(), IPV4, 100));
            awaitCounter(far, "discarded.no-flow", 2);
        }
        near.sendAndAwait(3, near.frame(far.address(), OTHER, 100));
        awaitCounter(far, "discarded.no-flow", 3);
    }

    @Test
    void framesWithoutAReceiveAreCounted() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        opened(far.queuePair().createFlow(FlowMatch.all()));
        near.sendAndAwait(1, near.frame(far.address(), IPV4, 100));
        awaitCounter(far, "discarded.no-receive", 1);
        assertThat(far.queuePair().counters()).containsEntry("no-receive-dropped", 1L);
    }

    @Test
    void aReceiveThatIsTooSmallFailsAlone() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        opened(far.queuePair().createFlow(FlowMatch.all()));
        assertThat(far.queuePair().post(far.receive(1, 99))).isTrue();
        far.postReceive(2);
        near.sendAndAwait(1, near.frame(far.address(), IPV4, 100));
        near.sendAndAwait(2, near.frame(far.address(), IPV4, 100));
        assertThat(far.status()).isEqualTo("1 LOCAL_LENGTH_ERROR");
        assertThat(far.status()).isEqualTo("2 SUCCESS");
        assertThat(far.device().counters()).containsEntry("discarded.receive-too-small", 1L);
        assertThat(far.queuePair().counters()).containsEntry("too-long-dropped", 1L);
    }

    @Test
    void framesAreDroppedAndCountedBeforeReadyToReceive() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        QueuePair early = opened(far.domain().createQueuePair(far.attributes()));
        opened(early.createFlow(FlowMatch.all()));
        early.modify(QueuePairChange.to(QueuePairState.INIT));
        assertThat(early.post(far.receive(1, RawPacketEnd.SLOT))).isTrue();
        near.sendAndAwait(1, near.frame(far.address(), IPV4, 100));
        awaitCounter(far, "discarded.wrong-state", 1);
        early.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
        near.sendAndAwait(2, near.frame(far.address(), IPV4, 100));
        assertThat(far.status()).isEqualTo("1 SUCCESS");
    }

    @Test
    void aReceiveThatCannotBeWrittenFailsTheQueuePair() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        opened(far.queuePair().createFlow(FlowMatch.all()));
        MemoryRegion readOnly = opened(far.domain().register(far.region().segment()));
        assertThat(far.queuePair().post(new ReceiveRequest().id(1).buffer(readOnly, 0, 200)))
                .isTrue();
        near.sendAndAwait(1, near.frame(far.address(), IPV4, 100));
        assertThat(far.status()).isEqualTo("1 LOCAL_PROTECTION_ERROR");
        assertThat(far.queuePair().state()).isEqualTo(QueuePairState.ERROR);
        assertThat(far.device().counters()).containsEntry("discarded.receive-unwritable", 1L);
    }

    @Test
    void framesToManyAndToUnknownAddressesGoToAllOthers() {
        RawPacketEnd sender = end();
        List<RawPacketEnd> all = List.of(sender, end(), end());
        for (RawPacketEnd each : all) {
            opened(each.queuePair().createFlow(FlowMatch.all()));
            each.postReceive(1);
            each.postReceive(2);
            each.postReceive(3);
        }
        for (MacAddress to :
                List.of(MacAddress.BROADCAST, MacAddress.of("01:00:5e:00:00:01"), UNKNOWN)) {
            byte[] frame = sender.frame(to, OTHER, 100);
            sender.sendAndAwait(4, frame);
            assertThat(all.get(1).receivedFrame()).isEqualTo(frame);
            assertThat(all.get(2).receivedFrame()).isEqualTo(frame);
        }
        byte[] toOne = all.get(1).frame(sender.address(), OTHER, 80);
        all.get(1).sendAndAwait(4, toOne);
        assertThat(sender.receivedFrame()).isEqualTo(toOne);
        assertThat(all.get(2).device().counters()).containsEntry("discarded.no-receive", 0L);
    }

    @Test
    void receivesOfASharedQueueServeFramesToo() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        SharedReceiveQueue shared = opened(far.domain().createSharedReceiveQueue(8, 1));
        QueuePair sharing =
                opened(
                        far.domain()
                                .createQueuePair(far.attributes().withSharedReceiveQueue(shared)));
        RawPacketEnd.getReady(sharing);
        opened(sharing.createFlow(FlowMatch.all()));
        assertThat(shared.post(far.receive(8, RawPacketEnd.SLOT))).isTrue();
        byte[] frame = near.frame(far.address(), IPV4, 100);
        near.sendAndAwait(1, frame);
        assertThat(far.receivedFrame()).isEqualTo(frame);
    }

    @Test
    void packetsOfOtherQueuePairsMeetNoFlow() {
        RawPacketEnd near = end();
        RawPacketEnd far = end();
        opened(far.queuePair().createFlow(FlowMatch.all()));
        far.postReceive(1);
        VerbsEnd writer = opened(new VerbsEnd(near.device()).create());
        VerbsEnd target = opened(new VerbsEnd(far.device()).create());
        VerbsEnd.connect(writer, target);
        writer.post(
                writer.message(7).write(target.region().address(), target.region().remoteKey()));
        assertThat(writer.status()).isEqualTo("7 SUCCESS");
        byte[] frame = near.frame(far.address(), IPV4, 100);
        near.sendAndAwait(1, frame);
        assertThat(far.receivedFrame()).isEqualTo(frame);
        assertThat(far.device().counters()).containsEntry("discarded.no-flow", 0L);
    }
}
