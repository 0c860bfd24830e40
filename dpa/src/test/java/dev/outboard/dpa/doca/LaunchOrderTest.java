package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.DocaFixture.await;
import static dev.outboard.dpa.doca.DocaFixture.words;
import static dev.outboard.dpa.doca.DocaFixture.zeros;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.QueueStatus;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Which kernel runs when.
class LaunchOrderTest {
    private static final int[][] ORDERS = {
        {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}
    };

    private final DocaFixture fixture = new DocaFixture();

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /// Three launches as the seed has them: each adds 1 to the event that it has waited for.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-LIT-46", "DPA-KL-10"})
    void theChainOfTheSeedRunsInItsOrder(RunMode mode) {
        for (int[] order : ORDERS) {
            DpaDevice device = fixture.device(MachineOptions.DEFAULT, mode);
            try (DocaDpa dpa = fixture.open(device);
                    SyncEvent event = fixture.both(dpa)) {
                DpaAddr log = zeros(dpa, 4);
                for (int step : order) {
                    DpaCall<DpaThread> function = StepsStub.note(log, step + 1);
                    dpa.launchUpdateAdd(event, step, event, 1, 1, function);
                }
                await(event, 2);
                assertThat(event.get()).isEqualTo(3);
                assertThat(words(dpa, log, 4)).containsExactly(3, 1, 2, 3);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-9")
    void argumentsAreCopied(RunMode mode) {
        try (DocaDpa dpa = fixture.open(fixture.device(MachineOptions.DEFAULT, mode));
                SyncEvent go = fixture.both(dpa);
                SyncEvent done = fixture.end(dpa)) {
            DpaAddr log = zeros(dpa, 4);
            ByteBuffer arguments = ByteBuffer.allocate(2 * Long.BYTES);
            arguments.order(ByteOrder.LITTLE_ENDIAN).putLong(log.value()).putLong(7).flip();
            DpaCall<DpaThread> call = new DpaCall<>(StepsStub.note(log, 0).function(), arguments);
            dpa.launchUpdateAdd(go, 1, done, 1, 1, call);
            arguments.putLong(Long.BYTES, 9);
            go.updateAdd(1);
            await(done, 0);
            assertThat(words(dpa, log, 2)).containsExactly(1, 7);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-9")
    void theOrderOfSubmissionIsNone(RunMode mode) {
        try (DocaDpa dpa = fixture.open(fixture.device(MachineOptions.DEFAULT, mode));
                SyncEvent go = fixture.both(dpa);
                SyncEvent done = fixture.end(dpa)) {
            DpaAddr log = zeros(dpa, 4);
            dpa.launchUpdateAdd(go, 2, done, 1, 1, StepsStub.note(log, 1));
            dpa.launchUpdateAdd(go, 1, done, 1, 1, StepsStub.note(log, 2));
            dpa.launchUpdateAdd(null, 0, done, 1, 1, StepsStub.note(log, 3));
            await(done, 0);
            go.updateAdd(1);
            await(done, 1);
            assertThat(words(dpa, log, 3)).containsExactly(2, 3, 2);
            go.updateAdd(1);
            await(done, 2);
            assertThat(words(dpa, log, 4)).containsExactly(3, 3, 2, 1);
        }
    }

    /// One unit, held by a kernel that waits for the CPU, while others get what they wait for.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-KL-9")
    void whoIsEligibleFirstGetsAUnitFirst(RunMode mode) {
        MachineOptions options = MachineOptions.DEFAULT.withUnits(new UnitGrid(1, 2, 1));
        DpaDevice device = fixture.device(options, mode);
        try (DocaDpa dpa = fixture.open(device);
                SyncEvent free = fixture.both(dpa);
                SyncEvent go = fixture.both(dpa);
                SyncEvent done = fixture.both(dpa)) {
            int kernels = 6;
            DpaAddr log = zeros(dpa, 2 + kernels);
            dpa.launchUpdateAdd(
                    null,
                    0,
                    null,
                    0,
                    1,
                    StepsStub.follow(free.handle(dpa), 0, log, done.handle(dpa)));
            settle(device, done, 1);
            // The last one that is submitted is the first one that may begin.
            for (int i = kernels; i > 0; i--) {
                dpa.launchUpdateAdd(go, i, done, 1, 1, StepsStub.note(log, 10 + i));
            }
            for (int i = 1; i <= kernels; i++) {
                go.updateAdd(1);
                settle(device, done, 1 + i);
            }
            free.updateSet(5);
            await(done, kernels);
            assertThat(words(dpa, log, 2 + kernels))
                    .containsExactly(1 + kernels, 5, 11, 12, 13, 14, 15, 16);
        }
    }

    /// Until the NIC has let so many kernels pass, and nobody goes on.
    private static void settle(DpaDevice device, SyncEvent done, int passed) {
        if (device.mode() instanceof RunMode.Fast) {
            Eventually.until(() -> passed(device) == passed);
        } else {
            KernelLimitsTest.settle(device.mode(), done, 0);
        }
    }

    /// The queue of the gatekeeper is the deepest one.
    private static long passed(DpaDevice device) {
        return device.status().getFirst().queues().stream()
                .filter(queue -> queue.depth() == 1024)
                .mapToLong(QueueStatus::written)
                .sum();
    }
}
