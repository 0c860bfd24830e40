package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.testkit.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// A peer that is connected and sends what it likes: random packets, and proper ones with bytes
/// changed. Nothing throws, and only memory changes that was given to the peer.
class HostilePacketTest {
    private static final int SEEDS = 5_000;
    private static final int MAX_PACKETS = 60;
    private static final int MTU = 256;
    private static final int AREA = 4_096;
    private static final Gid LOCAL = Gid.ofIpv4(0x7F000002);
    private static final Gid PEER = Gid.ofIpv4(0x7F000003);
    private static final Path TO_PEER = new Path(LOCAL, PEER, QueuePairs.UDP_PORT, 0);
    private static final Path FROM_PEER = new Path(PEER, LOCAL, QueuePairs.UDP_PORT, 0);
    private static final int[] SYNDROMES = {
        0, 0x1F, 0x20, 0x2E, 0x60, 0x61, 0x62, 0x63, 0x64, 0x80
    };

    private final MemorySegment memory = Arena.ofAuto().allocate(7 * AREA);
    private final MemorySegment expected = Arena.ofAuto().allocate(memory.byteSize());
    private final DatagramSink sink = new DatagramSink(128);
    private final DatagramSink peerSink = new DatagramSink(1);
    private final Packet packet = new Packet();
    private final Map<QueuePairCounter, Long> seen = new EnumMap<>(QueuePairCounter.class);
    private final Set<QueuePairState> states = EnumSet.noneOf(QueuePairState.class);

    @Test
    void nothingThrowsAndNoForeignByteChanges() {
        Seeds.campaign(SEEDS, seed -> new Attack(seed).run());

        if (Long.getLong("seed") == null) {
            assertThat(states).contains(QueuePairState.READY_TO_SEND, QueuePairState.ERROR);
            // Or the attack has missed a part of the machines.
            assertThat(seen)
                    .containsKeys(
                            QueuePairCounter.REQUESTS_RECEIVED,
                            QueuePairCounter.ACKS_SENT,
                            QueuePairCounter.ACKS_RECEIVED,
                            QueuePairCounter.SEQUENCE_NAKS_SENT,
                            QueuePairCounter.SEQUENCE_NAKS_RECEIVED,
                            QueuePairCounter.RNR_NAKS_SENT,
                            QueuePairCounter.RNR_NAKS_RECEIVED,
                            QueuePairCounter.ERROR_NAKS_SENT,
                            QueuePairCounter.ERROR_NAKS_RECEIVED,
                            QueuePairCounter.DUPLICATES_RECEIVED,
                            QueuePairCounter.STALE_RESPONSES_DROPPED);
        }
    }

    /// One queue pair and what one seed sends to it. Areas 1, 3 and 5 of the memory are the source
    /// of our sends, the target of the peer's writes, and our receive buffers.
    private final class Attack {
        private final long seed;
        private final SplittableRandom random;
        private final RegionTable regions;
        private final RegisteredRegion source;
        private final RegisteredRegion target;
        private final RegisteredRegion receives;
        private final CompletionRing completions = new CompletionRing(64, ring -> {});
        private final RcQueuePair queuePair;
        private final int firstPsn;
        private int posted;
        private int completed;
        private int sent;
        private long nowNanos;

