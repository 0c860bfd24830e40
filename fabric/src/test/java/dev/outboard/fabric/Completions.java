package dev.outboard.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// Waits for completions as an application that sleeps does.
final class Completions {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Completions() {}

    /// The next completion of `queue`.
    static Completion await(CompletionQueue queue) {
        Completion completion = new Completion();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!queue.poll(completion)) {
            queue.requestNotification(false);
            if (queue.poll(completion)) {
                break;
            }
            assertThat(System.nanoTime()).as("deadline for a completion").isLessThan(deadline);
            queue.await(TimeUnit.SECONDS.toNanos(1));
        }
        return completion;
    }
}
