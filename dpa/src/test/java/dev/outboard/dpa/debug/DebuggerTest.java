package dev.outboard.dpa.debug;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.debug.Stop.Reason;
import dev.outboard.dpa.debug.Watchpoint.On;
import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.rv.BareRun;
import dev.outboard.testkit.Requirement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a debugger does with a program, without gdb.
class DebuggerTest {
    private static final String FILE = "squares.c";

    @TempDir private Path directory;
    private ElfProgram program;
    private ProgramView view;
    private Debugger debugger;

    /// What the program stopped for, but for its begin.
    private final List<Stop> stops = new ArrayList<>();

    private Function<Stop, Resume> whenStopped = _ -> Resume.GO;
    private boolean interrupts;

    @BeforeEach
    void load() throws Exception {
        program = Squares.parsed(directory);
        view = new ProgramView(program);
        debugger =
                new Debugger(
                        view,
                        new Operator() {
                            @Override
                            public Resume stopped(Stop stop) {
                                if (stop.reason() != Reason.START) {
                                    stops.add(stop);
                                }
                                return whenStopped.apply(stop);
                            }

                            @Override
                            public boolean interrupts() {
                                return interrupts;
                            }
                        });
    }

    private OptionalInt run() {
        BareRun run = BareRun.of(program);
        run.follow(debugger);
        return run.run(1_000_000).exitCode();
    }

    private long address(String symbol) {
        return program.symbols().named(symbol).orElseThrow().address();
    }

    private List<Reason> reasons() {
        return stops.stream().map(Stop::reason).toList();
    }

    private CodePlace place(int index) {
        return view.place(stops.get(index).pc());
    }

    @Test
    @Requirement("DPA-RV-7")
    void instructionsHaveSymbolsAndLines() {
        long square = address("square");
        List<String> listing = view.listing(square, square + 8);
        assertThat(listing).hasSizeBetween(2, 4);
        assertThat(listing.getFirst())
                .startsWith("0x%x <square>  c.addi x2, -32  ".formatted(square))
                .endsWith("squares.c:4");
        assertThat(listing.get(1)).contains(" <square+2>  c.sdsp x1, 24(x2)  ");
    }

    @Test
    @Requirement("DPA-RV-7")
    void stopsAtLinesAndAddresses() {
        assertThat(debugger.breakAt(FILE, Squares.RETURN_LINE)).isTrue();
        assertThat(debugger.breakAt(address("leave"))).isTrue();
        assertThat(run()).hasValue(Squares.CODE);
        assertThat(reasons()).hasSize(4).containsOnly(Reason.BREAKPOINT);
        assertThat(place(0).line()).isEqualTo(Squares.RETURN_LINE);
        assertThat(place(0).function()).isEqualTo("square");
        assertThat(stops.getLast().pc()).isEqualTo(address("leave"));
    }

    @Test
    void refusesBreakpointsWhereNoCodeIs() {
        assertThat(debugger.breakAt(FILE, 2)).isFalse();
        assertThat(debugger.breakAt("other.c", Squares.RETURN_LINE)).isFalse();
        assertThat(debugger.breakAt(address("total"))).isFalse();
        assertThat(debugger.breakAt(address("square") + 1)).isFalse();
    }

    @Test
    @Requirement("DPA-RV-7")
    void stepsOneInstruction() {
        debugger.breakAt(address("square"));
        whenStopped = stop -> stops.size() % 4 == 0 ? Resume.GO : Resume.step(0);
        assertThat(run()).hasValue(Squares.CODE);
        assertThat(reasons().subList(4, 8))
                .containsExactly(Reason.BREAKPOINT, Reason.STEP, Reason.STEP, Reason.STEP);
        assertThat(stops.get(5).pc()).isEqualTo(address("square") + 2);
        assertThat(stops.get(6).pc()).isEqualTo(address("square") + 4);
    }

