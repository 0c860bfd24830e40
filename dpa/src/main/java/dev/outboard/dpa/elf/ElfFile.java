package dev.outboard.dpa.elf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The frame of an executable: what its header, program headers and section headers tell. Refuses
/// what is not a static RV64 program.
final class ElfFile {
    /// More than that many segments would let a small file load much.
    static final int MOST_SEGMENTS = 64;

    static final int SYMBOLS = 2;
    static final int NOTES = 4;

    private static final int HEADER_BYTES = 64;
    private static final int SEGMENT_BYTES = 56;
    private static final int SECTION_BYTES = 64;
    private static final int MAGIC = 0x464C_457F;
    private static final int CLASS_64 = 2;
    private static final int LITTLE_ENDIAN = 1;
    private static final int EXECUTABLE = 2;
    private static final int RISC_V = 243;
    private static final int LOADED = 1;
    private static final int DYNAMIC = 2;
    private static final int INTERPRETER = 3;
    private static final int EXECUTE = 1;
    private static final int WRITE = 2;
    private static final int RELOCATIONS_WITH_ADDENDS = 4;
    private static final int NO_BYTES = 8;
    private static final int RELOCATIONS = 9;
    private static final int PACKED_RELOCATIONS = 19;
    private static final int COMPRESSED = 0x800;

    /// A program header.
    private record ProgramHeader(
            int type, int flags, long offset, long address, long fileBytes, long memoryBytes) {}

    /// A section header.
    private record Section(String name, int type, long flags, long offset, long size, int link) {}

    private final byte[] file;
    private final ByteCursor all;
    private final Budget budget;
    private final long entry;
    private final List<ProgramHeader> headers = new ArrayList<>();
    private final List<Section> sections = new ArrayList<>();
    private final Map<String, Section> byName = new HashMap<>();

    ElfFile(byte[] file) {
        this.file = file;
        all = new ByteCursor("the ELF file", file, 0, file.length);
        budget = new Budget(file.length);
        checkIdentity();
        all.seek(16);
        checkKind(all.u16(), all.u16());
        all.seek(24);
        entry = all.u64();
        long segmentsAt = all.u64();
        long sectionsAt = all.u64();
        all.seek(54);
        int segmentBytes = all.u16();
        int segmentCount = all.u16();
        int sectionBytes = all.u16();
        int sectionCount = all.u16();
        int namesIndex = all.u16();
        readSegments(segmentsAt, segmentBytes, segmentCount);
        readSections(sectionsAt, sectionBytes, sectionCount, namesIndex);
        checkRelocations();
    }

    private void checkIdentity() {
        if (file.length < 4 || all.u32() != MAGIC) {
            throw new ElfException(
                    "The file is not an ELF file: it does not begin with the bytes 7f 45 4c 46");
        }
        if (file.length < HEADER_BYTES) {
            throw new ElfException(
                    "The ELF file is truncated: it has %d bytes, its header alone has %d"
                            .formatted(file.length, HEADER_BYTES));
        }
        int bits = all.u8();
        if (bits != CLASS_64) {
            throw new ElfException(
                    "The ELF file is of class %d, not of class 2: a program has 64 bits"
                            .formatted(bits));
        }
        int order = all.u8();
        if (order != LITTLE_ENDIAN) {
            throw new ElfException(
                    "The ELF file has byte order %d, not 1: a program is little-endian"
                            .formatted(order));
        }
    }

    private static void checkKind(int type, int machine) {
        if (machine != RISC_V) {
            throw new ElfException(
                    "The ELF file is for machine %d, not for RISC-V, which is 243"
                            .formatted(machine));
        }
        if (type != EXECUTABLE) {
            throw new ElfException(
                    "The ELF file is of type %d, not of type 2: a program is a linked executable at fixed addresses"
                            .formatted(type));
        }
    }

    private void readSegments(long at, int entryBytes, int count) {
        if (count > MOST_SEGMENTS) {
            throw new ElfException(
                    "The ELF file has %d program headers; it may have %d"
                            .formatted(count, MOST_SEGMENTS));
        }
        checkEntrySize("program header", count, entryBytes, SEGMENT_BYTES);
        ByteCursor cursor = part("the program headers", at, (long) count * SEGMENT_BYTES);
        for (int i = 0; i < count; i++) {
            int type = (int) cursor.u32();
            int flags = (int) cursor.u32();
            long offset = cursor.u64();
            long address = cursor.u64();
            cursor.skip(8);
            headers.add(
                    new ProgramHeader(type, flags, offset, address, cursor.u64(), cursor.u64()));
            cursor.skip(8);
        }
    }

