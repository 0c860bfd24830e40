package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Ctx;
import dev.outboard.doca.DocaError;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the flight recorder and the log tell, on every provider.
@Requirement("DJAVA-API-9")
abstract class RecordingContract extends RdmaPairContract {
    private static final String EVENTS = "dev.outboard.doca.";
    private static final Duration THRESHOLD = Duration.ofMillis(2);

    @TempDir private Path directory;

    private static void takeLong() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < 2 * THRESHOLD.toNanos()) {
            Thread.onSpinWait();
        }
    }

    /// A message whose callback takes long, and one that finds no receive, which is fatal.
    private void useAndFail() {
        theirs.rdma.receive(task -> takeLong(), task -> {}, 1);
        ours.rdma.rnrRetryCount(0);
        connect();
        ReceiveTask receive = posted(null);
        assertSucceeds(ours, ours.peer.allocSend(null));
        theirs.progressUntil(() -> !receive.isInFlight());
        assertThat(ours.run(ours.peer.allocSend(null))).isEqualTo(DocaError.IO_FAILED);
    }

    @Test
    void theFlightRecorderSeesConnectionsFailuresAndSlowCallbacks() throws IOException {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable(EVENTS + "Connect");
            recording.enable(EVENTS + "Disconnect");
            recording.enable(EVENTS + "FatalError");
            recording.enable(EVENTS + "SlowCallback").withThreshold(THRESHOLD);
            recording.start();
            useAndFail();
            recording.stop();
            Path file = directory.resolve("doca.jfr");
            recording.dump(file);
            events = RecordingFile.readAllEvents(file);
        }
        assertThat(named(events, "Connect"))
                .extracting(event -> event.getString("connection"))
                .containsExactlyInAnyOrder(ours.peer.toString(), theirs.peer.toString());
        assertThat(named(events, "Disconnect"))
                .extracting(event -> event.getString("connection"))
                .containsExactly(ours.peer.toString());
        assertThat(named(events, "FatalError"))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getString("context")).isEqualTo(ours.rdma.toString());
                    assertThat(event.getString("cause"))
                            .isEqualTo(ours.rdma.stopCause().orElseThrow().toString());
                });
        assertThat(named(events, "SlowCallback"))
                .allMatch(event -> event.getDuration().compareTo(THRESHOLD) >= 0)
                .extracting(event -> event.getString("argument"))
                .contains("ReceiveTask");
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(EVENTS + name))
                .toList();
    }

    @Test
    void theLogTellsOfConnectionsAndWarnsOfFatalErrors() {
        List<LogRecord> records = new ArrayList<>();
        Logger connections = Logger.getLogger(RdmaConnection.class.getName());
        Logger contexts = Logger.getLogger(Ctx.class.getName());
        Handler handler = new RecordingHandler(records);
        connections.setLevel(Level.FINE);
        connections.addHandler(handler);
        contexts.addHandler(handler);
        try {
            useAndFail();
        } finally {
            connections.setLevel(null);
            connections.removeHandler(handler);
            contexts.removeHandler(handler);
        }
        assertThat(records)
                .extracting(each -> each.getLevel() + " " + each.getMessage())
                .containsExactly(
                        "FINE {0} is connected",
                        "FINE {0} is connected", "FINE {0} has ended", "WARNING {0} stops: {1}");
    }

    private static final class RecordingHandler extends Handler {
        private final List<LogRecord> records;

        RecordingHandler(List<LogRecord> records) {
            this.records = records;
        }

        @Override
        public void publish(LogRecord logged) {
            records.add(logged);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