    @Test
    @Requirement("DPA-RV-7")
    void watchesWhatThreadsDoToMemory() {
        long total = address("total");
        assertThat(debugger.watch(new Watchpoint(total, 8, On.WRITE))).isTrue();
        List<Long> values = new ArrayList<>();
        whenStopped =
                stop -> {
                    if (stop.reason() != Reason.START) {
                        values.add((long) debugger.read(0, total, 1)[0]);
                    }
                    return Resume.GO;
                };
        assertThat(run()).hasValue(Squares.CODE);
        assertThat(reasons()).hasSize(3).containsOnly(Reason.WRITTEN);
        assertThat(stops.getFirst().address()).isEqualTo(total);
        assertThat(values).containsExactly(1L, 5L, 14L);
    }

    @Test
    @Requirement("DPA-RV-7")
    void watchesLoadsAndBoth() {
        long total = address("total");
        debugger.watch(new Watchpoint(total + 3, 1, On.READ));
        assertThat(run()).hasValue(Squares.CODE);
        assertThat(reasons()).hasSize(4).containsOnly(Reason.READ);
        assertThat(stops.getFirst().address()).isEqualTo(total + 3);

        stops.clear();
        debugger.clear();
        debugger.watch(new Watchpoint(total, 1, On.ACCESS));
        debugger.watch(new Watchpoint(total + 8, 8, On.ACCESS));
        debugger.watch(new Watchpoint(total - 8, 8, On.ACCESS));
        assertThat(run()).hasValue(Squares.CODE);
        assertThat(reasons()).hasSize(7).containsOnly(Reason.ACCESSED);
    }

    @Test
    void changesRegistersMemoryAndWhereItGoesOn() {
        debugger.breakAt(address("leave"));
        whenStopped =
                stop -> {
                    if (stop.reason() == Reason.BREAKPOINT) {
                        assertThat(debugger.pc(0)).isEqualTo(stop.pc());
                        assertThat(debugger.register(0, 10)).isEqualTo(Squares.CODE);
                        debugger.register(0, 10, 77);
                        debugger.register(0, 0, 1);
                        assertThat(debugger.register(0, 0)).isZero();
                        assertThat(debugger.pc(0, 8)).isFalse();
                        if (debugger.register(0, 5) != 5) {
                            debugger.register(0, 5, 5);
                            debugger.clear(stop.pc());
                            assertThat(debugger.pc(0, address("_start"))).isTrue();
                        }
                        long total = address("total");
                        byte[] hundred = HexFormat.of().parseHex("6400000000000000");
                        assertThat(debugger.write(0, total, hundred)).isTrue();
                        assertThat(debugger.write(0, stop.pc(), hundred)).isFalse();
                        assertThat(debugger.read(0, 8, 4)).isEmpty();
                        assertThat(debugger.read(0, total, 8)).isEqualTo(hundred);
                    }
                    return Resume.GO;
                };
        assertThat(run()).hasValue(100 + Squares.CODE);
    }

    @Test
    @Requirement("DPA-RV-7")
    void tracesEachInstructionOfAThread() {
        List<String> lines = new ArrayList<>();
        debugger.trace((thread, pc) -> lines.add(thread + ": " + view.line(pc)));
        assertThat(run()).hasValue(Squares.CODE);
        assertThat(lines.getFirst()).startsWith("0: 0x%x <_start>".formatted(program.entry()));
        assertThat(lines).filteredOn(line -> line.contains("mul x")).hasSize(3);
        assertThat(lines.getLast()).contains("ecall").contains("squares.c:13");
    }

    @Test
    void stopsWhenAskedAndEndsWhenAsked() {
        debugger.breakAt(address("leave"));
        whenStopped =
                stop -> {
                    if (stop.reason() == Reason.BREAKPOINT) {
                        interrupts |= stops.size() == 3;
                        assertThat(debugger.pc(0, program.entry())).isTrue();
                    }
                    return stop.reason() == Reason.INTERRUPT ? Resume.END : Resume.GO;
                };
        assertThat(run()).isEmpty();
        assertThat(reasons()).hasSizeGreaterThan(3).endsWith(Reason.INTERRUPT);
    }
}
