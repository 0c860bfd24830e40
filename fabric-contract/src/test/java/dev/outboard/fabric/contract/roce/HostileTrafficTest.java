package dev.outboard.fabric.contract.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.ConnectedPair;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A stranger floods the port of a device with packets whose checksum is right and whose content is
/// random: of every opcode, to a connected queue pair, to the connection manager and to nobody.
class HostileTrafficTest {
    private static final int PACKETS = 4_000;
    private static final int MAD_BYTES = 256;
    private static final int GENERAL_SERVICES = 1;
    private static final int HEADER_BYTES = 80;
    private static final int BYTES = 64;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @Requirement({"ROCE-PKT-5", "ROCE-RC-20", "ROCE-UD-4"})
    void harmsNeitherConnectionsNorTheDevice(long seed) {
        try (Device one = RoceLoopback.open();
                Device target = RoceLoopback.open();
                ConnectedPair pair = ConnectedPair.connect(one, target, 7000);
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(2 * BYTES);
            try (MemoryRegion near = pair.client().register(memory.asSlice(0, BYTES));
                    MemoryRegion far = pair.server().register(memory.asSlice(BYTES, BYTES))) {
                flood(target, pair.server().queuePair().number(), seed);

                assertThat(memory.asSlice(BYTES, BYTES).toArray(ValueLayout.JAVA_BYTE))
                        .containsOnly(0);
                pair.client()
                        .post(
                                new SendRequest()
                                        .write(far.address(), far.remoteKey())
                                        .payload(near, 0, BYTES));
                assertThat(pair.client().awaitCompletion().status())
                        .isEqualTo(CompletionStatus.SUCCESS);
            }
            Map<String, Long> counters = target.counters();
            assertThat(counters.get("discarded.wrong-source")).isPositive();
            assertThat(counters.get("discarded.unknown-qpn")).isPositive();
            try (ConnectedPair later = ConnectedPair.connect(one, target, 7001)) {
                assertThat(later.server().queuePair().state())
                        .isEqualTo(QueuePairState.READY_TO_SEND);
            }
        }
    }

    private static void flood(Device target, int queuePair, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try (Stranger stranger = new Stranger(target)) {
            for (int i = 0; i < PACKETS; i++) {
                switch (random.nextInt(3)) {
                    case 0 -> send(stranger, queuePair, random);
                    case 1 -> sendToGeneralServices(stranger, random);
                    default -> send(stranger, random.nextInt(1 << 24), random);
                }
            }
        }
    }

    private static void send(Stranger stranger, int destination, SplittableRandom random) {
        stranger.send(
                Opcode.values()[random.nextInt(Opcode.values().length)],
                destination,
                random.nextInt(1 << 24),
                bytes(HEADER_BYTES, random),
                bytes(random.nextInt(MAD_BYTES), random));
    }

    private static void sendToGeneralServices(Stranger stranger, SplittableRandom random) {
        if (random.nextInt(4) == 0) {
            send(stranger, GENERAL_SERVICES, random);
        } else {
            byte[] mad = bytes(MAD_BYTES, random);
            writeMadHeader(mad, random);
            stranger.sendMad(mad);
        }
    }

    /// A message of the connection manager, of any kind.
    private static void writeMadHeader(byte[] mad, SplittableRandom random) {
        byte[] header = {1, 7, 2, 3, 0, 0, 0, 0};
        System.arraycopy(header, 0, mad, 0, header.length);
        mad[16] = 0;
        mad[17] = (byte) (0x10 + random.nextInt(11));
    }

    private static byte[] bytes(int length, SplittableRandom random) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
