package dev.outboard.dpa.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// DWARF that no compiler writes: the error names the section and the place in it.
class BrokenDebugTest {
    private static final int SECTION_OFFSET = 24;
    private static final int SECTION_SIZE = 32;
    private static final List<String> SECTIONS =
            List.of(
                    ".debug_abbrev",
                    ".debug_info",
                    ".debug_rnglists",
                    ".debug_str_offsets",
                    ".debug_str",
                    ".debug_addr",
                    ".debug_line",
                    ".debug_line_str");

    @Test
    void namesTheSectionAndTheOffset() throws IOException {
        ElfPatch elf = new ElfPatch();
        int info = elf.section(".debug_info");
        broken(
                new ElfPatch().put16(info + 4, 3),
                "section .debug_info at 0x6: version 3 of DWARF; known are 4 and 5");
        broken(
                new ElfPatch().put32(info, 0x10000),
                "section .debug_info at 0x4: a unit of 65536 bytes, but 805 are left");
        broken(
                new ElfPatch().put32(info, -1),
                "section .debug_info at 0x4: a unit of the 64-bit format of DWARF");
        broken(
                new ElfPatch().put8(info + 7, 4),
                "section .debug_info at 0x8: addresses of 4 bytes, not 8");
        broken(
                new ElfPatch().put32(info + 8, 3),
                "section .debug_abbrev at 0x3: no table of abbreviations begins here");
        broken(
                new ElfPatch().put8(info + 12, 0x7f),
                "section .debug_info at 0xc: abbreviation 127 does not exist");
        broken(
                new ElfPatch().put16(elf.section(".debug_line") + 4, 2),
                "section .debug_line at 0x6: version 2 of DWARF");
        broken(
                new ElfPatch().put8(elf.section(".debug_line") + 16, 0),
                "a line range and a first special opcode of 0 are not valid");
    }

    @Test
    void namesTheSectionThatEndsTooEarly() throws IOException {
        for (String name : SECTIONS) {
            ElfPatch elf = new ElfPatch();
            int size = elf.sectionHeader(name) + SECTION_SIZE;
            elf.put64(size, elf.get64(size) - 1);
            assertThatThrownBy(() -> ElfProgram.parse(elf.bytes()).debug())
                    .as(name)
                    .isInstanceOf(ElfException.class)
                    .hasMessageContaining("section " + name + " at 0x");
        }
    }

    @Test
    void refusesCompressedSections() throws IOException {
        ElfPatch elf = new ElfPatch();
        int flags = elf.sectionHeader(".debug_info") + ElfPatch.SECTION_FLAGS;
        broken(elf.put64(flags, 0x800), "Section .debug_info is compressed");
    }

    /// Each number of four bytes in turn refers to the entry that it may be a part of.
    @Test
    void typesDoNotContainThemselves() throws IOException {
        byte[] whole = new ElfPatch().bytes();
        ElfPatch first = new ElfPatch();
        int info = first.section(".debug_info");
        int end = info + (int) first.get64(first.sectionHeader(".debug_info") + SECTION_SIZE) - 4;
        Set<String> problems = new TreeSet<>();
        for (int at = info; at < end; at++) {
            for (int back = 1; back < 4; back++) {
                ElfPatch elf = new ElfPatch(whole.clone()).put32(at, at - back - info);
                problems.add(problem(elf));
            }
        }
        assertThat(problems).anyMatch(problem -> problem.contains("the type contains itself"));
        assertThat(problems).anyMatch(problem -> problem.contains("points to itself"));
        assertThat(problems).anyMatch(problem -> problem.contains("has more than 8 origins"));
    }

    /// Each byte of each section in turn is another one.
    @Test
    void everyByteMayBeWrong() throws IOException {
        byte[] whole = new ElfPatch().bytes();
        Set<String> problems = new TreeSet<>();
        for (String name : SECTIONS) {
            ElfPatch first = new ElfPatch();
            int from = first.section(name);
            int to = from + (int) first.get64(first.sectionHeader(name) + SECTION_SIZE);
            for (int at = from; at < to; at++) {
                for (int value : List.of(0, 0x7f, 0xff)) {
                    problems.add(problem(new ElfPatch(whole.clone()).put8(at, value)));
                }
            }
        }
        assertThat(problems).hasSizeGreaterThan(100);
    }

    /// Each text is the end of the one before: together they are much longer than the section.
    @Test
    void textsInsideEachOtherAreNotReadForever() {
        byte[] file = "x".repeat(100_000).concat("\0").getBytes(StandardCharsets.UTF_8);
        ByteCursor section = new ByteCursor("section .debug_str", file, 0, file.length);
        TextTable texts = new TextTable(section, new Budget(file.length));

        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < file.length; i++) {
                                texts.at(i);
                            }
                        })
                .isInstanceOf(ElfException.class)
                .hasMessageContaining("take more room than the 1665552 bytes");
    }

    /// The file has a section more, of a unit whose entries are one byte each.
    @Test
    void smallEntriesDoNotBecomeLargeOnes() throws IOException {
        ElfPatch small = new ElfPatch();
        byte[] elf = Arrays.copyOf(small.bytes(), small.bytes().length + 4_000_000);
        int unit = small.bytes().length;
        int info = small.sectionHeader(".debug_info");
        int abbreviations = small.sectionHeader(".debug_abbrev");
        ElfPatch large =
                new ElfPatch(elf)
                        .put64(info + SECTION_OFFSET, unit)
                        .put64(info + SECTION_SIZE, 3_000_000)
                        .put32(unit, 2_999_996)
                        .put16(unit + 4, 5)
                        .put8(unit + 6, 1)
                        .put8(unit + 7, 8)
                        .put64(abbreviations + SECTION_OFFSET, unit + 3_000_000)
                        .put64(abbreviations + SECTION_SIZE, 256);
        Arrays.fill(elf, unit + 12, unit + 3_000_000, (byte) 1);
        int shape = unit + 3_000_000;
        large.put8(shape, 1).put8(shape + 1, Tag.TYPEDEF);
        for (int i = 0; i < 50; i++) {
            large.put8(shape + 3 + 2 * i, i + 1).put8(shape + 4 + 2 * i, Form.FLAG_PRESENT);
        }
        broken(large, "take more room than the 64334848 bytes that fit such a file");
    }

    /// The message of the error; empty if there is none.
    private static String problem(ElfPatch elf) {
        try {
            DebugInfo debug = ElfProgram.parse(elf.bytes()).debug();
            debug.types().forEach(type -> assertThat(type.name()).isNotNull());
            debug.functions().forEach(function -> debug.place(function.code().from()));
            return "";
        } catch (ElfException e) {
            return e.getMessage();
        }
    }

    private static void broken(ElfPatch elf, String problem) {
        assertThatThrownBy(() -> ElfProgram.parse(elf.bytes()).debug())
                .isInstanceOf(ElfException.class)
                .hasMessageContaining(problem);
    }
}
