package dev.outboard.fabric.pcapng;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the packets of a capture one after the other, whoever wrote it: pcapng in either byte
/// order, with several sections and interfaces and timestamps of any resolution, or the older pcap,
/// which is as one section with one interface. Blocks and options that hold no packet are passed
/// over. It holds one packet at a time, however large the file and whatever it claims; what cannot
/// be read is a [FabricException] with INVALID_ARGUMENT that names file, offset and value. One
/// thread at a time.
///
/// Source: the pcapng file format (draft-ietf-opsawg-pcapng), the pcap file format
/// (draft-ietf-opsawg-pcap).
public final class PcapngReader implements AutoCloseable {
    /// A packet of the capture.
    ///
    /// @param offset of its block in the file
    /// @param linkType what it starts with: a number of the registry of link types
    /// @param interfaceName where it passed; empty if the capture does not say
    /// @param epochNanos when; of a block without a time, that of the packet before
    /// @param originalLength how long it was, though the capture may hold less of it
    public record CapturedPacket(
            long offset,
            int linkType,
            String interfaceName,
            long epochNanos,
            long originalLength,
            byte[] bytes) {}

    /// @param snapLength of a packet the capture holds so much at most; 0 for all
    /// @param ticksPerSecond what timestamps count
    /// @param offsetSeconds what is to be added to them
    private record Interface(
            String name,
            int linkType,
            long snapLength,
            BigInteger ticksPerSecond,
            long offsetSeconds) {}

    private static final int SECTION_HEADER = 0x0A0D0D0A;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int OBSOLETE_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;

    private static final int PCAP_MICROSECONDS = 0xA1B2C3D4;
    private static final int PCAP_NANOSECONDS = 0xA1B23C4D;
    private static final int PCAP_RECORD_HEADER = 16;

    private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
    private static final int OPTION_END = 0;
    private static final int OPTION_INTERFACE_NAME = 2;
    private static final int OPTION_TIMESTAMP_RESOLUTION = 9;
    private static final int OPTION_TIMESTAMP_OFFSET = 14;

    /// The length of a block stands before and after what it holds.
    private static final int BLOCK_FRAME = 12;

    private static final int MAX_NAME = 256;
    private static final int MAX_INTERFACES = 4096;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final Path path;
    private final InputStream stream;
    private final int maxPacketBytes;
    private final ByteBuffer fields = ByteBuffer.allocate(MAX_NAME);
    private final List<Interface> interfaces = new ArrayList<>();
    private boolean hasSection;

    /// Whether the file is of the older format.
    private boolean isPcap;

    /// Of the next byte.
    private long offset;

    /// Of the present block.
    private long blockOffset;

    /// What is left of the block before its second length.
    private long left;

    private long lastNanos;

    private PcapngReader(Path path, InputStream stream, int maxPacketBytes) {
        this.path = path;
        this.stream = stream;
        this.maxPacketBytes = maxPacketBytes;
    }

