package dev.outboard.dpa.elf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/// The program of `kernel.c` (DWARF 5, -O2), whose bytes a test changes.
final class ElfPatch {
    static final int TYPE = 16;
    static final int MACHINE = 18;
    static final int SEGMENT_FLAGS = 4;
    static final int SEGMENT_OFFSET = 8;
    static final int SEGMENT_ADDRESS = 16;
    static final int SEGMENT_FILE_BYTES = 32;
    static final int SEGMENT_MEMORY_BYTES = 40;
    static final int SECTION_TYPE = 4;
    static final int SECTION_FLAGS = 8;

    private static final int SEGMENT_BYTES = 56;
    private static final int SECTION_BYTES = 64;
    private static final int SYMBOL_BYTES = 24;

    private final ByteBuffer bytes;

    ElfPatch() throws IOException {
        this(Files.readAllBytes(Clang.SOURCES.resolve("kernel.elf")));
    }

    ElfPatch(byte[] elf) {
        bytes = ByteBuffer.wrap(elf).order(ByteOrder.LITTLE_ENDIAN);
    }

    byte[] bytes() {
        return bytes.array();
    }

    ElfPatch put8(int at, int value) {
        bytes.put(at, (byte) value);
        return this;
    }

    ElfPatch put16(int at, int value) {
        bytes.putShort(at, (short) value);
        return this;
    }

    ElfPatch put32(int at, int value) {
        bytes.putInt(at, value);
        return this;
    }

    ElfPatch put64(int at, long value) {
        bytes.putLong(at, value);
        return this;
    }

    long get64(int at) {
        return bytes.getLong(at);
    }

    int get8(int at) {
        return bytes.get(at) & 0xff;
    }

    /// Where the program header begins.
    static int segment(int index) {
        return 64 + index * SEGMENT_BYTES;
    }

    /// Where the section header begins.
    int sectionHeader(String name) {
        for (int i = 0; i < bytes.getShort(60); i++) {
            int at = section(i);
            if (text(offset(section(bytes.getShort(62))) + bytes.getInt(at)).equals(name)) {
                return at;
            }
        }
        throw new AssertionError("no section " + name);
    }

    /// Where the content of the section begins.
    int section(String name) {
        return offset(sectionHeader(name));
    }

    /// Where the entry of the symbol begins.
    int symbol(String name) {
        int names = section(".strtab");
        int at = section(".symtab");
        while (!text(names + bytes.getInt(at)).equals(name)) {
            at += SYMBOL_BYTES;
        }
        return at;
    }

    private int section(int index) {
        return (int) bytes.getLong(40) + index * SECTION_BYTES;
    }

    private int offset(int header) {
        return (int) bytes.getLong(header + 24);
    }

    private String text(int at) {
        int end = at;
        while (bytes.get(end) != 0) {
            end++;
        }
        return new String(bytes.array(), at, end - at, StandardCharsets.UTF_8);
    }
}
