package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.DocaFixture.await;
import static dev.outboard.dpa.doca.DocaFixture.zeros;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.KernelStatus;
import dev.outboard.dpa.flexio.ProcessStatus;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.QueueStatus;
import dev.outboard.dpa.trace.Trace;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.TraceFile;
import dev.outboard.testkit.TraceFile.Slice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a context is made of, and what lists of processes tell of it.
class LayersTest {
    private final DocaFixture fixture = new DocaFixture();

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /// A call, a launch, and an event: the gatekeeper is a handler that completions activate, and
    /// so are the threads that run kernels.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-SYS-8", "DPA-SYS-10"})
    void aContextIsHandlersAndQueuesOfFlexio(RunMode mode) {
        DpaDevice device = fixture.device(MachineOptions.DEFAULT, mode);
        try (DocaDpa dpa = fixture.open(device);
                SyncEvent go = fixture.both(dpa);
                SyncEvent done = fixture.end(dpa)) {
            assertThat(names(device)).containsExactly("RPC", "gatekeeper");
            assertThat(count(device, QueueStatus.Kind.QUEUE_PAIR)).isZero();
            long without = count(device, QueueStatus.Kind.COMPLETION_QUEUE);
            DpaAddr log = zeros(dpa, 4);
            dpa.launchUpdateAdd(go, 1, done, 1, 2, StepsStub.note(log, 1));
            assertThat(names(device))
                    .containsExactly("RPC", "gatekeeper", "kernel thread 0", "kernel thread 1");
            // A gate, and the channel of each thread.
            assertThat(count(device, QueueStatus.Kind.QUEUE_PAIR)).isEqualTo(3);
            // For each thread, the one that wakes it, and the one of its channel.
            assertThat(count(device, QueueStatus.Kind.COMPLETION_QUEUE)).isEqualTo(without + 4);
            go.updateAdd(1);
            await(done, 0);
            assertThat(dpa.rpc(StepsStub.sum(log, 3))).isEqualTo(4);
            assertThat(only(device).threads().subList(1, 4))
                    .allSatisfy(thread -> assertThat(thread.activations()).isPositive());
        }
    }

    private static List<String> names(DpaDevice device) {
        return only(device).threads().stream().map(thread -> thread.status().name()).toList();
    }

    private static long count(DpaDevice device, QueueStatus.Kind kind) {
        return only(device).queues().stream().filter(queue -> queue.kind() == kind).count();
    }

    private static ProcessStatus only(DpaDevice device) {
        return device.status().getFirst();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void aTraceShowsWhichThreadRunsWhichRank(RunMode mode) throws IOException {
        MachineOptions options = MachineOptions.DEFAULT.withUnits(new UnitGrid(1, 3, 1));
        DpaDevice device = fixture.device(options, mode);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Trace trace = device.trace()) {
            try (DocaDpa dpa = fixture.open(device);
                    SyncEvent done = fixture.end(dpa)) {
                // Each thread gives its unit away in the middle.
                dpa.launchUpdateAdd(null, 0, done, 1, 5, StepsStub.ranks(zeros(dpa, 6)));
                await(done, 0);
                assertThat(dpa.rpc(StepsStub.sum(zeros(dpa, 1), 1))).isZero();
            }
            trace.write(out);
        }
        TraceFile file = TraceFile.read(out.toByteArray());
        for (String tracks : List.of("kernel thread \\d+ .*", "unit \\d+")) {
            List<Slice> slices = file.slices(tracks);
            for (int rank = 0; rank < 5; rank++) {
                String name = "ranks, rank %d of 5".formatted(rank);
                assertThat(slices).anyMatch(slice -> slice.name().equals(name));
            }
            assertThat(slices).anyMatch(slice -> slice.name().equals("sum, rank 0 of 1"));
            List<Slice> kernels =
                    slices.stream().filter(slice -> slice.name().contains(", rank ")).toList();
            assertThat(kernels)
                    .allSatisfy(kernel ->
                            assertThat(slices)
                                    .anyMatch(outer ->
                                            !outer.name().contains(", rank ")
                                                    && outer.track().equals(kernel.track())
                                                    && outer.begin() <= kernel.begin()
                                                    && outer.ended() >= kernel.ended()));
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void kernelsAreListedUntilTheyEnd(RunMode mode) {
        DpaDevice device = fixture.device(MachineOptions.DEFAULT, mode);
        try (DocaDpa dpa = fixture.open(device);
                SyncEvent go = fixture.both(dpa);
                SyncEvent done = fixture.end(dpa)) {
            long event = go.handle(dpa);
            DpaAddr log = zeros(dpa, 8);
            dpa.launchUpdateAdd(go, 3, done, 1, 4, StepsStub.follow(event, 9, log, event));
            KernelStatus waiting = only(device).kernels().getFirst();
            assertThat(waiting.function()).isEqualTo("follow");
            assertThat(waiting.isBegun()).isFalse();
            assertThat(waiting.waits()).containsExactly(new KernelStatus.Wait(-1, event, 0, 3, -1));
            assertThat(waiting.waits().getFirst().text())
                    .isEqualTo("the launch waits for event 0x%x >= 3".formatted(event));
            go.updateSet(5);
            if (mode instanceof RunMode.Fast) {
                Eventually.until(() ->
                        only(device).kernels().getFirst().waits().stream()
                                        .filter(wait -> wait.rank() >= 0)
                                        .count()
                                == 4);
            } else {
                KernelLimitsTest.settle(mode, done, 0);
            }
            assertThat(only(device).kernels())
                    .singleElement()
                    .satisfies(kernel -> {
                        assertThat(kernel.state())
                                .isEqualTo("4 running, 0 ended, 0 waiting for a unit");
                        assertThat(kernel.waits())
                                .extracting(KernelStatus.Wait::rank)
                                .containsExactlyInAnyOrder(0, 1, 2, 3);
                        assertThat(kernel.waits())
                                .allSatisfy(wait ->
                                        assertThat(wait.text())
                                                .endsWith(
                                                        "waits for event 0x%x > 9, which is 5"
                                                                .formatted(event)));
                    });
            go.updateSet(10);
            await(done, 0);
            assertThat(only(device).kernels()).isEmpty();
        }
    }
}