    /// Opens a capture, pcapng or pcap, whose packets have `maxPacketBytes` at most.
    public static PcapngReader open(Path path, int maxPacketBytes) {
        try {
            return new PcapngReader(
                    path,
                    new BufferedInputStream(new FileInputStream(path.toFile())),
                    maxPacketBytes);
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /// The next packet, or null after the last one.
    public @Nullable CapturedPacket next() {
        while (true) {
            blockOffset = offset;
            if (isPcap) {
                return nextOfPcap();
            }
            int read = read(fields.array(), 2 * Integer.BYTES);
            if (read == 0 && hasSection) {
                return null;
            }
            if (read < 2 * Integer.BYTES) {
                throw truncated();
            }
            int type = fields.getInt(0);
            if (type == SECTION_HEADER) {
                beginSection();
            } else if (!hasSection && isPcap(type)) {
                beginPcap();
                continue;
            } else if (!hasSection) {
                throw bad(
                        "the file starts with %#010x; valid: a capture, which starts with 0x0a0d0d0a (pcapng) or 0xa1b2c3d4 (pcap)"
                                .formatted(type));
            }
            long length = blockLength();
            CapturedPacket packet =
                    switch (type) {
                        case SECTION_HEADER -> checkVersion();
                        case INTERFACE_DESCRIPTION -> describeInterface();
                        case ENHANCED_PACKET, OBSOLETE_PACKET -> packet(type);
                        case SIMPLE_PACKET -> simplePacket();
                        default -> null;
                    };
            endBlock(length);
            if (packet != null) {
                return packet;
            }
        }
    }

    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private boolean isPcap(int magic) {
        int swapped = Integer.reverseBytes(magic);
        return magic == PCAP_MICROSECONDS
                || magic == PCAP_NANOSECONDS
                || swapped == PCAP_MICROSECONDS
                || swapped == PCAP_NANOSECONDS;
    }

    /// The rest of the file header, which says what is the same for all packets.
    private void beginPcap() {
        int magic = fields.getInt(0);
        boolean isBigEndian = magic == PCAP_MICROSECONDS || magic == PCAP_NANOSECONDS;
        fields.order(isBigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        boolean hasNanos = fields.getInt(0) == PCAP_NANOSECONDS;
        int major = Short.toUnsignedInt(fields.getShort(4));
        if (major != 2) {
            throw bad("the version of a pcap file is %d; valid: 2".formatted(major));
        }
        left = 16;
        require(16, "a file header");
        interfaces.add(
                new Interface(
                        "",
                        Short.toUnsignedInt((short) fields.getInt(12)),
                        Integer.toUnsignedLong(fields.getInt(8)),
                        BigInteger.TEN.pow(hasNanos ? 9 : 6),
                        0));
        isPcap = true;
    }

    private @Nullable CapturedPacket nextOfPcap() {
        int read = read(fields.array(), PCAP_RECORD_HEADER);
        if (read == 0) {
            return null;
        }
        if (read < PCAP_RECORD_HEADER) {
            throw truncated();
        }
        Interface only = interfaces.getFirst();
        long unit = NANOS_PER_SECOND / only.ticksPerSecond.longValueExact();
        lastNanos =
                Integer.toUnsignedLong(fields.getInt(0)) * NANOS_PER_SECOND
                        + Integer.toUnsignedLong(fields.getInt(4)) * unit;
        long captured = Integer.toUnsignedLong(fields.getInt(8));
        left = captured;
        return packet(only, captured, Integer.toUnsignedLong(fields.getInt(12)));
    }

    /// A section has a byte order of its own, and its own interfaces.
    private void beginSection() {
        byte[] length = Arrays.copyOfRange(fields.array(), 4, 8);
        left = Integer.BYTES;
        require(Integer.BYTES, "a byte order");
        fields.order(ByteOrder.BIG_ENDIAN);
        int magic = fields.getInt(0);
        if (magic != BYTE_ORDER_MAGIC) {
            fields.order(ByteOrder.LITTLE_ENDIAN);
        }
        if (fields.getInt(0) != BYTE_ORDER_MAGIC) {
            throw bad(
                    "the byte order of a section is %#010x; valid: 0x1a2b3c4d or 0x4d3c2b1a"
                            .formatted(magic));
        }
        hasSection = true;
        interfaces.clear();
        // Where the length of other blocks is.
        fields.put(4, length);
    }

    private long blockLength() {
        long length = Integer.toUnsignedLong(fields.getInt(4));
        long consumed = offset - blockOffset;
        if (length % Integer.BYTES != 0 || length < consumed + Integer.BYTES) {
            throw bad(
                    "the length of a block is %d; valid: a multiple of 4, here from %d on"
                            .formatted(length, Math.max(BLOCK_FRAME, consumed + Integer.BYTES)));
        }
        left = length - consumed - Integer.BYTES;
        return length;
    }

    private void endBlock(long length) {
        skip(left);
        left = Integer.BYTES;
        require(Integer.BYTES, "its length");
        long again = Integer.toUnsignedLong(fields.getInt(0));
        if (again != length) {
            throw bad(
                    "the length of a block is %d at its start and %d at its end"
                            .formatted(length, again));
        }
    }

    private @Nullable CapturedPacket checkVersion() {
        require(12, "a section header");
        int major = Short.toUnsignedInt(fields.getShort(0));
        if (major != 1) {
            throw bad("the version of a section is %d; valid: 1".formatted(major));
        }
        return null;
    }

    private @Nullable CapturedPacket describeInterface() {
        if (interfaces.size() >= MAX_INTERFACES) {
            throw bad("a section has more than %d interfaces".formatted(MAX_INTERFACES));
        }
        require(8, "an interface description");
        int linkType = Short.toUnsignedInt(fields.getShort(0));
        long snapLength = Integer.toUnsignedLong(fields.getInt(4));
        String name = "";
        BigInteger ticks = BigInteger.TEN.pow(6);
        long offsetSeconds = 0;
        while (left >= Integer.BYTES) {
            require(Integer.BYTES, "an option");
            int code = Short.toUnsignedInt(fields.getShort(0));
            int length = Short.toUnsignedInt(fields.getShort(2));
            long padded = (length + 3L) & ~3L;
            if (code == OPTION_END) {
                break;
            }
            if (padded > left) {
                throw bad("option %d has %d bytes, more than its block".formatted(code, length));
            }
            if (code == OPTION_INTERFACE_NAME && length <= MAX_NAME) {
                require(length, "a name");
                name = StandardCharsets.UTF_8.decode(fields.slice(0, length)).toString();
                skip(padded - length);
            } else if (code == OPTION_TIMESTAMP_RESOLUTION) {
                ticks = ticksPerSecond(length);
                skip(padded - length);
            } else if (code == OPTION_TIMESTAMP_OFFSET) {
                requireLength(code, length, Long.BYTES);
                require(length, "an offset");
                offsetSeconds = fields.getLong(0);
            } else {
                skip(padded);
            }
        }
        interfaces.add(new Interface(name, linkType, snapLength, ticks, offsetSeconds));
        return null;
    }

    /// A power of 2 if the top bit is set, of 10 otherwise.
    private BigInteger ticksPerSecond(int length) {
        requireLength(OPTION_TIMESTAMP_RESOLUTION, length, 1);
        require(length, "a resolution");
        int resolution = fields.get(0);
        return resolution < 0
                ? BigInteger.TWO.pow(resolution & 0x7F)
                : BigInteger.TEN.pow(resolution);
    }

    private void requireLength(int code, int length, int expected) {
        if (length != expected) {
            throw bad("option %d has %d bytes; valid: %d".formatted(code, length, expected));
        }
    }

    private CapturedPacket packet(int type) {
        require(20, "the fields of a packet");
        long number =
                type == ENHANCED_PACKET
                        ? Integer.toUnsignedLong(fields.getInt(0))
                        : Short.toUnsignedLong(fields.getShort(0));
        Interface from = interfaceOf(number);
        long time =
                Integer.toUnsignedLong(fields.getInt(4)) << Integer.SIZE
                        | Integer.toUnsignedLong(fields.getInt(8));
        lastNanos = epochNanos(from, time);
        return packet(
                from,
                Integer.toUnsignedLong(fields.getInt(12)),
                Integer.toUnsignedLong(fields.getInt(16)));
    }

    private CapturedPacket simplePacket() {
        require(Integer.BYTES, "the length of a packet");
        Interface from = interfaceOf(0);
        long original = Integer.toUnsignedLong(fields.getInt(0));
        long captured = from.snapLength == 0 ? original : Math.min(original, from.snapLength);
        return packet(from, captured, original);
    }

    private CapturedPacket packet(Interface from, long captured, long original) {
        if (captured > left) {
            throw bad(
                    "a packet of %d bytes is in a block that has %d left"
                            .formatted(captured, left));
        }
        if (captured > maxPacketBytes) {
            throw bad(
                    "a packet has %d bytes; valid: at most %d".formatted(captured, maxPacketBytes));
        }
        byte[] bytes = new byte[(int) captured];
        fill(bytes, bytes.length);
        return new CapturedPacket(
                blockOffset, from.linkType, from.name, lastNanos, original, bytes);
    }

    private Interface interfaceOf(long number) {
        if (number >= interfaces.size()) {
            throw bad(
                    "a packet is of interface %d, and the section has described %d"
                            .formatted(number, interfaces.size()));
        }
        return interfaces.get((int) number);
    }

    private long epochNanos(Interface from, long ticks) {
        BigInteger nanos =
                new BigInteger(Long.toUnsignedString(ticks))
                        .multiply(BigInteger.valueOf(NANOS_PER_SECOND))
                        .divide(from.ticksPerSecond)
                        .add(
                                BigInteger.valueOf(from.offsetSeconds)
                                        .multiply(BigInteger.valueOf(NANOS_PER_SECOND)));
        if (nanos.bitLength() >= Long.SIZE) {
            throw bad("the time of a packet is %s ns after 1970; valid: 64 bits".formatted(nanos));
        }
        return nanos.longValue();
    }

    /// Reads `count` bytes of the block to [#fields].
    private void require(int count, String what) {
        if (count > left) {
            throw bad("a block has %d bytes left, and lacks %s".formatted(left, what));
        }
        fill(fields.array(), count);
    }

    /// Reads `count` bytes of the block.
    private void fill(byte[] into, int count) {
        if (read(into, count) < count) {
            throw truncated();
        }
        left -= count;
    }

    /// How many bytes were read: fewer than `count` where the file ends.
    private int read(byte[] into, int count) {
        try {
            int read = stream.readNBytes(into, 0, count);
            offset += read;
            return read;
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private void skip(long count) {
        try {
            stream.skipNBytes(count);
            offset += count;
            left -= count;
        } catch (EOFException e) {
            throw truncated();
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private FabricException truncated() {
        return bad("the file ends at byte %d, within a block".formatted(offset));
    }

    private FabricException bad(String what) {
        return new FabricException(
                Reason.INVALID_ARGUMENT,
                "capture %s, block at byte %d: %s".formatted(path, blockOffset, what));
    }

    private static FabricException unreadable(Path path, IOException cause) {
        return new FabricException(
                Reason.INVALID_ARGUMENT, "cannot read the capture " + path + ": " + cause, cause);
    }
}
