package dev.outboard.dpa.trace;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.testkit.TraceFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Traces of several processes, and what is beside a DPA in them.
class TraceMergeTest {
    private static final long CALL = -7;

    private static byte[] of(Trace trace) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        trace.writeAbsolute(out, 0);
        return out.toByteArray();
    }

    private static Trace start(long now) {
        return new Tracer("a clock", new AtomicLong(now)::incrementAndGet).start(100);
    }

    private static byte[] merged(byte[]... traces) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TraceMerge.merge(List.of(traces), out);
        return out.toByteArray();
    }

    @Test
    void oneCallIsJoinedThroughBothProcesses() throws IOException {
        Trace client = start(1000);
        client.slice("client", "calls", "edges", 1010, 1090, CALL);
        Trace node = start(500);
        node.slice("node", "routines", "edges", 1020, 1070, CALL);
        node.slice("node", "routines", "other", 1030, 1040, 0);

        TraceFile file = TraceFile.read(merged(of(client), of(node)));

        assertThat(times(file, "calls")).containsExactly("edges 1010 1090");
        assertThat(times(file, "routines"))
                .containsExactlyInAnyOrder("edges 1020 1070", "other 1030 1040");
        assertThat(file.joined())
                .extractingByKey(CALL, as(list(TraceFile.Slice.class)))
                .extracting(slice -> slice.track().name())
                .containsExactly("calls", "routines");
    }

    private static List<String> times(TraceFile file, String track) {
        return file.slices(track).stream()
                .map(slice -> slice.name() + " " + slice.begin() + " " + slice.ended())
                .toList();
    }

    @Test
    void tracesOfMachinesKeepTheirTracksAndArrows() throws IOException {
        byte[] one = machine();
        TraceFile alone = TraceFile.read(one);
        TraceFile both = TraceFile.read(merged(one, one));
        assertThat(both.slices("unit 5")).hasSize(2 * alone.slices("unit 5").size());
        assertThat(both.flows()).hasSize(2 * alone.flows().size());
    }

    private static byte[] machine() throws IOException {
        Tracer tracer = new Tracer("a clock", new AtomicLong()::incrementAndGet);
        Timeline timeline = new Timeline(tracer);
        NicTimeline nic = new NicTimeline(timeline, 3);
        Trace trace = tracer.start(100);
        ThreadHandle thread = new ThreadHandle(0, 0, "add");
        for (int round = 0; round < 3; round++) {
            timeline.begin(thread, 5);
            timeline.ring(0, 0x20, 0x41, round);
            nic.begin(0x42, round, "send", 8);
            nic.resume(0x42);
            nic.complete(0x43, round);
            nic.fire(0x43, thread);
            nic.end(0x42, 0);
            timeline.end(thread, 5);
        }
        return of(trace);
    }

    @Test
    void whatIsNoTraceIsNamed() throws IOException {
        byte[] good = machine();
        assertThatThrownBy(() -> merged(good, new byte[] {10, 100, 1}))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("trace 2: byte ");
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 10_000; i++) {
            byte[] bad = Arrays.copyOf(good, random.nextInt(good.length));
            for (int j = 0; j < 3 && bad.length > 0; j++) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try {
                merged(bad);
            } catch (IOException refused) {
                assertThat(refused).hasMessageStartingWith("trace 1: byte ");
            }
        }
    }

    @Test
    void whatIsFullCountsSlicesToo() throws IOException {
        Trace trace = new Tracer("a clock", new AtomicLong()::incrementAndGet).start(2);
        for (int i = 0; i < 5; i++) {
            long at = 10L * i;
            trace.slice("node", "routines", "r" + i, at, at + 5, 0);
        }
        assertThat(trace.events()).isEqualTo(2);
        assertThat(trace.lost()).isEqualTo(3);
        assertThat(TraceFile.read(of(trace)).slices("routines")).hasSize(2);
    }
}
