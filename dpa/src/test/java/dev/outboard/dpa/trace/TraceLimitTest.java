package dev.outboard.dpa.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.testkit.TraceFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A trace that is full.
class TraceLimitTest {
    private static final ThreadHandle THREAD = new ThreadHandle(0, 0, "add");

    private final AtomicLong clock = new AtomicLong(1_000);
    private final Tracer tracer = new Tracer("a clock", clock::incrementAndGet);
    private final Timeline timeline = new Timeline(tracer);

    /// Wherever the trace ends, what was begun ends with it, and no arrow leads nowhere.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 3000})
    void whatComesLaterIsCountedAndTold(int most) throws IOException {
        timeline.name("ledger");
        NicTimeline nic = new NicTimeline(timeline, 3);
        Trace trace = tracer.start(most);
        int rounds = 1000;
        for (int round = 0; round < rounds; round++) {
            timeline.begin(THREAD, 5);
            timeline.ring(0, 0x20, 0x41, round);
            nic.begin(0x42, round, "send", 8);
            nic.resume(0x42);
            nic.complete(0x43, round);
            nic.fire(0x43, THREAD);
            nic.end(0x42, 0);
            timeline.end(THREAD, 5);
        }
        trace.close();
        timeline.begin(THREAD, 5);

        assertThat(trace.events()).isEqualTo(most);
        assertThat(trace.lost()).isEqualTo(7 * rounds - most);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        trace.write(out);
        TraceFile file = TraceFile.read(out.toByteArray());
        assertThat(file.instants("execution units \\(a clock\\)"))
                .extracting(TraceFile.Slice::name)
                .containsExactly("the trace is full: %d events lost".formatted(7 * rounds - most));
        assertThat(file.slices("unit 5")).hasSize((most + 6) / 7);
        assertThat(file.slices("unit 5").getFirst().begin()).isEqualTo(1);
        assertThat(file.flows().isEmpty()).isEqualTo(most < 4);
    }
}
