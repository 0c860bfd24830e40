package dev.outboard.dpa.machine;

import static dev.outboard.dpa.machine.ProcessFixture.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.machine.unit.UnitScheduler;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Who runs where and when: execution units, affinities, activations.
class SchedulingTest {
    private static final String RUNS = "dev.outboard.dpa.machine.ProcessFixture#runs";
    private static final Affinity ANY = Affinity.ANY;

    @Test
    @Requirement("DPA-HW-1")
    void theMachineHas254UnitsForUsersAndOthersIfAsked() {
        assertThat(MachineOptions.DEFAULT.units()).isEqualTo(new UnitGrid(16, 16, 2));
        assertThat(unitsOf(UnitGrid.DEFAULT)).isEqualTo(254);
        assertThat(unitsOf(UnitGrid.SMALL)).isEqualTo(6);
        assertThat(unitsOf(new UnitGrid(3, 5, 4))).isEqualTo(11);
        assertThatThrownBy(() -> new UnitGrid(1, 2, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none is left for users");
    }

    /// How many threads get a unit before the first one that does not.
    private static int unitsOf(UnitGrid grid) {
        UnitScheduler<Integer> units = new UnitScheduler<>(grid);
        int threads = 0;
        while (units.activate(threads, ANY) != UnitScheduler.NONE) {
            threads++;
        }
        return threads;
    }

    @Test
    @Requirement("DPA-HW-5")
    void whoWaitsLongestGetsTheUnitThatSuitsIt() {
        UnitScheduler<Integer> units = new UnitScheduler<>(new UnitGrid(1, 2, 0));
        Affinity first = new Affinity.Strict(0);
        assertThat(units.activate(10, ANY)).isZero();
        assertThat(units.activate(11, ANY)).isEqualTo(1);
        for (int thread = 12; thread < 16; thread++) {
            assertThat(units.activate(thread, thread == 12 || thread == 14 ? first : ANY))
                    .isEqualTo(UnitScheduler.NONE);
        }
        // Unit 1 is not for 12, which waits on, in its place.
        assertThat(units.release(1)).isEqualTo(13);
        assertThat(units.release(1)).isEqualTo(15);
        assertThat(units.activate(16, ANY)).isEqualTo(UnitScheduler.NONE);
        assertThat(units.release(0)).isEqualTo(12);
        assertThat(units.release(0)).isEqualTo(14);
        assertThat(units.release(0)).isEqualTo(16);
        assertThat(units.waiting()).isZero();
    }

    /// Threads begin in the order of their activation, and those with a strict affinity do not keep
    /// the others from free units.
    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement("DPA-HW-5")
    void runnableThreadsGetUnitsInTheirOrder(RunMode mode) {
        MachineOptions options = OPTIONS.withUnits(new UnitGrid(1, 1, 0));
        ProcessFixture fixture = new ProcessFixture(mode, options);
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            fixture.process.thread(
                    "thread " + i,
                    thread -> {
                        order.add(thread.number());
                        thread.store64(AddressMap.HEAP, 1);
                        thread.yieldUnit();
                        order.add(100 + thread.number());
                    });
            expected.add(i);
        }
        for (int i = 0; i < 40; i++) {
            expected.add(100 + i);
        }
        fixture.runsToItsEnd();
        assertThat(order).isEqualTo(expected);
    }

    /// Three activations from one event, each from the beginning, with what the thread has kept.
    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement({"DPA-FXE-8", "DPA-FXE-13"})
    void aThreadThatRetriggersBeginsAgainAtOnce(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        List<Integer> numbers = Collections.synchronizedList(new ArrayList<>());
        ThreadHandle[] handlers = new ThreadHandle[2];
        for (int i = 0; i < handlers.length; i++) {
            long kept = fixture.process.heap().allocate(8);
            fixture.process.write64(kept, 0);
            handlers[i] =
                    fixture.process.thread(
                            "handler " + i,
                            thread -> {
                                numbers.add(thread.number());
                                long round = thread.load64(thread.localStorage()) + 1;
                                thread.store64(thread.localStorage(), round);
                                if (round < 3) {
                                    thread.retrigger();
                                }
                                thread.reschedule();
                            },
                            ThreadAttributes.HANDLER.withLocalStorage(kept));
            fixture.process.activate(handlers[i]);
        }
        RunResult result = fixture.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(RunResult.End.DONE);
        assertThat(result.activations()).isEqualTo(6);
        assertThat(numbers)
                .containsExactlyInAnyOrderElementsOf(
                        List.of(
                                handlers[0].number(),
                                handlers[0].number(),
                                handlers[0].number(),
                                handlers[1].number(),
                                handlers[1].number(),
                                handlers[1].number()));
    }

    @Test
    @Requirement("DPA-FXE-13")
    void aThreadWithoutLocalStorageGetsNone() {
        new ProcessFixture(RunMode.fast())
                .fine(thread -> assertThat(thread.localStorage()).isZero());
    }

    /// Two threads with one unit: each runs on until it gives the unit away.
    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement("DPA-HW-2")
    void aUnitRunsOneThreadUntilThatGivesItAway(RunMode mode) {
        MachineOptions options = OPTIONS.withUnits(new UnitGrid(1, 1, 0));
        ProcessFixture fixture = new ProcessFixture(mode, options);
        List<String> steps = Collections.synchronizedList(new ArrayList<>());
        Kernel kernel =
                thread -> {
                    for (int i = 0; i < 200; i++) {
                        thread.store64(AddressMap.HEAP + 8L * thread.number(), i);
                        steps.add(thread.number() + "." + i / 100);
                        if (i == 99) {
                            thread.yieldUnit();
                        }
                    }
                    switch (thread.number()) {
                        case 0 -> thread.reschedule();
                        case 1 -> thread.finish();
                        default -> {}
                    }
                };
        for (int i = 0; i < 3; i++) {
            fixture.process.thread("thread " + i, kernel);
        }
        fixture.runsToItsEnd();
        List<String> expected = new ArrayList<>();
        for (int half = 0; half < 2; half++) {
            for (int thread = 0; thread < 3; thread++) {
                expected.addAll(Collections.nCopies(100, thread + "." + half));
            }
        }
        assertThat(steps).isEqualTo(expected);
    }

    /// A thread that waits in its kernel keeps its unit, so that one without a unit never runs.
    @ParameterizedTest
    @MethodSource("inTurns")
    @Requirement("DPA-HW-2")
    void whoWaitsKeepsItsUnit(RunMode mode) {
        MachineOptions options = OPTIONS.withUnits(new UnitGrid(1, 1, 0));
        ProcessFixture fixture = new ProcessFixture(mode, options);
        fixture.process.thread(
                "waits",
                thread -> {
                    while (thread.load64(AddressMap.HEAP) == 0) {}
                });
        fixture.process.thread("would help", thread -> thread.store64(AddressMap.HEAP, 1));
        RunResult result = fixture.run();
        assertThat(result.end()).isEqualTo(RunResult.End.STUCK);
        assertThat(result.stuck()).containsExactly("waits", "would help");
    }

    static List<RunMode> inTurns() {
        return List.of(RunMode.check(new Trace(), 1), RunMode.weak(Profile.SEED, 1));
    }

    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement("DPA-HW-4")
    void threadsRunOnTheUnitsOfTheirAffinity(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        Set<Integer> group = Set.of(1, 4);
        List<Integer> strict = Collections.synchronizedList(new ArrayList<>());
        List<Integer> grouped = Collections.synchronizedList(new ArrayList<>());
        List<Integer> free = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 20; i++) {
            add(fixture, new Affinity.Strict(3), strict);
            add(fixture, new Affinity.Group(group), grouped);
            add(fixture, ANY, free);
        }
        fixture.runsToItsEnd();
        assertThat(strict).hasSize(60).containsOnly(3);
        assertThat(grouped).hasSize(60);
        assertThat(Set.copyOf(grouped)).isEqualTo(group);
        assertThat(free).hasSize(60).allMatch(unit -> unit >= 0 && unit < 6);
        assertThat(Set.copyOf(free)).hasSizeGreaterThan(1);
    }

