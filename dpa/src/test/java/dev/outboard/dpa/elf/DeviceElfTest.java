package dev.outboard.dpa.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What of an ELF file is loaded, and which files are refused.
class DeviceElfTest {
    private static final int WORKER = 0x1001c;

    @Test
    void givesCodeAndConstantsAndGlobals() throws IOException {
        ElfPatch elf = new ElfPatch();
        ProgramImage image = DeviceElf.parse(elf.bytes()).image();

        int text = elf.section(".text");
        byte[] code = Arrays.copyOfRange(elf.bytes(), text, text + 0xaa);
        assertThat(Arrays.copyOfRange(image.code(), 0x1c, 0x1c + 0xaa)).isEqualTo(code);
        assertThat(Arrays.copyOfRange(image.code(), 0xc6, 0xcc)).asString().isEqualTo("hello\0");
        assertThat(image.code()).hasSize(0xcc);
        assertThat(image.data()).containsExactly(0x44, 0x33, 0x22, 0x11);
        assertThat(image.zeroBytes()).isEqualTo(4 + 512);
    }

    @Test
    void givesItsBeginAndSymbols() throws IOException {
        ElfProgram program = DeviceElf.parse(new ElfPatch().bytes()).program();
        ElfSymbols symbols = program.symbols();

        assertThat(program.code()).containsExactly(new AddressRange(0x10000, 0x100cc));
        assertThat(symbols.named("_start").orElseThrow().address()).isEqualTo(program.entry());
        assertThat(symbols.named("worker"))
                .contains(new ElfSymbol("worker", WORKER, 0x1a, ElfSymbol.Kind.FUNCTION));
        assertThat(symbols.named("total"))
                .contains(new ElfSymbol("total", AddressMap.GLOBALS, 4, ElfSymbol.Kind.OBJECT));
        assertThat(symbols.at(WORKER)).isEqualTo(symbols.named("worker"));
        assertThat(symbols.at(WORKER + 0x19)).isEqualTo(symbols.named("worker"));
        assertThat(symbols.at(WORKER + 0x1a)).isEqualTo(symbols.named("handler"));
        assertThat(symbols.at(WORKER - 1)).isEmpty();
        assertThat(symbols.at(AddressMap.HEAP)).isEmpty();
        assertThat(symbols.named("nobody")).isEmpty();
        assertThat(symbols.all()).hasSize(9);
    }

