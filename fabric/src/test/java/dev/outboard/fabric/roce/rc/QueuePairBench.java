package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.fabric.verbs.ReceiveQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/// One connected queue pair whose peer is the test: it looks at each packet sent, writes each
/// packet received, and moves the clock.
///
/// ```java
/// var bench = new QueuePairBench().pathMtu(256).connect();
/// bench.post(bench.send(1, 600));
/// assertThat(bench.transmit()).hasSize(3);
/// bench.deliver(TestPacket.ack(bench.sendPsn(2)));
/// ```
final class QueuePairBench {
    static final int QPN = 0x000011;
    static final int PEER_QPN = 0xABCDEF;
    static final int DOMAIN = 7;
    static final int MEMORY_BYTES = 1 << 16;

    private static final Gid LOCAL = Gid.ofIpv4(0x7F000002);
    static final Gid PEER = Gid.ofIpv4(0x7F000003);
    private static final int MAX_DATAGRAMS = 512;

    RegionTable regions = new RegionTable(64, new SplittableRandom(1));

    /// Grants everything.
    RegisteredRegion region;

    /// What the queue pair told besides completions.
    final List<AsyncEvent.Type> events = new ArrayList<>();

    RcQueuePair queuePair;
    CompletionRing sendCompletions;
    CompletionRing receiveCompletions;
    long now = 1_000_000_000;

    private final Path path = new Path(LOCAL, PEER, QueuePairs.UDP_PORT, 0);
    private final Path reversePath = new Path(PEER, LOCAL, QueuePairs.UDP_PORT, 0);
    private final DatagramSink sink = new DatagramSink(MAX_DATAGRAMS);
    private final DatagramSink peerSink = new DatagramSink(1);
    private final Packet packet = new Packet();
    private int notifications;

    private int pathMtuBytes = 256;
    private int sendPsn = 100;
    private int receivePsn = 500;
    private int minRnrTimerCode = 14;
    private int ackTimeoutCode = 14;
    private int retryCount = 7;
    private int rnrRetryCount = 7;
    private int maxWindowPackets = 128;
    private int queueCapacity = 64;
    private int completionCapacity = 256;
    private int maxPieces = 4;
    private int number = QPN;
    private int maxReadAtomic = 4;
    private int maxDestinationReadAtomic = 4;
    private Access[] access = {Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC};
    private Optional<ReceiveQueue> shared = Optional.empty();
    private CongestionControl congestion =
            new CongestionControl(false, QueuePairs.PEER_BUFFER_BYTES);

    QueuePairBench() {
        region = region(MEMORY_BYTES, Access.values());
        Pattern.fill(region.segment(), 0);
    }

    QueuePairBench pathMtu(int bytes) {
        pathMtuBytes = bytes;
        return this;
    }

    QueuePairBench firstPsns(int send, int receive) {
        sendPsn = send;
        receivePsn = receive;
        return this;
    }

    QueuePairBench minRnrTimer(int code) {
        minRnrTimerCode = code;
        return this;
    }

    QueuePairBench retries(int newAckTimeoutCode, int newRetryCount) {
        ackTimeoutCode = newAckTimeoutCode;
        retryCount = newRetryCount;
        return this;
    }

    QueuePairBench rnrRetries(int count) {
        rnrRetryCount = count;
        return this;
    }

    QueuePairBench window(int packets) {
        maxWindowPackets = packets;
        return this;
    }

    QueuePairBench queues(int capacity, int newCompletionCapacity) {
        queueCapacity = capacity;
        completionCapacity = newCompletionCapacity;
        return this;
    }

    QueuePairBench maxPieces(int count) {
        maxPieces = count;
        return this;
    }

    /// READs and atomics outstanding at most, ours and the peer's.
    QueuePairBench readAtomics(int ours, int peers) {
        maxReadAtomic = ours;
        maxDestinationReadAtomic = peers;
        return this;
    }

    /// What the peer may do.
    QueuePairBench grants(Access... rights) {
        access = rights;
        return this;
    }

    /// The device of `other`, so the same memory.
    QueuePairBench regionsOf(QueuePairBench other) {
        regions = other.regions;
        region = other.region;
        return this;
    }

    /// Its own number, to tell it from another on the same device.
    QueuePairBench number(int newNumber) {
        number = newNumber;
        return this;
    }

    QueuePairBench shared(ReceiveQueue queue) {
        shared = Optional.of(queue);
        return this;
    }

    /// Shares the peer's buffer with others.
    QueuePairBench congestion(CongestionControl control) {
        congestion = control;
        return this;
    }

    /// How many packets leave at once at most.
    QueuePairBench sinkTakes(int packets) {
        sink.limit(packets);
        return this;
    }

    /// A queue pair in state INIT.
    QueuePairBench create() {
        sendCompletions = new CompletionRing(completionCapacity, ring -> notifications++);
        receiveCompletions = new CompletionRing(completionCapacity, ring -> notifications++);
        queuePair =
                QueuePairs.initialized(
                        number,
                        DOMAIN,
                        regions,
                        sendCompletions,
                        receiveCompletions,
                        new QueueSizes(queueCapacity, queueCapacity, maxPieces, 128),
                        shared,
                        events::add,
                        congestion);
        return this;
    }

