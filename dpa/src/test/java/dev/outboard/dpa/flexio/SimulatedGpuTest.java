package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The simulated GPU, at work with a program of the DPA.
class SimulatedGpuTest {
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofMillis(1);

    static List<RunMode> modes() {
        List<RunMode> modes = new ArrayList<>();
        modes.add(RunMode.fast());
        modes.add(RunMode.check(Observer.NONE, 1));
        for (long seed = 1; seed <= 6; seed++) {
            modes.add(RunMode.weak(Profile.SEED, seed));
            modes.add(RunMode.checkWeak(Observer.NONE, Profile.PARANOID, seed));
        }
        return modes;
    }

    private static FlexioProcess open(HostProcess host, RunMode mode, Observer observer) {
        return FlexioProcess.create(
                host,
                DpaDevice.of(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode),
                GadgetsStub.APP,
                FlexioProcess.Attributes.DEFAULT.withObserver(observer));
    }

    /// The DPA hands values to the GPU: it writes a flag into the memory of the GPU, whose stream
    /// waits for it, copies the value to the host, and updates a word that the DPA polls.
    ///
    /// @return what the DPA has found in the memory of the host in each round
    private static List<Long> rounds(RunMode mode, Observer observer, boolean writeBack) {
        return rounds(mode, observer, writeBack, SimulatedGpu::of);
    }

