package dev.outboard.fabric.roce.wire;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.testkit.Golden;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.Stream;

/// A golden packet as a receiver gets it: the path from its sender, and the UDP payload in native
/// memory of its own. The fields are read here independently of the code under test.
final class GoldenPacket {
    private static final int UDP_LENGTH = 8;

    private final Golden.Entry entry;
    private final byte[] bytes;
    private final Path path;
    private final Sender sender;
    private final Payload payload;

    private GoldenPacket(Golden.Entry entry, byte[] bytes) {
        this.entry = entry;
        this.bytes = bytes;
        this.path = pathOf(entry, bytes);
        this.sender = new Sender(path);
        byte[] udpPayload = Arrays.copyOfRange(bytes, ipLength() + UDP_LENGTH, bytes.length);
        MemorySegment memory = Arena.ofAuto().allocate(udpPayload.length);
        MemorySegment.copy(udpPayload, 0, memory, ValueLayout.JAVA_BYTE, 0, udpPayload.length);
        this.payload = Payload.of(memory);
    }

    static GoldenPacket of(Golden.Entry entry) {
        return new GoldenPacket(entry, entry.packet());
    }

    static GoldenPacket named(String name) {
        return Golden.index().stream()
                .filter(entry -> entry.name().equals(name))
                .findFirst()
                .map(GoldenPacket::of)
                .orElseThrow();
    }

    static Stream<GoldenPacket> all() {
        return Golden.index().stream().map(GoldenPacket::of);
    }

    static Stream<GoldenPacket> ipv4() {
        return all().filter(packet -> packet.entry.ipVersion() == 4);
    }

    /// The same packet with one bit of its bytes, from the IP header on, inverted.
    GoldenPacket flipped(int bit) {
        byte[] changed = bytes.clone();
        changed[bit / 8] ^= (byte) (1 << bit % 8);
        return new GoldenPacket(entry, changed);
    }

    /// An IPv4 packet of the same two ends with another content, identification and flags, and the
    /// ICRC that its sender gives it.
    GoldenPacket with(byte[] udpPayload, int identification, int flags) {
        int headers = ipLength() + UDP_LENGTH;
        byte[] changed = Arrays.copyOf(bytes, headers + udpPayload.length);
        System.arraycopy(udpPayload, 0, changed, headers, udpPayload.length);
        MemorySegment packet = MemorySegment.ofArray(changed);
        BigEndian.put16(packet, 2, changed.length);
        BigEndian.put16(packet, 4, identification);
        BigEndian.put16(packet, 6, flags);
        BigEndian.put16(packet, ipLength() + 4, changed.length - ipLength());
        return new GoldenPacket(entry, ReferenceIcrc.completed(ipLength(), changed));
    }

    Golden.Entry entry() {
        return entry;
    }

    /// From the IP header on.
    byte[] bytes() {
        return bytes;
    }

    int ipLength() {
        return entry.ipVersion() == 4 ? 20 : 40;
    }

    /// From its sender to its receiver.
    Path path() {
        return path;
    }

    /// Its sender, who is known by what was checked before.
    Sender sender() {
        return sender;
    }

    /// Its sender, of whom nothing is known.
    Sender unknownSender() {
        return new Sender(path);
    }

    /// BTH to ICRC.
    Payload payload() {
        return payload;
    }

    MemorySegment segment() {
        return payload.segment();
    }

    int length() {
        return Math.toIntExact(payload.byteSize());
    }

    /// A well-formed view of it.
    Packet packet() {
        Packet packet = new Packet();
        PacketFlaw reason = packet.wrap(segment(), 0, length());
        if (reason != null) {
            throw new AssertionError(entry + ": " + reason);
        }
        packet.from(path.source().high(), path.source().low(), path.sourcePort(), 0);
        return packet;
    }

    @Override
    public String toString() {
        return entry.name();
    }

    private static Path pathOf(Golden.Entry entry, byte[] bytes) {
        MemorySegment packet = MemorySegment.ofArray(bytes);
        return entry.ipVersion() == 4
                ? new Path(
                        Gid.ofIpv4(BigEndian.get32(packet, 12)),
                        Gid.ofIpv4(BigEndian.get32(packet, 16)),
                        BigEndian.get16(packet, 20),
                        BigEndian.get8(packet, 1))
                : new Path(
                        new Gid(BigEndian.get64(packet, 8), BigEndian.get64(packet, 16)),
                        new Gid(BigEndian.get64(packet, 24), BigEndian.get64(packet, 32)),
                        BigEndian.get16(packet, 40),
                        BigEndian.get16(packet, 0) >> 4 & 0xFF);
    }
}
