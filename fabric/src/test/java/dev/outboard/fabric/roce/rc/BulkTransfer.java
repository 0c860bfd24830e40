package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/// Many equal messages as fast as the queue pairs take them, in one direction or both, over a
/// simulated network; every byte is checked.
final class BulkTransfer {
    private static final int DEPTH = 8;
    private static final Gid[] ADDRESSES = {Gid.ofIpv4(0x7F000002), Gid.ofIpv4(0x7F000003)};
    private static final int[] QPNS = {0x11, 0x22};

    /// 67 ms.
    private static final int ACK_TIMEOUT_CODE = 14;

    private static final long MAX_NANOS = 100_000_000_000L;

    private final SimulatedNetwork<Gid> network;
    private final SimulatedEndpoint[] endpoints = new SimulatedEndpoint[2];
    private final Stream[] streams = new Stream[2];
    private final int messageBytes;
    private long repetitions;

    BulkTransfer(long seed, NetworkFaults faults, int window, int messageBytes) {
        this(seed, faults, window, messageBytes, ACK_TIMEOUT_CODE);
    }

    BulkTransfer(
            long seed, NetworkFaults faults, int window, int messageBytes, int ackTimeoutCode) {
        SplittableRandom random = new SplittableRandom(seed);
        this.messageBytes = messageBytes;
        network = new SimulatedNetwork<>(random.split(), faults);
        for (int end = 0; end < 2; end++) {
            streams[end] = new Stream(end);
            endpoints[end] =
                    new SimulatedEndpoint(
                            network,
                            ADDRESSES[end],
                            QPNS[end],
                            new QueueSizes(DEPTH, 2 * DEPTH, 1, 0),
                            true,
                            random.split(),
                            streams[end],
                            new Watch());
        }
        for (int end = 0; end < 2; end++) {
            endpoints[end].queuePair.connect(
                    RcConnection.builder(SimulatedEndpoint.path(ADDRESSES[end], ADDRESSES[1 - end]))
                            .destinationQpn(QPNS[1 - end])
                            .pathMtuBytes(4096)
                            .sendPsn(end)
                            .receivePsn(1 - end)
                            .minRnrTimerCode(12)
                            .ackTimeoutCode(ackTimeoutCode)
                            .retryCount(7)
                            .rnrRetryCount(7)
                            .maxWindowPackets(window)
                            .maxReadAtomic(16)
                            .maxDestinationReadAtomic(16)
                            .build());
            streams[end].open(endpoints[end]);
        }
    }

    /// Sends that many messages from the first end and from the second.
    ///
    /// @return the virtual time it took
    long run(int fromFirst, int fromSecond) {
        streams[0].toSend = fromFirst;
        streams[0].toReceive = fromSecond;
        streams[1].toSend = fromSecond;
        streams[1].toReceive = fromFirst;
        while (!streams[0].isDone() || !streams[1].isDone()) {
            assertThat(network.nowNanos()).as("virtual time").isLessThan(MAX_NANOS);
            assertThat(network.step()).isTrue();
        }
        return network.nowNanos();
    }

    long counter(int end, QueuePairCounter name) {
        return endpoints[end].queuePair.counters().get(name);
    }

    /// Request packets that left more than once, from both ends.
    long repetitions() {
        return repetitions;
    }

    /// Counts what is sent again.
    private final class Watch implements SimulatedEndpoint.Watch {
        private final Set<Integer> psns = new HashSet<>();

        @Override
        public void sent(Packet packet, long nowNanos) {
            if (packet.opcode() != Opcode.ACKNOWLEDGE && !psns.add(packet.psn())) {
                repetitions++;
            }
        }

        @Override
        public void received(Packet packet, long nowNanos) {}
    }

    /// One end's messages, out and in. Message n carries pattern n.
    private final class Stream implements SimulatedEndpoint.Application {
        private final int end;
        private final SendRequest send = new SendRequest();
        private final ReceiveRequest receive = new ReceiveRequest();
        private final Completion completion = new Completion();
        private final MemorySegment outgoing = area(DEPTH);
        private final MemorySegment incoming = area(2 * DEPTH);
        private SimulatedEndpoint endpoint;
        private RegisteredRegion source;
        private RegisteredRegion sink;
        private int toSend;
        private int toReceive;
        private int posted;
        private int sent;
        private int received;

        Stream(int end) {
            this.end = end;
        }

        private MemorySegment area(int slots) {
            return Arena.ofAuto().allocate((long) slots * messageBytes);
        }

        void open(SimulatedEndpoint newEndpoint) {
            endpoint = newEndpoint;
            int domain = SimulatedEndpoint.DOMAIN;
            source = endpoint.regions.register(domain, outgoing, Set.of());
            sink = endpoint.regions.register(domain, incoming, Set.of(Access.LOCAL_WRITE));
            for (int slot = 0; slot < 2 * DEPTH; slot++) {
                postReceive(slot);
            }
        }

        boolean isDone() {
            return sent == toSend && received == toReceive;
        }

        @Override
        public long deadlineNanos() {
            return posted < toSend && posted - sent < DEPTH ? 0 : SimulatedNetwork.NEVER;
        }

        @Override
        public void completionAdded(CompletionRing ring) {}

        @Override
        public void turn(long nowNanos) {
            while (endpoint.sendCompletions.poll(completion)) {
                check(sent++);
            }
            while (endpoint.receiveCompletions.poll(completion)) {
                int slot = received % (2 * DEPTH);
                check(slot);
                assertThat(completion.byteCount()).isEqualTo(messageBytes);
                MemorySegment bytes = slot(incoming, slot);
                assertThat(Pattern.mismatch(bytes, pattern(1 - end, received), 0))
                        .as("message %d", received)
                        .isEqualTo(-1);
                bytes.fill((byte) 0);
                postReceive(slot);
                received++;
            }
            while (posted < toSend && posted - sent < DEPTH) {
                int slot = posted % DEPTH;
                Pattern.fill(slot(outgoing, slot), pattern(end, posted));
                send.id(posted).payload(source, (long) slot * messageBytes, messageBytes);
                assertThat(endpoint.queuePair.post(send)).isTrue();
                posted++;
            }
        }

        private void check(int id) {
            assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(completion.id()).isEqualTo(id);
        }

        private MemorySegment slot(MemorySegment area, int slot) {
            return area.asSlice((long) slot * messageBytes, messageBytes);
        }

        private static long pattern(int end, int message) {
            return 1_000_000L * end + message;
        }

        private void postReceive(int slot) {
            receive.id(slot).buffer(sink, (long) slot * messageBytes, messageBytes);
            assertThat(endpoint.queuePair.post(receive)).isTrue();
        }
    }
}
