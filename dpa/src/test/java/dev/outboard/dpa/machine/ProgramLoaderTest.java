package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Programs are loaded once per process and rewritten, and do the same as before.
class ProgramLoaderTest {
    private static final String SOURCE = "PlacedProgram.java";

    private final MachineOptions options = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);

    private DpaProcess run(RunMode mode) {
        DpaProcess process = DpaProcess.open(options, ProgramImage.globals(128), mode);
        process.load(PlacedProgram.class).setUp(process);
        RunResult result = process.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        List<Long> cells = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            cells.add(process.read64(AddressMap.GLOBALS + 8L * i));
        }
        assertThat(cells).containsExactly(1L, 11L, 12L, 13L, 11L, 15L, 16L, 17L, 7L);
        return process;
    }

    @Test
    void aRewrittenProgramDoesTheSameInEachModeAndSharesNoStaticField() {
        run(RunMode.fast());
        run(RunMode.fast());
        run(RunMode.check(Observer.NONE, 1));
        run(RunMode.check(new Trace(), 2));
    }

    /// Every operation is told with the line, the method and the file that it stands in: in
    /// lambdas, nested, anonymous and record classes, helpers and hosts alike.
    @Test
    void eachOperationIsToldWithItsPlace() throws IOException {
        Map<String, Integer> lines = linesOfSource();
        Trace trace = new Trace();
        DpaProcess process = run(RunMode.check(trace, 3));
        Map<String, String> methods =
                Map.of(
                        "in a lambda", "lambda$setUp$",
                        "in a lambda in a lambda", "lambda$setUp$",
                        "returned by a lambda", "lambda$setUp$",
                        "after an inner call", "lambda$setUp$",
                        "in an anonymous class", "run",
                        "in a class", "run",
                        "in a record", "run",
                        "in a helper", "helper",
                        "after it", "helper");
        for (Map.Entry<String, String> named : methods.entrySet()) {
            assertThat(placesOf(process, trace))
                    .as(named.getKey())
                    .anySatisfy(place -> {
                        assertThat(place.line()).isEqualTo(lines.get(named.getKey()));
                        assertThat(place.function()).startsWith(named.getValue());
                    });
        }
        assertThat(placesOf(process, trace))
                .allSatisfy(place -> assertThat(place.file()).isEqualTo(SOURCE));
    }

    @Test
    void theLoadOfAPollLoopIsKnown() throws IOException {
        Map<String, Integer> lines = linesOfSource();
        DpaProcess process =
                DpaProcess.open(options, ProgramImage.globals(128), RunMode.check(new Trace(), 4));
        process.load(PlacedProgram.class).setUp(process);
        process.run();
        List<Integer> polls = new ArrayList<>();
        for (int site = 1; site < 40; site++) {
            try {
                if (process.sites().inPollLoop(site)) {
                    polls.add(process.sites().place(site).line());
                }
            } catch (IndexOutOfBoundsException end) {
                break;
            }
        }
        assertThat(polls).containsExactly(lines.get("polls"));
    }

    @Test
    void aProgramWithoutConstructorIsRefused() {
        DpaProcess process = DpaProcess.open(options, ProgramImage.EMPTY, RunMode.fast());
        assertThatThrownBy(() -> process.load(NoConstructor.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NoConstructor")
                .hasMessageContaining("constructor without parameters");
    }

    private record NoConstructor(int some) implements DpaProgram {
        @Override
        public void setUp(DpaProcess process) {
            process.write64(AddressMap.HEAP, some);
        }
    }

    private static List<CodePlace> placesOf(DpaProcess process, Trace trace) {
        return trace.lines.stream()
                .filter(line -> line.contains("@"))
                .map(line -> process.sites().place(Integer.parseInt(line.replaceAll(".*@", ""))))
                .toList();
    }

    private static Map<String, Integer> linesOfSource() throws IOException {
        List<String> source =
                Files.readAllLines(
                        Repository.root()
                                .resolve("dpa/src/test/java/dev/outboard/dpa/machine")
                                .resolve(SOURCE));
        Map<String, Integer> lines = new TreeMap<>();
        for (int i = 0; i < source.size(); i++) {
            String[] parts = source.get(i).split(" // ", 2);
            if (parts.length == 2) {
                lines.put(parts[1], i + 1);
            }
        }
        return lines;
    }
}
