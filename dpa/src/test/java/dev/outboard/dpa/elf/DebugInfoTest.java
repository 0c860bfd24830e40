package dev.outboard.dpa.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.elf.DebugFunction.Parameter;
import dev.outboard.dpa.elf.DebugType.Composite;
import dev.outboard.dpa.elf.DebugType.Constant;
import dev.outboard.dpa.elf.DebugType.Encoding;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a compiler tells about `kernel.c`.
class DebugInfoTest {
    private static final Set<String> GLOBAL = Set.of("dpa_global");
    private static final Set<String> RPC = Set.of("dpa_rpc");
    private static final Pattern ROW = Pattern.compile("0x([0-9a-f]{16}) +(\\d+) +(\\d+) .*");

    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({"4,0", "4,2", "5,0", "5,2"})
    @Requirement("DPA-CC-15")
    void tellsFunctionsAndTypes(int dwarf, int optimisation) throws Exception {
        check(ElfProgram.parse(program(dwarf, optimisation)));
    }

    @Test
    void tellsThoseOfAFileThatIsThere() throws IOException {
        check(ElfProgram.parse(new ElfPatch().bytes()));
    }

    private byte[] program(int dwarf, int optimisation) throws Exception {
        return Clang.program("kernel.c", directory, "-gdwarf-" + dwarf, "-O" + optimisation);
    }

    private static void check(ElfProgram program) {
        DebugInfo debug = program.debug();
        checkFunctions(program, debug);
        checkMarkers(debug);
        checkJob((Composite) type(debug, "struct job"));
        checkSimpleTypes(debug);
    }

    private static void checkFunctions(ElfProgram program, DebugInfo debug) {
        DebugFunction worker = function(debug, "worker");
        ElfSymbol symbol = program.symbols().named("worker").orElseThrow();
        assertThat(worker.place()).isEqualTo(new CodePlace("kernel.c", 41, 0, "worker"));
        assertThat(worker.code().from()).isEqualTo(symbol.address());
        assertThat(worker.code().sizeBytes()).isEqualTo(symbol.sizeBytes());
        assertThat(debug.function(symbol.address() + 2)).contains(worker);
        assertThat(signature(worker)).isEqualTo("void (uint64_t argument, const char * text)");
        assertThat(signature(function(debug, "handler")))
                .isEqualTo(
                        "void (struct job job, struct behind behind, union word word,"
                                + " union bits bits, enum color color)");
        assertThat(signature(function(debug, "sum")))
                .isEqualTo(
                        "uint64_t (first a, last b, inside c, struct without * d, struct hidden * e)");
        assertThat(signature(function(debug, "count")))
                .isEqualTo(
                        "uint64_t (volatile int * restrict const cell, function * callback,"
                                + " unsigned char last)");
        assertThat(worker.isVariadic()).isFalse();
        assertThat(function(debug, "print").isVariadic()).isTrue();
        assertThat(function(debug, "_start").parameters()).isEmpty();
        assertThat(function(debug, "doubled").code()).isEqualTo(AddressRange.NONE);
    }

    /// In each place where markers are accepted.
    private static void checkMarkers(DebugInfo debug) {
        assertThat(function(debug, "worker").markers()).isEqualTo(GLOBAL);
        assertThat(function(debug, "handler").markers()).isEqualTo(GLOBAL);
        assertThat(function(debug, "sum").markers()).isEqualTo(RPC);
        assertThat(function(debug, "count").markers()).isEqualTo(RPC);
        assertThat(function(debug, "_start").markers()).isEmpty();
        for (String name :
                List.of(
                        "struct job",
                        "struct behind",
                        "union word",
                        "union bits",
                        "first",
                        "last")) {
            assertThat(type(debug, name).markers()).as(name).isEqualTo(GLOBAL);
        }
        DebugType inside = type(debug, "inside");
        assertThat(inside.markers()).isEmpty();
        assertThat(inside.plain().markers()).isEqualTo(GLOBAL);
        assertThat(type(debug, "struct without").markers()).isEmpty();
        assertThat(type(debug, "enum color").markers()).isEmpty();
    }

