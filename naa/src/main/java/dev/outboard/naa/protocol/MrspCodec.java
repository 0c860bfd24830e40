package dev.outboard.naa.protocol;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.MrspMessage.Malformed;
import dev.outboard.naa.MrspMessage.MrspError;
import dev.outboard.naa.PeerRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// The bytes of the memory region setup messages (`spec/naaice.md`, section 3.2). The entries
/// follow the 4-byte header without padding, so 64-bit fields are not aligned.
///
/// NAA-MRSP-20: bit for bit; padding is written as zeros and not read.
public final class MrspCodec {
    /// The bytes of the longest message: a request for 255 regions.
    ///
    /// NAA-MRSP-11: every receive has room for it.
    public static final int MAX_LENGTH = 4 + 24 * MrspMessage.MAX_REGIONS;

    private static final int HEADER = 4;
    private static final int TYPE_ERROR = 0x00;
    private static final int TYPE_ADVERTISE_REQUEST = 0x01;
    private static final int TYPE_ADVERTISE = 0x02;
    private static final int REQUEST_ENTRY = 24;
    private static final int ADVERTISE_ENTRY = 16;
    private static final int FLAGS_SHIFT = 56;
    private static final long NAA_ADDRESS_MASK = (1L << FLAGS_SHIFT) - 1;
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private MrspCodec() {}

    /// Writes `message` to the start of `into`.
    ///
    /// @return its length in bytes
    public static int encode(MrspMessage message, MemorySegment into) {
        return switch (message) {
            case AdvertiseRequest request -> encode(request, into);
            case Advertise advertise -> encode(advertise, into);
            case MrspError error -> header(TYPE_ERROR, error.code(), into);
            case Malformed malformed ->
                    throw new IllegalArgumentException("cannot be sent: " + malformed);
        };
    }

    /// Reads a received message.
    ///
    /// NAA-MRSP-12, NAA-MRSP-25: type 0x03 is unknown, every code of an ERR is taken.
    ///
    /// @param bytes exactly what was received
    /// @return the message, or [Malformed]
    public static MrspMessage decode(MemorySegment bytes) {
        if (bytes.byteSize() < HEADER) {
            return new Malformed(bytes.byteSize() + " bytes, shorter than a header");
        }
        int type = unsignedByte(bytes, 0);
        int count = unsignedByte(bytes, 1);
        return switch (type) {
            case TYPE_ERROR -> new MrspError(count);
            case TYPE_ADVERTISE_REQUEST ->
                    fits(bytes, count, REQUEST_ENTRY)
                            ? decodeRequest(bytes, count)
                            : wrongLength(bytes, "a request", count, REQUEST_ENTRY);
            case TYPE_ADVERTISE ->
                    fits(bytes, count, ADVERTISE_ENTRY)
                            ? decodeAdvertise(bytes, count)
                            : wrongLength(bytes, "an advertisement", count, ADVERTISE_ENTRY);
            default -> new Malformed("message type 0x%02x is unknown".formatted(type));
        };
    }

    private static int encode(AdvertiseRequest request, MemorySegment into) {
        int at = header(TYPE_ADVERTISE_REQUEST, request.entries().size(), into);
        for (Entry entry : request.entries()) {
            into.set(LONG, at, ((long) entry.flags() << FLAGS_SHIFT) | entry.naaAddress());
            into.set(LONG, at + 8, entry.address());
            into.set(INT, at + 16, entry.remoteKey());
            into.set(INT, at + 20, (int) entry.size());
            at += REQUEST_ENTRY;
        }
        return at;
    }

    private static int encode(Advertise advertise, MemorySegment into) {
        int at = header(TYPE_ADVERTISE, advertise.regions().size(), into);
        for (PeerRegion region : advertise.regions()) {
            into.set(LONG, at, region.address());
            into.set(INT, at + 8, region.remoteKey());
            into.set(INT, at + 12, (int) region.size());
            at += ADVERTISE_ENTRY;
        }
        return at;
    }

    private static int header(int type, int second, MemorySegment into) {
        into.set(INT, 0, (type << 24) | (second << 16));
        return HEADER;
    }

    private static AdvertiseRequest decodeRequest(MemorySegment bytes, int count) {
        List<Entry> entries = new ArrayList<>(count);
        for (int at = HEADER; at < bytes.byteSize(); at += REQUEST_ENTRY) {
            long flagsAndAddress = bytes.get(LONG, at);
            entries.add(
                    new Entry(
                            (int) (flagsAndAddress >>> FLAGS_SHIFT),
                            flagsAndAddress & NAA_ADDRESS_MASK,
                            bytes.get(LONG, at + 8),
                            bytes.get(INT, at + 16),
                            Integer.toUnsignedLong(bytes.get(INT, at + 20))));
        }
        return new AdvertiseRequest(entries);
    }

    private static Advertise decodeAdvertise(MemorySegment bytes, int count) {
        List<PeerRegion> regions = new ArrayList<>(count);
        for (int at = HEADER; at < bytes.byteSize(); at += ADVERTISE_ENTRY) {
            regions.add(
                    new PeerRegion(
                            bytes.get(LONG, at),
                            bytes.get(INT, at + 8),
                            Integer.toUnsignedLong(bytes.get(INT, at + 12))));
        }
        return new Advertise(regions);
    }

    /// NAA-MRSP-21, NAA-ROB-1: the count is what was received, or nothing is read.
    private static boolean fits(MemorySegment bytes, int count, int entryLength) {
        return count > 0 && bytes.byteSize() == HEADER + (long) count * entryLength;
    }

    private static Malformed wrongLength(
            MemorySegment bytes, String what, int count, int entryLength) {
        return new Malformed(
                count == 0
                        ? "%s with count 0; valid: 1 to %d".formatted(what, MrspMessage.MAX_REGIONS)
                        : "%s with count %d has %d bytes instead of %d"
                                .formatted(
                                        what,
                                        count,
                                        bytes.byteSize(),
                                        HEADER + (long) count * entryLength));
    }

    private static int unsignedByte(MemorySegment bytes, long offset) {
        return Byte.toUnsignedInt(bytes.get(JAVA_BYTE, offset));
    }
}
