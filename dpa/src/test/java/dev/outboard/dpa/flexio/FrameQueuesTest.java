package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.flexio.FrameSide.Entries;
import dev.outboard.dpa.flexio.FrameSide.Taken;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.CompletionQueue.Option;
import dev.outboard.dpa.nic.NicPort;
import dev.outboard.dpa.nic.PortCounters.Drop;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Queues of raw Ethernet frames: how frames travel between the ports of a device, and what becomes
/// of those that find no way.
class FrameQueuesTest {
    private static final int FUNCTIONS = 3;
    private static final int TYPE = 0x88B5;
    private static final MacAddress ELSEWHERE = MacAddress.of("02:00:00:00:00:77");

    private final Checker checker = new Checker(Profile.SEED, false);
    private final HostProcess host = HostProcess.open();

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.checkWeak(Observer.NONE, Profile.PARANOID, 5));
    }

    @AfterEach
    void nothingIsFound() {
        host.close();
        assertThat(checker.findings()).isEmpty();
    }

    private static DpaDevice device(RunMode mode) {
        return DpaDevice.of(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode, FUNCTIONS);
    }

    private FlexioProcess open(DpaDevice device) {
        return FlexioProcess.create(
                host,
                device,
                FramesStub.APP,
                FlexioProcess.Attributes.DEFAULT.withObserver(checker));
    }

    private static FrameSide side(FlexioProcess process, int function) {
        return new FrameSide(process, FlexioUar.create(process, function));
    }

    /// A frame whose payload counts.
    static byte[] frame(MacAddress destination, MacAddress source, int type, int length) {
        byte[] frame = new byte[length];
        for (int i = 14; i < length; i++) {
            frame[i] = (byte) (3 * i);
        }
        destination.writeTo(MemorySegment.ofArray(frame), 0);
        source.writeTo(MemorySegment.ofArray(frame), 6);
        frame[12] = (byte) (type >>> 8);
        frame[13] = (byte) type;
        return frame;
    }

    private static Taken sent(FrameSide side, int counter, int length) {
        return new Taken(CompletionEntry.REQUEST, 0, counter, length, side.sender.number());
    }

    private static Taken came(FrameSide side, int counter, int length) {
        return new Taken(CompletionEntry.RECEIVED_SEND, 0, counter, length, side.receiver.number());
    }

    private static Taken failed(int opcode, Syndrome syndrome, int counter, FlexioObject queue) {
        return new Taken(opcode, syndrome.code(), counter, 0, queue.number());
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-12", "DPA-FXQ-1c", "DPA-FXQ-11b", "DPA-FXQ-8b"})
    void aFrameGoesToThePortThatItNames(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        FrameSide near = side(process, 0);
        FrameSide far = side(process, 1);
        FlexioFlow.create(near.receiver, FlowMatch.all());
        FlexioFlow.create(far.receiver, FlowMatch.all());
        MacAddress to = device.port(1).address();
        assertThat(to).isNotEqualTo(device.port(0).address());

        // However the frame is divided between entry and memory.
        int blocks = 0;
        int[] inlines = {0, 14, 2, 50, 64};
        for (int i = 0; i < inlines.length; i++) {
            byte[] frame = frame(to, device.port(0).address(), TYPE + i, 64);
            assertThat(near.send(frame, inlines[i])).isEqualTo(sent(near, blocks, 64));
            assertThat(far.take()).isEqualTo(came(far, i, 64));
            assertThat(far.received(i, 64)).isEqualTo(frame);
            blocks += inlines[i] < 50 ? 1 : 2;
        }
        assertThat(device.port(0).counters().framesSent()).isEqualTo(5);
        assertThat(device.port(1).counters().framesReceived()).isEqualTo(5);
        assertThat(device.port(0).counters().framesReceived()).isZero();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-12")
    void aShortFrameIsFilledUpAndAFrameToItselfComesBack(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        FrameSide side = side(process, 2);
        FlexioFlow.create(side.receiver, FlowMatch.all());
        MacAddress own = device.port(2).address();
        byte[] longer = frame(own, own, TYPE, 100);
        assertThat(side.send(longer, 0)).isEqualTo(sent(side, 0, 100));
        assertThat(side.take()).isEqualTo(came(side, 0, 100));
        byte[] frame = frame(own, own, TYPE, 15);
        assertThat(side.send(frame, 0)).isEqualTo(sent(side, 1, 15));
        assertThat(side.take()).isEqualTo(came(side, 1, 60));
        assertThat(side.received(1, 60)).isEqualTo(Arrays.copyOf(frame, 60));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-12")
    void aFrameForSeveralGoesToAllOtherPorts(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        FrameSide[] sides = new FrameSide[FUNCTIONS];
        for (int i = 0; i < FUNCTIONS; i++) {
            sides[i] = side(process, i);
            FlexioFlow.create(sides[i].receiver, FlowMatch.all());
        }
        for (MacAddress group : List.of(MacAddress.BROADCAST, MacAddress.of("01:00:5e:00:00:01"))) {
            byte[] frame = frame(group, device.port(1).address(), TYPE, 70);
            assertThat(sides[1].send(frame, 0).opcode()).isEqualTo(CompletionEntry.REQUEST);
            for (int i = 0; i < FUNCTIONS; i += 2) {
                int counter = sides[i].take().counter();
                assertThat(sides[i].received(counter, 70)).isEqualTo(frame);
            }
        }
        assertThat(device.port(1).counters().framesReceived()).isZero();
        assertThat(device.port(0).counters().framesReceived()).isEqualTo(2);
        assertThat(device.port(2).counters().framesReceived()).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-12")
    void theMostSpecificRuleSteers(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        NicPort port = device.port(0);
        List<FlowMatch> matches =
                List.of(
                        FlowMatch.all(),
                        FlowMatch.etherType(TYPE),
                        FlowMatch.destination(ELSEWHERE),
                        FlowMatch.destination(ELSEWHERE).withEtherType(TYPE));
        List<FrameSide> sides = matches.stream().map(match -> side(process, 0)).toList();
        FlexioFlow[] flows = new FlexioFlow[matches.size()];
        for (int i = 0; i < flows.length; i++) {
            flows[i] = FlexioFlow.create(sides.get(i).receiver, matches.get(i));
        }
        refused(
                        Reason.IN_USE,
                        () -> FlexioFlow.create(sides.get(0).receiver, FlowMatch.etherType(TYPE)))
                .hasMessageContaining("frames of EtherType 0x88b5")
                .hasMessageContaining("%x".formatted(sides.get(1).receiver.number()));
        MacAddress own = port.address();
        List<byte[]> frames =
                List.of(
                        frame(own, own, TYPE + 1, 60),
                        frame(own, own, TYPE, 61),
                        frame(ELSEWHERE, own, TYPE + 1, 62),
                        frame(ELSEWHERE, own, TYPE, 63));
        for (int i = 0; i < flows.length; i++) {
            assertThat(port.receive(frames.get(i))).isTrue();
            assertThat(sides.get(i).take()).isEqualTo(came(sides.get(i), 0, 60 + i));
            assertThat(sides.get(i).received(0, 60 + i)).isEqualTo(frames.get(i));
        }
        // Without a rule the next one counts, in the end none.
        for (int i = flows.length - 1; i > 0; i--) {
            flows[i].close();
            flows[i].close();
        }
        assertThat(port.receive(frames.get(3))).isTrue();
        assertThat(sides.get(0).take()).isEqualTo(came(sides.get(0), 1, 63));
        refused(Reason.IN_USE, sides.get(0).receiver::close);
        flows[0].close();
        assertThat(port.receive(frames.get(3))).isFalse();
        assertThat(port.counters().framesDropped(Drop.UNSTEERED)).isEqualTo(1);
        sides.get(0).receiver.close();
        refused(Reason.DESTROYED, () -> FlexioFlow.create(sides.get(0).receiver, FlowMatch.all()));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-12")
    void whatIsDroppedIsCountedByItsReason(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        NicPort port = device.port(0);
        FlexioUar uar = process.uar();
        FrameSide side =
                new FrameSide(process, uar, Entries.post(process, 64, 0), Optional.empty());
        FlexioFlow.create(side.receiver, FlowMatch.all());
        MacAddress own = port.address();
        assertThat(port.receive(frame(own, own, TYPE, 65))).isFalse();
        assertThat(port.receive(new byte[13])).isFalse();
        assertThat(port.receive(new byte[NicPort.MAX_FRAME_BYTES + 1])).isFalse();
        for (int i = 0; i < Frames.ENTRIES; i++) {
            assertThat(port.receive(frame(own, own, TYPE, 64))).isTrue();
            assertThat(side.take()).isEqualTo(came(side, i, 64));
        }
        assertThat(port.receive(new byte[14])).isFalse();
        // One that another queue has sent, as well.
        side.send(frame(own, own, TYPE, 64), 0);
        assertThat(port.receive(new byte[14])).isFalse();
        for (Drop reason : Drop.values()) {
            int dropped =
                    switch (reason) {
                        case LONGER_THAN_ENTRY, TOO_SHORT, TOO_LONG -> 1;
                        case NO_ENTRY -> 3;
                        case UNSTEERED, BAD_ENTRY, QUEUE_GONE, OVERFLOW -> 0;
                    };
            assertThat(port.counters().framesDropped(reason)).as("%s", reason).isEqualTo(dropped);
        }
        assertThat(port.counters().framesReceived()).isEqualTo(Frames.ENTRIES);
        assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-9", "DPA-FXQ-12"})
    void aReceiveEntryWithABadKeyEndsItsQueue(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        NicPort port = device.port(0);
        FrameSide side =
                new FrameSide(
                        process, process.uar(), Entries.post(process, 64, 1), Optional.empty());
        FlexioFlow.create(side.receiver, FlowMatch.all());
        MacAddress own = port.address();
        assertThat(port.receive(frame(own, own, TYPE, 64))).isFalse();
        int error = CompletionEntry.RECEIVE_ERROR;
        assertThat(side.take())
                .isEqualTo(failed(error, Syndrome.LOCAL_PROTECTION, 0, side.receiver));
        for (int i = 1; i < Frames.ENTRIES; i++) {
            assertThat(side.take()).isEqualTo(failed(error, Syndrome.FLUSHED, i, side.receiver));
        }
        assertThat(port.receive(frame(own, own, TYPE, 64))).isFalse();
        assertThat(port.counters().framesDropped(Drop.BAD_ENTRY)).isEqualTo(1);
        assertThat(port.counters().framesDropped(Drop.QUEUE_GONE)).isEqualTo(1);
        assertThat(side.received(0, Frames.BUFFER_BYTES)).containsOnly(0);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-1c", "DPA-FXQ-12"})
    void aReceiveQueueCanBeMadeToFail(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        NicPort port = device.port(0);
        FrameSide side = side(process, 0);
        FlexioFlow.create(side.receiver, FlowMatch.all());
        MacAddress own = port.address();
        assertThat(port.receive(frame(own, own, TYPE, 64))).isTrue();
        assertThat(side.take()).isEqualTo(came(side, 0, 64));
        side.receiver.fail();
        for (int i = 1; i < Frames.ENTRIES; i++) {
            assertThat(side.take())
                    .isEqualTo(
                            failed(
                                    CompletionEntry.RECEIVE_ERROR,
                                    Syndrome.FLUSHED,
                                    i,
                                    side.receiver));
        }
        side.receiver.fail();
        assertThat(port.receive(frame(own, own, TYPE, 64))).isFalse();
        assertThat(port.counters().framesDropped(Drop.QUEUE_GONE)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-9", "DPA-FXQ-8b"})
    void aBadSendEntryEndsItsQueue(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        int error = CompletionEntry.REQUEST_ERROR;
        int innerChecksum = 0x2000_0000;
        for (int opcode : new int[] {SendEntry.SEND, SendEntry.RDMA_WRITE}) {
            FrameSide side = side(process, 0);
            int flags = opcode == SendEntry.SEND ? innerChecksum : 0;
            assertThat(side.sendOther(opcode, flags))
                    .isEqualTo(failed(error, Syndrome.LOCAL_QUEUE_PAIR_OPERATION, 0, side.sender));
            assertThat(side.sendOther(SendEntry.SEND, 0))
                    .isEqualTo(failed(error, Syndrome.FLUSHED, 1, side.sender));
        }
        FrameSide side = side(process, 0);
        byte[] short13 = new byte[13];
        assertThat(side.send(short13, 0))
                .isEqualTo(failed(error, Syndrome.LOCAL_LENGTH, 0, side.sender));
        assertThat(device.port(0).counters().framesSent()).isZero();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-8e")
    void aFrameWaitsForAWord(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        FrameSide near = side(process, 0);
        FrameSide other = side(process, 0);
        FrameSide far = side(process, 1);
        FlexioFlow.create(far.receiver, FlowMatch.all());
        byte[] frame = frame(device.port(1).address(), device.port(0).address(), TYPE, 64);
        near.postWait();
        near.post(frame);
        // Another queue is not held up.
        assertThat(other.send(frame, 0)).isEqualTo(sent(other, 0, 64));
        assertThat(far.take()).isEqualTo(came(far, 0, 64));
        assertThat(device.port(0).counters().framesSent()).isEqualTo(1);
        near.release();
        assertThat(near.take()).isEqualTo(sent(near, 0, 0));
        assertThat(near.take()).isEqualTo(sent(near, 1, 64));
        assertThat(far.take()).isEqualTo(came(far, 1, 64));
        // One that waits can be destroyed, or stay until the process ends.
        other.postWait();
        other.sender.close();
        side(process, 0).postWait();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-8e")
    void aQueueOfFramesTransposesMemory(RunMode mode) {
        FrameSide side = side(open(device(mode)), 0);
        assertThat(side.transpose(new byte[] {1, 2, 3, 4, 5, 6})).containsExactly(1, 4, 2, 5, 3, 6);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-1c", "DPA-FXQ-12"})
    void queuesShareAPool(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        Entries entries = Entries.post(process);
        FlexioRmp pool =
                FlexioRmp.create(process, entries.ring(), Frames.LOG_ENTRIES, entries.record());
        FrameSide[] sides = new FrameSide[2];
        for (int i = 0; i < 2; i++) {
            sides[i] = new FrameSide(process, process.uar(), entries, Optional.of(pool));
            FlexioFlow.create(sides[i].receiver, FlowMatch.etherType(TYPE + i));
        }
        MacAddress own = device.port(0).address();
        int[] order = {0, 1, 1, 0, 1, 0, 0, 1};
        for (int i = 0; i < Frames.ENTRIES; i++) {
            FrameSide side = sides[order[i]];
            byte[] frame = frame(own, own, TYPE + order[i], 60 + i);
            assertThat(device.port(0).receive(frame)).isTrue();
            assertThat(side.take()).isEqualTo(came(side, i, 60 + i));
            assertThat(side.received(i, 60 + i)).isEqualTo(frame);
        }
        assertThat(device.port(0).receive(frame(own, own, TYPE, 60))).isFalse();
        assertThat(device.port(0).counters().framesDropped(Drop.NO_ENTRY)).isEqualTo(1);
        refused(Reason.IN_USE, pool::close);
        assertThat(List.of(pool.number(), sides[0].receiver.number(), sides[1].receiver.number()))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-1c", "DPA-FXQ-11b", "DPA-FXQ-11c"})
    void queuesHaveNumbersWhileTheyLive(RunMode mode) {
        FlexioProcess process = open(device(mode));
        FrameSide side = side(process, 0);
        FlexioRmp pool =
                FlexioRmp.create(
                        process, side.entries.ring(), Frames.LOG_ENTRIES, process.heap().zeros(8));
        List<FlexioObject> objects = List.of(side.sender, side.receiver, pool);
        assertThat(objects)
                .extracting(FlexioObject::number)
                .doesNotHaveDuplicates()
                .allMatch(number -> number > 0);
        objects.forEach(FlexioObject::close);
        assertThat(objects).extracting(FlexioObject::number).containsOnly(FlexioObject.NO_NUMBER);
        refused(Reason.DESTROYED, () -> FlexioFlow.create(side.receiver, FlowMatch.all()));

        DpaAddr none = new DpaAddr(0);
        refused(Reason.BAD_ARGUMENT, () -> FlexioRmp.create(process, none, 16, none));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-12", "DPA-SYS-5"})
    void framesGoFromProcessToProcess(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        FrameSide near = side(process, 0);
        MacAddress to = device.port(1).address();
        byte[] frame = frame(to, device.port(0).address(), TYPE, 80);
        try (HostProcess other = HostProcess.openOnHost(1)) {
            FlexioProcess peer = FlexioProcess.create(other, device, FramesStub.APP);
            FrameSide far = new FrameSide(peer, peer.uar());
            FlexioFlow.create(far.receiver, FlowMatch.all());
            refused(Reason.NOT_PERMITTED, () -> side(peer, 0));
            for (int i = 0; i < Frames.ENTRIES; i++) {
                near.post(frame);
                assertThat(far.take()).isEqualTo(came(far, i, 80));
                assertThat(near.take()).isEqualTo(sent(near, i, 80));
                assertThat(far.received(i, 80)).isEqualTo(frame);
            }
        }
        // Its rules have gone with it.
        near.send(frame, 0);
        assertThat(device.port(1).counters().framesDropped(Drop.UNSTEERED)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-2b")
    void aCollapsedQueueHasTheLatestEntryOnly(RunMode mode) {
        DpaDevice device = device(mode);
        FlexioProcess process = open(device);
        FrameSide side =
                new FrameSide(
                        process,
                        process.uar(),
                        Entries.post(process),
                        Optional.empty(),
                        Option.COLLAPSED,
                        Option.IGNORES_OVERRUN);
        for (int i = 0; i < 3; i++) {
            side.post(frame(ELSEWHERE, ELSEWHERE, TYPE, 60));
        }
        assertThat(side.awaitCounter(2)).isEqualTo(CompletionEntry.REQUEST);
        byte[] fresh = CompletionEntry.freshRing(Frames.LOG_COMPLETIONS);
        byte[] ring = process.heap().copyOut(side.completionRing, fresh.length);
        assertThat(Arrays.copyOfRange(ring, CompletionEntry.BYTES, ring.length))
                .isEqualTo(Arrays.copyOfRange(fresh, CompletionEntry.BYTES, fresh.length));
        assertThat(ring[0x3D]).isEqualTo((byte) 2);
    }
}
