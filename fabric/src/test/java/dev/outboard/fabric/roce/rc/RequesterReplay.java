package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.CapturedPacket;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/// Gives our requester the work that a captured flow carried out, and then the captured answers, in
/// order. Time passes only when the requester waits for a receiver that is not ready.
final class RequesterReplay {
    private static final int DOMAIN = 3;
    private static final int MAX_REQUESTS = 1 << 10;
    private static final int RETRIES_FOR_EVER = 7;

    private final CapturedFlow flow;
    private final RegionTable regions = new RegionTable(MAX_REQUESTS, new SplittableRandom(1));
    private final CompletionRing completions = new CompletionRing(MAX_REQUESTS, ring -> {});
    private final DatagramSink sink = new DatagramSink(256);
    private final RcQueuePair queuePair;
    private final List<PacketLine> requests = new ArrayList<>();
    private final List<Sink> sinks = new ArrayList<>();
    private int posted;
    private long now = 1;

    /// Where a READ or an atomic shall have put the bytes of the answers from `psn` on.
    private record Sink(RegisteredRegion region, int psn, boolean isAtomic) {}

    private RequesterReplay(CapturedFlow flow) {
        this.flow = flow;
        queuePair =
                QueuePairs.initialized(
                        flow.requesterQpn(),
                        DOMAIN,
                        regions,
                        completions,
                        completions,
                        new QueueSizes(MAX_REQUESTS, 1, 1, 0));
        queuePair.connect(
                RcConnection.builder(flow.path())
                        .destinationQpn(flow.responderQpn())
                        .pathMtuBytes(flow.mtu())
                        .sendPsn(flow.firstPsn())
                        .minRnrTimerCode(12)
                        .retryCount(7)
                        .rnrRetryCount(rnrRetries())
                        .maxReadAtomic(16)
                        .maxDestinationReadAtomic(16)
                        .build());
    }

    static RequesterReplay of(CapturedFlow flow) {
        RequesterReplay replay = new RequesterReplay(flow);
        replay.postAll();
        for (Packet answer : flow.answers()) {
            replay.transmit();
            replay.queuePair.receive(answer, replay.now);
            if (CapturedFlow.isRnrNak(answer)) {
                replay.now = Math.max(replay.now, replay.queuePair.deadlineNanos());
                replay.queuePair.onTimer(replay.now);
            }
        }
        replay.transmit();
        return replay;
    }

    /// What our requester sent.
    List<PacketLine> requests() {
        return requests;
    }

    /// How many pieces of work it was given.
    int posted() {
        return posted;
    }

    /// What became of them.
    List<Completion> completions() {
        List<Completion> all = new ArrayList<>();
        Completion completion = new Completion();
        while (completions.poll(completion)) {
            Completion copy = new Completion();
            copy.copyFrom(completion);
            all.add(copy);
        }
        return all;
    }

    /// Whether what READs and atomics brought is what the answers carried.
    boolean hasStoredTheAnswers() {
        Map<Integer, Packet> byPsn = new HashMap<>();
        flow.answers().stream()
                .filter(answer -> answer.opcode() != Opcode.ACKNOWLEDGE)
                .forEach(answer -> byPsn.put(answer.psn(), answer));
        return sinks.stream().allMatch(sunk -> holds(sunk, byPsn));
    }

    private boolean holds(Sink sunk, Map<Integer, Packet> byPsn) {
        MemorySegment memory = sunk.region().segment();
        if (sunk.isAtomic()) {
            Packet answer = byPsn.get(sunk.psn());
            return answer != null && memory.get(ValueLayout.JAVA_LONG, 0) == answer.originalValue();
        }
        long at = 0;
        for (int psn = sunk.psn(); at < memory.byteSize(); psn = Psn.next(psn)) {
            Packet answer = byPsn.get(psn);
            if (answer == null) {
                return false;
            }
            MemorySegment theirs =
                    answer.segment().asSlice(answer.payloadOffset(), answer.payloadLength());
            if (memory.asSlice(at, theirs.byteSize()).mismatch(theirs) != -1) {
                return false;
            }
            at += theirs.byteSize();
        }
        return true;
    }

    /// For ever, unless the captured requester gave up: then as often as it tried.
    private int rnrRetries() {
        List<Packet> answers = flow.answers();
        boolean gaveUp = !answers.isEmpty() && CapturedFlow.isRnrNak(answers.getLast());
        return gaveUp
                ? (int) answers.stream().filter(CapturedFlow::isRnrNak).count() - 1
                : RETRIES_FOR_EVER;
    }

