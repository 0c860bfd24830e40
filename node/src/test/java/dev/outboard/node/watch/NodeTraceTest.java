package dev.outboard.node.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.trace.Trace;
import dev.outboard.dpa.trace.Tracer;
import dev.outboard.testkit.TraceFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The limits of the trace of a node.
class NodeTraceTest {
    private final NodeTrace trace = new NodeTrace();

    private TraceFile written() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        trace.write(out);
        return TraceFile.read(out.toByteArray());
    }

    @Test
    void acceleratorsThatAreTooManyAreEndedAndCounted() throws IOException {
        List<Tracer> tracers = new ArrayList<>();
        for (int i = 0; i < NodeTrace.MOST_OTHERS + 2; i++) {
            Tracer tracer = Tracer.monotonic();
            Trace other = tracer.start(10);
            other.slice("accelerator " + i, "work", "something", other.now(), other.now(), 0);
            tracers.add(tracer);
            trace.add(other);
        }

        Tracer first = tracers.getFirst();
        assertThatThrownBy(() -> first.start(10)).isInstanceOf(IllegalStateException.class);
        tracers.getLast().start(10).close();
        TraceFile file = written();
        assertThat(file.slices("work")).hasSize(NodeTrace.MOST_OTHERS);
        assertThat(file.slices("lost"))
                .extracting(TraceFile.Slice::name)
                .containsExactly("2 accelerators more than the trace shows");
    }
}
