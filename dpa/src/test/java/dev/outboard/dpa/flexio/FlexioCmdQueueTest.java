package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.LogRecorder.recording;
import static dev.outboard.dpa.flexio.Refusals.fatal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.FlexioCmdQueue.Attributes;
import dev.outboard.dpa.flexio.FlexioCmdQueue.State;
import dev.outboard.dpa.flexio.FlexioErrorState.Kind;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Command queues: calls that nobody waits for.
class FlexioCmdQueueTest {
    private static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT
                    .withUnits(UnitGrid.SMALL)
                    .withTiming(
                            new Timing(
                                    200_000_000, 1_000, MachineOptions.DEFAULT.timing().costs()));

    /// One thread runs at a time.
    private static final MachineOptions ONE_UNIT = OPTIONS.withUnits(new UnitGrid(1, 1, 0));

    private static final Duration LONG = Duration.ofSeconds(30);

    private final Checker checker = new Checker(Profile.SEED, false);

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.checkWeak(Observer.NONE, Profile.PARANOID, 3));
    }

    /// Modes, numbers of workers and sizes of batches.
    static Stream<Arguments> shapes() {
        return modes().stream()
                .flatMap(mode ->
                        Stream.of(
                                Arguments.of(mode, 1, 1),
                                Arguments.of(mode, 1, 4),
                                Arguments.of(mode, 3, 1),
                                Arguments.of(mode, 3, 4),
                                Arguments.of(mode, 9, 2)));
    }

    private FlexioProcess open(HostProcess host, RunMode mode) {
        return open(host, mode, OPTIONS);
    }

    private FlexioProcess open(HostProcess host, RunMode mode, MachineOptions options) {
        return FlexioProcess.create(
                host,
                DpaDevice.of(options, mode),
                ChoresStub.APP,
                FlexioProcess.Attributes.DEFAULT.withObserver(checker));
    }

    private static FlexioCmdQueue running(FlexioProcess process, int workers, int batchSize) {
        return FlexioCmdQueue.create(process, new Attributes(workers, batchSize, State.RUNNING));
    }

    private static FlexioCmdQueue pending(FlexioProcess process, int workers, int batchSize) {
        return FlexioCmdQueue.create(process, new Attributes(workers, batchSize, State.PENDING));
    }

    private static long word(FlexioProcess process, DpaAddr address) {
        return words(process, address, 1)[0];
    }

    private static long[] words(FlexioProcess process, DpaAddr address, int count) {
        ByteBuffer bytes = ByteBuffer.wrap(process.heap().copyOut(address, count * Long.BYTES));
        long[] words = new long[count];
        bytes.order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
        return words;
    }

    private static byte[] bytes(long... words) {
        ByteBuffer bytes =
                ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(words);
        return bytes.array();
    }

    /// A log for some entries.
    private static DpaAddr log(FlexioProcess process, int entries) {
        return process.heap().zeros(Chores.ENTRIES + entries * Long.BYTES);
    }

    private static long[] entries(FlexioProcess process, DpaAddr log, int count) {
        return words(process, log.plus(Chores.ENTRIES), count);
    }

    /// What a job notes, written by the host right before the task is added.
    private static void addNote(
            FlexioProcess process, FlexioCmdQueue queue, DpaAddr jobs, DpaAddr log, int value) {
        DpaAddr job = jobs.plus((long) value * Chores.JOB_BYTES);
        process.heap().copyIn(job, bytes(log.value(), value));
        queue.add(ChoresStub.note, job.value());
    }

    @ParameterizedTest
    @MethodSource("shapes")
    @Requirement("DPA-FXR-6")
    void allTasksRunOnceAndAreSeenWhenTheQueueIsEmpty(RunMode mode, int workers, int batchSize) {
        int count = 50;
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            FlexioCmdQueue queue = running(process, workers, batchSize);
            assertThat(queue.isEmpty()).isTrue();
            DpaAddr log = log(process, 2 * count);
            DpaAddr jobs = process.heap().zeros(2 * count * Chores.JOB_BYTES);
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < count; i++) {
                    addNote(process, queue, jobs, log, round * count + i);
                }
                Eventually.until(queue::isEmpty);

                int done = (round + 1) * count;
                long[] values = LongStream.range(0, done).toArray();
                assertThat(word(process, log)).isEqualTo(done);
                if (workers == 1) {
                    assertThat(entries(process, log, done)).containsExactly(values);
                } else {
                    assertThat(entries(process, log, done)).containsExactlyInAnyOrder(values);
                }
                long squares = LongStream.of(values).map(value -> value * value).sum();
                assertThat(process.call(ChoresStub.sum(jobs, done))).isEqualTo(squares);
                for (int i = 0; i < done; i++) {
                    DpaAddr job = jobs.plus((long) i * Chores.JOB_BYTES);
                    assertThat(word(process, job.plus(Chores.SQUARE))).isEqualTo((long) i * i);
                }
            }
            assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
        }
        assertThat(checker.findings()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXR-6")
    void aPendingQueueRunsNothingBeforeItIsToldTo(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            FlexioCmdQueue queue = pending(process, 2, 2);
            assertThat(queue.isEmpty()).isTrue();
            DpaAddr log = log(process, 20);
            for (int i = 0; i < 10; i++) {
                queue.add(ChoresStub.sign, log.value());
            }
            for (int i = 0; i < 50; i++) {
                assertThat(queue.isEmpty()).isFalse();
                assertThat(process.call(ChoresStub.load(log))).isZero();
            }
            assertThat(queue.awaitEmpty(Duration.ofMillis(20))).isFalse();
            assertThat(word(process, log)).isZero();

            queue.run();
            assertThat(queue.awaitEmpty(LONG)).isTrue();
            assertThat(word(process, log)).isEqualTo(10);
            // To tell a queue that runs changes nothing.
            queue.run();
            queue.add(ChoresStub.sign, log.value());
            queue.run();
            assertThat(queue.awaitEmpty(LONG)).isTrue();
            assertThat(word(process, log)).isEqualTo(11);
        }
        assertThat(checker.findings()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXR-6")
    void asManyTasksRunAtOnceAsThereAreWorkers(RunMode mode) {
        int workers = 3;
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            DpaAddr gate = process.heap().zeros(Chores.GATE_BYTES);
            FlexioCmdQueue queue = running(process, workers, 4);
            for (int i = 0; i < 4 * workers; i++) {
                queue.add(ChoresStub.pass, gate.value());
            }
            // Each takes one, although it may take more one after the other.
            Eventually.until(() -> word(process, gate.plus(Chores.WAITING)) == workers);
            assertThat(queue.isEmpty()).isFalse();
            process.heap().copyIn(gate.plus(Chores.OPEN), bytes(1));
            Eventually.until(queue::isEmpty);
            assertThat(word(process, gate.plus(Chores.MOST))).isEqualTo(workers);
            assertThat(word(process, gate.plus(Chores.WAITING))).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    @Requirement("DPA-FXR-6")
    void afterABatchOthersGetTheUnit(RunMode mode, int workers, int batchSize) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode, ONE_UNIT)) {
            DpaAddr gate = process.heap().zeros(Chores.GATE_BYTES);
            int batches = 2 * workers;
            int count = batches * batchSize - 1;
            DpaAddr log = log(process, count);
            FlexioCmdQueue queue = pending(process, workers, batchSize);
            queue.add(ChoresStub.pass, gate.value());
            for (int i = 0; i < count; i++) {
                queue.add(ChoresStub.sign, log.value());
            }
            // One worker has the unit, and the others wait for it.
            queue.run();
            process.heap().copyIn(gate.plus(Chores.OPEN), bytes(1));
            Eventually.until(queue::isEmpty);

            long[] signed = entries(process, log, count);
            for (int i = 0; i < count; i++) {
                // The first task of the first batch has signed nothing.
                int batch = (i + 1) / batchSize;
                int sameWorker = (batch < workers ? batch + workers : batch) * batchSize - 1;
                assertThat(signed[i]).as("task %d", i).isEqualTo(signed[sameWorker]);
            }
            assertThat(LongStream.of(signed).distinct().count()).isEqualTo(workers);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXR-6")
    void aTaskComesAfterAllThatTheHostKnewWhenItAddedIt(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            DpaAddr word = process.heap().zeros(64);
            DpaAddr log = log(process, 2);
            DpaAddr job = process.heap().zeros(Chores.JOB_BYTES);
            FlexioCmdQueue busy = running(process, 1, 2);
            busy.add(ChoresStub.count, word.value());
            Eventually.until(() -> word(process, word) > 0);

            FlexioCmdQueue other = running(process, 1, 1);
            process.heap().copyIn(job, bytes(log.value(), 7));
            other.add(ChoresStub.note, job.value());
            Eventually.until(other::isEmpty);
            // It stores where the other one has stored, in the batch that has begun before.
            busy.add(ChoresStub.note, job.value());
            Eventually.until(busy::isEmpty);
            assertThat(entries(process, log, 2)).containsExactly(7, 7);
        }
        assertThat(checker.findings()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXR-6")
    void severalThreadsOfTheHostAddTasks(RunMode mode)
            throws ExecutionException, InterruptedException {
        int adders = 4;
        int each = 200;
        int all = adders * each;
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode);
                ExecutorService threads = Executors.newFixedThreadPool(adders)) {
            DpaAddr log = log(process, all);
            DpaAddr jobs = process.heap().zeros(all * Chores.JOB_BYTES);
            FlexioCmdQueue queue = running(process, 3, 5);
            List<Future<?>> futures = new ArrayList<>();
            for (int adder = 0; adder < adders; adder++) {
                int first = adder * each;
                futures.add(
                        threads.submit(() -> {
                            for (int i = 0; i < each; i++) {
                                addNote(process, queue, jobs, log, first + i);
                            }
                        }));
            }
            for (Future<?> one : futures) {
                one.get();
            }
            assertThat(queue.awaitEmpty(LONG)).isTrue();
            assertThat(entries(process, log, all))
                    .containsExactlyInAnyOrder(LongStream.range(0, all).toArray());
        }
        assertThat(checker.findings()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXR-6")
    void closingDropsTheTasksThatWait(RunMode mode) {
        List<String> log = new ArrayList<>();
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            DpaAddr gate = process.heap().zeros(Chores.GATE_BYTES);
            DpaAddr signatures = log(process, 20);
            FlexioCmdQueue queue = running(process, 1, 10);
            queue.add(ChoresStub.pass, gate.value());
            for (int i = 0; i < 5; i++) {
                queue.add(ChoresStub.sign, signatures.value());
            }
            Eventually.until(() -> word(process, gate.plus(Chores.WAITING)) == 1);
            recording(
                    FlexioCmdQueue.class,
                    text -> {
                        log.add(text);
                        process.heap().copyIn(gate.plus(Chores.OPEN), bytes(1));
                    },
                    queue::close);
            queue.close();

            // What has begun has come to its end.
            assertThat(word(process, gate.plus(Chores.WAITING))).isZero();
            assertThat(process.call(ChoresStub.load(signatures))).isZero();
            assertThat(queue.number()).isEqualTo(FlexioObject.NO_NUMBER);
            refused(Reason.DESTROYED, "has been closed", () -> queue.add(ChoresStub.sign, 0));
            refused(Reason.DESTROYED, "has been closed", queue::isEmpty);
            refused(Reason.DESTROYED, "has been closed", queue::run);

            FlexioCmdQueue next = running(process, 1, 1);
            next.add(ChoresStub.sign, signatures.value());
            assertThat(next.awaitEmpty(LONG)).isTrue();
            assertThat(word(process, signatures)).isEqualTo(1);
            recording(FlexioCmdQueue.class, log::add, next::close);
            assertThat(process.status().discards().tasks()).isEqualTo(5);
        }
        assertThat(log).singleElement().asString().matches("command queue \\d+ drops 5 tasks");
        assertThat(checker.findings()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXR-6")
    void aQueueGoesWithItsProcess(RunMode mode) {
        try (HostProcess host = HostProcess.open()) {
            FlexioProcess process = open(host, mode);
            DpaAddr gate = process.heap().zeros(Chores.GATE_BYTES);
            FlexioCmdQueue queue = running(process, 2, 1);
            for (int i = 0; i < 5; i++) {
                queue.add(ChoresStub.pass, gate.value());
            }
            Eventually.until(() -> word(process, gate.plus(Chores.WAITING)) == 2);
            process.close();
            queue.close();
            assertThat(queue.number()).isEqualTo(FlexioObject.NO_NUMBER);
            refused(Reason.DESTROYED, "destroyed", () -> queue.add(ChoresStub.pass, 0));
            refused(Reason.DESTROYED, "destroyed", queue::isEmpty);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXR-6")
    void aTaskThatFaultsEndsTheProcess(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            FlexioCmdQueue queue = running(process, 2, 2);
            queue.add(ChoresStub.load, 8);
            FlexioErrorState state = process.awaitError(LONG);
            assertThat(state.kind()).isEqualTo(Kind.FATAL);
            assertThat(state.exitStatus()).isEqualTo(Fault.BAD_LOAD.code());
            assertThat(state.text()).contains("Thread '" + queue + ", worker ", "Chores.java");
            fatal(queue::isEmpty);
            fatal(() -> queue.awaitEmpty(LONG));
            fatal(() -> queue.add(ChoresStub.load, 8));
            fatal(queue::run);
            fatal(() -> running(process, 1, 1));
            queue.close();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXR-6", "DPA-FXR-4", "DPA-ERR-15"})
    void aTaskHasToReturn(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            FlexioCmdQueue queue = running(process, 1, 1);
            queue.add(ChoresStub.leave, 0);
            fatal(() -> queue.awaitEmpty(LONG));
            assertThat(process.errorState().exitStatus()).isEqualTo(Fault.RPC_LEFT.code());
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXR-6", "DPA-ERR-16"})
    void aTaskThatWaitsForEverIsEndedByTheWatchdog(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            FlexioCmdQueue queue = running(process, 1, 1);
            queue.add(ChoresStub.pass, process.heap().zeros(Chores.GATE_BYTES).value());
            fatal(() -> queue.awaitEmpty(LONG));
            assertThat(process.errorState().exitStatus()).isEqualTo(Fault.WATCHDOG.code());
        }
    }

    @Test
    @Requirement("DPA-FXR-6")
    void whatIsNoTaskIsRefused() {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, RunMode.fast())) {
            FlexioCmdQueue queue = pending(process, 1, 1);
            List<Refusal> refusals =
                    List.of(
                            new Refusal(ChoresStub.event, Reason.NOT_IN_APP, "chores.event", "RPC"),
                            new Refusal(
                                    LedgerStub.load, Reason.NOT_IN_APP, "ledger.load", "chores"),
                            new Refusal(
                                    ChoresStub.sum, Reason.BAD_ARGUMENT, "16 bytes", "takes 8"));
            for (Refusal refusal : refusals) {
                assertThatThrownBy(() -> queue.add(refusal.function, 0))
                        .isInstanceOfSatisfying(
                                FlexioException.class,
                                e -> assertThat(e.reason()).isEqualTo(refusal.reason))
                        .hasMessageContainingAll(refusal.value, refusal.valid);
            }
            assertThat(queue.isEmpty()).isTrue();
            refused(Reason.BAD_ARGUMENT, "0 workers", () -> running(process, 0, 1));
            refused(Reason.BAD_ARGUMENT, "-1 tasks in a batch", () -> running(process, 1, -1));
        }
    }

    /// @param value what the message names
    /// @param valid what it says would be right
    private record Refusal(
            DpaFunction<DpaThread> function, Reason reason, String value, String valid) {}

    private static void refused(Reason reason, String text, Runnable call) {
        Refusals.refused(reason, call).hasMessageContaining(text);
    }
}
