package dev.outboard.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.io.Transmitter;
import dev.outboard.fabric.roce.io.UdpSocket;
import dev.outboard.fabric.roce.transport.TransmitListener;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
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
    private static final int GENERAL_QUEUE_KEY = 0x80010000;
    private static final int HEADER_BYTES = 80;
    private static final int BYTES = 64;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @Requirement({"ROCE-PKT-5", "ROCE-RC-20", "ROCE-UD-4"})
    void harmsNeitherConnectionsNorTheDevice(long seed) throws Exception {
        try (Device one = Fabric.open("roce://auto?peer=127.0.0.1");
                Device target = Fabric.open("roce://auto?peer=127.0.0.1");
                ConnectedPair pair = ConnectedPair.connect(one, target, 7000);
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(2 * BYTES);
            try (MemoryRegion near = pair.client().register(memory.asSlice(0, BYTES));
                    MemoryRegion far = pair.server().register(memory.asSlice(BYTES, BYTES))) {
                flood(target.address(), pair.server().queuePair().number(), seed);

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

    private static void flood(InetAddress target, int queuePair, long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        InetAddress stranger =
                InetAddress.getByAddress(
                        new byte[] {127, 92, (byte) random.nextInt(255), (byte) (1 + seed)});
        try (UdpSocket socket = UdpSocket.bind(stranger, 0)) {
            Transmitter transmitter = Transmitter.open(socket, new Indifferent());
            Path path = new Path(Gid.of(stranger), Gid.of(target), socket.localPort(), 0);
            for (int i = 0; i < PACKETS; i++) {
                int destination =
                        switch (random.nextInt(3)) {
                            case 0 -> queuePair;
                            case 1 -> GENERAL_SERVICES;
                            default -> random.nextInt(1 << 24);
                        };
                send(transmitter, path, destination, random);
                if (!transmitter.hasRoom() || random.nextInt(16) == 0) {
                    transmitter.flush(0);
                }
            }
            transmitter.flush(0);
        }
    }

    private static void send(
            Transmitter transmitter, Path path, int destination, SplittableRandom random) {
        boolean isMad = destination == GENERAL_SERVICES && random.nextInt(4) > 0;
        Opcode opcode =
                isMad
                        ? Opcode.UD_SEND_ONLY
                        : Opcode.values()[random.nextInt(Opcode.values().length)];
        int length = isMad ? MAD_BYTES : random.nextInt(MAD_BYTES);
        MemorySegment headers = transmitter.headerMemory();
        long at = transmitter.headerOffset();
        headers.asSlice(at, HEADER_BYTES)
                .copyFrom(MemorySegment.ofArray(bytes(HEADER_BYTES, random)));
        Bth.write(
                headers,
                at,
                opcode,
                random.nextBoolean(),
                Bth.padCount(length),
                Bth.DEFAULT_PARTITION_KEY,
                destination,
                random.nextBoolean(),
                random.nextInt(1 << 24));
        byte[] content = bytes(length, random);
        if (isMad) {
            Deth.write(headers, at + Bth.LENGTH, GENERAL_QUEUE_KEY, GENERAL_SERVICES);
            writeMadHeader(content, random);
        }
        MemorySegment payload = Arena.ofAuto().allocate(Math.max(1, length));
        MemorySegment.copy(content, 0, payload, ValueLayout.JAVA_BYTE, 0, length);
        transmitter.append(Payload.of(payload), 0, length);
        transmitter.finish(path, opcode.headerLength());
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

    private static final class Indifferent implements TransmitListener {
        @Override
        public boolean maySegment(Path path) {
            return false;
        }

        @Override
        public void tooLong(Path path) {}

        @Override
        public void unreadable(Path path) {}
    }
}
