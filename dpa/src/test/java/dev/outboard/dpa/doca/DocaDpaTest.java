package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Kernels that a host launches, and the events that order them.
class DocaDpaTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int[][] ORDERS = {
        {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}
    };

    private static final AtomicInteger CARDS = new AtomicInteger();

    private final Device card =
            Fabric.open("sim://doca-dpa-%d/10.9.0.1".formatted(CARDS.incrementAndGet()));
    private final DocaDev dev = DocaDev.of(card);
    private final CheckedDevices devices = new CheckedDevices();

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @AfterEach
    void close() {
        dev.close();
        card.close();
        devices.verify();
    }

    private DpaDevice device(RunMode mode) {
        return devices.device(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode);
    }

    private DocaDpa open(RunMode mode) {
        return DocaDpa.create(dev, device(mode)).app(StepsStub.APP).start();
    }

    /// For the DPA and the CPU, both ways.
    private SyncEvent event(DocaDpa dpa) {
        return new SyncEvent(dev)
                .publisher(dpa)
                .subscriber(dpa)
                .publisher(Location.CPU)
                .subscriber(Location.CPU)
                .start();
    }

    private static DpaAddr zeros(DocaDpa dpa, int words) {
        DpaAddr block = dpa.memAlloc((long) words * Long.BYTES);
        dpa.memset(block, 0, words * Long.BYTES);
        return block;
    }

    private static long[] words(DocaDpa dpa, DpaAddr from, int count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG, count);
            dpa.copyFromDpa(to, from);
            return to.toArray(ValueLayout.JAVA_LONG);
        }
    }

    private static void await(SyncEvent event, long threshold) throws InterruptedException {
        event.waitGt(threshold, -1, Spin.YIELD, LONG);
    }

    private static void refused(DocaError error, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(error));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-KL-2", "DPA-KL-3", "DPA-KL-5", "DPA-KL-10", "DPA-SE-1"})
    void aChainRunsInItsOrderWhateverTheOrderOfSubmission(RunMode mode)
            throws InterruptedException {
        for (int[] order : ORDERS) {
            try (DocaDpa dpa = open(mode);
                    SyncEvent event = event(dpa)) {
                DpaAddr log = zeros(dpa, 4);
                for (int step : order) {
                    dpa.launchUpdateSet(event, step, event, step + 1, 1, StepsStub.note(log, step));
                }
                await(event, 2);
                assertThat(event.get()).isEqualTo(3);
                assertThat(words(dpa, log, 4)).containsExactly(3, 0, 1, 2);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-KL-6", "DPA-KL-7", "DPA-KL-8"})
    void eachThreadHasARankAndTheLastOneTellsTheEvent(RunMode mode) throws InterruptedException {
        try (DocaDpa dpa = open(mode);
                SyncEvent event = event(dpa)) {
            long told = 0;
            for (int threads : new int[] {1, 5, dpa.maxThreadsPerKernel()}) {
                DpaAddr words = zeros(dpa, threads + 1);
                dpa.launchUpdateAdd(null, 0, event, 7, threads, StepsStub.ranks(words));
                await(event, told);
                told += 7;
                assertThat(event.get()).isEqualTo(told);
                long[] seen = words(dpa, words, threads + 1);
                assertThat(seen[threads]).isEqualTo((long) threads * threads);
                for (int rank = 0; rank < threads; rank++) {
                    assertThat(seen[rank]).isEqualTo(rank);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-12")
    void aCallGivesItsResult(RunMode mode) {
        try (DocaDpa dpa = open(mode);
                Arena arena = Arena.ofConfined();
                SyncEvent event = event(dpa)) {
            DpaAddr words = zeros(dpa, 5);
            dpa.copyToDpa(words, arena.allocateFrom(ValueLayout.JAVA_LONG, 1, 2, 3, 4, 5));
            for (int i = 1; i <= 5; i++) {
                assertThat(dpa.rpc(StepsStub.sum(words, i))).isEqualTo(i * (i + 1) / 2);
            }
            event.updateSet(77);
            assertThat(dpa.rpc(StepsStub.valueOf(event.handle(dpa)))).isEqualTo(77);
            dpa.memFree(words);
            refused(DocaError.INVALID_VALUE, () -> dpa.memFree(words));
            refused(DocaError.INVALID_VALUE, () -> dpa.memset(words, 0, 8));
            refused(DocaError.NO_MEMORY, () -> dpa.memAlloc(1L << 30));
        }
    }

    /// Launched in any order, without a dependence of the launches.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-SE-4", "DPA-SE-9", "DPA-KL-1"})
    void aPipelineIsOrderedByTheEventsInIt(RunMode mode) throws InterruptedException {
        for (boolean inOrder : new boolean[] {true, false}) {
            try (DocaDpa dpa = open(mode);
                    SyncEvent made = event(dpa);
                    SyncEvent done = event(dpa)) {
                DpaAddr words = zeros(dpa, 50);
                DpaAddr log = zeros(dpa, 2);
                long handle = made.handle(dpa);
                List<DpaCall<DpaThread>> kernels =
                        new ArrayList<>(
                                List.of(
                                        StepsStub.produce(words, 50, 100, handle),
                                        StepsStub.consume(words, 50, handle, log)));
                if (!inOrder) {
                    kernels = kernels.reversed();
                }
                kernels.forEach(kernel -> dpa.launchUpdateAdd(null, 0, done, 1, 1, kernel));
                await(done, 1);
                long sum = LongStream.range(100, 150).sum();
                assertThat(words(dpa, log, 2)).containsExactly(1, sum);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-SE-4", "DPA-SE-3", "DPA-KL-3"})
    void theCpuSignalsKernels(RunMode mode) throws InterruptedException {
        try (DocaDpa dpa = open(mode);
                SyncEvent start = event(dpa);
                SyncEvent next = event(dpa);
                SyncEvent ended = event(dpa)) {
            DpaAddr log = zeros(dpa, 4);
            // One waits to be launched, and the other one when it runs.
            dpa.launchUpdateAdd(start, -2, next, 10, 1, StepsStub.note(log, 5));
            dpa.launchUpdateAdd(
                    null,
                    0,
                    ended,
                    1,
                    1,
                    StepsStub.follow(start.handle(dpa), 2, log, next.handle(dpa)));
            assertThatThrownBy(() -> next.waitGt(0, -1, Spin.YIELD, Duration.ofMillis(30)))
                    .isInstanceOfSatisfying(
                            DocaException.class,
                            e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT));
            start.updateSet(3);
            await(next, 0);
            assertThat(next.get()).isEqualTo(1);
            assertThat(words(dpa, log, 2)).containsExactly(1, 3);
            start.updateAdd(-5);
            await(next, 10);
            assertThat(words(dpa, log, 3)).containsExactly(2, 3, 5);
            assertThat(next.waitEq(3, 7, Spin.BUSY, LONG)).isEqualTo(11);
            assertThat(next.waitNeq(0, -1, Spin.PARK, LONG)).isEqualTo(11);
            await(ended, 0);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-SE-4")
    void noUpdateIsLost(RunMode mode) throws InterruptedException {
        try (DocaDpa dpa = open(mode);
                SyncEvent event = event(dpa);
                SyncEvent done = event(dpa)) {
            int threads = 6;
            int times = 20;
            dpa.launchUpdateAdd(
                    null, 0, done, 1, threads, StepsStub.addTo(event.handle(dpa), times, 3));
            int fromCpu = 1000;
            for (int i = 0; i < fromCpu; i++) {
                event.updateAdd(-1);
            }
            await(done, 0);
            assertThat(event.get()).isEqualTo(3 * threads * times - fromCpu);
            dpa.launchUpdateSet(null, 0, done, 9, 1, StepsStub.set(event.handle(dpa), -4));
            await(done, 8);
            assertThat(event.get()).isEqualTo(-4);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-KL-13", "DPA-ERR-17"})
    void whatCannotBeIsNotSubmitted(RunMode mode) {
        try (DocaDpa dpa = open(mode);
                DocaDpa other = open(mode);
                SyncEvent event = event(dpa);
                SyncEvent foreign = event(other);
                SyncEvent fromDpa =
                        new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start();
                SyncEvent toDpa =
                        new SyncEvent(dev).publisher(Location.CPU).subscriber(dpa).start();
                SyncEvent ofCpu =
                        new SyncEvent(dev)
                                .publisher(Location.CPU)
                                .subscriber(Location.CPU)
                                .start()) {
            DpaAddr log = zeros(dpa, 2);
            DpaCall<DpaThread> kernel = StepsStub.note(log, 1);
            for (SyncEvent wait : List.of(foreign, fromDpa, ofCpu)) {
                refused(
                        DocaError.INVALID_VALUE,
                        () -> dpa.launchUpdateAdd(wait, 0, event, 1, 1, kernel));
            }
            for (SyncEvent told : List.of(foreign, toDpa, ofCpu)) {
                refused(
                        DocaError.INVALID_VALUE,
                        () -> dpa.launchUpdateSet(null, 0, told, 1, 1, kernel));
            }
            for (int threads : new int[] {0, -1, dpa.maxThreadsPerKernel() + 1}) {
                refused(
                        DocaError.INVALID_VALUE,
                        () -> dpa.launchUpdateAdd(null, 0, event, 1, threads, kernel));
            }
            refused(
                    DocaError.INVALID_VALUE,
                    () -> dpa.launchUpdateAdd(null, 0, event, 1, 1, StepsStub.sum(log, 1)));
            refused(DocaError.INVALID_VALUE, () -> dpa.rpc(kernel));
            assertThat(dpa.rpc(StepsStub.sum(log, 2))).isZero();
            assertThat(event.get()).isZero();
            assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.SUCCESS);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-ERR-22")
    void whatWasNotDeclaredIsRefused(RunMode mode) throws InterruptedException {
        try (DocaDpa dpa = open(mode)) {
            SyncEvent own = new SyncEvent(dev).publisher(dpa).subscriber(dpa).start();
            refused(DocaError.NOT_PERMITTED, own::get);
            refused(DocaError.NOT_PERMITTED, () -> own.updateAdd(1));
            SyncEvent fromDpa = new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start();
            refused(DocaError.BAD_STATE, () -> dpa.rpc(StepsStub.valueOf(fromDpa.handle(dpa))));
            assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.BAD_STATE);
            assertThatThrownBy(() -> dpa.memAlloc(8)).hasMessageContaining("(code 72)");
            own.close();
            fromDpa.close();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-7")
    void aFaultEndsTheContextAndTellsNobody(RunMode mode) throws InterruptedException {
        DpaDevice device = device(mode);
        try (DocaDpa dpa = DocaDpa.create(dev, device).app(StepsStub.APP).start();
                DocaDpa other = DocaDpa.create(dev, device).app(StepsStub.APP).start();
                SyncEvent event = event(dpa);
                SyncEvent others = event(other)) {
            DpaAddr log = zeros(dpa, 2);
            dpa.launchUpdateAdd(null, 0, event, 1, 4, StepsStub.fail(3));
            DocaFixture.awaitFault(dpa, event, 0);
            assertThat(event.get()).isZero();
            assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.BAD_STATE);
            refused(
                    DocaError.BAD_STATE,
                    () -> dpa.launchUpdateAdd(null, 0, event, 1, 1, StepsStub.note(log, 1)));
            refused(DocaError.BAD_STATE, () -> dpa.rpc(StepsStub.sum(log, 1)));
            refused(DocaError.BAD_STATE, () -> dpa.memset(log, 0, 8));
            other.launchUpdateAdd(null, 0, others, 1, 4, StepsStub.fail(4));
            await(others, 0);
            assertThat(other.peekAtLastError()).isEqualTo(DocaError.SUCCESS);
        }
    }

    /// What the host waits for is not the end of a kernel, and nobody can wait for that.
    @ParameterizedTest
    @MethodSource("modes")
    void aKernelThatIsAboutToEndGetsAMoment(RunMode mode) throws InterruptedException {
        DocaDpa dpa = open(mode);
        SyncEvent told = event(dpa);
        DpaAddr word = zeros(dpa, 1);
        int number = mode instanceof RunMode.Fast ? 10_000_000 : 10_000;
        dpa.launchUpdateAdd(
                null, 0, null, 0, 1, StepsStub.tellAndCount(told.handle(dpa), word, number));
        await(told, 0);
        told.close();

        dpa.close();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void aKernelThatFailsMeanwhileDoesNotKeepItsContextOpen(RunMode mode) {
        DocaDpa dpa = open(mode);
        dpa.launchUpdateAdd(null, 0, null, 0, 1, StepsStub.note(new DpaAddr(3), 1));

        dpa.close();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-DC-1", "DPA-ERR-18", "DPA-ERR-19", "DPA-SYS-12b"})
    void aContextIsConfiguredThenStartedAndStoppedLast(RunMode mode) throws InterruptedException {
        DocaDpa dpa = DocaDpa.create(dev, device(mode));
        refused(DocaError.BAD_STATE, dpa::start);
        refused(DocaError.BAD_STATE, () -> dpa.memAlloc(8));
        SyncEvent early = new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU);
        refused(DocaError.BAD_STATE, early::start);
        refused(DocaError.BAD_STATE, () -> early.handle(dpa));
        dpa.app(StepsStub.APP).start();
        refused(DocaError.BAD_STATE, () -> dpa.app(StepsStub.APP));
        refused(DocaError.BAD_STATE, dpa::start);
        SyncEvent event = event(dpa);
        refused(DocaError.IN_USE, dpa::close);
        DpaAddr log = zeros(dpa, 2);
        dpa.launchUpdateAdd(event, 1, event, 1, 1, StepsStub.note(log, 1));
        refused(DocaError.IN_USE, event::stop);
        event.updateAdd(1);
        await(event, 1);
        event.close();
        dpa.close();
        dpa.close();
        refused(DocaError.BAD_STATE, dpa::start);
        devices.verify();
    }

    /// A kernel comes to its end by returning.
    @ParameterizedTest
    @MethodSource("modes")
    void aKernelThatReschedulesIsAFault(RunMode mode) {
        try (DocaDpa dpa = open(mode);
                SyncEvent event = event(dpa)) {
            dpa.launchUpdateAdd(null, 0, event, 1, 1, StepsStub.leave(0));
            DocaFixture.awaitFault(dpa, event, 0);
        }
    }
}