    private static List<Long> rounds(
            RunMode mode, Observer observer, boolean writeBack, Function<FlexioProcess, Gpu> made) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode, observer)) {
            Gpu gpu = made.apply(process);
            FlexioBuffer words = gpu.allocate("words", 4096);
            FlexioBuffer results = FlexioBuffer.create(process, "results", ExternalKind.HOST, 64);
            FlexioMkey key =
                    FlexioMkey.create(process.domain(), words, 0, 4096, Access.LOCAL_WRITE);
            int window = FlexioWindow.create(process, process.domain()).number();
            DpaAddr base = words.address();
            List<Long> found = new ArrayList<>();
            try (GpuStream stream = gpu.stream("copies")) {
                for (int round = 1; round <= 3; round++) {
                    stream.await64(base.plus(64), round);
                    stream.copy(results.address().plus(8), base, 24);
                    stream.copy(base.plus(256), results.address(), 64);
                    stream.update64(base.plus(128), round);
                    found.add(
                            process.call(
                                    GadgetsStub.hand(
                                            window,
                                            key.number(),
                                            base,
                                            base.plus(256 + 8),
                                            100 + round,
                                            writeBack ? 1 : 0)));
                    assertThat(stream.synchronize(LONG)).isTrue();
                    assertThat(results.load64(0)).isZero();
                    if (writeBack) {
                        assertThat(results.load64(8)).isEqualTo(100 + round);
                    }
                }
            }
            return found;
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-HW-15d")
    void aStreamWaitsForTheDpaCopiesAndUpdatesAWord(RunMode mode) {
        Checker checker = new Checker(Profile.SEED, false);
        assertThat(rounds(mode, checker, true)).containsExactly(101L, 102L, 103L);
        assertThat(checker.findings()).isEmpty();
    }

    /// A GPU with memory of its own.
    private record MappedGpu(FlexioProcess process, Gpu streams, Arena arena) implements Gpu {
        @Override
        public FlexioBuffer allocate(String name, long lengthBytes) {
            return FlexioBuffer.of(
                    process, name, ExternalKind.GPU, arena.allocate(lengthBytes, Long.BYTES));
        }

        @Override
        public GpuStream stream(String name) {
            return streams.stream(name);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-HW-15d")
    void anotherGpuStandsBehindTheSameInterface(RunMode mode) {
        try (Arena arena = Arena.ofShared()) {
            List<Long> found =
                    rounds(
                            mode,
                            Observer.NONE,
                            true,
                            process -> new MappedGpu(process, SimulatedGpu.of(process), arena));
            assertThat(found).containsExactly(101L, 102L, 103L);
        }
    }

    @Test
    @Requirement("DPA-HW-15d")
    void memoryThatNotEveryThreadReachesIsRefused() {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, RunMode.fast(), Observer.NONE);
                Arena own = Arena.ofConfined();
                Arena shared = Arena.ofShared()) {
            MemorySegment odd = shared.allocate(64, 8).asSlice(4);
            for (MemorySegment bytes :
                    List.of(
                            own.allocate(64, 8),
                            odd,
                            shared.allocate(64, 8).asSlice(0, 0),
                            MemorySegment.ofArray(new long[8]))) {
                bad(
                        "any thread may access",
                        () -> FlexioBuffer.of(process, "bytes", ExternalKind.GPU, bytes));
            }
        }
    }

    @Test
    @Requirement("DPA-HW-15d")
    void theCheckerFindsWhatTheDpaHasNotWrittenBackForTheGpu() {
        Checker checker = new Checker(Profile.SEED, false);
        rounds(RunMode.check(Observer.NONE, 1), checker, false);
        assertThat(checker.findings()).extracting(Finding::rule).containsOnly(Rule.MISSING_FENCE);
    }

    /// What an observer is told of loads and stores.
    private static final class Recorder implements Observer {
        private final List<String> told = new ArrayList<>();

        @Override
        public void load(int actor, long address, int lengthBytes, int site) {
            told.add("%d loads %x %d".formatted(actor, address, lengthBytes));
        }

        @Override
        public void store(int actor, long address, int lengthBytes, int site) {
            told.add("%d stores %x %d".formatted(actor, address, lengthBytes));
        }
    }

    @Test
    @Requirement("DPA-HW-15d")
    void inTurnsARunIsAFunctionOfItsSeed() {
        List<List<String>> runs = new ArrayList<>();
        for (long seed : new long[] {5, 5, 6}) {
            Recorder recorder = new Recorder();
            rounds(RunMode.checkWeak(Observer.NONE, Profile.SEED, seed), recorder, true);
            runs.add(recorder.told);
        }
        assertThat(runs.get(1)).isEqualTo(runs.get(0));
        assertThat(runs.get(2)).isNotEqualTo(runs.get(0));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-HW-15d")
    void streamsWaitForEachOtherAndForWordsOfFourBytes(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode, Observer.NONE)) {
            Gpu gpu = SimulatedGpu.of(process);
            FlexioBuffer words = gpu.allocate("words", 64);
            DpaAddr base = words.address();
            try (GpuStream first = gpu.stream("first");
                    GpuStream second = gpu.stream("second")) {
                first.await32(base.plus(4), 0x8000_0000);
                first.copy(base.plus(33), base.plus(4), 3);
                first.update32(base.plus(12), 9);
                assertThat(first.synchronize(SHORT)).isFalse();
                second.update32(base.plus(4), 0x7FFF_FFFF);
                assertThat(second.synchronize(LONG)).isTrue();
                assertThat(first.synchronize(SHORT)).isFalse();
                second.update32(base.plus(4), 0x8000_0001);
                assertThat(second.synchronize(LONG)).isTrue();
                assertThat(first.synchronize(LONG)).isTrue();
            }
            byte[] held = words.read(0, 64);
            assertThat(held[33]).isEqualTo((byte) 1);
            assertThat(held[12]).isEqualTo((byte) 9);
            assertThat(held[8]).isZero();
            assertThat(held[36]).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-HW-15d")
    void whatWaitsEndsWithItsStreamOrProcess(RunMode mode) {
        try (HostProcess host = HostProcess.open()) {
            FlexioProcess process = open(host, mode, Observer.NONE);
            Gpu gpu = SimulatedGpu.of(process);
            FlexioBuffer words = gpu.allocate("words", 64);
            GpuStream closed = gpu.stream("closed");
            closed.await64(words.address(), 1);
            closed.update64(words.address().plus(8), 5);
            assertThat(closed.synchronize(SHORT)).isFalse();
            closed.close();
            closed.close();
            refused(Reason.DESTROYED, () -> closed.update64(words.address(), 1));
            refused(Reason.DESTROYED, () -> closed.synchronize(SHORT));
            assertThat(words.read(0, 64)).containsOnly(0);

            GpuStream left = gpu.stream("left");
            left.await64(words.address(), 1);
            process.close();
            refused(Reason.DESTROYED, () -> left.update64(words.address(), 1));
            left.close();
        }
    }

    @Test
    @Requirement("DPA-HW-15d")
    void aStreamRefusesWhatItCannotDo() {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, RunMode.fast(), Observer.NONE)) {
            Gpu gpu = SimulatedGpu.of(process);
            FlexioBuffer words = gpu.allocate("words", 64);
            DpaAddr base = words.address();
            refused(Reason.BAD_ARGUMENT, () -> gpu.allocate("none", 0));
            try (GpuStream stream = gpu.stream("stream")) {
                bad("at 0x", () -> stream.update32(base.plus(2), 1));
                bad("at 0x", () -> stream.await64(base.plus(4), 1));
                bad("reaches no 8 bytes", () -> stream.update64(base.plus(64), 1));
                bad("reaches no 8 bytes", () -> stream.update64(process.heap().zeros(8), 1));
                bad("reaches no 0 bytes", () -> stream.copy(base, base.plus(8), 0));
                bad("overlap", () -> stream.copy(base, base.plus(8), 9));
                stream.await64(base, 1);
                refused(
                                Reason.WRONG_TIME,
                                () -> {
                                    for (int i = 0; i < 10_000; i++) {
                                        stream.update64(base.plus(8), i);
                                    }
                                })
                        .hasMessageContaining("1024 operations waiting");
                assertThat(words.read(8, 8)).containsOnly(0);
            }
        }
    }

    private static void bad(String text, Runnable call) {
        refused(Reason.BAD_ARGUMENT, call).hasMessageContaining(text);
    }
}