    private void readSections(long at, int entryBytes, int count, int namesIndex) {
        checkEntrySize("section header", count, entryBytes, SECTION_BYTES);
        ByteCursor cursor = part("the section headers", at, (long) count * SECTION_BYTES);
        if (count == 0) {
            return;
        }
        if (namesIndex >= count) {
            throw new ElfException(
                    "The names of sections are in section %d; the ELF file has %d"
                            .formatted(namesIndex, count));
        }
        cursor.seek((long) namesIndex * SECTION_BYTES + 24);
        TextTable names =
                new TextTable(part("the names of sections", cursor.u64(), cursor.u64()), budget);
        for (int i = 0; i < count; i++) {
            cursor.seek((long) i * SECTION_BYTES);
            String name = names.at(cursor.u32());
            int type = (int) cursor.u32();
            long flags = cursor.u64();
            cursor.skip(8);
            Section section =
                    new Section(name, type, flags, cursor.u64(), cursor.u64(), (int) cursor.u32());
            sections.add(section);
            byName.putIfAbsent(name, section);
        }
    }

    private static void checkEntrySize(String what, int count, int bytes, int expected) {
        if (count > 0 && bytes != expected) {
            throw new ElfException(
                    "A %s has %d bytes; in a file of 64 bits it has %d"
                            .formatted(what, bytes, expected));
        }
    }

    private void checkRelocations() {
        for (Section section : sections) {
            boolean relocations =
                    section.type == RELOCATIONS
                            || section.type == RELOCATIONS_WITH_ADDENDS
                            || section.type == PACKED_RELOCATIONS;
            if (relocations && section.size != 0) {
                throw new ElfException(
                        "Section %s has relocations left; link the program statically, without --emit-relocs"
                                .formatted(section.name));
            }
        }
        for (ProgramHeader header : headers) {
            if (header.type == DYNAMIC || header.type == INTERPRETER) {
                throw new ElfException(
                        "The ELF file leaves relocations to a dynamic linker; link the program statically");
            }
        }
    }

    long entry() {
        return entry;
    }

    Budget budget() {
        return budget;
    }

    /// What is loaded, in the order of the file.
    List<ElfSegment> segments() {
        List<ElfSegment> segments = new ArrayList<>();
        long left = file.length;
        for (int i = 0; i < headers.size(); i++) {
            ProgramHeader header = headers.get(i);
            if (header.type == LOADED && header.memoryBytes != 0) {
                ElfSegment segment = segment(i, header);
                left -= segment.bytes().length;
                if (left < 0) {
                    throw new ElfException(
                            "Segment %d uses bytes of the file that belong to others".formatted(i));
                }
                segments.add(segment);
            }
        }
        return segments;
    }

    private ElfSegment segment(int index, ProgramHeader header) {
        String name = "segment " + index;
        ByteCursor content = part(name, header.offset, header.fileBytes);
        long zeroBytes = header.memoryBytes - header.fileBytes;
        boolean wraps =
                header.memoryBytes < 0
                        || Long.compareUnsigned(header.address, header.address + header.memoryBytes)
                                >= 0;
        if (zeroBytes < 0 || wraps) {
            throw new ElfException(
                    "Segment %d at 0x%x has 0x%x bytes in the file and 0x%x in memory; it fits into no memory"
                            .formatted(
                                    index, header.address, header.fileBytes, header.memoryBytes));
        }
        byte[] bytes = new byte[content.length()];
        System.arraycopy(file, (int) header.offset, bytes, 0, bytes.length);
        return new ElfSegment(
                header.address,
                bytes,
                zeroBytes,
                (header.flags & WRITE) != 0,
                (header.flags & EXECUTE) != 0);
    }

    /// The segments that hold notes.
    List<ByteCursor> notes() {
        return headers.stream()
                .filter(header -> header.type == NOTES)
                .map(header -> part("the notes", header.offset, header.fileBytes))
                .toList();
    }

    /// The content of the section; empty if there is no such section.
    ByteCursor section(String name) {
        Section section = byName.get(name);
        if (section == null || section.type == NO_BYTES) {
            return ByteCursor.empty(name);
        }
        if ((section.flags & COMPRESSED) != 0) {
            throw new ElfException(
                    "Section %s is compressed; link without --compress-debug-sections"
                            .formatted(name));
        }
        return content(section);
    }

    /// The symbol table; empty if the file was stripped.
    ByteCursor symbolTable() {
        return sections.stream()
                .filter(section -> section.type == SYMBOLS)
                .findFirst()
                .map(this::content)
                .orElse(ByteCursor.empty("the symbol table"));
    }

    /// The names in the symbol table.
    TextTable symbolNames() {
        ByteCursor names =
                sections.stream()
                        .filter(section -> section.type == SYMBOLS)
                        .findFirst()
                        .filter(section -> section.link >= 0 && section.link < sections.size())
                        .map(section -> content(sections.get(section.link)))
                        .orElse(ByteCursor.empty("the names of symbols"));
        return new TextTable(names, budget);
    }

    private ByteCursor content(Section section) {
        return part("section " + section.name, section.offset, section.size);
    }

    private ByteCursor part(String name, long offset, long size) {
        if (offset < 0 || size < 0 || offset > file.length || size > file.length - offset) {
            throw new ElfException(
                    "The ELF file is truncated: %s ends at 0x%x, the file has 0x%x bytes"
                            .formatted(name, offset + size, file.length));
        }
        return new ByteCursor(name, file, (int) offset, (int) (offset + size));
    }
}
