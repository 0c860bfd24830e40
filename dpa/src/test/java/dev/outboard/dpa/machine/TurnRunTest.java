package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.ProgramEdits.Operation;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import dev.outboard.testkit.Requirement;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Runs in turns, under the rules of FAST.
class TurnRunTest {
    private final MachineOptions options = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);

    private DpaProcess open(Observer observer, long seed) {
        return DpaProcess.open(options, ProgramImage.EMPTY, RunMode.check(observer, seed));
    }

    private List<String> pingPong(Function<Trace, RunMode> mode) {
        Trace trace = new Trace();
        DpaProcess process = DpaProcess.open(options, ProgramImage.EMPTY, mode.apply(trace));
        long ping = process.heap().allocate(64);
        long pong = process.heap().allocate(64);
        process.write64(ping, 0);
        process.write64(pong, 0);
        int outbox = process.createOutbox();
        process.thread(
                "ping",
                thread -> {
                    for (int i = 1; i <= 20; i++) {
                        thread.store64(ping, i);
                        while (thread.load64(pong) != i) {}
                    }
                    thread.memoryWriteback();
                    thread.configureOutbox(outbox);
                    thread.store64(
                            AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(3, 20));
                });
        process.thread(
                "pong",
                thread -> {
                    for (int i = 1; i <= 20; i++) {
                        while (thread.load64(ping) != i) {}
                        thread.store64(pong, i);
                        thread.memoryWriteback();
                    }
                });
        process.nic(
                "queue 3",
                nic -> {
                    Doorbell rung = nic.awaitDoorbell(AddressMap.SEND_DOORBELL, 3);
                    long last = nic.load64(pong);
                    nic.store64(ping, rung.index() + last);
                    trace.lines.add("saw " + last);
                });
        RunResult result = process.run();
        assertThat(result.end()).as("%s", result).isEqualTo(End.DONE);
        assertThat(process.read64(ping)).isBetween(20L, 40L);
        return trace.lines;
    }

    @Test
    @Requirement("DPA-HW-14")
    void aSeedGivesTheSameTraceAgain() {
        Set<List<String>> traces = new HashSet<>();
        for (int weak = 0; weak < 2; weak++) {
            for (long seed = 0; seed < 50; seed++) {
                long one = seed;
                Function<Trace, RunMode> mode =
                        weak == 0
                                ? trace -> RunMode.check(trace, one)
                                : trace -> RunMode.checkWeak(trace, Profile.SEED, one);
                List<String> trace = pingPong(mode);
                assertThat(pingPong(mode)).as("seed %d", seed).isEqualTo(trace);
                traces.add(trace);
            }
        }
        assertThat(traces).as("different traces").hasSizeGreaterThan(80);
    }

    /// Some seeds hold an actor back for long; with equal chances both would come about as far.
    @Test
    @Requirement("DPA-OPM-16")
    void someSeedsHoldAThreadBack() {
        int operations = 2000;
        int heldBack = 0;
        for (long seed = 0; seed < 100; seed++) {
            DpaProcess process = open(Observer.NONE, seed);
            long word = process.heap().allocate(64);
            int[] done = new int[2];
            int[] behind = {operations};
            for (int i = 0; i < 2; i++) {
                int own = i;
                process.thread(
                        "thread" + i,
                        thread -> {
                            for (int j = 0; j < operations; j++) {
                                thread.store64(word + 8L * own, j);
                                done[own]++;
                            }
                            behind[0] = Math.min(behind[0], done[1 - own]);
                        });
            }
            process.run();
            heldBack += behind[0] < operations / 10 ? 1 : 0;
        }
        assertThat(heldBack).isBetween(3, 50);
    }

    @Test
    @Requirement("DPA-FEN-7")
    void shortcutsAreFencesOfTheirSpace() {
        Trace trace = new Trace();
        DpaProcess process = open(trace, 1);
        process.thread(
                "fences",
                thread -> {
                    thread.systemFence();
                    thread.memoryFence(Op.R, Op.W);
                    thread.windowFence(Op.W, Op.RW);
                    thread.outboxFence(Op.RW, Op.R);
                });
        process.run();
        assertThat(trace.lines)
                .filteredOn(line -> line.contains("fence"))
                .extracting(line -> line.replaceAll("^\\d+ | @\\d+$", ""))
                .containsExactly(
                        "fence SYSTEM RW RW",
                        "fence MEMORY R W",
                        "fence MMIO W RW",
                        "fence MMIO RW R");
    }

    @Test
    void seedsShowEveryOrderOfTwoUnorderedAccesses() {
        Set<Long> seen = new HashSet<>();
        for (long seed = 0; seed < 20; seed++) {
            DpaProcess process = open(Observer.NONE, seed);
            long word = process.heap().allocate(8);
            long result = process.heap().allocate(8);
            process.write64(word, 0);
            process.thread("writer", thread -> thread.store64(word, 1));
            process.thread(
                    "reader",
                    thread ->
                            thread.store64(result, thread.load64(word) << 1 | thread.load64(word)));
            process.run();
            seen.add(process.read64(result));
        }
        assertThat(seen).containsExactlyInAnyOrder(0L, 1L, 3L);
    }

    @Test
    void aThreadThatSpinsForNothingIsNamed() {
        Trace trace = new Trace();
        DpaProcess process = open(trace, 1);
        long flag = process.heap().allocate(8);
        process.write64(flag, 0);
        process.thread("busy", thread -> thread.store64(flag, 2));
        ThreadHandle spinner =
                process.thread(
                        "spinner",
                        thread -> {
                            while (thread.load64(flag) != 1) {}
                        });
        process.nicServer("idle", nic -> nic.awaitDoorbell(AddressMap.SEND_DOORBELL, 1));
        RunResult result = process.run();
        assertThat(result.end()).isEqualTo(End.STUCK);
        assertThat(result.stuck()).containsExactly("spinner");
        assertThat(trace.stuck).containsExactly(spinner.actor());
    }

    /// A loop that counts its rounds ends, though nothing changes.
    @Test
    void aLoopThatGivesUpIsNotStuck() {
        DpaProcess process = open(Observer.NONE, 1);
        long flag = process.heap().allocate(8);
        process.write64(flag, 0);
        process.thread(
                "patient",
                thread -> {
                    for (int i = 0; i < 3000 && thread.load64(flag) == 0; i++) {}
                });
        assertThat(process.run().end()).isEqualTo(End.DONE);
    }

    /// Looks 100,000 times at a word that nobody changes.
    static final class CountingProgram implements DpaProgram {
        @Override
        public void setUp(DpaProcess process) {
            process.thread("counts", CountingProgram::count);
        }

        private static void count(DpaThread thread) {
            long sum = 0;
            for (int i = 0; i < 100_000; i++) {
                sum += thread.load64(AddressMap.GLOBALS);
            }
            thread.store64(AddressMap.GLOBALS + Long.BYTES, sum);
        }
    }

    @Test
    void aLoadedLoopThatCountsIsNotStuckHoweverLongItLooks() {
        RunMode mode = RunMode.check(Observer.NONE, 1).withLimitOperations(1_000_000);
        DpaProcess process =
                DpaProcess.open(MachineOptions.DEFAULT, ProgramImage.globals(128), mode);
        process.load(CountingProgram.class).setUp(process);
        process.write64(AddressMap.GLOBALS, 3);
        assertThat(process.run().end()).isEqualTo(End.DONE);
        assertThat(process.read64(AddressMap.GLOBALS + Long.BYTES)).isEqualTo(300_000);
    }

    @Test
    void handlersRunOncePerEventAndServersDrain() {
        DpaProcess process = open(new Trace(), 5);
        long count = process.heap().allocate(8);
        process.write64(count, 0);
        int outbox = process.createOutbox();
        ThreadHandle handler =
                process.thread(
                        "handler",
                        thread -> {
                            thread.store64(count, thread.load64(count) + 1);
                            thread.reschedule();
                        },
                        ThreadAttributes.HANDLER);
        process.nicServer(
                "queue",
                nic -> {
                    while (true) {
                        nic.awaitDoorbell(AddressMap.ARM_DOORBELL, 9);
                        long before = nic.load64(count);
                        nic.activate(handler);
                        while (nic.load64(count) == before) {
                            nic.pause();
                        }
                    }
                });
        process.thread(
                "rings",
                thread -> {
                    thread.configureOutbox(outbox);
                    for (int i = 0; i < 7; i++) {
                        thread.store64(
                                AddressMap.OUTBOX + AddressMap.ARM_DOORBELL, Doorbell.arm(9, i));
                    }
                });
        RunResult result = process.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        assertThat(process.read64(count)).isEqualTo(7);
        assertThat(result.activations()).isEqualTo(8);
    }

    @Test
    void operationsAreInsertedAndLeftOutByPlace() {
        Trace plain = new Trace();
        DpaProcess first = open(plain, 1);
        publish(first);
        CodePlace fence = place(first, plain, "fence");
        CodePlace store = place(first, plain, "store");
        assertThat(fence.file()).isEqualTo("TurnRunTest.java");
        assertThat(fence.line()).isEqualTo(store.line() + 1);

        Trace edited = new Trace();
        ProgramEdits edits =
                new ProgramEdits(
                        Map.of(store, List.of(Operation.WINDOW_READ_INV)), Map.of(), Set.of(fence));
        DpaProcess second =
                DpaProcess.open(
                        options, ProgramImage.EMPTY, RunMode.check(edited, 1).withEdits(edits));
        publish(second);
        assertThat(edited.lines)
                .noneMatch(line -> line.contains("fence"))
                .filteredOn(line -> line.contains("windowReadInv"))
                .hasSize(1);
    }

    @Test
    void storesAreLeftOutAndOperationsInsertedAfterThemToo() {
        Trace plain = new Trace();
        DpaProcess first = open(plain, 1);
        publish(first);
        CodePlace store = place(first, plain, "store");

        Trace edited = new Trace();
        ProgramEdits edits =
                new ProgramEdits(
                        Map.of(),
                        Map.of(store, List.of(Operation.MEMORY_WRITEBACK)),
                        Set.of(store));
        publish(
                DpaProcess.open(
                        options, ProgramImage.EMPTY, RunMode.check(edited, 1).withEdits(edits)));
        assertThat(edited.lines.stream().filter(line -> line.contains("@")))
                .extracting(line -> line.split(" ")[1])
                .containsExactly("memoryWriteback", "fence", "store");

        // Also after the last operation of an activation.
        CodePlace last = new CodePlace(store.file(), store.line() + 2, 0, store.function());
        Trace ended = new Trace();
        ProgramEdits atEnd =
                new ProgramEdits(
                        Map.of(), Map.of(last, List.of(Operation.MEMORY_WRITEBACK)), Set.of());
        publish(
                DpaProcess.open(
                        options, ProgramImage.EMPTY, RunMode.check(ended, 1).withEdits(atEnd)));
        assertThat(ended.lines.stream().filter(line -> line.contains("@")))
                .extracting(line -> line.split(" ")[1])
                .containsExactly("store", "fence", "store", "memoryWriteback");
    }

    private static void publish(DpaProcess process) {
        long data = process.heap().allocate(64);
        process.thread(
                "writer",
                thread -> {
                    thread.store64(data, 7);
                    thread.memoryFence(Op.W, Op.W);
                    thread.store64(data + 8, 1);
                });
        assertThat(process.run().end()).isEqualTo(End.DONE);
    }

    private static CodePlace place(DpaProcess process, Trace trace, String operation) {
        String line =
                trace.lines.stream().filter(l -> l.contains(operation)).findFirst().orElseThrow();
        return process.sites().place(Integer.parseInt(line.replaceAll(".*@", "")));
    }
}