        Attack(long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
            regions = new RegionTable(8, random);
            Pattern.fill(memory, seed);
            source = register(1);
            target = register(3, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            receives = register(5, Access.LOCAL_WRITE);
            queuePair =
                    QueuePairs.initialized(
                            0x11,
                            7,
                            regions,
                            completions,
                            completions,
                            new QueueSizes(8, 8, 2, 16));
            firstPsn = random.nextInt(1 << 24);
            queuePair.connect(
                    RcConnection.builder(TO_PEER)
                            .destinationQpn(0x22)
                            .pathMtuBytes(MTU)
                            .sendPsn(firstPsn)
                            .receivePsn(firstPsn)
                            .minRnrTimerCode(1)
                            .ackTimeoutCode(8)
                            .retryCount(7)
                            .rnrRetryCount(7)
                            .maxWindowPackets(32)
                            .maxReadAtomic(16)
                            .maxDestinationReadAtomic(16)
                            .build());
        }

        private RegisteredRegion register(int area, Access... access) {
            return regions.register(7, memory.asSlice((long) area * AREA, AREA), Set.of(access));
        }

        void run() {
            int packets = random.nextInt(1, MAX_PACKETS);
            for (int i = 0; i < packets; i++) {
                nowNanos += random.nextLong(2_000_000);
                act();
                attack();
            }
            check();
        }

        /// Our own application does something sensible.
        private void act() {
            if (random.nextInt(3) == 0) {
                posted += queuePair.post(new ReceiveRequest().buffer(receives, 100, 700)) ? 1 : 0;
            }
            if (random.nextInt(3) == 0) {
                SendRequest request =
                        new SendRequest().payload(source, 0, random.nextInt(1_000)).send();
                posted += queuePair.post(request) ? 1 : 0;
            }
            if (nowNanos >= queuePair.deadlineNanos()) {
                queuePair.onTimer(nowNanos);
            }
            queuePair.transmit(sink, nowNanos);
            sent += sink.count();
            sink.clear();
            poll();
        }

        private void poll() {
            Completion completion = new Completion();
            while (completions.poll(completion)) {
                completed++;
            }
        }

        private void attack() {
            invent().emit(peerSink, FROM_PEER, 0x11);
            int length = mutate(peerSink.length(0));
            if (packet.wrap(peerSink.memory().segment(), 0, length) == null
                    && packet.opcode().transport() == Opcode.Transport.RC) {
                queuePair.receive(packet, nowNanos);
            }
            peerSink.clear();
        }

        private TestPacket invent() {
            Opcode[] opcodes = Opcode.values();
            Opcode opcode =
                    random.nextInt(4) == 0
                            ? Opcode.ACKNOWLEDGE
                            : opcodes[random.nextInt(opcodes.length)];
            int near = random.nextInt(8) == 0 ? random.nextInt() : random.nextInt(-3, 10);
            int received = (int) queuePair.counters().get(QueuePairCounter.REQUESTS_RECEIVED);
            int base =
                    opcode.isResponse() ? firstPsn + random.nextInt(sent + 1) : firstPsn + received;
            boolean isExact = !opcode.isResponse() && random.nextInt(3) > 0;
            TestPacket attack =
                    TestPacket.of(opcode, (isExact ? base : base + near) & 0xFFFFFF)
                            .syndrome(SYNDROMES[random.nextInt(SYNDROMES.length)])
                            .payload(new byte[payloadLength(opcode)]);
            random.nextBytes(attack.payload);
            aim(attack);
            return random.nextBoolean() ? attack.ackRequest() : attack;
        }

        private int payloadLength(Opcode opcode) {
            if (!opcode.isRequest()) {
                return 0;
            }
            return random.nextBoolean() ? MTU : random.nextInt(MTU + 8);
        }

        /// At the target, at its edges, or anywhere.
        private void aim(TestPacket attack) {
            RegisteredRegion[] victims = {target, target, target, source, receives};
            RegisteredRegion victim = victims[random.nextInt(victims.length)];
            long offset =
                    switch (random.nextInt(4)) {
                        case 0 -> random.nextLong();
                        case 1 -> random.nextLong(-MTU, MTU);
                        case 2 -> AREA - random.nextLong(2 * MTU);
                        default -> random.nextLong(AREA);
                    };
            long length =
                    switch (random.nextInt(4)) {
                        case 0 -> random.nextLong(1L << 32);
                        case 1 -> random.nextLong(4 * MTU);
                        default -> attack.payload.length;
                    };
            attack.target(victim.address() + offset, victim.remoteKey(), length);
        }

        /// Changes some bytes, now and then; returns the length.
        private int mutate(int length) {
            MemorySegment bytes = peerSink.memory().segment();
            for (int i = random.nextInt(4) - 2; i > 0; i--) {
                bytes.set(
                        ValueLayout.JAVA_BYTE,
                        random.nextInt(Math.min(length, 40)),
                        (byte) random.nextInt());
            }
            return random.nextInt(10) == 0 ? random.nextInt(length) & -4 : length;
        }

        private void check() {
            states.add(queuePair.state());
            for (QueuePairCounter counter : QueuePairCounter.values()) {
                if (queuePair.counters().get(counter) > 0) {
                    seen.put(counter, queuePair.counters().get(counter));
                }
            }
            queuePair.fail();
            poll();
            assertThat(completed).as("one completion each").isEqualTo(posted);
            Pattern.fill(expected, seed);
            assertUnchanged(0, 3L * AREA);
            assertUnchanged(4L * AREA, 5L * AREA + 100);
            assertUnchanged(5L * AREA + 800, memory.byteSize());
        }

        private void assertUnchanged(long from, long to) {
            assertThat(MemorySegment.mismatch(memory, from, to, expected, from, to)).isEqualTo(-1);
        }
    }
}
