package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.TestDevices;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What is said of a context that waits for a connection nobody makes.
class PatientStartTest {
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger(Rdma.class.getName());
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord logged) {
                    said.add(
                            logged.getLevel()
                                    + " "
                                    + MessageFormat.format(
                                            logged.getMessage(), logged.getParameters()));
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void deafen() {
        logger.removeHandler(handler);
    }

    private static RdmaEnd end() {
        return new RdmaEnd(TestDevices.loopback());
    }

    @Test
    void whoProgressesInVainIsToldOnce() {
        try (RdmaEnd end = end()) {
            end.rdma.start();
            end.progressUntil(() -> !said.isEmpty());

            end.progressUntil(() -> !end.engine.progress());
            assertThat(said)
                    .singleElement()
                    .asString()
                    .startsWith(Level.WARNING + " " + end.rdma)
                    .contains("STARTING", "GATED", "export()", "connect()", "peer's", "OPEN");
        }
    }

    @Test
    void whoSleepsInVainIsToldToo() throws InterruptedException {
        try (RdmaEnd end = end()) {
            end.rdma.start();

            while (said.isEmpty()) {
                end.engine.await(Duration.ofMinutes(1));
                end.engine.progress();
            }

            assertThat(end.rdma.state()).isEqualTo(CtxState.STARTING);
        }
    }

    @Test
    void whoConnectsIsToldNothing() {
        try (RdmaEnd ours = end();
                RdmaEnd theirs = end()) {
            RdmaEnd.connect(ours, theirs);
            long end = System.nanoTime() + PatientStart.PATIENCE_NANOS + 100_000_000;

            ours.progressUntil(() -> System.nanoTime() - end > 0);

            assertThat(said).isEmpty();
        }
    }
}
