package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.AllocatedWindow;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.CapturedPacket;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/// Puts the requests of a captured flow to our responder, whose memory and receives are as those of
/// the captured one must have been: READs find the bytes that it read, atomics the value that the
/// first one found, a message finds no receive where it was told so. Keys and addresses in the
/// requests are exchanged for ours.
final class ResponderReplay {
    private static final int DOMAIN = 3;
    private static final int RECEIVE_BYTES = 1 << 17;
    private static final int RECEIVES = 1 << 10;
    private static final int ADDRESS_AT = 12;
    private static final int KEY_AT = 20;
    private static final int IETH_AT = 12;

    private final CapturedFlow flow;
    private final RegionTable regions = new RegionTable(64, new SplittableRandom(1));
    private final CompletionRing completions = new CompletionRing(4 * RECEIVES, ring -> {});
    private final DatagramSink sink = new DatagramSink(256);
    private final RcQueuePair queuePair;
    private final RegisteredRegion receiveMemory;
    private final Map<Integer, Window> windows = new HashMap<>();
    private final Set<Long> seededAtomics = new HashSet<>();
    private final List<PacketLine> answers = new ArrayList<>();

    /// What is known of a key: our region for it, the captured address that it starts at, and ours.
    private record Window(RegisteredRegion region, long start, int key) {}

    private ResponderReplay(CapturedFlow flow) {
        this.flow = flow;
        queuePair =
                QueuePairs.initialized(
                        flow.responderQpn(),
                        DOMAIN,
                        regions,
                        completions,
                        completions,
                        new QueueSizes(1, RECEIVES, 1, 0));
        queuePair.connect(
                RcConnection.builder(flow.reversePath())
                        .destinationQpn(flow.requesterQpn())
                        .pathMtuBytes(flow.mtu())
                        .receivePsn(flow.firstPsn())
                        .minRnrTimerCode(flow.rnrTimerCode().orElse(12))
                        .retryCount(7)
                        .rnrRetryCount(7)
                        .maxReadAtomic(16)
                        .maxDestinationReadAtomic(16)
                        .build());
        receiveMemory = region(RECEIVE_BYTES);
        RegisteredRegion nothing = region(0);
        refusedKeys().forEach(key -> windows.put(key, new Window(nothing, 0, nothing.remoteKey())));
        flow.requests().forEach(this::mapMemory);
    }

    /// What our responder answers.
    static List<PacketLine> answers(CapturedFlow flow) {
        ResponderReplay replay = new ResponderReplay(flow);
        for (int i = 0; i < flow.packets().size(); i++) {
            Packet packet = flow.packets().get(i).packet();
            if (CapturedFlow.isRequest(packet.opcode())) {
                replay.request(flow.packets().get(i), i);
            }
        }
        return replay.answers;
    }

    private void request(CapturedPacket captured, int index) {
        Packet theirs = captured.packet();
        prepareReceive(theirs, index);
        prepareMemory(theirs, index);
        queuePair.receive(CapturedPacket.view(translated(captured), captured.path()), 0);
        boolean hasMore = true;
        while (hasMore) {
            hasMore = queuePair.transmit(sink, 0);
            for (int i = 0; i < sink.count(); i++) {
                Packet answer = CapturedPacket.view(sink.bytes(i), flow.reversePath());
                if (!answer.migrationRequest()) {
                    throw new AssertionError("the migration bit is 0 in " + answer);
                }
                answers.add(PacketLine.of(answer));
            }
            sink.clear();
        }
    }

    private void prepareReceive(Packet request, int index) {
        Opcode opcode = request.opcode();
        boolean takes =
                opcode.operation() == Opcode.Operation.SEND
                        ? opcode.isFirst() || opcode.isOnly()
                        : opcode.hasImmediate();
        Optional<Packet> answer = flow.answerTo(request.psn(), index);
        if (takes && answer.filter(CapturedFlow::isRnrNak).isEmpty()) {
            queuePair.post(
                    new ReceiveRequest().buffer(receiveMemory, 0, receiveBytes(request, index)));
        }
    }

    /// As long as a message, unless one was refused for its length: then up to the packet that was.
    private long receiveBytes(Packet request, int index) {
        return flow.packets().stream()
                .skip(index)
                .map(CapturedPacket::packet)
                .filter(packet -> isNak(packet, Aeth.NAK_REMOTE_OPERATIONAL_ERROR))
                .map(packet -> Psn.difference(packet.psn(), request.psn()))
                .filter(packets -> packets >= 0)
                .map(packets -> (long) packets * flow.mtu())
                .findFirst()
                .orElse((long) RECEIVE_BYTES);
    }

