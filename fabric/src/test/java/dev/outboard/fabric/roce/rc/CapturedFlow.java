package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.CapturedPacket;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Psn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What one queue pair asked of another in a capture of soft-RoCE, and what it was answered, in
/// order. The two directions of a connection are two flows. soft-RoCE derives the source port from
/// both queue pair numbers, so it tells connections apart.
final class CapturedFlow {
    private static final int USUAL_MTU = 1024;

    private final String capture;
    private final Path path;
    private final List<CapturedPacket> packets = new ArrayList<>();
    private int responderQpn;
    private int requesterQpn;

    private CapturedFlow(String capture, Path path) {
        this.capture = capture;
        this.path = path;
    }

    /// The flows of a capture that ask for something.
    static List<CapturedFlow> of(String capture) {
        Map<String, CapturedFlow> flows = new LinkedHashMap<>();
        for (CapturedPacket captured : CapturedPacket.of(capture)) {
            Opcode opcode = Opcode.of(captured.datagram()[0] & 0xFF);
            if (opcode == null || opcode.transport() != Opcode.Transport.RC) {
                continue;
            }
            Path path = captured.path();
            boolean isRequest = isRequest(opcode);
            Path forward = isRequest ? path : reverse(path);
            flows.computeIfAbsent(forward.toString(), key -> new CapturedFlow(capture, forward))
                    .add(captured, isRequest);
        }
        flows.values().removeIf(flow -> flow.requests().isEmpty());
        return List.copyOf(flows.values());
    }

    private void add(CapturedPacket captured, boolean isRequest) {
        packets.add(captured);
        int qpn = captured.packet().destinationQpn();
        int known = isRequest ? responderQpn : requesterQpn;
        if (known != 0 && known != qpn) {
            throw new AssertionError(capture + ": two connections share " + path);
        }
        if (isRequest) {
            responderQpn = qpn;
        } else {
            requesterQpn = qpn;
        }
    }

    static boolean isRequest(Opcode opcode) {
        return switch (opcode.operation()) {
            case ACKNOWLEDGE, READ_RESPONSE, ATOMIC_ACK -> false;
            default -> true;
        };
    }

    /// The capture it is in.
    String capture() {
        return capture;
    }

    /// Requests and answers in order.
    List<CapturedPacket> packets() {
        return packets;
    }

    List<Packet> requests() {
        return packets.stream()
                .map(CapturedPacket::packet)
                .filter(packet -> isRequest(packet.opcode()))
                .toList();
    }

    List<Packet> answers() {
        return packets.stream()
                .map(CapturedPacket::packet)
                .filter(packet -> !isRequest(packet.opcode()))
                .toList();
    }

    /// From the requester to the responder.
    Path path() {
        return path;
    }

    Path reversePath() {
        return reverse(path);
    }

    int responderQpn() {
        return responderQpn;
    }

    int requesterQpn() {
        return requesterQpn;
    }

    /// Whether packets were lost on the way.
    boolean isLossy() {
        return capture.startsWith("loss-");
    }

    int mtu() {
        return packets.stream()
                .map(CapturedPacket::packet)
                .filter(packet -> packet.opcode().isFirst() || packet.opcode().isMiddle())
                .mapToInt(Packet::payloadLength)
                .findFirst()
                .orElse(USUAL_MTU);
    }

    /// The first sequence number: the least that was asked for, ever.
    int firstPsn() {
        int first = requests().getFirst().psn();
        for (Packet request : requests()) {
            if (Psn.difference(request.psn(), first) < 0) {
                first = request.psn();
            }
        }
        return first;
    }

    /// The timer code of its receiver-not-ready NAKs, if there are any.
    Optional<Integer> rnrTimerCode() {
        return answers().stream()
                .filter(CapturedFlow::isRnrNak)
                .map(answer -> Aeth.rnrTimerCode(answer.syndrome()))
                .findFirst();
    }

    /// The next answer behind `index` of [#packets] that carries `psn`.
    Optional<Packet> answerTo(int psn, int index) {
        return packets.stream()
                .skip(index + 1L)
                .map(CapturedPacket::packet)
                .filter(packet -> !isRequest(packet.opcode()) && packet.psn() == psn)
                .findFirst();
    }

    static boolean isRnrNak(Packet answer) {
        return answer.opcode() == Opcode.ACKNOWLEDGE && Aeth.isRnrNak(answer.syndrome());
    }

    private static Path reverse(Path path) {
        return new Path(path.destination(), path.source(), path.sourcePort(), 0);
    }

    @Override
    public String toString() {
        return capture + " " + path;
    }
}
