package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.nic.layout.CompletionEntry.L3_OK;
import static dev.outboard.dpa.nic.layout.CompletionEntry.L4_OK;
import static dev.outboard.dpa.nic.layout.EthernetSegment.L3_CHECKSUM;
import static dev.outboard.dpa.nic.layout.EthernetSegment.L4_CHECKSUM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.FrameSide.Request;
import dev.outboard.dpa.flexio.FrameSide.Taken;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.IpFrame;
import dev.outboard.dpa.nic.NicPort;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the NIC does for frames besides sending: it fills in checksums, checks them, and cuts large
/// sends.
class FrameOffloadTest {
    private static final int BOTH = L3_CHECKSUM | L4_CHECKSUM;
    private static final MacAddress TO = MacAddress.of("02:00:00:00:00:77");
    private static final int[] UNTAGGED = {};
    private static final int[] TAGGED = {0x8100};
    private static final int SEQUENCE = 0xFFFF_FFF0;
    private static final int ACK = 0x10;

    /// CWR, ACK, PSH and FIN.
    private static final int FLAGS = 0x99;

    /// Ethernet, IPv4 and TCP without options.
    private static final int HEADERS = 54;

    private static final int MAX_PAYLOAD = 256 << 10;

    private final Checker checker = new Checker(Profile.SEED, false);
    private final HostProcess host = HostProcess.open();
    private final List<byte[]> wire = new CopyOnWriteArrayList<>();

    static List<RunMode> modes() {
        return FrameQueuesTest.modes();
    }

    @AfterEach
    void nothingIsFound() {
        host.close();
        assertThat(checker.findings()).isEmpty();
    }