    private static void checkJob(Composite job) {
        assertThat(job.place()).isEqualTo(new CodePlace("kernel.c", 15, 0, "job"));
        assertThat(job.isUnion()).isFalse();
        assertThat(job.isComplete()).isTrue();
        assertThat(job.sizeBytes()).isEqualTo(80);
        assertThat(job.members())
                .extracting(member ->
                        "%s %s %d.%d:%d"
                                .formatted(
                                        member.type().name(),
                                        member.name(),
                                        member.offsetBytes(),
                                        member.firstBit(),
                                        member.bits()))
                .containsExactly(
                        "int size 0.0:0",
                        "uint64_t[2][3] cells 8.0:0",
                        "int low 56.0:3",
                        "unsigned int high 56.3:7",
                        "struct job * next 64.0:0",
                        "union  72.0:0");
        DebugType cells = job.members().get(1).type();
        assertThat(cells.sizeBytes()).isEqualTo(48);
        assertThat(((DebugType.Array) cells).count()).isEqualTo(2);
        assertThat(((DebugType.Pointer) job.members().get(4).type()).target()).isSameAs(job);
    }

    private static void checkSimpleTypes(DebugInfo debug) {
        assertThat(type(debug, "uint64_t").plain())
                .isEqualTo(new DebugType.Base("unsigned long", 8, Encoding.UNSIGNED));
        assertThat(type(debug, "_Bool"))
                .isEqualTo(new DebugType.Base("_Bool", 1, Encoding.BOOLEAN));
        assertThat(type(debug, "short")).isEqualTo(new DebugType.Base("short", 2, Encoding.SIGNED));
        assertThat(type(debug, "enum color"))
                .isEqualTo(
                        new DebugType.Enumeration(
                                "color",
                                4,
                                true,
                                List.of(
                                        new Constant("RED", 0),
                                        new Constant("GREEN", 5),
                                        new Constant("BLUE", -7))));
        Composite hidden = (Composite) type(debug, "struct hidden");
        assertThat(hidden.isComplete()).isFalse();
        assertThat(hidden.sizeBytes()).isZero();
    }