    /// Ready to send.
    QueuePairBench connect() {
        create();
        queuePair.modify(QueuePairChange.to(QueuePairState.INIT).access(access));
        queuePair.connect(
                RcConnection.builder(path)
                        .destinationQpn(PEER_QPN)
                        .pathMtuBytes(pathMtuBytes)
                        .sendPsn(sendPsn)
                        .receivePsn(receivePsn)
                        .minRnrTimerCode(minRnrTimerCode)
                        .ackTimeoutCode(ackTimeoutCode)
                        .retryCount(retryCount)
                        .rnrRetryCount(rnrRetryCount)
                        .maxWindowPackets(maxWindowPackets)
                        .maxReadAtomic(maxReadAtomic)
                        .maxDestinationReadAtomic(maxDestinationReadAtomic)
                        .build());
        return this;
    }

    /// Fresh memory in the queue pair's domain.
    RegisteredRegion region(long bytes, Access... access) {
        return regions.register(DOMAIN, Arena.ofAuto().allocate(bytes, 8), Set.of(access));
    }

    /// The PSN of our packet `index`.
    int sendPsn(int index) {
        return (sendPsn + index) & 0xFFFFFF;
    }

    /// The PSN of the peer's packet `index`.
    int receivePsn(int index) {
        return (receivePsn + index) & 0xFFFFFF;
    }

    /// A SEND of the first bytes of the memory.
    SendRequest send(long id, int length) {
        return new SendRequest().id(id).payload(region, 0, length);
    }

    /// A WRITE of the first bytes of the memory to an arbitrary remote place.
    SendRequest write(long id, int length) {
        return send(id, length).write(0x1000, 0x5EED);
    }

    void post(SendRequest request) {
        assertThat(queuePair.post(request)).as("posted").isTrue();
    }

    /// Posts a receive of `length` bytes at `offset` of the memory.
    void postReceive(long id, long offset, long length) {
        assertThat(queuePair.post(new ReceiveRequest().id(id).buffer(region, offset, length)))
                .as("posted")
                .isTrue();
    }

    /// Everything the queue pair sends now.
    List<TestPacket> transmit() {
        var packets = new ArrayList<TestPacket>();
        while (transmitTurn(packets)) {
            assertThat(packets).as("packets at once").hasSizeLessThan(10_000);
        }
        return packets;
    }

    /// What the queue pair sends in one turn.
    List<TestPacket> transmitTurn() {
        var packets = new ArrayList<TestPacket>();
        transmitTurn(packets);
        return packets;
    }

    private boolean transmitTurn(List<TestPacket> packets) {
        boolean hasMore = queuePair.transmit(sink, now);
        for (int i = 0; i < sink.count(); i++) {
            assertThat(packet.wrap(sink.memory().segment(), sink.offset(i), sink.length(i)))
                    .isNull();
            assertThat(packet.destinationQpn()).isEqualTo(PEER_QPN);
            packets.add(TestPacket.of(packet));
        }
        sink.clear();
        return hasMore;
    }

    /// The one packet the queue pair sends now.
    TestPacket transmitOne() {
        List<TestPacket> packets = transmit();
        assertThat(packets).hasSize(1);
        return packets.getFirst();
    }

    /// These arrive now, in one batch.
    void deliver(TestPacket... packets) {
        for (TestPacket each : packets) {
            each.emit(peerSink, reversePath, number);
            assertThat(packet.wrap(peerSink.memory().segment(), 0, peerSink.length(0))).isNull();
            queuePair.receive(packet, now);
            peerSink.clear();
        }
    }

    /// `packet` arrives; what the queue pair then sends is its answer.
    List<TestPacket> answersTo(TestPacket... packets) {
        deliver(packets);
        return transmit();
    }

    /// The one answer to `packet`.
    TestPacket answerTo(TestPacket... packets) {
        List<TestPacket> answers = answersTo(packets);
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    /// Moves the clock; the timer runs if its deadline is reached.
    void elapse(long nanos) {
        now += nanos;
        if (now >= queuePair.deadlineNanos()) {
            queuePair.onTimer(now);
        }
    }

    /// Moves the clock to the next deadline, runs the timer and returns what is sent then.
    List<TestPacket> runTimer() {
        assertThat(queuePair.deadlineNanos()).as("deadline").isLessThan(Long.MAX_VALUE);
        elapse(Math.max(0, queuePair.deadlineNanos() - now));
        return transmit();
    }

    /// All completions of sends so far, as `id STATUS`.
    List<String> sendCompletions() {
        return statuses(sendCompletions);
    }

    /// All completions of receives so far, as `id STATUS`.
    List<String> receiveCompletions() {
        return statuses(receiveCompletions);
    }

    /// The one completion of a receive.
    Completion receiveCompletion() {
        Completion completion = new Completion();
        assertThat(receiveCompletions.poll(completion)).as("a completion").isTrue();
        return completion;
    }

    private static List<String> statuses(CompletionRing ring) {
        var all = new ArrayList<String>();
        Completion completion = new Completion();
        while (ring.poll(completion)) {
            all.add(completion.id() + " " + completion.status());
        }
        return all;
    }

    static String success(long id) {
        return id + " " + CompletionStatus.SUCCESS;
    }

    static String flushed(long id) {
        return id + " " + CompletionStatus.WORK_REQUEST_FLUSHED;
    }

    long counter(QueuePairCounter name) {
        return queuePair.counters().get(name);
    }

    /// How often an armed completion queue has called.
    int notifications() {
        return notifications;
    }

    /// `length` bytes of the memory from `offset`.
    byte[] bytes(long offset, long length) {
        return region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /// `length` bytes of pattern `number` from `position`.
    static byte[] pattern(long number, int position, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = Pattern.at(number, position + i);
        }
        return bytes;
    }
}
