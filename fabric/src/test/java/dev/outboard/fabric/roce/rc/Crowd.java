package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/// Devices with many queue pairs each that all write as fast as they may to one receiver, in
/// virtual time. The receiver works its packets off one at a time, from a socket buffer that is
/// accounted as Linux does it and drops what does not fit.
///
/// ```java
/// Crowd crowd = new Crowd(seed, new Crowd.Setting().queuePairs(100));
/// crowd.runFor(20_000_000);
/// assertThat(crowd.dropped()).isZero();
/// ```
final class Crowd {
    private static final int DOMAIN = 7;
    private static final int MTU = 4096;
    private static final int DEPTH = 4;
    private static final int SERVED_PER_TURN = 32;
    private static final int FIRST_QPN = 2;
    private static final int QPNS_PER_DEVICE = 0x1000;
    private static final Gid RECEIVER = Gid.ofIpv4(0x7F000001);

    /// What is tried.
    static final class Setting {
        private int devices = 1;
        private int queuePairs = 1;
        private int messageBytes = 64 * 1024;
        private int bufferBytes = PeerBuffer.DEFAULT_BYTES;
        private int declaredBytes;
        private long serviceNanos = 2_000;
        private boolean notifying;
        private int markAboveBytes = Integer.MAX_VALUE;
        private NetworkFaults faults = NetworkFaults.none(10_000);

        Setting devices(int count) {
            devices = count;
            return this;
        }

        /// Of each device.
        Setting queuePairs(int count) {
            queuePairs = count;
            return this;
        }

        Setting messageBytes(int bytes) {
            messageBytes = bytes;
            return this;
        }

        /// What the receiver's buffer holds, and what it says that it holds; 0 if it says nothing.
        Setting buffer(int bytes, int declared) {
            bufferBytes = bytes;
            declaredBytes = declared;
            return this;
        }

        /// How long the receiver takes for a packet.
        Setting service(long nanos) {
            serviceNanos = nanos;
            return this;
        }

        /// DCQCN is on, and the buffer marks packets that come while it holds more.
        Setting markAbove(int bytes) {
            notifying = true;
            markAboveBytes = bytes;
            return this;
        }

        Setting faults(NetworkFaults newFaults) {
            faults = newFaults;
            return this;
        }
    }

    private final Setting setting;
    private final SimulatedNetwork<Gid> network;
    private final SplittableRandom random;
    private final List<Sender> senders = new ArrayList<>();
    private final Receiver receiver;

    Crowd(long seed, Setting setting) {
        this.setting = setting;
        random = new SplittableRandom(seed);
        network = new SimulatedNetwork<>(random.split(), setting.faults);
        receiver = new Receiver();
        for (int device = 0; device < setting.devices; device++) {
            senders.add(new Sender(device));
        }
    }

    void runFor(long nanos) {
        network.runUntil(network.nowNanos() + nanos);
    }

    /// What the receiver had no room for.
    long dropped() {
        return receiver.dropped;
    }

    int mostBytesBuffered() {
        return receiver.mostTaken;
    }

    /// Loses so many of a queue pair's packets.
    void lose(int device, int queuePair, double share) {
        int number = receiverQpn(device, queuePair);
        network.filter(datagram -> qpn(datagram.bytes()) != number || random.nextDouble() >= share);
    }

    /// The receiver's end of a queue pair is gone: it answers nothing.
    void kill(int device, int queuePair) {
        receiver.queuePairs[receiverQpn(device, queuePair)] = null;
    }

    /// The receiver's thread rests.
    void pause(long nanos) {
        receiver.nextServiceNanos = network.nowNanos() + nanos;
    }

    /// Bytes of completed messages, per queue pair.
    long[] delivered() {
        return senders.stream().flatMap(s -> s.flows.stream()).mapToLong(f -> f.bytes).toArray();
    }

    long deliveredInAll() {
        return LongStream.of(delivered()).sum();
    }

    /// Of all queue pairs, senders and receiver.
    long counter(QueuePairCounter name) {
        long sum = 0;
        for (Sender sender : senders) {
            for (Flow flow : sender.flows) {
                sum += flow.queuePair.counters().get(name);
            }
        }
        for (RcQueuePair queuePair : receiver.queuePairs) {
            sum += queuePair == null ? 0 : queuePair.counters().get(name);
        }
        return sum;
    }

