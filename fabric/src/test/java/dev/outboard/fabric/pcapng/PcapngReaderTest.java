package dev.outboard.fabric.pcapng;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.pcapng.PcapngReader.CapturedPacket;
import dev.outboard.fabric.pcapng.PcapngWriter.Direction;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PcapngReaderTest {
    private static final int MOST = 9018;
    private static final int ETHERNET = 1;
    private static final byte[] PACKET = {1, 2, 3, 4, 5, 6, 7};

    private Path directory = Path.of("");

    @BeforeEach
    void keepFilesIn(@TempDir Path temporary) {
        directory = temporary;
    }

    static Stream<ByteOrder> orders() {
        return Stream.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN);
    }

    private Path file(byte[] content) {
        try {
            return Files.write(directory.resolve("test.pcapng"), content);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<CapturedPacket> read(byte[] content) {
        List<CapturedPacket> packets = new ArrayList<>();
        try (PcapngReader reader = PcapngReader.open(file(content), MOST)) {
            for (CapturedPacket packet = reader.next(); packet != null; packet = reader.next()) {
                packets.add(packet);
            }
        }
        return packets;
    }

    /// The file is refused for its block at `offset`.
    private void assertRefused(Blocks blocks, long offset, String what) {
        assertThatThrownBy(() -> read(blocks.bytes()))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT))
                .hasMessageContaining("test.pcapng")
                .hasMessageContaining("block at byte " + offset + ":")
                .hasMessageContaining(what);
    }

    @ParameterizedTest
    @MethodSource("orders")
    void packetsComeAsTheyWereWritten(ByteOrder order) {
        Blocks blocks = new Blocks(order).section();
        blocks.describe(ETHERNET, 0, blocks.option(2, text("eth0")), blocks.option(0));
        int first = blocks.size();
        blocks.enhanced(0, 1_500_000, PACKET);
        int second = blocks.size();
        blocks.enhanced(0, 2_000_001, new byte[0]);

        List<CapturedPacket> packets = read(blocks.bytes());
        assertThat(packets).hasSize(2);
        assertThat(packets.get(0))
                .usingRecursiveComparison()
                .isEqualTo(
                        new CapturedPacket(
                                first, ETHERNET, "eth0", 1_500_000_000, PACKET.length, PACKET));
        assertThat(packets.get(1))
                .usingRecursiveComparison()
                .isEqualTo(
                        new CapturedPacket(
                                second, ETHERNET, "eth0", 2_000_001_000, 0, new byte[0]));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 3, 3000000000",
        "3, 0, 1500, 1500000000",
        "6, 0, 7, 7000",
        "9, 0, 7, 7",
        "12, 0, 7999, 7",
        "127, 0, 7999, 0",
        "138, 0, 1025, 1000976562",
        "255, 0, -1, 0",
        "9, 5, 7, 5000000007",
        "9, -5, 7, -4999999993",
    })
    void aTimestampIsOfItsInterfacesResolution(
            int resolution, long offset, long ticks, long nanos) {
        Blocks blocks = new Blocks(ByteOrder.LITTLE_ENDIAN).section();
        blocks.describe(
                ETHERNET,
                0,
                blocks.option(9, (byte) resolution),
                blocks.option(14, offset),
                blocks.option(0));
        blocks.enhanced(0, ticks, PACKET);
        assertThat(read(blocks.bytes()).getFirst().epochNanos()).isEqualTo(nanos);
    }

    @ParameterizedTest
    @MethodSource("orders")
    void eachSectionHasItsOrderAndItsInterfaces(ByteOrder order) {
        ByteOrder other =
                order == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        Blocks first = new Blocks(order).section().describe(101, 0).describe(ETHERNET, 0);
        first.enhanced(1, 1, PACKET).enhanced(0, 2, PACKET);
        Blocks second = new Blocks(other).section().describe(113, 0).enhanced(0, 3, PACKET);
        first.raw(second.bytes());
        assertThat(read(first.bytes()))
                .extracting(CapturedPacket::linkType)
                .containsExactly(ETHERNET, 101, 113);
    }

    @ParameterizedTest
    @MethodSource("orders")
    void simpleAndObsoletePacketsCountToo(ByteOrder order) {
        Blocks blocks = new Blocks(order).section().describe(ETHERNET, 4).describe(101, 0);
        blocks.block(Blocks.OBSOLETE, (short) 1, (short) 9, 0, 1_000_000, 7, 8, PACKET);
        blocks.block(Blocks.SIMPLE, 3, new byte[] {1, 2, 3});
        blocks.block(Blocks.SIMPLE, 7, new byte[] {1, 2, 3, 4});
        List<CapturedPacket> packets = read(blocks.bytes());
        assertThat(packets).extracting(CapturedPacket::linkType).containsExactly(101, 1, 1);
        assertThat(packets).extracting(CapturedPacket::originalLength).containsExactly(8L, 3L, 7L);
        assertThat(packets).extracting(packet -> packet.bytes().length).containsExactly(7, 3, 4);
        assertThat(packets).extracting(CapturedPacket::epochNanos).containsOnly(1_000_000_000L);
    }

    @Test
    void otherBlocksAndOptionsArePassedOver() {
        Blocks blocks = new Blocks(ByteOrder.BIG_ENDIAN).section();
        blocks.block(0x0BAD, new byte[40_000]).block(0x80000001);
        blocks.describe(
                ETHERNET,
                0,
                blocks.option(3, text("odd")),
                blocks.option(2, new byte[300]),
                blocks.option(0x8001, new byte[3000]));
        blocks.block(
                Blocks.ENHANCED,
                0,
                0,
                5,
                3,
                3,
                new byte[] {1, 2, 3, 0},
                blocks.option(1, text("comment")),
                blocks.option(0));
        blocks.block(5, new byte[20]);
        assertThat(read(blocks.bytes()))
                .singleElement()
                .satisfies(packet -> assertThat(packet.bytes()).containsExactly(1, 2, 3))
                .satisfies(packet -> assertThat(packet.interfaceName()).isEmpty());
    }

    @Test
    void readsWhatOurWriterWrites() {
        PcapngWriter writer = new PcapngWriter("sim://lab", LinkType.ETHERNET);
        MemorySegment packet = MemorySegment.ofArray(PACKET);
        writer.packet(1_790_000_000_123_456_789L, Direction.UNKNOWN, packet, 1, 5, "note");
        ByteBuffer drained = writer.drain();
        byte[] capture = new byte[drained.remaining()];
        drained.get(capture);
        assertThat(read(capture))
                .singleElement()
                .satisfies(each -> assertThat(each.bytes()).containsExactly(2, 3, 4, 5, 6))
                .satisfies(
                        each -> assertThat(each.epochNanos()).isEqualTo(1_790_000_000_123_456_789L))
                .satisfies(each -> assertThat(each.interfaceName()).isEqualTo("sim://lab"));
    }

    @Test
    void whatIsNoCaptureIsRefused() {
        Blocks none = new Blocks(ByteOrder.BIG_ENDIAN);
        assertRefused(none, 0, "the file ends at byte 0");
        assertRefused(
                new Blocks(ByteOrder.BIG_ENDIAN)
                        .raw(
                                new byte[] {
                                    (byte) 0xA1, (byte) 0xB2, (byte) 0xC3, (byte) 0xD5, 0, 2, 0, 4
                                }),
                0,
                "starts with 0xa1b2c3d5");
        assertThatThrownBy(() -> PcapngReader.open(directory.resolve("absent"), MOST))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("absent");
    }

    @Test
    void whatIsWrongIsNamed() {
        int start = new Blocks(ByteOrder.BIG_ENDIAN).section().size();
        assertRefused(
                new Blocks(ByteOrder.BIG_ENDIAN).block(Blocks.SECTION, 0x12345678),
                0,
                "byte order of a section is 0x12345678");
        assertRefused(
                new Blocks(ByteOrder.BIG_ENDIAN)
                        .block(Blocks.SECTION, 0x1A2B3C4D, (short) 2, (short) 0, -1L),
                0,
                "version of a section is 2");
        assertRefused(begun().raw(new byte[] {0, 0, 0, 6, 0, 0, 0, 13}), start, "block is 13");
        assertRefused(begun().raw(new byte[] {0, 0, 0, 6, 0, 0, 0, 8}), start, "block is 8");
        assertRefused(begun().enhanced(0, 0, PACKET), start, "interface 0, and the section");
        assertRefused(begun().block(Blocks.ENHANCED, 0, 0), start, "has 8 bytes left");
        assertRefused(begun().block(Blocks.INTERFACE, (short) 1), start, "interface description");
        assertRefused(begun().raw(new byte[] {0, 0, 0}), start, "ends at byte " + (start + 3));

        Blocks described = begun().describe(ETHERNET, 0);
        int packet = described.size();
        assertRefused(
                described.block(Blocks.ENHANCED, 0, 0, 0, 5, 5, PACKET[0]),
                packet,
                "a packet of 5 bytes is in a block that has 4 left");
        assertRefused(
                begun().describe(ETHERNET, 0).enhanced(0, 0, new byte[MOST + 1]),
                packet,
                "9019 bytes; valid: at most 9018");
        assertRefused(
                begun().describe(ETHERNET, 0).enhanced(0, -1, PACKET),
                packet,
                "18446744073709551615000 ns");
        assertRefused(
                begun().describe(ETHERNET, 0).block(Blocks.SIMPLE, -1),
                packet,
                "a packet of 4294967295 bytes");
        Blocks options = begun();
        assertRefused(
                options.describe(ETHERNET, 0, options.option(9, (short) 1)),
                start,
                "option 9 has 2 bytes; valid: 1");
        Blocks longer = begun();
        assertRefused(
                longer.block(Blocks.INTERFACE, (short) 1, (short) 0, 0, (short) 2, (short) 999),
                start,
                "option 2 has 999 bytes, more than its block");
        assertRefused(
                begun().raw(new byte[] {0, 0, 0, 5, 0, 0, 0, 12, 0, 0, 0, 16}),
                start,
                "is 12 at its start and 16 at its end");
        Blocks many = begun();
        for (int i = 0; i <= 4096; i++) {
            many.describe(ETHERNET, 0);
        }
        assertRefused(many, start + 4096 * 20, "more than 4096 interfaces");
    }

    private static Blocks begun() {
        return new Blocks(ByteOrder.BIG_ENDIAN).section();
    }

    /// A block that claims four gigabytes costs no memory.
    @Test
    void whatAFileClaimsIsNotAllocated() {
        Blocks blocks = begun().describe(ETHERNET, 0);
        int packet = blocks.size();
        blocks.raw(
                ByteBuffer.allocate(28)
                        .putInt(6)
                        .putInt(-4)
                        .putInt(0)
                        .putLong(0)
                        .putInt(Integer.MAX_VALUE - 100)
                        .array());
        blocks.raw(new byte[4]);
        assertRefused(blocks, packet, "2147483547 bytes; valid: at most 9018");
    }

    @ParameterizedTest
    @MethodSource("orders")
    void aFileCutAnywhereIsReadOrRefused(ByteOrder order) {
        byte[] good = sample(order);
        int packets = read(good).size();
        for (int length = 0; length < good.length; length++) {
            assertThat(readable(Arrays.copyOf(good, length))).isLessThan(packets);
        }
    }

    @ParameterizedTest
    @MethodSource("orders")
    void aFileChangedAnywhereIsReadOrRefused(ByteOrder order) {
        byte[] good = sample(order);
        SplittableRandom random = new SplittableRandom(5);
        int refused = 0;
        for (int round = 0; round < 4_000; round++) {
            byte[] bad = good.clone();
            for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            refused += readable(bad) < 0 ? 1 : 0;
        }
        assertThat(refused).isBetween(500, 3_900);
    }

    /// How many packets the file has, or -1 if it is refused; nothing else can happen.
    private int readable(byte[] content) {
        try {
            return read(content).size();
        } catch (FabricException refused) {
            assertThat(refused.reason()).isEqualTo(Reason.INVALID_ARGUMENT);
            assertThat(refused).hasMessageContaining("block at byte ");
            return -1;
        }
    }

    private static byte[] sample(ByteOrder order) {
        Blocks blocks = new Blocks(order).section();
        blocks.describe(
                ETHERNET,
                0,
                blocks.option(2, text("eth0")),
                blocks.option(9, (byte) 9),
                blocks.option(0));
        blocks.describe(ETHERNET, 96, blocks.option(9, (byte) 0x8A), blocks.option(14, 100L));
        blocks.enhanced(0, 1_000, PACKET).enhanced(1, 2_000, new byte[60]);
        blocks.block(0x0BAD, new byte[16]).block(Blocks.SIMPLE, 7, PACKET);
        blocks.block(Blocks.OBSOLETE, (short) 1, (short) 0, 0, 3_000, 7, 7, PACKET);
        return blocks.bytes();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "BIG_ENDIAN, 0xa1b2c3d4, 7000",
        "LITTLE_ENDIAN, 0xa1b2c3d4, 7000",
        "LITTLE_ENDIAN, 0xa1b23c4d, 7"
    })
    void theOlderFormatIsReadToo(String order, String magic, long fraction) {
        ByteOrder byteOrder =
                order.equals("BIG_ENDIAN") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        byte[] content = pcap(byteOrder, Integer.parseUnsignedInt(magic.substring(2), 16));

        List<CapturedPacket> packets = read(content);

        assertThat(packets).hasSize(2);
        assertThat(packets.getFirst().bytes()).isEqualTo(PACKET);
        assertThat(packets.getFirst().linkType()).isEqualTo(ETHERNET);
        assertThat(packets.getFirst().originalLength()).isEqualTo(90);
        assertThat(packets.getFirst().epochNanos()).isEqualTo(3_000_000_000L + fraction);
        assertThat(packets.getLast().offset()).isEqualTo(24 + 16 + PACKET.length);
        for (int end = 1; end < content.length; end++) {
            byte[] cut = Arrays.copyOf(content, end);
            if (end != 24 && end != 24 + 16 + PACKET.length) {
                assertThatThrownBy(() -> read(cut))
                        .isInstanceOf(FabricException.class)
                        .hasMessageContaining("the file ends at byte " + cut.length);
            }
        }
    }

    @Test
    void aPcapFileOfAnotherVersionIsRefused() {
        byte[] content = pcap(ByteOrder.BIG_ENDIAN, 0xA1B2C3D4);
        content[5] = 3;

        assertThatThrownBy(() -> read(content))
                .hasMessageContaining("the version of a pcap file is 3; valid: 2");
    }

    /// Two packets, in the second 3 and 7 ticks.
    private static byte[] pcap(ByteOrder order, int magic) {
        ByteBuffer file = ByteBuffer.allocate(24 + 2 * (16 + PACKET.length)).order(order);
        file.putInt(magic).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0);
        file.putInt(65_535).putInt(ETHERNET);
        for (int i = 0; i < 2; i++) {
            file.putInt(3).putInt(7).putInt(PACKET.length).putInt(90).put(PACKET);
        }
        return file.array();
    }
}
