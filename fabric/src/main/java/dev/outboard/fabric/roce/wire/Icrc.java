package dev.outboard.fabric.roce.wire;

import dev.outboard.fabric.memory.Payload;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/// The invariant CRC that every packet ends with. Owned by one thread, allocates nothing per
/// packet:
///
/// ```java
/// icrc.begin(path, identification, udpPayloadLength, headers, at, headerLength);
/// icrc.update(payload, offset, length);        // none, one, or several pieces
/// Icrc.put(segment, end, icrc.finish(padCount));
/// ```
///
/// Source: spec/roce.md, 1.6: CRC-32 over 8 bytes of ones, the IP, UDP and BTH headers with every
/// field that a router may change set to ones, the extension headers, payload and pad bytes.
///
/// [CRC32] cannot be seeded and a call costs more than a few bytes do. So whatever comes before the
/// payload is put together in a scratch buffer, small payloads are copied behind it, and a packet
/// takes one call, or two.
///
/// ROCE-ICRC-1: the checksum that every other implementation computes.
public final class Icrc {
    public static final int LENGTH = 4;

    private static final ValueLayout.OfInt WIRE =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /// Copying up to so many bytes is cheaper than another call.
    private static final int COPY_LIMIT = 256;

    /// Where bytes go once the template ahead of them has been hashed: behind the longest template.
    private static final int BEHIND_TEMPLATE =
            IpHeaders.ICRC_PREFIX + IpHeaders.IPV6_LENGTH + IpHeaders.UDP_LENGTH;

    private static final int CAPACITY = 512;
    private static final int MAX_PAD = 3;

    private final CRC32 crc = new CRC32();
    // Not from an arena: a direct buffer costs CRC32 no liveness check.
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(CAPACITY);
    private final MemorySegment scratchSegment = MemorySegment.ofBuffer(scratch);

    /// The path whose template the scratch starts with, so that a run of packets copies it once.
    private @Nullable Path path;

    private int templateLength;
    private int start;
    private int end;

    /// Starts a packet. The identification counts on IPv4 only. The header bytes are copied, so the
    /// caller may change them afterwards.
    public void begin(
            Path path,
            int identification,
            int udpPayloadLength,
            MemorySegment headers,
            long at,
            int headerLength) {
        if (path != this.path) {
            use(path);
        }
        putLengths(path.isIpv4(), udpPayloadLength, identification);
        MemorySegment.copy(headers, at, scratchSegment, templateLength, headerLength);
        BigEndian.put8(scratchSegment, templateLength + Bth.CONGESTION, 0xFF);
        crc.reset();
        start = 0;
        end = templateLength + headerLength;
    }

    /// Adds the next bytes of the payload.
    public void update(Payload payload, long offset, int length) {
        if (length <= COPY_LIMIT) {
            copy(payload, offset, length);
        } else {
            flush();
            payload.updateCrc(crc, offset, length);
        }
    }

    /// Adds the pad bytes and returns the ICRC, for [#put].
    public int finish(int padCount) {
        assert padCount >= 0 && padCount <= MAX_PAD : padCount;
        for (int i = 0; i < padCount; i++) {
            BigEndian.put8(scratchSegment, end + i, 0);
        }
        end += padCount;
        flush();
        return (int) crc.getValue();
    }

    /// Stores an ICRC in a packet: the one little-endian field.
    public static void put(MemorySegment segment, long at, int icrc) {
        segment.set(WIRE, at, icrc);
    }

    /// The ICRC that a packet carries.
    public static int get(MemorySegment segment, long at) {
        return segment.get(WIRE, at);
    }

    private void use(Path path) {
        MemorySegment template = path.template();
        this.path = path;
        this.templateLength = (int) template.byteSize();
        MemorySegment.copy(template, 0, scratchSegment, 0, templateLength);
    }

    private void putLengths(boolean ipv4, int udpPayloadLength, int identification) {
        int udpLength = IpHeaders.UDP_LENGTH + udpPayloadLength;
        int ip = IpHeaders.ICRC_PREFIX;
        int udp = templateLength - IpHeaders.UDP_LENGTH;
        if (ipv4) {
            BigEndian.put16(
                    scratchSegment,
                    ip + IpHeaders.IPV4_TOTAL_LENGTH,
                    IpHeaders.IPV4_LENGTH + udpLength);
            BigEndian.put16(scratchSegment, ip + IpHeaders.IPV4_IDENTIFICATION, identification);
        } else {
            BigEndian.put16(scratchSegment, ip + IpHeaders.IPV6_PAYLOAD_LENGTH, udpLength);
        }
        BigEndian.put16(scratchSegment, udp + IpHeaders.UDP_DATAGRAM_LENGTH, udpLength);
    }

    private void copy(Payload payload, long offset, int length) {
        if (end + length + MAX_PAD > CAPACITY) {
            flush();
        }
        MemorySegment.copy(payload.segment(), offset, scratchSegment, end, length);
        end += length;
    }

    /// Hashes what the scratch holds. The template stays for the next packet.
    private void flush() {
        if (end > start) {
            scratch.limit(end).position(start);
            crc.update(scratch);
        }
        start = BEHIND_TEMPLATE;
        end = BEHIND_TEMPLATE;
    }
}
