package dev.outboard.dpa.elf;

/// How an attribute is written.
final class Form {
    static final int ADDR = 0x01;
    static final int DATA2 = 0x05;
    static final int DATA4 = 0x06;
    static final int DATA8 = 0x07;
    static final int STRING = 0x08;
    static final int DATA1 = 0x0b;
    static final int FLAG = 0x0c;
    static final int SDATA = 0x0d;
    static final int STRP = 0x0e;
    static final int UDATA = 0x0f;
    static final int REF_ADDR = 0x10;
    static final int REF1 = 0x11;
    static final int REF2 = 0x12;
    static final int REF4 = 0x13;
    static final int REF8 = 0x14;
    static final int REF_UDATA = 0x15;
    static final int SEC_OFFSET = 0x17;
    static final int FLAG_PRESENT = 0x19;
    static final int STRX = 0x1a;
    static final int ADDRX = 0x1b;
    static final int LINE_STRP = 0x1f;
    static final int IMPLICIT_CONST = 0x21;
    static final int RNGLISTX = 0x23;
    static final int STRX1 = 0x25;
    static final int STRX4 = 0x28;
    static final int ADDRX1 = 0x29;
    static final int ADDRX4 = 0x2c;

    private static final int BLOCK2 = 0x03;
    private static final int BLOCK4 = 0x04;
    private static final int BLOCK = 0x09;
    private static final int BLOCK1 = 0x0a;
    private static final int EXPRLOC = 0x18;
    private static final int DATA16 = 0x1e;
    private static final int REF_SIG8 = 0x20;
    private static final int LOCLISTX = 0x22;

    private Form() {}

    /// Reads a value: the number, the offset, the index, or the place of the text.
    ///
    /// @param implicit the number that stands in the abbreviation
    static long read(ByteCursor cursor, int form, long implicit) {
        return switch (form) {
            case DATA1, REF1, FLAG, STRX1, ADDRX1 -> cursor.u8();
            case DATA2, REF2, 0x26, 0x2a -> cursor.u16();
            case 0x27, 0x2b -> cursor.u24();
            case DATA4, REF4, STRP, REF_ADDR, SEC_OFFSET, LINE_STRP, STRX4, ADDRX4 -> cursor.u32();
            case ADDR, DATA8, REF8, REF_SIG8 -> cursor.u64();
            case SDATA -> cursor.signed();
            case UDATA, REF_UDATA, STRX, ADDRX, LOCLISTX, RNGLISTX -> cursor.unsigned();
            case FLAG_PRESENT -> 1;
            case IMPLICIT_CONST -> implicit;
            default -> skipLong(cursor, form);
        };
    }

    /// Values that nobody reads, and texts, which are read when they are asked for.
    private static long skipLong(ByteCursor cursor, int form) {
        int before = cursor.position();
        switch (form) {
            case STRING -> cursor.skipText();
            case BLOCK1 -> cursor.skip(cursor.u8());
            case BLOCK2 -> cursor.skip(cursor.u16());
            case BLOCK4 -> cursor.skip(cursor.u32());
            case BLOCK, EXPRLOC -> cursor.skip(cursor.unsigned());
            case DATA16 -> cursor.skip(16);
            default -> throw cursor.error("form 0x%x is not one of DWARF 4 or 5".formatted(form));
        }
        return before;
    }

    static boolean isNumber(int form) {
        return switch (form) {
            case DATA1, DATA2, DATA4, DATA8, SDATA, UDATA, IMPLICIT_CONST -> true;
            case FLAG, FLAG_PRESENT, SEC_OFFSET -> true;
            default -> false;
        };
    }

    static boolean isTextIndex(int form) {
        return form == STRX || (form >= STRX1 && form <= STRX4);
    }

    static boolean isAddressIndex(int form) {
        return form == ADDRX || (form >= ADDRX1 && form <= ADDRX4);
    }
}