    private void transmit() {
        boolean hasMore = true;
        while (hasMore) {
            now++;
            hasMore = queuePair.transmit(sink, now);
            for (int i = 0; i < sink.count(); i++) {
                Packet request = CapturedPacket.view(sink.bytes(i), flow.path());
                if (!request.migrationRequest()) {
                    throw new AssertionError("the migration bit is 0 in " + request);
                }
                requests.add(PacketLine.of(request));
            }
            sink.clear();
        }
    }

    /// Every packet once, in the order of sequence numbers, makes the messages.
    private void postAll() {
        int first = flow.firstPsn();
        Map<Integer, Packet> byPsn = new HashMap<>();
        flow.requests().forEach(request -> byPsn.putIfAbsent(request.psn(), request));
        List<Packet> ordered = new ArrayList<>(byPsn.values());
        ordered.sort(Comparator.comparingInt(request -> Psn.difference(request.psn(), first)));
        int next = first;
        List<Packet> message = new ArrayList<>();
        for (Packet request : ordered) {
            if (Psn.difference(request.psn(), next) < 0) {
                continue; // the rest of a READ, asked for anew
            }
            message.add(request);
            next = Psn.add(request.psn(), packets(request));
            if (request.opcode().isOnly() || request.opcode().isLast()) {
                post(message);
                message.clear();
            }
        }
    }

    private int packets(Packet request) {
        return request.opcode() == Opcode.READ_REQUEST
                ? (int) Math.max(1, (request.dmaLength() + flow.mtu() - 1) / flow.mtu())
                : 1;
    }

    private void post(List<Packet> message) {
        Packet first = message.getFirst();
        Packet last = message.getLast();
        SendRequest request = new SendRequest().id(posted).solicited(last.solicited());
        switch (first.opcode().operation()) {
            case SEND -> send(request, last);
            case WRITE -> write(request, first, last);
            case READ_REQUEST -> request.read(first.remoteAddress(), first.remoteKey());
            case COMPARE_SWAP ->
                    request.compareAndSwap(
                            first.remoteAddress(),
                            first.remoteKey(),
                            first.compare(),
                            first.swapOrAdd());
            case FETCH_ADD ->
                    request.fetchAndAdd(
                            first.remoteAddress(), first.remoteKey(), first.swapOrAdd());
            default -> throw new AssertionError(first.toString());
        }
        RegisteredRegion region = region(message);
        if (first.opcode() == Opcode.READ_REQUEST || first.opcode().hasAtomicEth()) {
            sinks.add(new Sink(region, first.psn(), first.opcode().hasAtomicEth()));
        }
        request.payload(region, 0, region.length());
        if (!queuePair.post(request)) {
            throw new AssertionError("the queue is full");
        }
        posted++;
    }

    private static void send(SendRequest request, Packet last) {
        if (last.opcode().hasImmediate()) {
            request.sendWithImmediate(last.immediate());
        } else if (last.opcode().hasIeth()) {
            request.sendWithInvalidate(last.invalidateKey());
        } else {
            request.send();
        }
    }

    private static void write(SendRequest request, Packet first, Packet last) {
        if (last.opcode().hasImmediate()) {
            request.writeWithImmediate(first.remoteAddress(), first.remoteKey(), last.immediate());
        } else {
            request.write(first.remoteAddress(), first.remoteKey());
        }
    }

    /// What is sent, or room for what is read.
    private RegisteredRegion region(List<Packet> message) {
        Packet first = message.getFirst();
        byte[] content =
                first.opcode() == Opcode.READ_REQUEST
                        ? new byte[Math.toIntExact(first.dmaLength())]
                        : first.opcode().hasAtomicEth() ? new byte[Long.BYTES] : content(message);
        MemorySegment segment = Arena.ofAuto().allocate(content.length, Long.BYTES);
        segment.copyFrom(MemorySegment.ofArray(content));
        return regions.register(DOMAIN, segment, Set.of(Access.LOCAL_WRITE));
    }

    private static byte[] content(List<Packet> message) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (Packet packet : message) {
            content.writeBytes(
                    packet.segment()
                            .asSlice(packet.payloadOffset(), packet.payloadLength())
                            .toArray(ValueLayout.JAVA_BYTE));
        }
        return content.toByteArray();
    }
}
