package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.DocaException;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.doca.RdmaFixture.Setting;
import dev.outboard.dpa.nic.QueueStatus;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.dpa.trace.Trace;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.TraceFile;
import dev.outboard.testkit.TraceFile.Slice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What lists of processes and traces tell of RDMA that device code has posted.
class RdmaTraceTest {
    private static final String OPERATIONS = "operations of thread \\d+";

    static List<Setting> settings() {
        return RdmaFixture.settings();
    }

    /// A connection, and what [RdmaSteps] has to know of it.
    private static final class Connected implements AutoCloseable {
        private final RdmaFixture ends;
        private final RdmaEnd near;
        private final RdmaEnd far;
        private final DpaAddr words;

        Connected(Setting setting) {
            ends = new RdmaFixture(setting, RdmaStepsStub.APP);
            near = open(ends.left);
            far = open(ends.right);
            near.connect(0, far, 0);
            words = words(0);
        }

        private RdmaEnd open(RdmaFixture.Side on) {
            return ends.open(new RdmaEnd(on.dev(), on.dpa(), 1, Optional.empty()));
        }

        /// @param wrong makes the key of the peer another one
        private DpaAddr words(int wrong) {
            List<Long> known = near.towards(far);
            return ends.left.block(
                    known.get(0), known.get(2), known.get(1), known.get(4), known.get(3) ^ wrong);
        }

        private String purpose() {
            return "connection 0 of RDMA context 0x%x".formatted(near.rdma.dpaHandle());
        }

        private QueueStatus.Sends sends() {
            return ends.device().status().stream()
                    .flatMap(process -> process.queues().stream())
                    .map(QueueStatus::sends)
                    .filter(sends -> sends != null && sends.purpose().equals(purpose()))
                    .map(Objects::requireNonNull)
                    .findFirst()
                    .orElseThrow();
        }

        /// Those that were posted to the connection.
        private List<Slice> operations(Trace trace) throws IOException {
            return file(trace).slices(OPERATIONS).stream()
                    .filter(slice -> purpose().equals(slice.notes().get("for")))
                    .toList();
        }

        @Override
        public void close() {
            ends.close();
        }
    }

