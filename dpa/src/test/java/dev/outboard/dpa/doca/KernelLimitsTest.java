package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.DocaFixture.await;
import static dev.outboard.dpa.doca.DocaFixture.refused;
import static dev.outboard.dpa.doca.DocaFixture.words;
import static dev.outboard.dpa.doca.DocaFixture.zeros;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.CycleCosts;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// How long a kernel may run, and what it may wait for.
class KernelLimitsTest {
    private static final UnitGrid ONE_UNIT = new UnitGrid(1, 2, 1);

    private final DocaFixture fixture = new DocaFixture();

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /// A limit, and how many loads take longer, though a fifth of them does not. In turns a load
    /// takes the machine much longer.
    private record Limit(Duration time, int loads) {
        static Limit of(RunMode mode) {
            return mode instanceof RunMode.Fast
                    ? new Limit(Duration.ofMillis(200), 60_000_000)
                    : new Limit(Duration.ofMillis(1), 300_000);
        }

        MachineOptions options() {
            return MachineOptions.DEFAULT
                    .withUnits(ONE_UNIT)
                    .withTiming(new Timing(time.toNanos(), 1_000, CycleCosts.DEFAULT));
        }
    }

    private DocaDpa open(DpaDevice device) {
        return DocaDpa.create(fixture.dev, device).app(PatienceStub.APP).start();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-KL-11", "DPA-KL-7"})
    void aKernelThatRunsTooLongIsEnded(RunMode mode) {
        Limit limit = Limit.of(mode);
        DpaDevice device = fixture.device(limit.options(), mode);
        try (DocaDpa dpa = open(device);
                DocaDpa other = open(device);
                SyncEvent done = fixture.end(dpa);
                SyncEvent othersDone = fixture.end(other)) {
            assertThat(dpa.kernelMaxRunTime()).isEqualTo(limit.time);
            DpaAddr word = zeros(dpa, 1);
            dpa.launchUpdateAdd(null, 0, done, 1, 1, PatienceStub.work(word, limit.loads, 0));
            assertThat(refused(DocaError.BAD_STATE, () -> await(done, 0)))
                    .contains("watchdog (code 11)")
                    .contains("longer than %d ns".formatted(limit.time.toNanos()))
                    .contains("Patience.java");
            assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.BAD_STATE);
            assertThat(done.get()).isZero();
            other.launchUpdateAdd(null, 0, othersDone, 1, 1, PatienceStub.raise(zeros(other, 1)));
            await(othersDone, 0);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-11")
    void aKernelThatGivesItsUnitAwayHasAllTheTimeAgain(RunMode mode) {
        Limit limit = Limit.of(mode);
        try (DocaDpa dpa = open(fixture.device(limit.options(), mode));
                SyncEvent done = fixture.end(dpa)) {
            DpaAddr word = zeros(dpa, 1);
            int fifth = limit.loads / 5;
            dpa.launchUpdateAdd(null, 0, done, 1, 1, PatienceStub.work(word, limit.loads, fifth));
            await(done, 0);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-11")
    void theUnitGoesToWhoeverWaitsForIt(RunMode mode) {
        MachineOptions options = MachineOptions.DEFAULT.withUnits(ONE_UNIT);
        try (DocaDpa dpa = open(fixture.device(options, mode));
                SyncEvent done = fixture.end(dpa)) {
            assertThat(dpa.kernelMaxRunTime()).isEqualTo(Duration.ofSeconds(12));
            DpaAddr word = zeros(dpa, 1);
            dpa.launchUpdateAdd(null, 0, done, 1, 3, PatienceStub.rest(word));
            dpa.launchUpdateAdd(null, 0, done, 1, 1, PatienceStub.raise(word));
            await(done, 1);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-4")
    void thresholdsHave64BitsWithoutASign(RunMode mode) {
        try (DocaDpa dpa = fixture.open(fixture.device(MachineOptions.DEFAULT, mode));
                SyncEvent event = fixture.both(dpa);
                SyncEvent done = fixture.end(dpa)) {
            DpaAddr log = zeros(dpa, 8);
            dpa.launchUpdateAdd(event, -1, done, 1, 1, StepsStub.note(log, 3));
            dpa.launchUpdateSet(event, Long.MIN_VALUE, done, 2, 1, StepsStub.note(log, 2));
            dpa.launchUpdateAdd(event, Long.MAX_VALUE, done, 1, 1, StepsStub.note(log, 1));
            event.updateSet(Long.MAX_VALUE);
            await(done, 0);
            settle(mode, done, 1);
            assertThat(words(dpa, log, 2)).containsExactly(1, 1);
            event.updateAdd(1);
            await(done, 1);
            assertThat(words(dpa, log, 3)).containsExactly(2, 1, 2);
            event.updateSet(-2);
            settle(mode, done, 2);
            assertThat(words(dpa, log, 3)).containsExactly(2, 1, 2);
            event.updateAdd(1);
            await(done, 2);
            assertThat(words(dpa, log, 4)).containsExactly(3, 1, 2, 3);
        }
    }

    /// Nothing more happens, and the event does not come to be greater than that.
    static void settle(RunMode mode, SyncEvent event, long threshold) {
        boolean fast = mode instanceof RunMode.Fast;
        Duration limit = fast ? Duration.ofMillis(50) : DocaFixture.LONG;
        refused(DocaError.TIME_OUT, () -> await(event, threshold, limit));
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DPA-KL-4", "DPA-ERR-17"})
    void profilesOfBlueField3HaveThresholdsUpTo254(Profile profile) {
        boolean limited = profile == Profile.BF3 || profile == Profile.BF3_LINES;
        DpaDevice device = fixture.device(MachineOptions.DEFAULT, RunMode.weak(profile, 1));
        try (DocaDpa dpa = fixture.open(device);
                SyncEvent event = fixture.both(dpa);
                SyncEvent done = fixture.end(dpa)) {
            DpaCall<DpaThread> kernel = StepsStub.note(zeros(dpa, 8), 1);
            if (limited) {
                for (long threshold : new long[] {255, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
                    refused(
                            DocaError.INVALID_VALUE,
                            () -> dpa.launchUpdateAdd(event, threshold, done, 1, 1, kernel));
                    refused(
                            DocaError.INVALID_VALUE,
                            () -> dpa.launchUpdateSet(event, threshold, done, 1, 1, kernel));
                }
                assertThat(device.status().getFirst().kernels()).isEmpty();
            }
            long highest = limited ? 254 : 255;
            dpa.launchUpdateAdd(event, highest, done, 1, 1, kernel);
            event.updateSet(highest);
            await(done, 0);
            // Without an event a threshold says nothing.
            dpa.launchUpdateAdd(null, 1000, done, 1, 1, kernel);
            await(done, 1);
            assertThat(done.get()).isEqualTo(2);
        }
    }
}