    @Test
    @Requirement("DPA-CC-16")
    void refusesWhatIsNoElfFile() throws IOException {
        refused(new ElfPatch().put8(0, 0), "not an ELF file");
        assertThatThrownBy(() -> DeviceElf.parse(new byte[0]))
                .isInstanceOf(ElfException.class)
                .hasMessageContaining("not an ELF file");
        byte[] whole = new ElfPatch().bytes();
        for (int length = 4; length < whole.length - 0x81; length += 7) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> DeviceElf.parse(part))
                    .isInstanceOf(ElfException.class)
                    .hasMessageContaining("truncated");
        }
    }

    @Test
    @Requirement("DPA-CC-16")
    void refusesOtherMachines() throws IOException {
        refused(new ElfPatch().put8(4, 1), "class 1, not of class 2: a program has 64 bits");
        refused(new ElfPatch().put8(5, 2), "byte order 2, not 1: a program is little-endian");
        refused(
                new ElfPatch().put16(ElfPatch.MACHINE, 62),
                "for machine 62, not for RISC-V, which is 243");
    }

    @Test
    @Requirement("DPA-CC-16")
    void refusesWhatIsNotLinkedToAnEnd() throws IOException {
        refused(new ElfPatch().put16(ElfPatch.TYPE, 1), "type 1, not of type 2");
        refused(new ElfPatch().put16(ElfPatch.TYPE, 3), "type 3, not of type 2");
        ElfPatch elf = new ElfPatch();
        refused(
                elf.put32(elf.sectionHeader(".comment") + ElfPatch.SECTION_TYPE, 4),
                "Section .comment has relocations left");
        refused(
                new ElfPatch().put32(ElfPatch.segment(2), 2),
                "leaves relocations to a dynamic linker");
        ElfPatch undefined = new ElfPatch();
        refused(undefined.put16(undefined.symbol("worker") + 6, 0), "symbol worker is undefined");
    }

    @Test
    @Requirement("DPA-CC-16")
    void refusesWhatTheLinkerLeftUnresolved(@TempDir Path directory) throws Exception {
        Files.writeString(
                directory.resolve("missing.c"),
                "extern void missing(void); void _start(void) { missing(); }");
        Path object =
                Clang.object(directory.resolve("missing.c").toString(), directory, "-g", "-O2");
        refused(
                new ElfPatch(Clang.linked(object, directory, "--unresolved-symbols=ignore-all")),
                "The symbol missing is undefined");
        Path whole = Clang.object("kernel.c", directory, "-g", "-O2");
        refused(
                new ElfPatch(Clang.linked(whole, directory, "--emit-relocs")),
                "Section .rela.text has relocations left");
    }

    @Test
    @Requirement("DPA-CC-16")
    void refusesSegmentsThatAreWrittenAndRun() throws IOException {
        refused(
                new ElfPatch().put32(ElfPatch.segment(0) + ElfPatch.SEGMENT_FLAGS, 7),
                "The segment 0x10000 to 0x100cb is writable and executable");
    }

    @Test
    @Requirement("DPA-CC-16")
    void refusesOtherVersionsOfTheDeviceInterface() throws IOException {
        ElfPatch version = new ElfPatch();
        refused(
                version.put32(version.section(".note.outboard") + 24, 2),
                "version 2 of the device interface; known is version 1");
        ElfPatch size = new ElfPatch();
        refused(
                size.put32(size.section(".note.outboard") + 4, 3),
                "the version of the device interface has 3 bytes, not 4");
        ElfPatch long32 = new ElfPatch();
        refused(
                long32.put32(long32.section(".note.outboard"), -1),
                "the notes at 0xc: needs 4294967296 bytes more, 16 are left");
    }

    @Test
    void aBareProgramNeedsNoNote() throws IOException {
        ElfPatch elf = new ElfPatch();
        elf.put8(elf.section(".note.outboard") + 12, 'X');
        refused(elf, "has no note of the device interface");

        ElfProgram bare = ElfProgram.parse(elf.bytes());
        assertThat(bare.segments()).hasSize(2);
        ElfSegment data = bare.segments().getLast();
        assertThat(data.address()).isEqualTo(AddressMap.GLOBALS);
        assertThat(data.bytes()).hasSize(4);
        assertThat(data.zeroBytes()).isEqualTo(516);
        assertThat(data.writable()).isTrue();
        assertThat(data.executable()).isFalse();
        assertThat(bare.debug().functions()).hasSize(7);
    }

    @Test
    void aBareProgramLiesAnywhere() throws IOException {
        ElfPatch elf = new ElfPatch();
        elf.put64(ElfPatch.segment(0) + ElfPatch.SEGMENT_ADDRESS, 0x8000_0000L);
        assertThat(ElfProgram.parse(elf.bytes()).segments().getFirst().range())
                .isEqualTo(new AddressRange(0x8000_0000L, 0x8000_00ccL));
        refused(
                elf,
                "The segment 0x80000000 to 0x800000cb lies outside; code and constants lie from 0x10000 to 0xfffffff");
    }

    @Test
    void refusesGlobalsOutsideOfTheirArea() throws IOException {
        int data = ElfPatch.segment(1);
        refused(
                new ElfPatch().put64(data + ElfPatch.SEGMENT_ADDRESS, 0x20000),
                "The segment 0x20000 to 0x20207 lies outside; globals lie from 0x10000000 to 0xffffffff");
        refused(
                new ElfPatch().put64(data + ElfPatch.SEGMENT_MEMORY_BYTES, 257L << 20),
                "The program has 269484032 bytes of globals; it may have 268435456");
        refused(
                new ElfPatch().put64(data + ElfPatch.SEGMENT_MEMORY_BYTES, 1L << 62),
                "lies outside; globals lie");
        refused(
                new ElfPatch().put64(data + ElfPatch.SEGMENT_MEMORY_BYTES, -1),
                "fits into no memory");
    }

    @Test
    void refusesSegmentsThatOverlapOrLieFarApart() throws IOException {
        int data = ElfPatch.segment(1);
        refused(
                new ElfPatch()
                        .put32(data + ElfPatch.SEGMENT_FLAGS, 4)
                        .put64(data + ElfPatch.SEGMENT_ADDRESS, 0x100c0),
                "The segment 0x100c0 to 0x102c7 overlaps the one that ends at 0x100cb");
        refused(
                new ElfPatch().put64(data + ElfPatch.SEGMENT_ADDRESS, 0x1100_0000L),
                "16777216 bytes before 0x11000000 are not in the file; 65536 may be left out");
        refused(
                new ElfPatch()
                        .put64(data + ElfPatch.SEGMENT_OFFSET, 0)
                        .put64(data + ElfPatch.SEGMENT_FILE_BYTES, 0x41c0)
                        .put64(data + ElfPatch.SEGMENT_MEMORY_BYTES, 0x41c0),
                "Segment 1 uses bytes of the file that belong to others");
    }

    @Test
    void refusesToBeginWhereNoCodeIs() throws IOException {
        refused(
                new ElfPatch().put64(24, AddressMap.GLOBALS),
                "The program begins at 0x10000000, where no code is");
    }

    @Test
    @Requirement("DPA-CC-16")
    void refusesMarkedFunctionsWithoutSymbol() throws IOException {
        String problem = "kernel.c:41: the marked function worker is missing from the symbol table";
        ElfPatch renamed = new ElfPatch();
        refused(renamed.put32(renamed.symbol("worker"), 1), problem);
        ElfPatch label = new ElfPatch();
        int info = label.symbol("worker") + 4;
        refused(label.put8(info, label.get8(info) & 0xf0), problem);
    }

    private static void refused(ElfPatch elf, String problem) {
        assertThatThrownBy(() -> DeviceElf.parse(elf.bytes()))
                .isInstanceOf(ElfException.class)
                .hasMessageContaining(problem);
    }
}
