package dev.outboard.ccip.afu;

/// A device feature header (DFH): the first register of an AFU, of a basic building block (BBB) or
/// of a private feature, and a link of the device feature list (CCI-P manual 1.4.1, 1.6). An AFU
/// has its own at MMIO address 0.
///
/// Whatever software finds in a register can be looked at with this; what it means can only be
/// asked.
///
/// @param bits the register
public record DeviceFeatureHeader(long bits) {
    /// Of an AFU, in bits 63:60.
    public static final int AFU = 1;

    /// Of a basic building block.
    public static final int BBB = 2;

    /// Of a private feature.
    public static final int PRIVATE = 3;

    /// The version of CCI-P that an AFU of this project names in bits 11:0.
    public static final int CCIP_VERSION = 0x080;

    /// The largest distance to the next header: 24 bits.
    public static final int MAX_NEXT_OFFSET = 0xFF_FFFF;

    private static final long END_OF_LIST = 1L << 40;
    private static final long RESERVED_OF_ALL = 0xFFL << 52 | 0x7FL << 41;
    private static final long MINOR_VERSION = 0xFL << 48;

    /// The header of an AFU of a version of its own, which is the last of the list.
    public static DeviceFeatureHeader afu(int major, int minor, int nextOffset) {
        require("minor version", minor, 0xF);
        return new DeviceFeatureHeader(
                feature(AFU, CCIP_VERSION, major, nextOffset).bits | (long) minor << 48);
    }

    /// The header of a [#BBB] or a [#PRIVATE] feature, which is the last of the list.
    public static DeviceFeatureHeader feature(int type, int id, int revision, int nextOffset) {
        require("type", type, 0xF);
        require("id", id, 0xFFF);
        require("revision", revision, 0xF);
        require("next offset", nextOffset, MAX_NEXT_OFFSET);
        return new DeviceFeatureHeader(
                (long) type << 60 | END_OF_LIST | (long) nextOffset << 16 | revision << 12 | id);
    }

    /// The same header with another one behind it.
    ///
    /// CCIP-DFL-4: one that another follows.
    public DeviceFeatureHeader followed() {
        return new DeviceFeatureHeader(bits & ~END_OF_LIST);
    }

    private static void require(String field, int value, int most) {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException(
                    "DFH with " + field + " " + value + "; valid are 0 to " + most);
        }
    }

    /// Bits 63:60: [#AFU], [#BBB], [#PRIVATE], or what nobody knows.
    public int type() {
        return (int) (bits >>> 60);
    }

    /// Of an AFU: its minor version.
    public int minorVersion() {
        return (int) (bits >>> 48) & 0xF;
    }

    /// Whether no other header follows.
    public boolean endOfList() {
        return (bits & END_OF_LIST) != 0;
    }

    /// How many bytes from this header to the next; also the size of the region of this feature.
    public int nextOffset() {
        return (int) (bits >>> 16) & MAX_NEXT_OFFSET;
    }

    /// Of an AFU its major version, of the others their revision.
    public int revision() {
        return (int) bits >>> 12 & 0xF;
    }

    /// Of an AFU the version of CCI-P, of the others their id within the AFU.
    public int id() {
        return (int) bits & 0xFFF;
    }

    /// The reserved bits, which are 0 in a proper header, in their place.
    public long reserved() {
        return bits & (type() == AFU ? RESERVED_OF_ALL : RESERVED_OF_ALL | MINOR_VERSION);
    }
}
