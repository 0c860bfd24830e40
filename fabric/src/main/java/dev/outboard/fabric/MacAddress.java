package dev.outboard.fabric;

import dev.outboard.fabric.FabricException.Reason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.regex.Pattern;

/// The address of a port on Ethernet: 48 bits, written `02:00:0a:00:00:01`. A value.
///
/// @param bits the address, its first byte the most significant of the lower six
public record MacAddress(long bits) {
    /// Bytes of an address in a frame.
    public static final int LENGTH = 6;

    /// Everybody.
    public static final MacAddress BROADCAST = new MacAddress(0xFFFF_FFFF_FFFFL);

    private static final Pattern WRITTEN = Pattern.compile("\\p{XDigit}{2}(:\\p{XDigit}{2}){5}");
    private static final long GROUP_BIT = 1L << 40;
    private static final ValueLayout.OfShort HALF_WORD =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt WORD =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /// @throws FabricException with INVALID_ARGUMENT if `bits` has more than 48 bits
    public MacAddress {
        if (bits < 0 || bits > 0xFFFF_FFFF_FFFFL) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "%#x is no MAC address; valid: 48 bits".formatted(bits));
        }
    }

    /// The address that `text` writes.
    ///
    /// @throws FabricException with INVALID_ARGUMENT if that is none
    public static MacAddress of(String text) {
        if (!WRITTEN.matcher(text).matches()) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "'%s' is no MAC address; valid: six bytes such as 02:00:0a:00:00:01"
                            .formatted(text));
        }
        return new MacAddress(Long.parseLong(text.replace(":", ""), 16));
    }

    /// The bits of the address at `offset` of `frame`, such as 0 for the destination or 6 for the
    /// source. Allocates nothing.
    public static long bitsAt(MemorySegment frame, long offset) {
        long high = Short.toUnsignedLong(frame.get(HALF_WORD, offset));
        return high << Integer.SIZE | Integer.toUnsignedLong(frame.get(WORD, offset + Short.BYTES));
    }

    /// Writes the address to `offset` of `frame`.
    public void writeTo(MemorySegment frame, long offset) {
        frame.set(HALF_WORD, offset, (short) (bits >>> Integer.SIZE));
        frame.set(WORD, offset + Short.BYTES, (int) bits);
    }

    /// Whether it stands for several ports, as [#BROADCAST] does.
    public boolean isMulticast() {
        return (bits & GROUP_BIT) != 0;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int shift = (LENGTH - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            text.append("%02x".formatted(bits >>> shift & 0xFF)).append(shift > 0 ? ":" : "");
        }
        return text.toString();
    }
}