    private static void add(ProcessFixture fixture, Affinity affinity, List<Integer> units) {
        fixture.process.thread(
                "thread",
                thread -> {
                    for (int i = 0; i < 3; i++) {
                        units.add(thread.unit());
                        thread.store64(AddressMap.HEAP, i);
                        thread.yieldUnit();
                    }
                },
                ThreadAttributes.DEFAULT.withAffinity(affinity));
    }

    @Test
    @Requirement("DPA-HW-4")
    void affinitiesToReservedOrAbsentUnitsFailAtCreation() {
        for (Affinity affinity :
                List.of(
                        new Affinity.Strict(-1),
                        new Affinity.Strict(8),
                        new Affinity.Group(Set.of(0, 8)))) {
            assertThatThrownBy(() -> create(affinity))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("There is no execution unit");
        }
        for (Affinity affinity :
                List.of(new Affinity.Strict(6), new Affinity.Group(Set.of(5, 7)))) {
            assertThatThrownBy(() -> create(affinity))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("reserved for the runtime");
        }
        create(new Affinity.Strict(5));
    }

    private static void create(Affinity affinity) {
        new ProcessFixture(RunMode.fast())
                .process.thread(
                        "thread", thread -> {}, ThreadAttributes.DEFAULT.withAffinity(affinity));
    }