    /// Jain's index of fairness: 1 if all got the same, 1 / n if one got everything.
    static double fairness(long[] shares) {
        double sum = 0;
        double squares = 0;
        for (double share : shares) {
            sum += share;
            squares += share * share;
        }
        return sum * sum / (shares.length * squares);
    }

    private static int receiverQpn(int device, int queuePair) {
        return FIRST_QPN + device * QPNS_PER_DEVICE + queuePair;
    }

    private static int qpn(byte[] datagram) {
        return (datagram[5] & 0xFF) << 16 | (datagram[6] & 0xFF) << 8 | (datagram[7] & 0xFF);
    }

    private RcQueuePair queuePair(
            int number, RegionTable regions, CompletionRing ring, CongestionControl congestion) {
        return QueuePairs.initialized(
                number,
                DOMAIN,
                regions,
                ring,
                ring,
                new QueueSizes(DEPTH, 1, 1, 0),
                Optional.empty(),
                event -> {},
                congestion);
    }

    private static RcConnection connection(Gid from, Gid to, int destinationQpn) {
        return RcConnection.builder(new Path(from, to, QueuePairs.UDP_PORT, 0))
                .destinationQpn(destinationQpn)
                .pathMtuBytes(MTU)
                .minRnrTimerCode(12)
                .ackTimeoutCode(17)
                .retryCount(7)
                .rnrRetryCount(7)
                .build();
    }

    /// Lets `queuePair` transmit onto the network.
    private boolean transmit(Gid from, RcQueuePair queuePair, DatagramSink sink) {
        boolean hasMore = queuePair.transmit(sink, network.nowNanos());
        for (int i = 0; i < sink.count(); i++) {
            network.send(from, sink.path(i).destination(), sink.bytes(i));
        }
        sink.clear();
        return hasMore;
    }

    /// One queue pair that writes for ever.
    private final class Flow {
        private final RcQueuePair queuePair;
        private final CompletionRing completions = new CompletionRing(DEPTH + 1, ring -> {});
        private final Completion completion = new Completion();
        private final SendRequest request = new SendRequest();
        private final RegisteredRegion source;
        private long bytes;

        Flow(Sender sender, int index) {
            source = sender.source;
            int number = FIRST_QPN + index;
            queuePair = queuePair(number, sender.regions, completions, sender.congestion);
            int remoteNumber = receiverQpn(sender.device, index);
            queuePair.connect(connection(sender.address, RECEIVER, remoteNumber));
            receiver.add(remoteNumber, connection(RECEIVER, sender.address, number));
            request.payload(source, 0, setting.messageBytes);
            request.write(receiver.target.address(), receiver.target.remoteKey());
            for (int i = 0; i < DEPTH; i++) {
                assertThat(queuePair.post(request)).isTrue();
            }
        }

        /// Posts a message for each that completed; false if there was none.
        boolean refill() {
            boolean posted = false;
            while (completions.poll(completion)) {
                if (completion.status() != CompletionStatus.SUCCESS) {
                    return false;
                }
                bytes += setting.messageBytes;
                assertThat(queuePair.post(request)).isTrue();
                posted = true;
            }
            return posted;
        }
    }

    /// A device that serves its queue pairs in turn, as the engine does.
    private final class Sender implements SimulatedNetwork.Node {
        private final int device;
        private final Gid address;
        private final RegionTable regions = new RegionTable(16, random.split());
        private final RegisteredRegion source;
        private final CongestionControl congestion =
                new CongestionControl(setting.notifying, PeerBuffer.DEFAULT_BYTES);
        private final DatagramReader reader;
        private final DatagramSink sink = new DatagramSink(512);
        private final List<Flow> flows = new ArrayList<>();
        private final Set<Flow> ready = new LinkedHashSet<>();
        private long deadline;

        Sender(int device) {
            this.device = device;
            address = Gid.ofIpv4(0x7F000100 + device);
            reader = new DatagramReader(address, QueuePairs.UDP_PORT);
            source =
                    regions.register(
                            DOMAIN, Arena.ofAuto().allocate(setting.messageBytes), Set.of());
            for (int i = 0; i < setting.queuePairs; i++) {
                flows.add(new Flow(this, i));
            }
            congestion.declare(RECEIVER, setting.declaredBytes);
            ready.addAll(flows);
            network.attach(address, this);
        }

        @Override
        public long deadlineNanos() {
            return ready.isEmpty() ? deadline : 0;
        }