    /// Every row that the other reader of this table shows is there.
    @ParameterizedTest
    @CsvSource({"4,0", "4,2", "5,0", "5,2"})
    void tellsTheLinesThatAnotherReaderTells(int dwarf, int optimisation) throws Exception {
        DebugInfo debug = ElfProgram.parse(program(dwarf, optimisation)).debug();
        Map<Long, String> rows = new TreeMap<>();
        for (String line :
                Clang.run(
                        "llvm-dwarfdump",
                        List.of("--debug-line", directory.resolve("program.elf").toString()))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.put(
                        Long.parseLong(row.group(1), 16),
                        line.contains("end_sequence") ? "end" : row.group(2) + ":" + row.group(3));
            }
        }
        assertThat(rows).hasSizeGreaterThan(20);
        rows.forEach((address, row) -> assertThat(shown(debug, address)).isEqualTo(row));
    }

    private static String shown(DebugInfo debug, long address) {
        CodePlace place = debug.place(address);
        return place.equals(CodePlace.NONE) ? "end" : place.line() + ":" + place.column();
    }

    @ParameterizedTest
    @CsvSource({"4,0", "4,2", "5,0", "5,2"})
    void tellsTheInlinedFunction(int dwarf, int optimisation) throws Exception {
        ElfProgram program = ElfProgram.parse(program(dwarf, optimisation));
        DebugInfo debug = program.debug();
        AddressRange start = function(debug, "_start").code();
        Set<String> places = new TreeSet<>();
        for (long pc = start.from(); pc < start.to(); pc += 2) {
            CodePlace place = debug.place(pc);
            assertThat(place.file()).isEqualTo("kernel.c");
            places.add(place.function() + " " + place.line());
        }
        assertThat(places).contains("doubled 37", "doubled 38", "_start 66");
        assertThat(places).noneMatch(place -> place.startsWith("worker"));
        assertThat(debug.place(start.to())).isEqualTo(CodePlace.NONE);
    }

    /// Each source file has its own tables, which the linker puts one after the other.
    @Test
    void tellsSeveralSourceFilesApart() throws Exception {
        Path other = Files.createDirectories(directory.resolve("part"));
        Files.writeString(
                other.resolve("more.h"), "static inline int twice(int a) { return 2 * a; }\n");
        Files.writeString(
                other.resolve("more.c"),
                "#include \"more.h\"\nint more(int a) {\n  return twice(a);\n}\n");
        Path kernel = Clang.object("kernel.c", directory, "-gdwarf-4", "-O2");
        Path more = Clang.object(other.resolve("more.c").toString(), other, "-gdwarf-5", "-O2");
        byte[] elf = Clang.linked(kernel, directory, more.toString());

        DebugInfo debug = DeviceElf.parse(elf).debug();
        DebugFunction function = function(debug, "more");
        assertThat(function.place().file()).isEqualTo(other.resolve("more.c").toString());
        CodePlace inlined = debug.place(function.code().from());
        assertThat(inlined.function()).isEqualTo("twice");
        assertThat(inlined.file()).isEqualTo(other.resolve("more.h").toString());
        assertThat(function(debug, "worker").place().line()).isEqualTo(41);
    }

    @Test
    void forgetsWhatTheLinkerDropped() throws Exception {
        Path object =
                Clang.object("kernel.c", directory, "-gdwarf-5", "-O2", "-ffunction-sections");
        byte[] elf = Clang.linked(object, directory, "--gc-sections");

        DebugInfo debug = ElfProgram.parse(elf).debug();
        assertThat(function(debug, "worker").code()).isEqualTo(AddressRange.NONE);
        assertThat(function(debug, "_start").code().sizeBytes()).isPositive();
        assertThat(debug.place(0)).isEqualTo(CodePlace.NONE);
        assertThatThrownBy(() -> DeviceElf.parse(elf))
                .isInstanceOf(ElfException.class)
                .hasMessageContaining("the marked function worker is missing");
    }

    @Test
    void aProgramWithoutItIsEmpty() throws Exception {
        byte[] elf = Clang.program("kernel.c", directory, "-O2");

        DebugInfo debug = DeviceElf.parse(elf).debug();
        assertThat(debug.functions()).isEmpty();
        assertThat(debug.types()).isEmpty();
        assertThat(debug.place(0x10020)).isEqualTo(CodePlace.NONE);
    }

    /// That is why headers must not put a marker there.
    @Test
    @Requirement("DPA-CC-15")
    void aMarkerOnAnEnumerationDoesNotCompile() throws IOException {
        Path source = directory.resolve("enumeration.c");
        Files.writeString(source, "enum __attribute__((btf_decl_tag(\"dpa_global\"))) e { A };");

        List<String> errors = new ArrayList<>();
        assertThatThrownBy(() -> errors.add(Clang.object(source.toString(), directory).toString()))
                .hasMessageContaining("attribute only applies to");
    }

    private static DebugFunction function(DebugInfo debug, String name) {
        return debug.functions().stream()
                .filter(function -> function.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static DebugType type(DebugInfo debug, String name) {
        return debug.types().stream()
                .filter(type -> type.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static String signature(DebugFunction function) {
        List<String> parameters = new ArrayList<>();
        for (Parameter parameter : function.parameters()) {
            parameters.add(parameter.type().name() + " " + parameter.name());
        }
        return "%s (%s)".formatted(function.result().name(), String.join(", ", parameters));
    }
}