    private static TraceFile file(Trace trace) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        trace.write(out);
        return TraceFile.read(out.toByteArray());
    }

    /// When a thread runs one of a kernel.
    private static Slice rank(Trace trace, String name) throws IOException {
        return file(trace).slices("kernel thread \\d+ \\(thread \\d+\\)").stream()
                .filter(slice -> slice.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /// Where the operations of the same thread are.
    private static String track(Slice rank) {
        return rank.track().name().replaceFirst(".*\\((.*)\\)", "operations of $1");
    }

    @ParameterizedTest
    @MethodSource("settings")
    void aTraceHasOperationsFromTheirDoorbellToTheirEnd(Setting setting) throws IOException {
        try (Connected connected = new Connected(setting);
                Trace trace = connected.ends.device().trace()) {
            DocaDpa dpa = connected.ends.left.dpa();
            assertThat(dpa.rpc(RdmaStepsStub.writeAddRead(connected.words.value(), 5, 1)))
                    .isEqualTo(6);
            List<Slice> operations = connected.operations(trace);
            assertThat(operations)
                    .extracting(Slice::name)
                    .containsExactly("RDMA write", "fetch and add", "RDMA read");
            Slice call = rank(trace, "writeAddRead, rank 0 of 1");
            long number = (long) operations.getFirst().notes().get("queue pair");
            assertThat(file(trace).slices("queue pair 0x%x".formatted(number)))
                    .extracting(slice -> slice.notes().get("operation"))
                    .containsExactly("RDMA write", "fetch and add", "RDMA read");
            // All were posted by one doorbell, and the call has waited for their ends.
            assertThat(operations)
                    .allSatisfy(one -> {
                        assertThat(one.track().name()).isEqualTo(track(call));
                        assertThat(one.notes())
                                .containsEntry("bytes", 8L)
                                .containsEntry("syndrome", 0L);
                        assertThat(one.begin())
                                .isEqualTo(operations.getFirst().begin())
                                .isGreaterThanOrEqualTo(call.begin());
                        assertThat(one.ended())
                                .isGreaterThanOrEqualTo(one.begin())
                                .isLessThanOrEqualTo(call.ended());
                    });
            assertThat(operations)
                    .isSortedAccordingTo((a, b) -> Long.compare(a.ended(), b.ended()));
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void operationsOfAKernelAreBelowItsThread(Setting setting) throws Exception {
        try (Connected connected = new Connected(setting);
                Trace trace = connected.ends.device().trace()) {
            SyncEvent done = connected.ends.left.event();
            long words = connected.words.value();
            DocaDpa dpa = connected.ends.left.dpa();
            dpa.launchUpdateAdd(null, 0, done, 1, 1, RdmaStepsStub.writeMany(words, 3));
            done.waitGt(0, -1, Spin.YIELD, Duration.ofMinutes(1));
            // Who sees the event may be earlier than the end of the operation that has told it;
            // closing waits for that. The trace ends as soon as it is written.
            done.close();
            List<Slice> operations = connected.operations(trace);
            assertThat(operations)
                    .hasSize(3)
                    .allSatisfy(one -> {
                        assertThat(one.name()).isEqualTo("RDMA write");
                        assertThat(one.notes()).containsEntry("bytes", 8L);
                    });
            Slice kernel = rank(trace, "writeMany, rank 0 of 1");
            assertThat(operations)
                    .allSatisfy(one -> {
                        assertThat(one.track().name()).isEqualTo(track(kernel));
                        assertThat(one.begin()).isBetween(kernel.begin(), kernel.ended());
                    });
            // And the thread that tells the event has had the NIC do so.
            assertThat(file(trace).slices(OPERATIONS))
                    .anyMatch(one ->
                            one.name().equals("fetch and add")
                                    && "updates and copies of a thread"
                                            .equals(one.notes().get("for")));
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void whatAConnectionHasPostedIsCounted(Setting setting) throws IOException {
        try (Connected connected = new Connected(setting);
                Trace trace = connected.ends.device().trace()) {
            DocaDpa dpa = connected.ends.left.dpa();
            long words = connected.words.value();
            String purpose = connected.purpose();
            assertThat(connected.sends()).isEqualTo(new QueueStatus.Sends(purpose, 0, 0, 0));
            dpa.rpc(RdmaStepsStub.writeAddRead(words, 5, 1));
            dpa.rpc(RdmaStepsStub.holdBack(words));
            assertThat(connected.sends()).isEqualTo(new QueueStatus.Sends(purpose, 3, 0, 0));
            // The peer has no receive for it.
            dpa.rpc(RdmaStepsStub.touch(connected.near.rdma.dpaHandle(), 0));
            Eventually.until(() -> {
                dpa.rpc(RdmaStepsStub.flush(words));
                return connected.sends().equals(new QueueStatus.Sends(purpose, 5, 1, 0));
            });
            assertThat(connected.operations(trace).getLast())
                    .matches(one -> one.name().equals("send"))
                    .matches(one -> !one.notes().containsKey("syndrome"));
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void whatHasFailedIsCounted(Setting setting) throws IOException {
        try (Connected connected = new Connected(setting);
                Trace trace = connected.ends.device().trace()) {
            DocaDpa dpa = connected.ends.left.dpa();
            DpaAddr wrong = connected.words(0x5500);
            assertThatThrownBy(() -> dpa.rpc(RdmaStepsStub.overAndOver(wrong.value(), 1)))
                    .isInstanceOf(DocaException.class)
                    .hasMessageContaining("(code 81)");
            assertThat(connected.sends())
                    .isEqualTo(new QueueStatus.Sends(connected.purpose(), 1, 0, 1));
            assertThat(connected.operations(trace))
                    .singleElement()
                    .satisfies(one ->
                            assertThat(one.notes())
                                    .containsEntry(
                                            "syndrome", (long) Syndrome.REMOTE_ACCESS.code()));
        }
    }
}