    private void prepareMemory(Packet request, int index) {
        Window window = hasMemory(request) ? windows.get(request.remoteKey()) : null;
        if (window == null || window.region().length() == 0) {
            return;
        }
        long at = request.remoteAddress() - window.start();
        if (request.opcode() == Opcode.READ_REQUEST) {
            int packets = (int) ((request.dmaLength() + flow.mtu() - 1) / flow.mtu());
            for (int i = 0; i < packets; i++) {
                long offset = at + (long) i * flow.mtu();
                flow.answerTo(Psn.add(request.psn(), i), index)
                        .filter(answer -> answer.payloadLength() > 0)
                        .ifPresent(answer -> put(window, offset, answer));
            }
        } else if (request.opcode().hasAtomicEth() && seededAtomics.add(request.remoteAddress())) {
            flow.answerTo(request.psn(), index)
                    .ifPresent(answer ->
                            window.region()
                                    .segment()
                                    .set(ValueLayout.JAVA_LONG, at, answer.originalValue()));
        }
    }

    private static void put(Window window, long offset, Packet answer) {
        MemorySegment.copy(
                answer.segment(),
                answer.payloadOffset(),
                window.region().segment(),
                offset,
                answer.payloadLength());
    }

    /// Keys that were never good for anything.
    private Set<Integer> refusedKeys() {
        Set<Integer> refused = new HashSet<>();
        Set<Integer> granted = new HashSet<>();
        for (int i = 0; i < flow.packets().size(); i++) {
            Packet request = flow.packets().get(i).packet();
            if (hasMemory(request)) {
                boolean isRefused =
                        flow.answerTo(request.psn(), i)
                                .filter(answer -> isNak(answer, Aeth.NAK_REMOTE_ACCESS_ERROR))
                                .isPresent();
                (isRefused ? refused : granted).add(request.remoteKey());
            }
        }
        refused.removeAll(granted);
        return refused;
    }

    private void mapMemory(Packet request) {
        if (!hasMemory(request) || windows.containsKey(request.remoteKey())) {
            return;
        }
        long start = Long.MAX_VALUE;
        long end = 0;
        for (Packet other : flow.requests()) {
            if (hasMemory(other) && other.remoteKey() == request.remoteKey()) {
                long length = other.opcode().hasReth() ? other.dmaLength() : Long.BYTES;
                start = Math.min(start, other.remoteAddress());
                end = Math.max(end, other.remoteAddress() + length);
            }
        }
        RegisteredRegion region = region(end - start);
        int key = request.remoteKey();
        windows.put(
                key,
                new Window(region, start, isInvalidated(key) ? bound(region) : region.remoteKey()));
    }

    private boolean isInvalidated(int key) {
        return flow.requests().stream()
                .anyMatch(request -> request.opcode().hasIeth() && request.invalidateKey() == key);
    }

    /// The key of a memory window over all of `region`.
    private int bound(RegisteredRegion region) {
        AllocatedWindow window = regions.allocateWindow(DOMAIN, MemoryWindow.Type.TYPE_2B);
        window.bind(
                DOMAIN,
                flow.responderQpn(),
                region,
                0,
                region.length(),
                Access.REMOTE_WRITE.bit(),
                SendRequest.NEXT_KEY_PART);
        return window.remoteKey();
    }

    private RegisteredRegion region(long bytes) {
        MemorySegment segment = Arena.ofAuto().allocate(Math.max(bytes, 0), Long.BYTES);
        return regions.register(DOMAIN, segment, Set.of(Access.values()));
    }

    /// With our keys and addresses in place of the captured ones.
    private byte[] translated(CapturedPacket captured) {
        Packet packet = captured.packet();
        byte[] datagram = captured.datagram().clone();
        if (hasMemory(packet)) {
            Window window = windows.get(packet.remoteKey());
            ByteBuffer headers = ByteBuffer.wrap(datagram);
            headers.putLong(
                    ADDRESS_AT,
                    packet.remoteAddress() - window.start() + window.region().address());
            headers.putInt(KEY_AT, window.key());
        } else if (packet.opcode().hasIeth()) {
            ByteBuffer.wrap(datagram).putInt(IETH_AT, windows.get(packet.invalidateKey()).key());
        }
        return datagram;
    }

    private static boolean hasMemory(Packet packet) {
        return CapturedFlow.isRequest(packet.opcode())
                && (packet.opcode().hasReth() || packet.opcode().hasAtomicEth());
    }

    private static boolean isNak(Packet packet, int syndrome) {
        return packet.opcode() == Opcode.ACKNOWLEDGE && packet.syndrome() == syndrome;
    }
}
