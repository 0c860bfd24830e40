package dev.outboard.dpa.elf;

/// What units of all sections have in common.
final class Dwarf {
    static final int VERSION_4 = 4;
    static final int VERSION_5 = 5;

    private static final int ADDRESS_BYTES = 8;
    private static final long FIRST_ESCAPE = 0xffff_fff0L;

    private Dwarf() {}

    /// Reads the length of a unit.
    ///
    /// @return where the unit ends
    static int unitEnd(ByteCursor cursor) {
        long length = cursor.u32();
        if (length >= FIRST_ESCAPE) {
            throw cursor.error("a unit of the 64-bit format of DWARF; known is the 32-bit format");
        }
        if (length > cursor.remaining()) {
            throw cursor.error(
                    "a unit of %d bytes, but %d are left".formatted(length, cursor.remaining()));
        }
        return cursor.position() + (int) length;
    }

    static void checkVersion(int version, ByteCursor cursor) {
        if (version != VERSION_4 && version != VERSION_5) {
            throw cursor.error(
                    "version %d of DWARF; known are 4 and 5: compile with -gdwarf-5"
                            .formatted(version));
        }
    }

    static void checkAddressSize(ByteCursor cursor) {
        int bytes = cursor.u8();
        if (bytes != ADDRESS_BYTES) {
            throw cursor.error("addresses of %d bytes, not 8".formatted(bytes));
        }
    }
}
