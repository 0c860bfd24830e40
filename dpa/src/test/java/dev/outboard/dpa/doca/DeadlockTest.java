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
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Kernels that hold all execution units and wait for each other.
class DeadlockTest {
    private static final Duration SHORT = Duration.ofMillis(30);

    private final DocaFixture fixture = new DocaFixture();

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static MachineOptions units(int usable) {
        return MachineOptions.DEFAULT.withUnits(new UnitGrid(1, usable + 1, 1));
    }

    /// Under FAST the watchdog comes soon.
    private DpaDevice impatient(int usable, RunMode mode) {
        Timing timing = new Timing(200_000_000, 1_000, CycleCosts.DEFAULT);
        return fixture.device(units(usable).withTiming(timing), mode);
    }

    /// The second function of the pipeline of the seed, which waits in it for the first one. In
    /// turns the seed of the mode lets it begin before what is launched next.
    private static void launchSecond(
            DpaDevice device, DocaDpa dpa, SyncEvent event, SyncEvent done, DpaAddr log) {
        long handle = event.handle(dpa);
        dpa.launchUpdateAdd(null, 0, done, 1, 1, StepsStub.follow(handle, 0, log, handle));
        if (device.mode() instanceof RunMode.Fast) {
            Eventually.until(() -> isWaiting(device));
        }
    }

    private static boolean isWaiting(DpaDevice device) {
        return device.status().stream()
                .flatMap(process -> process.kernels().stream())
                .anyMatch(kernel -> !kernel.waits().isEmpty());
    }

    /// The first function.
    private static void launchFirst(DocaDpa dpa, SyncEvent event, SyncEvent done) {
        dpa.launchUpdateAdd(null, 0, done, 1, 1, StepsStub.addTo(event.handle(dpa), 1, 1));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-KL-14", "DPA-LIT-47", "DPA-ERR-25"})
    void onOneUnitThePipelineIsADeadlock(RunMode mode) {
        DpaDevice device = impatient(1, mode);
        try (DocaDpa dpa = fixture.open(device);
                DocaDpa other = fixture.open(device);
                SyncEvent event = fixture.own(dpa);
                SyncEvent done = fixture.end(dpa)) {
            launchSecond(device, dpa, event, done, zeros(dpa, 4));
            launchFirst(dpa, event, done);
            assertThat(refused(DocaError.BAD_STATE, () -> await(done, 0)))
                    .contains("deadlock (code 75)")
                    .contains(
                            "kernel follow: rank 0 waits for event 0x%x > 0, which is 0"
                                    .formatted(event.handle(dpa)))
                    .contains("kernel addTo: 1 threads wait for an execution unit");
            assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.BAD_STATE);
            assertThat(done.get()).isZero();
            assertThat(other.rpc(StepsStub.sum(zeros(other, 1), 1))).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-LIT-47")
    void onTwoUnitsThePipelineCompletes(RunMode mode) {
        DpaDevice device = fixture.device(units(2), mode);
        try (DocaDpa dpa = fixture.open(device);
                SyncEvent event = fixture.own(dpa);
                SyncEvent done = fixture.end(dpa)) {
            DpaAddr log = zeros(dpa, 4);
            launchSecond(device, dpa, event, done, log);
            launchFirst(dpa, event, done);
            await(done, 1);
            assertThat(words(dpa, log, 2)).containsExactly(1, 1);
            assertThat(dpa.rpc(StepsStub.valueOf(event.handle(dpa)))).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-14")
    void eachRankThatWaitsIsListed(RunMode mode) {
        try (DocaDpa dpa = fixture.open(impatient(3, mode));
                SyncEvent event = fixture.own(dpa);
                SyncEvent done = fixture.end(dpa)) {
            long handle = event.handle(dpa);
            DpaAddr log = zeros(dpa, 8);
            dpa.launchUpdateAdd(null, 0, event, 5, 1, StepsStub.note(log, 1));
            dpa.launchUpdateAdd(event, 5, done, 1, 4, StepsStub.follow(handle, -2, log, handle));
            String report = refused(DocaError.BAD_STATE, () -> await(done, 0));
            assertThat(report).contains("deadlock (code 75)");
            for (int rank = 0; rank < 3; rank++) {
                assertThat(report)
                        .contains(
                                "kernel follow: rank %d waits for event 0x%x > 18446744073709551614, which is 5"
                                        .formatted(rank, handle));
            }
            assertThat(report).contains("kernel follow: 1 threads wait for an execution unit");
        }
    }

    /// The host waits for a call, which gets no unit.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-KL-14", "DPA-ERR-25"})
    void aCallEndsWithTheReport(RunMode mode) {
        DpaDevice device = impatient(1, mode);
        try (DocaDpa dpa = fixture.open(device);
                SyncEvent event = fixture.own(dpa);
                SyncEvent done = fixture.end(dpa)) {
            DpaAddr log = zeros(dpa, 4);
            launchSecond(device, dpa, event, done, log);
            // Some come before the kernel.
            String report = refused(DocaError.BAD_STATE, () -> callForEver(dpa, log));
            assertThat(report)
                    .contains("deadlock (code 75)")
                    .contains("kernel follow: rank 0 waits for event 0x");
        }
    }

    private static void callForEver(DocaDpa dpa, DpaAddr log) {
        while (true) {
            dpa.rpc(StepsStub.sum(log, 1));
        }
    }

    /// A kernel that is launched now gets a unit, so that this is none.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-14")
    void itIsNoDeadlockAsLongAsAUnitIsFree(RunMode mode) {
        DpaDevice device = fixture.device(units(2), mode);
        try (DocaDpa dpa = fixture.open(device);
                SyncEvent event = fixture.own(dpa);
                SyncEvent done = fixture.end(dpa)) {
            launchSecond(device, dpa, event, done, zeros(dpa, 4));
            checkNobodyGoesOn(mode, done, event.handle(dpa));
            assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.SUCCESS);
            launchFirst(dpa, event, done);
            await(done, 1);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-14")
    void itIsNoDeadlockIfTheCpuMaySignal(RunMode mode) {
        DpaDevice device = fixture.device(units(1), mode);
        try (DocaDpa dpa = fixture.open(device);
                SyncEvent event = fixture.both(dpa);
                SyncEvent done = fixture.end(dpa)) {
            launchSecond(device, dpa, event, done, zeros(dpa, 4));
            checkNobodyGoesOn(mode, done, event.handle(dpa));
            launchFirst(dpa, event, done);
            checkNobodyGoesOn(mode, done, event.handle(dpa));
            assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.SUCCESS);
            event.updateAdd(1);
            await(done, 1);
            assertThat(event.get()).isEqualTo(3);
        }
    }

    /// In turns the CPU knows at once that nobody does anything.
    private static void checkNobodyGoesOn(RunMode mode, SyncEvent done, long handle) {
        boolean fast = mode instanceof RunMode.Fast;
        String said =
                refused(DocaError.TIME_OUT, () -> await(done, 0, fast ? SHORT : DocaFixture.LONG));
        if (!fast) {
            assertThat(said)
                    .contains(
                            "kernel follow: rank 0 waits for event 0x%x > 0, which is 0"
                                    .formatted(handle));
        }
    }

    /// The machine of EXPLORE begins with all its threads, and ends with them.
    @Test
    @Requirement("DPA-KL-14")
    void noHostLaunchesKernelsInExplore() {
        DpaDevice device = DpaDevice.of(units(1), RunMode.explore(Profile.SEED));
        refused(DocaError.NOT_SUPPORTED, () -> DocaDpa.create(fixture.dev, device));
    }
}
