package dev.outboard.dpa.elf;

import dev.outboard.dpa.elf.LineTable.Row;
import dev.outboard.dpa.elf.LineTable.Sequence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Reads the section of line programs, one after the other.
final class LineReader {
    private final ByteCursor section;
    private final List<AddressRange> code;
    private final FileNames names;
    private final Map<Long, List<String>> files = new HashMap<>();
    private final List<Sequence> sequences = new ArrayList<>();

    LineReader(ByteCursor section, FileNames names, List<AddressRange> code) {
        this.section = section;
        this.names = names;
        this.code = code;
        while (section.remaining() > 0) {
            long offset = section.position();
            int end = Dwarf.unitEnd(section);
            readProgram(offset, section.at(section.position(), end));
            section.seek(end);
        }
    }

    /// The files that a program names, by their numbers.
    ///
    /// @param offset where the program begins
    List<String> files(long offset) {
        List<String> found = files.get(offset);
        if (found == null) {
            throw section.error(offset, "no line program begins here");
        }
        return found;
    }

    LineTable table() {
        return new LineTable(sequences);
    }

    private void readProgram(long offset, ByteCursor cursor) {
        int version = cursor.u16();
        Dwarf.checkVersion(version, cursor);
        if (version == Dwarf.VERSION_5) {
            Dwarf.checkAddressSize(cursor);
            cursor.skip(1);
        }
        long headerBytes = cursor.u32();
        long start = cursor.position() + headerBytes;
        ByteCursor program = cursor.at(start);
        LineProgram.Header header = header(cursor);
        List<String> named =
                version == Dwarf.VERSION_5 ? names.version5(cursor) : names.version4(cursor);
        files.put(offset, named);
        new LineProgram(program, header, named, this::add).run();
    }

    private static LineProgram.Header header(ByteCursor cursor) {
        int step = cursor.u8();
        int operations = cursor.u8();
        if (operations > 1) {
            throw cursor.error("%d operations per instruction, not 1".formatted(operations));
        }
        cursor.skip(1);
        int lineBase = (byte) cursor.u8();
        int lineRange = cursor.u8();
        int firstSpecial = cursor.u8();
        if (lineRange == 0 || firstSpecial == 0) {
            throw cursor.error("a line range and a first special opcode of 0 are not valid");
        }
        int[] lengths = new int[firstSpecial];
        for (int i = 1; i < firstSpecial; i++) {
            lengths[i] = cursor.u8();
        }
        return new LineProgram.Header(step, lineBase, lineRange, lengths);
    }

    private void add(long[] addresses, Row[] rows, long end) {
        if (code.stream().anyMatch(range -> range.contains(addresses[0]))) {
            sequences.add(new Sequence(addresses, rows, end));
        }
    }
}
