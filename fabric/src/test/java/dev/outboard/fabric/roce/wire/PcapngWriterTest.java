package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.pcapng.LinkType;
import dev.outboard.fabric.pcapng.PcapngWriter;
import dev.outboard.fabric.pcapng.PcapngWriter.Direction;
import dev.outboard.testkit.Tshark;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PcapngWriterTest {
    private static final long TIME = 1_790_000_000_123_456_789L;

    private final PcapngWriter writer = new PcapngWriter("roce0", LinkType.RAW_IP);

    /// One block of a capture: its type and what stands between the two lengths.
    private record Block(int type, ByteBuffer body) {}

    @Test
    void startsWithSectionAndInterface() {
        List<Block> blocks = blocks(writer.drain());

        assertThat(blocks).extracting(Block::type).containsExactly(0x0A0D0D0A, 1);
        ByteBuffer section = blocks.get(0).body();
        assertThat(section.getInt()).isEqualTo(0x1A2B3C4D);
        assertThat(section.getShort()).isEqualTo((short) 1);
        assertThat(section.getShort()).isZero();
        assertThat(section.getLong()).isEqualTo(-1);
        ByteBuffer description = blocks.get(1).body();
        assertThat(description.getShort()).as("LINKTYPE_RAW").isEqualTo((short) 101);
        assertThat(description.getShort()).isZero();
        assertThat(description.getInt()).as("snap length").isZero();
        assertThat(option(description, 2).map(PcapngWriterTest::text)).contains("roce0");
        assertThat(option(description, 9).orElseThrow()).containsExactly(9);
    }

    @Test
    void holdsEveryGoldenPacketAsItWasOnTheWire() {
        writer.drain();
        List<GoldenPacket> goldens = GoldenPacket.all().toList();
        goldens.forEach(golden -> write(golden, Direction.INBOUND, ""));
        List<Block> blocks = blocks(writer.drain());

        assertThat(blocks).hasSameSizeAs(goldens);
        for (int i = 0; i < blocks.size(); i++) {
            GoldenPacket golden = goldens.get(i);
            byte[] packet = packet(blocks.get(i).body(), 1);
            int icrc = ByteBuffer.wrap(packet).getInt(packet.length - Icrc.LENGTH);

            assertThat(packet).hasSize(golden.bytes().length);
            assertThat(behindHeaders(golden, packet))
                    .isEqualTo(behindHeaders(golden, golden.bytes()));
            // The written headers are those that the ICRC was computed over.
            assertThat(Integer.reverseBytes(ReferenceIcrc.of(golden.ipLength(), packet)))
                    .isEqualTo(icrc);
        }
    }

    @Test
    void marksDirectionAndComment() {
        writer.drain();
        write(GoldenPacket.named("rc_ack"), Direction.OUTBOUND, "dröppt");
        ByteBuffer body = blocks(writer.drain()).getFirst().body();
        packet(body, 2);

        assertThat(option(body, 1).map(PcapngWriterTest::text)).contains("dröppt");
    }

    @Test
    void drainsEveryByteOnce() {
        int start = writer.drain().remaining();
        assertThat(start).isPositive();
        assertThat(writer.drain().remaining()).isZero();
        GoldenPacket ack = GoldenPacket.named("rc_ack");
        write(ack, Direction.INBOUND, "");
        int one = writer.drain().remaining();
        for (int i = 0; i < 10_000; i++) {
            write(ack, Direction.INBOUND, "");
        }

        assertThat(writer.drain().remaining()).isEqualTo(10_000 * one);
    }

    @Test
    void refusesCommentsThatDoNotFit() {
        GoldenPacket ack = GoldenPacket.named("rc_ack");

        assertThatThrownBy(() -> write(ack, Direction.INBOUND, "x".repeat(65_536)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void opensInTshark(@TempDir Path directory) throws IOException, InterruptedException {
        Path file = directory.resolve("golden.pcapng");
        GoldenPacket.all().forEach(golden -> write(golden, Direction.OUTBOUND, "golden"));
        ByteBuffer drained = writer.drain();
        byte[] capture = new byte[drained.remaining()];
        drained.get(capture);
        Files.write(file, capture);

        List<String> lines =
                Tshark.fields(
                        file,
                        "frame.time_epoch",
                        "infiniband.bth.opcode",
                        "infiniband.bth.psn",
                        "frame.comment",
                        "ip.checksum.status",
                        "udp.checksum.status");

        List<GoldenPacket> goldens = GoldenPacket.all().toList();
        assertThat(lines).hasSameSizeAs(goldens);
        for (int i = 0; i < lines.size(); i++) {
            String psn = Integer.toString(goldens.get(i).entry().psn());
            // time, opcode, PSN, comment; checksum status 1 is "good"
            assertThat(lines.get(i))
                    .matches("1790000000\\.123456789\t\\d+\t" + psn + "\tgolden\t(1)?\t1");
        }
    }

    private void write(GoldenPacket golden, Direction direction, String comment) {
        int identification = golden.entry().ipId().orElse(0);
        MemorySegment packet = MemorySegment.ofArray(new byte[1 << 16]);
        int length =
                IpHeaders.wrap(
                        packet,
                        0,
                        golden.path(),
                        identification,
                        golden.segment(),
                        0,
                        golden.length());
        writer.packet(TIME, direction, packet, 0, length, comment);
    }

    /// Checks an enhanced packet block up to its options and returns the packet.
    private static byte[] packet(ByteBuffer body, int direction) {
        assertThat(body.getInt()).as("interface").isZero();
        assertThat(body.getLong()).as("timestamp").isEqualTo(TIME);
        int captured = body.getInt();
        assertThat(body.getInt()).as("original length").isEqualTo(captured);
        byte[] packet = new byte[captured];
        body.get(packet);
        body.position((body.position() + 3) & ~3);
        byte[] flags = option(body, 2).orElseThrow();
        assertThat(ByteBuffer.wrap(flags).getInt()).isEqualTo(direction);
        return packet;
    }

    private static byte[] behindHeaders(GoldenPacket golden, byte[] packet) {
        return Arrays.copyOfRange(packet, golden.ipLength() + 8, packet.length);
    }

    private static List<Block> blocks(ByteBuffer capture) {
        var blocks = new ArrayList<Block>();
        while (capture.hasRemaining()) {
            int start = capture.position();
            int type = capture.getInt();
            int length = capture.getInt();
            assertThat(length % 4).isZero();
            assertThat(capture.getInt(start + length - 4)).isEqualTo(length);
            blocks.add(new Block(type, capture.slice(start + 8, length - 12)));
            capture.position(start + length);
        }
        return blocks;
    }

    /// The option of that code among those from the buffer's position on, which stays.
    private static Optional<byte[]> option(ByteBuffer body, int code) {
        ByteBuffer options = body.slice();
        while (options.hasRemaining()) {
            int found = options.getShort();
            byte[] value = new byte[Short.toUnsignedInt(options.getShort())];
            options.get(value);
            if (found == code) {
                return Optional.of(value);
            }
            options.position((options.position() + 3) & ~3);
        }
        return Optional.empty();
    }

    private static String text(byte[] value) {
        return new String(value, StandardCharsets.UTF_8);
    }
}
