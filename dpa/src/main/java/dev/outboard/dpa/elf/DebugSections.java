package dev.outboard.dpa.elf;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The sections of DWARF, and what was read of them so far.
final class DebugSections {
    private final ByteCursor info;
    private final ByteCursor textOffsets;
    private final ByteCursor addresses;
    private final ByteCursor ranges;
    private final ByteCursor rangeLists;
    private final TextTable infoTexts;
    private final TextTable texts;
    private final TextTable lineTexts;
    private final LineReader lines;
    private final Abbreviations abbreviations;
    private final List<AddressRange> code;
    private final Budget budget;
    private final Map<Long, DebugEntry> entries = new HashMap<>();

    DebugSections(ElfFile file, List<AddressRange> code) {
        this.code = code;
        budget = file.budget();
        info = file.section(".debug_info");
        textOffsets = file.section(".debug_str_offsets");
        addresses = file.section(".debug_addr");
        ranges = file.section(".debug_ranges");
        rangeLists = file.section(".debug_rnglists");
        infoTexts = new TextTable(info, budget);
        texts = new TextTable(file.section(".debug_str"), budget);
        lineTexts = new TextTable(file.section(".debug_line_str"), budget);
        abbreviations = new Abbreviations(file.section(".debug_abbrev"));
        lines =
                new LineReader(
                        file.section(".debug_line"), new FileNames(texts, lineTexts, budget), code);
    }

    ByteCursor info() {
        return info;
    }

    ByteCursor textOffsets() {
        return textOffsets;
    }

    ByteCursor addresses() {
        return addresses;
    }

    ByteCursor ranges() {
        return ranges;
    }

    ByteCursor rangeLists() {
        return rangeLists;
    }

    /// Texts that stand in the entries.
    TextTable infoTexts() {
        return infoTexts;
    }

    TextTable texts() {
        return texts;
    }

    TextTable lineTexts() {
        return lineTexts;
    }

    LineReader lines() {
        return lines;
    }

    Abbreviations abbreviations() {
        return abbreviations;
    }

    /// Where code may run.
    List<AddressRange> code() {
        return code;
    }

    Budget budget() {
        return budget;
    }

    /// All entries by their offsets.
    Map<Long, DebugEntry> entries() {
        return entries;
    }
}