    // Handlers

    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement({"DPA-FXE-1", "DPA-FXE-6"})
    void anEventStartsTheHandlerFromItsBeginning(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        List<String> steps = Collections.synchronizedList(new ArrayList<>());
        long context = AddressMap.HEAP + 256;
        fixture.process.write64(context, 0);
        ThreadHandle handler =
                fixture.process.thread(
                        "handler",
                        thread -> {
                            steps.add("begin %x".formatted(thread.argument()));
                            long count = thread.load64(thread.argument()) + 1;
                            thread.store64(thread.argument(), count);
                            thread.memoryWriteback();
                            thread.reschedule();
                            steps.add("after");
                        },
                        ThreadAttributes.HANDLER.withArgument(context));
        sendEvents(fixture, handler, context, 5);
        fixture.runsToItsEnd();
        assertThat(fixture.process.read64(context)).isEqualTo(5);
        assertThat(steps).isEqualTo(Collections.nCopies(5, "begin %x".formatted(context)));
    }

    /// Each event after the activation of the one before has shown what it counted.
    private static void sendEvents(
            ProcessFixture fixture, ThreadHandle handler, long counter, int events) {
        fixture.process.host(
                "source",
                host -> {
                    for (int i = 0; i < events; i++) {
                        host.activate(handler);
                        while (host.copyFrom(counter, 1)[0] <= i) {
                            host.pause();
                        }
                    }
                });
    }

    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement({"DPA-FXE-7", "DPA-FXE-11"})
    void whoFinishesIsNotActivatedAgainAndWhoReturnsIs(RunMode mode) {
        for (int last : new int[] {3, 10}) {
            ProcessFixture fixture = new ProcessFixture(mode);
            long count = AddressMap.HEAP + 256;
            fixture.process.write64(count, 0);
            ThreadHandle handler =
                    fixture.process.thread(
                            "handler",
                            thread -> {
                                long done = thread.load64(count) + 1;
                                thread.store64(count, done);
                                thread.memoryWriteback();
                                if (done == last) {
                                    thread.finish();
                                }
                            },
                            ThreadAttributes.HANDLER);
            fixture.process.host(
                    "source",
                    host -> {
                        for (int i = 0; i < 6; i++) {
                            host.activate(handler);
                            while (i < last && host.copyFrom(count, 1)[0] <= i) {
                                host.pause();
                            }
                        }
                    });
            fixture.runsToItsEnd();
            assertThat(fixture.process.read64(count)).isEqualTo(Math.min(last, 6));
        }
    }

    @Test
    @Requirement("DPA-FXE-11")
    void theCheckerNamesAHandlerThatSimplyReturns() {
        Checker checker = new Checker(Profile.SEED, false);
        ProcessFixture fixture = new ProcessFixture(RunMode.check(checker, 1));
        ThreadHandle handler =
                fixture.process.thread(
                        "handler",
                        thread -> thread.load64(AddressMap.GLOBALS),
                        ThreadAttributes.HANDLER);
        fixture.process.activate(handler);
        fixture.runsToItsEnd();
        assertThat(checker.findings()).extracting(Finding::rule).contains(Rule.PLAIN_RETURN);
    }

    /// The handler waits inside its activation until several events have come.
    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement("DPA-FXE-10")
    void eventsDuringAnActivationLeadToOneMore(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        long count = AddressMap.HEAP + 256;
        long go = AddressMap.HEAP + 512;
        long inside = AddressMap.HEAP + 768;
        for (long word : new long[] {count, go, inside}) {
            fixture.process.write64(word, 0);
        }
        ThreadHandle handler =
                fixture.process.thread(
                        "handler",
                        thread -> {
                            long before =
                                    thread.atomic64(AtomicOp.ADD, inside, 1, AtomicOrder.RELAXED);
                            long done = thread.load64(count) + 1 + 100 * before;
                            thread.store64(count, done);
                            thread.memoryWriteback();
                            while (thread.load64(go) == 0) {}
                            thread.atomic64(AtomicOp.ADD, inside, -1, AtomicOrder.RELAXED);
                            thread.reschedule();
                        },
                        ThreadAttributes.HANDLER);
        fixture.process.host(
                "source",
                host -> {
                    host.activate(handler);
                    while (host.copyFrom(count, 1)[0] == 0) {
                        host.pause();
                    }
                    for (int i = 0; i < 4; i++) {
                        host.activate(handler);
                    }
                    host.copyTo(go, new byte[] {1});
                });
        fixture.runsToItsEnd();
        assertThat(fixture.process.read64(count)).as("one and one more").isEqualTo(2);
        assertThat(fixture.process.read64(inside)).isZero();
    }
}
