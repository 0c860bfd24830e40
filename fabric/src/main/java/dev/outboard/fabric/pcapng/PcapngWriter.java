package dev.outboard.fabric.pcapng;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Encodes packets as a pcapng capture that Wireshark opens: timestamps in nanoseconds, direction
/// and a comment per packet. It touches no file: the owner takes the bytes with [#drain] and writes
/// them somewhere. Used by one thread.
///
/// ```java
/// writer.packet(epochNanos, Direction.OUTBOUND, memory, at, length, "");
/// channel.write(writer.drain());
/// ```
///
/// Source: the pcapng file format (draft-ietf-opsawg-pcapng), one section with one interface. A
/// section states its own byte order; this one is big-endian.
public final class PcapngWriter {
    /// Which way a packet went, as the capture marks it.
    public enum Direction {
        /// Nobody can say, or both.
        UNKNOWN(0),
        INBOUND(1),
        OUTBOUND(2);

        private final int flag;

        Direction(int flag) {
            this.flag = flag;
        }
    }

    private static final int SECTION_HEADER = 0x0A0D0D0A;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int ENHANCED_PACKET = 6;
    private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
    private static final int VERSION_1_0 = 0x0001_0000;
    private static final long UNKNOWN_SECTION_LENGTH = -1;

    private static final int NO_SNAP_LENGTH = 0;

    private static final int OPTION_END = 0;
    private static final int OPTION_COMMENT = 1;
    private static final int OPTION_SECTION_APPLICATION = 4;
    private static final int OPTION_INTERFACE_NAME = 2;
    private static final int OPTION_TIMESTAMP_RESOLUTION = 9;
    private static final int OPTION_PACKET_FLAGS = 2;

    private static final byte NANOSECONDS = 9;
    private static final int MAX_COMMENT = 0xFFFF;

    /// All that a packet block holds beside packet and comment, and then some.
    private static final int BLOCK_OVERHEAD = 128;

    private static final int INITIAL_CAPACITY = 1 << 16;

    private byte[] bytes = new byte[INITIAL_CAPACITY];
    private ByteBuffer block = ByteBuffer.wrap(bytes);
    private int end;

    /// Starts the capture. The name tells readers which interface packets passed.
    public PcapngWriter(String interfaceName, LinkType linkType) {
        sectionHeader();
        interfaceDescription(interfaceName.getBytes(StandardCharsets.UTF_8), linkType);
    }

    /// Adds the packet whose `length` bytes are at `at`. An empty comment is none.
    public void packet(
            long epochNanos,
            Direction direction,
            MemorySegment packet,
            long at,
            int length,
            String comment) {
        byte[] text = comment.getBytes(StandardCharsets.UTF_8);
        if (text.length > MAX_COMMENT) {
            throw new IllegalArgumentException(
                    "a comment of " + text.length + " bytes is too long");
        }
        reserve(BLOCK_OVERHEAD + length + text.length);
        int start = startBlock(ENHANCED_PACKET);
        put32(0);
        put64(epochNanos);
        put32(length);
        put32(length);
        MemorySegment.copy(packet, ValueLayout.JAVA_BYTE, at, bytes, end, length);
        end += length;
        pad();
        startOption(OPTION_PACKET_FLAGS, Integer.BYTES);
        put32(direction.flag);
        if (text.length > 0) {
            option(OPTION_COMMENT, text);
        }
        endBlock(start);
    }

    /// What was encoded since the last call. Valid until the next call of any method.
    public ByteBuffer drain() {
        ByteBuffer drained = ByteBuffer.wrap(bytes, 0, end).slice();
        end = 0;
        return drained;
    }

    private void sectionHeader() {
        int start = startBlock(SECTION_HEADER);
        put32(BYTE_ORDER_MAGIC);
        put32(VERSION_1_0);
        put64(UNKNOWN_SECTION_LENGTH);
        option(OPTION_SECTION_APPLICATION, "Outboard".getBytes(StandardCharsets.UTF_8));
        endBlock(start);
    }

    private void interfaceDescription(byte[] name, LinkType linkType) {
        reserve(BLOCK_OVERHEAD + name.length);
        int start = startBlock(INTERFACE_DESCRIPTION);
        put32(linkType.number() << Short.SIZE);
        put32(NO_SNAP_LENGTH);
        option(OPTION_INTERFACE_NAME, name);
        option(OPTION_TIMESTAMP_RESOLUTION, new byte[] {NANOSECONDS});
        endBlock(start);
    }

    private int startBlock(int type) {
        int start = end;
        put32(type);
        put32(0);
        return start;
    }

    /// Ends the options; a block carries its length in front and behind.
    private void endBlock(int start) {
        startOption(OPTION_END, 0);
        int length = end + Integer.BYTES - start;
        block.putInt(start + Integer.BYTES, length);
        put32(length);
    }

    private void option(int code, byte[] value) {
        startOption(code, value.length);
        System.arraycopy(value, 0, bytes, end, value.length);
        end += value.length;
        pad();
    }

    private void startOption(int code, int length) {
        put32(code << Short.SIZE | length);
    }

    private void put32(int value) {
        block.putInt(end, value);
        end += Integer.BYTES;
    }

    private void put64(long value) {
        block.putLong(end, value);
        end += Long.BYTES;
    }

    private void pad() {
        while ((end & 3) != 0) {
            bytes[end++] = 0;
        }
    }

    private void reserve(int length) {
        if (bytes.length - end < length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, end + length));
            block = ByteBuffer.wrap(bytes);
        }
    }
}
