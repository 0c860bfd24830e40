package dev.outboard.dpa.elf;

import java.util.ArrayList;
import java.util.List;

/// Reads the sections of DWARF.
final class DebugReader {
    private static final int COMPILED = 1;
    private static final int PARTIAL = 3;

    private final DebugSections sections;
    private final List<DebugEntry> entries = new ArrayList<>();

    DebugReader(ElfFile file, List<AddressRange> code) {
        sections = new DebugSections(file, code);
    }

    DebugInfo read() {
        ByteCursor info = sections.info();
        while (info.remaining() > 0) {
            int start = info.position();
            int end = Dwarf.unitEnd(info);
            readUnit(start, info.at(info.position(), end));
            info.seek(end);
        }
        TypeReader types = new TypeReader();
        List<DebugType> all = types.readAll(entries);
        FunctionReader functions = new FunctionReader(types);
        List<DebugFunction> defined = functions.readAll(entries);
        return new DebugInfo(sections.lines().table(), functions.scopes(), defined, all);
    }

    private void readUnit(int start, ByteCursor cursor) {
        int version = cursor.u16();
        Dwarf.checkVersion(version, cursor);
        long abbreviations;
        if (version == Dwarf.VERSION_4) {
            abbreviations = cursor.u32();
            Dwarf.checkAddressSize(cursor);
        } else {
            int kind = cursor.u8();
            if (kind != COMPILED && kind != PARTIAL) {
                return;
            }
            Dwarf.checkAddressSize(cursor);
            abbreviations = cursor.u32();
        }
        entries.addAll(
                new DebugUnit(
                                sections,
                                start,
                                version,
                                sections.abbreviations().table(abbreviations),
                                cursor)
                        .entries());
    }
}