        @Override
        public void turn(long now) {
            for (var mail = network.poll(address); mail != null; mail = network.poll(address)) {
                Packet packet = reader.read(mail.from(), mail.bytes());
                if (packet != null) {
                    Flow flow = flows.get(packet.destinationQpn() - FIRST_QPN);
                    flow.queuePair.receive(packet, now);
                    flow.refill();
                    ready.add(flow);
                }
            }
            if (now >= deadline) {
                flows.stream()
                        .filter(f -> f.queuePair.deadlineNanos() <= now)
                        .forEach(flow -> {
                            flow.queuePair.onTimer(now);
                            ready.add(flow);
                        });
            }
            serve();
            deadline = SimulatedNetwork.NEVER;
            for (Flow flow : flows) {
                deadline = Math.min(deadline, flow.queuePair.deadlineNanos());
            }
        }

        private void serve() {
            congestion.admit(number -> ready.add(flows.get(number - FIRST_QPN)));
            int count = Math.min(ready.size(), SERVED_PER_TURN);
            for (int i = 0; i < count; i++) {
                Flow flow = ready.iterator().next();
                ready.remove(flow);
                if (transmit(address, flow.queuePair, sink)) {
                    ready.add(flow);
                }
            }
            congestion.admit(number -> ready.add(flows.get(number - FIRST_QPN)));
        }
    }

    /// The one that everybody writes to.
    private final class Receiver implements SimulatedNetwork.Node {
        private final RegionTable regions = new RegionTable(16, random.split());
        private final RegisteredRegion target;
        private final CongestionControl congestion =
                new CongestionControl(setting.notifying, PeerBuffer.DEFAULT_BYTES);
        private final CompletionRing completions = new CompletionRing(1, ring -> {});
        private final RcQueuePair[] queuePairs =
                new RcQueuePair[FIRST_QPN + setting.devices * QPNS_PER_DEVICE];
        private final DatagramReader reader = new DatagramReader(RECEIVER, QueuePairs.UDP_PORT);
        private final DatagramSink sink = new DatagramSink(512);
        private final ArrayDeque<SimulatedNetwork.Datagram<Gid>> buffer = new ArrayDeque<>();
        private final ArrayDeque<Boolean> marks = new ArrayDeque<>();
        private int taken;
        private int mostTaken;
        private long dropped;
        private long nextServiceNanos;

        Receiver() {
            target =
                    regions.register(
                            DOMAIN,
                            Arena.ofAuto().allocate(setting.messageBytes),
                            Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
            network.attach(RECEIVER, this);
        }

        void add(int number, RcConnection connection) {
            RcQueuePair queuePair = queuePair(number, regions, completions, congestion);
            queuePair.connect(connection);
            queuePairs[number] = queuePair;
        }

        @Override
        public long deadlineNanos() {
            return buffer.isEmpty() ? SimulatedNetwork.NEVER : nextServiceNanos;
        }

        @Override
        public void turn(long now) {
            for (var mail = network.poll(RECEIVER); mail != null; mail = network.poll(RECEIVER)) {
                store(mail);
            }
            while (!buffer.isEmpty() && now >= nextServiceNanos) {
                nextServiceNanos = now + setting.serviceNanos;
                serve(buffer.remove(), marks.remove(), now);
            }
        }

        private void store(SimulatedNetwork.Datagram<Gid> mail) {
            int footprint = PeerBuffer.footprint(mail.bytes().length);
            if (taken + footprint > setting.bufferBytes) {
                dropped++;
                return;
            }
            marks.add(taken > setting.markAboveBytes);
            buffer.add(mail);
            taken += footprint;
            mostTaken = Math.max(mostTaken, taken);
        }

        private void serve(SimulatedNetwork.Datagram<Gid> mail, boolean isMarked, long now) {
            taken -= PeerBuffer.footprint(mail.bytes().length);
            Packet packet = reader.read(mail.from(), mail.bytes());
            RcQueuePair queuePair = packet == null ? null : queuePairs[packet.destinationQpn()];
            if (packet != null && queuePair != null) {
                Gid from = mail.from();
                int trafficClass = isMarked ? NotificationPoint.CONGESTION_EXPERIENCED : 0;
                packet.from(from.high(), from.low(), QueuePairs.UDP_PORT, trafficClass);
                queuePair.receive(packet, now);
                transmit(RECEIVER, queuePair, sink);
            }
        }
    }
}