    private FlexioProcess open(RunMode mode) {
        DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode, 1);
        device.network()
                .attach((frame, length) ->
                        wire.add(frame.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE)));
        return FlexioProcess.create(
                host,
                device,
                FramesStub.APP,
                FlexioProcess.Attributes.DEFAULT.withObserver(checker));
    }

    private static FrameSide side(FlexioProcess process) {
        return new FrameSide(process, process.uar());
    }

    private static IpFrame large(int payloadBytes) {
        return IpFrame.of(
                TO,
                UNTAGGED,
                IpFrame.version4(0xFFFE, 0x4000, 0),
                IpFrame.TCP,
                IpFrame.tcp(SEQUENCE, FLAGS, 0, IpFrame.payload(payloadBytes)));
    }

    /// How TCP flags stand in one of several frames.
    private static int flags(boolean isFirst, boolean isLast) {
        return ACK | (isFirst ? 0x80 : 0) | (isLast ? 0x09 : 0);
    }

    private static void refuses(
            FlexioProcess process, Request request, byte[] frame, Syndrome why) {
        FrameSide side = side(process);
        int error = CompletionEntry.REQUEST_ERROR;
        Taken failed = new Taken(error, why.code(), 0, 0, side.sender.number());
        assertThat(side.send(request, frame)).as("%s", request).isEqualTo(failed);
        // That ends the queue.
        Taken next = side.send(new Request(SendEntry.SEND, 0, 0, 0, 1), frame);
        assertThat(next.syndrome()).isEqualTo(Syndrome.FLUSHED.code());
    }

    private void nothingIsSent(FlexioProcess process) {
        assertThat(wire).isEmpty();
        assertThat(process.device().port(0).counters().framesSent()).isZero();
        assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-8d")
    void aFrameGetsTheChecksumsThatItAsksFor(RunMode mode) {
        FlexioProcess process = open(mode);
        FrameSide side = side(process);
        byte[] payload = IpFrame.payload(21);
        List<IpFrame> frames =
                List.of(
                        large(21),
                        IpFrame.of(TO, TAGGED, IpFrame.version6(), 17, IpFrame.udp(payload)));
        for (IpFrame frame : frames) {
            Map<Integer, IpFrame> expected = new LinkedHashMap<>();
            expected.put(0, frame);
            expected.put(L3_CHECKSUM, frame.withL3());
            expected.put(L4_CHECKSUM, frame.withL4());
            expected.put(BOTH, frame.withL3().withL4());
            // However the frame is divided between entry and memory.
            expected.forEach((flags, sent) -> {
                Request request = new Request(SendEntry.SEND, flags, 0, flags >>> 10, 3);
                Taken taken = side.send(request, frame.bytes());
                assertThat(taken.opcode()).isEqualTo(CompletionEntry.REQUEST);
                assertThat(taken.byteCount()).isEqualTo(frame.bytes().length);
                assertThat(wire.getLast()).as("%x", flags).isEqualTo(sent.bytes());
                assertThat(side.checksumsOk()).isZero();
            });
        }
        assertThat(wire).hasSize(8);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-8d")
    void aReceiverIsToldWhichChecksumsAreRight(RunMode mode) {
        FlexioProcess process = open(mode);
        FrameSide side = side(process);
        FlexioFlow.create(side.receiver, FlowMatch.all());
        IpFrame frame = large(21);
        byte[] udp = IpFrame.udp(IpFrame.payload(33));
        Map<IpFrame, Integer> frames = new LinkedHashMap<>();
        frames.put(frame.withL3().withL4(), L3_OK | L4_OK);
        frames.put(frame, 0);
        frames.put(frame.withL3(), L3_OK);
        frames.put(frame.withL4(), L4_OK);
        frames.put(
                IpFrame.of(TO, TAGGED, IpFrame.version6(), IpFrame.UDP, udp).withL4(),
                L3_OK | L4_OK);
        frames.put(frame.with16(12, 0x88B5), 0);
        frames.forEach((sent, ok) -> {
            assertThat(process.device().port(0).receive(sent.bytes())).isTrue();
            assertThat(side.take().opcode()).isEqualTo(CompletionEntry.RECEIVED_SEND);
            assertThat(side.checksumsOk()).isEqualTo(ok);
        });
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-8d")
    void aLargeSendOfVersion4IsCut(RunMode mode) {
        FlexioProcess process = open(mode);
        FrameSide side = side(process);
        int[] payloads = {100, 80, 30, 0};
        int blocks = 0;
        for (int payloadBytes : payloads) {
            for (int checksums : new int[] {0, L3_CHECKSUM, L4_CHECKSUM, BOTH}) {
                wire.clear();
                int pieces = Math.min(2, payloadBytes);
                Request request = new Request(SendEntry.LSO, checksums, 40, HEADERS, pieces);
                // One completion for all frames.
                int bytes = HEADERS + payloadBytes;
                Taken sent =
                        new Taken(CompletionEntry.REQUEST, 0, blocks, bytes, side.sender.number());
                assertThat(side.send(request, large(payloadBytes).bytes())).isEqualTo(sent);
                assertThat(wire).containsExactlyElementsOf(cut(payloadBytes, 40, checksums));
                blocks += 2;
            }
        }
        assertThat(process.device().port(0).counters().framesSent()).isEqualTo(4 * (3 + 2 + 1 + 1));
    }

    private static List<byte[]> cut(int payloadBytes, int segmentBytes, int checksums) {
        byte[] payload = IpFrame.payload(payloadBytes);
        List<byte[]> frames = new ArrayList<>();
        for (int at = 0; at == 0 || at < payloadBytes; at += segmentBytes) {
            int end = Math.min(payloadBytes, at + segmentBytes);
            byte[] part = Arrays.copyOfRange(payload, at, end);
            int flags = flags(at == 0, end == payloadBytes);
            int id = 0xFFFE + at / segmentBytes & 0xFFFF;
            IpFrame frame =
                    IpFrame.of(
                            TO,
                            UNTAGGED,
                            IpFrame.version4(id, 0x4000, 0),
                            IpFrame.TCP,
                            IpFrame.tcp(SEQUENCE + at, flags, 0, part));
            frame = (checksums & L3_CHECKSUM) != 0 ? frame.withL3() : frame;
            frame = (checksums & L4_CHECKSUM) != 0 ? frame.withL4() : frame;
            frames.add(
                    frame.padded(Math.max(NicPort.MIN_FRAME_BYTES, HEADERS + part.length)).bytes());
        }
        return frames;
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-8d")
    void aLargeSendOfVersion6IsCut(RunMode mode) {
        FlexioProcess process = open(mode);
        FrameSide side = side(process);
        byte[] network = IpFrame.version6(IpFrame.HOP_BY_HOP);
        byte[] payload = IpFrame.payload(70);
        IpFrame whole =
                IpFrame.of(TO, TAGGED, network, IpFrame.TCP, IpFrame.tcp(5, FLAGS, 3, payload));
        int headers = whole.transport() + 32;
        Request request = new Request(SendEntry.LSO, BOTH, 33, headers, 2);
        assertThat(side.send(request, whole.bytes()).opcode()).isEqualTo(CompletionEntry.REQUEST);
        List<byte[]> expected = new ArrayList<>();
        for (int at = 0; at < 70; at += 33) {
            byte[] part = Arrays.copyOfRange(payload, at, Math.min(70, at + 33));
            byte[] tcp = IpFrame.tcp(5 + at, flags(at == 0, at == 66), 3, part);
            expected.add(IpFrame.of(TO, TAGGED, network, IpFrame.TCP, tcp).withL4().bytes());
        }
        assertThat(wire).containsExactlyElementsOf(expected);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-8d")
    void whatElseAnEntryAsksForIsRefused(RunMode mode) {
        FlexioProcess process = open(mode);
        byte[] frame = large(40).bytes();
        // Inner checksums, alignment of a trailer, a parser given by software.
        for (int flag : new int[] {0x2000, 0x1000, 0x0200, 0x0040, 0x0020, 0x0002, 0x0001}) {
            Request request = new Request(SendEntry.SEND, BOTH | flag, 0, 0, 1);
            refuses(process, request, frame, Syndrome.LOCAL_QUEUE_PAIR_OPERATION);
        }
        List<Request> requests =
                List.of(
                        new Request(SendEntry.LSO, 0x2000, 20, HEADERS, 1),
                        // Cut, but not how; how, but not cut.
                        new Request(SendEntry.LSO, BOTH, 0, HEADERS, 1),
                        new Request(SendEntry.SEND, BOTH, 20, HEADERS, 1));
        for (Request request : requests) {
            refuses(process, request, frame, Syndrome.LOCAL_QUEUE_PAIR_OPERATION);
        }
        nothingIsSent(process);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-8d")
    void aLargeSendHasAllHeadersInlineAndNothingElse(RunMode mode) {
        FlexioProcess process = open(mode);
        IpFrame good = large(40);
        for (int inline : new int[] {HEADERS - 1, HEADERS + 1, 0, 34}) {
            Request request = new Request(SendEntry.LSO, BOTH, 20, inline, 1);
            refuses(process, request, good.bytes(), Syndrome.LOCAL_QUEUE_PAIR_OPERATION);
        }
        List<IpFrame> others =
                List.of(
                        good.with16(12, 0x88B5),
                        good.with16(good.network() + 6, 0x2000),
                        good.with16(good.network() + 8, 0x4011),
                        // TCP headers of 16 and of 24 bytes.
                        good.with16(good.transport() + 12, 0x4010),
                        good.with16(good.transport() + 12, 0x6010));
        for (IpFrame other : others) {
            Request request = new Request(SendEntry.LSO, BOTH, 20, HEADERS, 1);
            refuses(process, request, other.bytes(), Syndrome.LOCAL_QUEUE_PAIR_OPERATION);
        }
        int tooMuch = NicPort.MAX_FRAME_BYTES - HEADERS + 1;
        Request tooLong = new Request(SendEntry.LSO, BOTH, tooMuch, HEADERS, 1);
        refuses(process, tooLong, good.bytes(), Syndrome.LOCAL_LENGTH);
        nothingIsSent(process);
    }

    @Test
    @Requirement("DPA-FXQ-8d")
    void aLargeSendHasLimits() {
        FlexioProcess process = open(RunMode.fast());
        FrameSide side = side(process);
        int most = NicPort.MAX_FRAME_BYTES - HEADERS;
        Request request = new Request(SendEntry.LSO, BOTH, most, HEADERS, 2);
        byte[] frame = large(MAX_PAYLOAD).bytes();
        assertThat(side.send(request, frame).opcode()).isEqualTo(CompletionEntry.REQUEST);
        assertThat(wire).containsExactlyElementsOf(cut(MAX_PAYLOAD, most, BOTH));
        assertThat(wire.getFirst()).hasSize(NicPort.MAX_FRAME_BYTES);
        wire.clear();
        Taken refused = side.send(request, large(MAX_PAYLOAD + 1).bytes());
        assertThat(refused.opcode()).isEqualTo(CompletionEntry.REQUEST_ERROR);
        assertThat(refused.syndrome()).isEqualTo(Syndrome.LOCAL_LENGTH.code());
        assertThat(wire).isEmpty();
    }

    /// Whatever is asked for, there is one completion, and frames are frames.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-8d")
    void anyEntryCompletes(RunMode mode) {
        FlexioProcess process = open(mode);
        FrameSide side = side(process);
        Random random = new Random(17);
        int sent = 0;
        for (int i = 0; i < 60; i++) {
            byte[] frame = large(random.nextInt(200)).bytes();
            for (int left = random.nextInt(3); left > 0; left--) {
                frame[random.nextInt(HEADERS)] = (byte) random.nextInt();
            }
            boolean isLarge = random.nextBoolean();
            int flags = random.nextInt(8) == 0 ? random.nextInt(1 << 16) : BOTH;
            int size = random.nextInt(8) == 0 ? random.nextInt(1 << 16) : 30 + random.nextInt(70);
            int inline = random.nextInt(4) == 0 ? random.nextInt(HEADERS + 1) : HEADERS;
            int opcode = isLarge ? SendEntry.LSO : SendEntry.SEND;
            Request request = new Request(opcode, flags, isLarge ? size : 0, inline, 1);
            Taken taken = side.send(request, frame);
            if (taken.opcode() == CompletionEntry.REQUEST) {
                sent++;
            } else {
                assertThat(taken.opcode()).isEqualTo(CompletionEntry.REQUEST_ERROR);
                side = side(process);
            }
        }
        assertThat(sent).isBetween(20, 59);
        assertThat(wire)
                .hasSizeGreaterThan(sent)
                .allMatch(frame -> frame.length >= NicPort.MIN_FRAME_BYTES)
                .allMatch(frame -> frame.length <= NicPort.MAX_FRAME_BYTES);
        assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
    }
}
