package dev.outboard.naa.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// A log whose reader stalls, as a pipe's may.
class ServerLogTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch reading = new CountDownLatch(1);

    private void stall(String line) {
        try {
            reading.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        lines.add(line);
    }

    @Test
    void passesLinesOnInOrder() {
        ServerLog log = new ServerLog(lines::add);
        for (int i = 0; i < 100; i++) {
            assertThat(log.say("line " + i)).isTrue();
            if (i % 10 == 0) {
                assertThat(log.flush(LONG)).isTrue();
            }
        }

        assertThat(log.flush(LONG)).isTrue();
        assertThat(lines).hasSize(100).startsWith("line 0", "line 1").endsWith("line 99");
        assertThat(log.counters()).containsEntry("log.dropped", 0L);
    }

    @Test
    void aReaderThatStallsKeepsNobodyWaitingAndHearsHowMuchItMissed() {
        ServerLog log = new ServerLog(this::stall);
        int accepted = 0;
        for (int i = 0; i < 10 * ServerLog.CAPACITY; i++) {
            accepted += log.say("line " + i) ? 1 : 0;
        }

        // One more may be on its way to the reader.
        assertThat(accepted).isBetween(ServerLog.CAPACITY, ServerLog.CAPACITY + 1);
        assertThat(log.flush(Duration.ofMillis(1))).isFalse();
        long dropped = 10L * ServerLog.CAPACITY - accepted;
        assertThat(log.counters()).containsEntry("log.dropped", dropped);
        reading.countDown();
        assertThat(log.flush(LONG)).isTrue();
        assertThat(lines)
                .hasSize(accepted + 1)
                .last()
                .isEqualTo(dropped + " lines were dropped: nobody took them");
    }

    @Test
    void whatClientsCauseIsLimitedByKind() {
        ServerLog log = new ServerLog(lines::add);
        long start = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            log.say("refusals", "refused " + i);
            log.flush(LONG);
        }
        log.say("failures", "failed");
        log.flush(LONG);
        long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds() + 1;

        long refused = lines.stream().filter(line -> line.startsWith("refused ")).count();
        assertThat(refused).isBetween(20L, ServerLog.LINES_PER_SECOND * (seconds + 1));
        assertThat(log.counters()).containsEntry("log.limited", 1_000 - refused);
        assertThat(lines).endsWith("failed");
    }

    @Test
    void aReaderThatFailsEndsNothing() {
        ServerLog log =
                new ServerLog(line -> {
                    if (line.equals("bad")) {
                        throw new IllegalStateException("no");
                    }
                    lines.add(line);
                });
        log.say("bad");
        log.say("good");

        assertThat(log.flush(LONG)).isTrue();
        assertThat(lines)
                .containsExactlyInAnyOrder("good", "1 lines were dropped: nobody took them");
    }

    @Test
    void aReaderThatTakesNothingIsNotAskedForEver() {
        AtomicInteger asked = new AtomicInteger();
        ServerLog log =
                new ServerLog(_ -> {
                    asked.incrementAndGet();
                    throw new IllegalStateException("no");
                });
        log.say("bad");

        assertThat(log.flush(LONG)).isTrue();
        assertThat(asked).hasValue(2);
        assertThat(log.counters()).containsEntry("log.dropped", 1L);
    }
}
