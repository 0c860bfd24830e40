package dev.outboard.dpa.elf;

/// Kinds of entries, and the attributes of them that are read.
final class Tag {
    static final int ARRAY = 0x01;
    static final int ENUMERATION = 0x04;
    static final int PARAMETER = 0x05;
    static final int MEMBER = 0x0d;
    static final int POINTER = 0x0f;
    static final int COMPILE_UNIT = 0x11;
    static final int STRUCT = 0x13;
    static final int FUNCTION_TYPE = 0x15;
    static final int TYPEDEF = 0x16;
    static final int UNION = 0x17;
    static final int MORE_PARAMETERS = 0x18;
    static final int INLINED = 0x1d;
    static final int SUBRANGE = 0x21;
    static final int BASE = 0x24;
    static final int CONST = 0x26;
    static final int ENUMERATOR = 0x28;
    static final int FUNCTION = 0x2e;
    static final int VOLATILE = 0x35;
    static final int RESTRICT = 0x37;
    static final int UNSPECIFIED = 0x3b;
    static final int PARTIAL_UNIT = 0x3c;
    static final int ATOMIC = 0x47;
    static final int ANNOTATION = 0x6000;

    static final int NAME = 0x03;
    static final int BYTE_SIZE = 0x0b;
    static final int BIT_OFFSET = 0x0c;
    static final int BIT_SIZE = 0x0d;
    static final int LINES = 0x10;
    static final int LOW_PC = 0x11;
    static final int HIGH_PC = 0x12;
    static final int CONST_VALUE = 0x1c;
    static final int UPPER_BOUND = 0x2f;
    static final int ORIGIN = 0x31;
    static final int COUNT = 0x37;
    static final int MEMBER_LOCATION = 0x38;
    static final int FILE = 0x3a;
    static final int LINE = 0x3b;
    static final int DECLARATION = 0x3c;
    static final int ENCODING = 0x3e;
    static final int SPECIFICATION = 0x47;
    static final int TYPE = 0x49;
    static final int RANGES = 0x55;
    static final int CALL_COLUMN = 0x57;
    static final int CALL_FILE = 0x58;
    static final int CALL_LINE = 0x59;
    static final int DATA_BIT_OFFSET = 0x6b;
    static final int TEXT_OFFSETS_BASE = 0x72;
    static final int ADDRESS_BASE = 0x73;
    static final int RANGE_LISTS_BASE = 0x74;

    private Tag() {}

    /// Whether the attribute is read. All others are skipped.
    static boolean isRead(int attribute) {
        return switch (attribute) {
            case NAME, BYTE_SIZE, BIT_OFFSET, BIT_SIZE, LINES, LOW_PC, HIGH_PC -> true;
            case CONST_VALUE, UPPER_BOUND, ORIGIN, COUNT, MEMBER_LOCATION, FILE, LINE -> true;
            case DECLARATION, ENCODING, SPECIFICATION, TYPE, RANGES, DATA_BIT_OFFSET -> true;
            case CALL_COLUMN, CALL_FILE, CALL_LINE -> true;
            case TEXT_OFFSETS_BASE, ADDRESS_BASE, RANGE_LISTS_BASE -> true;
            default -> false;
        };
    }

    static boolean isType(int tag) {
        return switch (tag) {
            case ARRAY, ENUMERATION, POINTER, STRUCT, FUNCTION_TYPE, TYPEDEF, UNION, BASE -> true;
            case CONST, VOLATILE, RESTRICT, UNSPECIFIED, ATOMIC -> true;
            default -> false;
        };
    }
}
