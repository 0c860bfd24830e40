package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.contract.roce.Stranger;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.protocol.MrspCodec;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Hosts that send packets which no proper stack would: on a connection of their own, on those of
/// others, or to nobody.
class HostilePacketsTest extends HostileSuite {
    private static final int PACKETS = 3_000;
    private static final int QUEUE_PAIR = 0x100;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @Requirement({"NAA-ROB-1", "NAA-ROB-2", "NAA-ROB-3", "NAA-MULTI-5"})
    void randomBytesAtThePortDisturbNobody(long seed) {
        serve(strict());
        MemorySegment memory = server.memory(1000, 0);
        SplittableRandom random = new SplittableRandom(seed);
        Baseline before = Baseline.take();
        try (Stranger stranger = new Stranger(serverDevice);
                NaaClient good = goodClient(memory)) {
            for (int i = 0; i < PACKETS; i++) {
                noise(stranger, random);
                if (i % 300 == 0) {
                    assertServed(good, memory);
                }
            }
            assertServed(good, memory);
        }
        assertThat(serverDevice.counters().get("discarded.bad-icrc")).isPositive();
        assertThat(serverDevice.counters().get("discarded.unknown-qpn")).isPositive();
        assertServesAsBefore();
        before.assertReached();
    }

    /// A third each: bytes, a packet whose checksum is right, a datagram of the connection manager.
    private void noise(Stranger stranger, SplittableRandom random) {
        switch (random.nextInt(3)) {
            case 0 -> {
                byte[] bytes = bytes(4 * random.nextInt(375), random);
                if (bytes.length > 12 && random.nextBoolean()) {
                    // A header of the right version and partition: the checksum is looked at.
                    bytes[0] = (byte) Opcode.SEND_ONLY.code();
                    bytes[1] = 0;
                    bytes[2] = -1;
                    bytes[3] = -1;
                }
                stranger.sendBytes(bytes);
            }
            case 1 -> {
                Opcode[] opcodes = Opcode.values();
                stranger.send(
                        opcodes[random.nextInt(opcodes.length)],
                        random.nextInt(1, 1 << 24),
                        random.nextInt(1 << 24),
                        bytes(80, random),
                        bytes(random.nextInt(1024), random));
            }
            default -> {
                byte[] mad =
                        new CmDatagram(
                                        random.nextLong(),
                                        stranger.request(
                                                server.server.port() + random.nextInt(2) * 7,
                                                random.nextInt(),
                                                random.nextInt(1 << 24),
                                                random.nextInt(32)))
                                .emit();
                // Another kind of message, and some bytes of it changed: few are requests still.
                mad[17] = (byte) (0x10 + random.nextInt(12));
                for (int i = random.nextInt(20); i >= 0; i--) {
                    mad[random.nextInt(24, mad.length)] = (byte) random.nextInt();
                }
                stranger.sendMad(mad);
            }
        }
    }

    private static byte[] bytes(int length, SplittableRandom random) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, Stranger.SHORT_ACK_TIMEOUT, 31})
    @Requirement({"NAA-MULTI-4", "NAA-ROB-2", "NAA-TIME-4"})
    void aClientThatAcknowledgesNothingLosesItsPlace(int ackTimeout) {
        serve(strict().maxConnections(1));
        Baseline before = Baseline.take();
        try (Stranger silent = new Stranger(serverDevice)) {
            // With code 0 the server shall never repeat anything, with 31 only after hours.
            ConnectionReply reply = silent.connect(server.server.port(), 7, QUEUE_PAIR, ackTimeout);
            server.awaitEvent("connected");
            silent.send(reply.local().qpn(), reply.local().startingPsn(), request(100));
            server.awaitEvent("failed");
            assertServesAsBefore();
        }
        before.assertReached();
    }

    @Test
    @Requirement({"NAA-MULTI-4", "NAA-ROB-2", "NAA-CONN-16"})
    void aClientThatConnectsAndSaysNothingLosesItsPlace() {
        serve(strict().maxConnections(1));
        try (Stranger silent = new Stranger(serverDevice)) {
            silent.connect(server.server.port(), 7, QUEUE_PAIR, 18);
            server.awaitEvent("connected");
            server.awaitEvent("failed");
        }
        assertServesAsBefore();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    @Requirement({"NAA-ROB-1", "NAA-ROB-2", "NAA-ROB-3", "NAA-MULTI-5"})
    void randomPacketsOnAConnectionCostOnlyThat(long seed) {
        serve(strict());
        MemorySegment memory = server.memory(1000, 0);
        SplittableRandom random = new SplittableRandom(seed);
        Opcode[] opcodes = Opcode.values();
        try (Stranger wild = new Stranger(serverDevice);
                NaaClient good = goodClient(memory)) {
            for (int connection = 1; connection <= 10; connection++) {
                ConnectionReply reply =
                        wild.connect(
                                server.server.port(),
                                connection,
                                QUEUE_PAIR + connection,
                                Stranger.SHORT_ACK_TIMEOUT);
                int psn = reply.local().startingPsn();
                if (random.nextBoolean()) {
                    wild.send(reply.local().qpn(), psn++, request(random.nextInt(2000)));
                }
                for (int i = 0; i < 40; i++) {
                    boolean expected = random.nextInt(4) > 0;
                    wild.send(
                            opcodes[random.nextInt(opcodes.length)],
                            reply.local().qpn(),
                            expected ? psn++ : psn + random.nextInt(-5, 50),
                            bytes(80, random),
                            bytes(random.nextInt(1100), random));
                }
                assertServed(good, memory);
                Eventually.until(() -> server.server.connections().size() == 1);
            }
        }
        assertServesAsBefore();
    }

    @Test
    @Requirement({"NAA-ROB-2", "NAA-MULTI-5"})
    void aMessageThatNeverEndsHoldsOnlyItsOwnConnectionUp() {
        serve(strict());
        MemorySegment memory = server.memory(1000, 0);
        try (Stranger slow = new Stranger(serverDevice);
                NaaClient good = goodClient(memory)) {
            ConnectionReply reply =
                    slow.connect(server.server.port(), 7, QUEUE_PAIR, Stranger.SHORT_ACK_TIMEOUT);
            int psn = reply.local().startingPsn();
            byte[] full = new byte[1024];
            slow.send(Opcode.SEND_FIRST, reply.local().qpn(), psn++, new byte[0], full);
            slow.send(Opcode.SEND_MIDDLE, reply.local().qpn(), psn, new byte[0], full);
            assertServed(good, memory);
            server.awaitEvent("failed");
            assertServed(good, memory);
        }
        assertServesAsBefore();
    }

    /// A proper request for one region of the stranger's, which nobody answers for.
    private static byte[] request(long size) {
        Entry entry = new Entry(RegionFlags.INPUT | RegionFlags.OUTPUT, 0, 0x1000, 0x77, size);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment into = arena.allocate(MrspCodec.MAX_LENGTH);
            int length = MrspCodec.encode(new AdvertiseRequest(List.of(entry)), into);
            return into.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }
}
