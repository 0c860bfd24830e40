package dev.outboard.fabric.contract;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Waits for completions as an application that sleeps does. Time passes in calls of the API only,
/// so that it may be virtual.
public final class Completions {
    private static final int PATIENCE_SECONDS = 60;

    private Completions() {}

    /// The next completion of `queue`.
    public static Completion await(CompletionQueue queue) {
        Completion completion = new Completion();
        for (int i = 0; i < PATIENCE_SECONDS; i++) {
            if (queue.poll(completion)) {
                return completion;
            }
            queue.requestNotification(false);
            if (queue.poll(completion)) {
                return completion;
            }
            queue.await(TimeUnit.SECONDS.toNanos(1));
        }
        throw new AssertionError("no completion within " + PATIENCE_SECONDS + " s");
    }

    /// Waits until `condition`, which comes without any completion in `queue`.
    public static void awaitWithout(CompletionQueue queue, BooleanSupplier condition) {
        Completion completion = new Completion();
        for (int i = 0; i < TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS); i++) {
            if (queue.poll(completion)) {
                throw new AssertionError("unexpected: " + completion);
            }
            if (condition.getAsBoolean()) {
                return;
            }
            queue.await(TimeUnit.MILLISECONDS.toNanos(1));
        }
        throw new AssertionError("still not so after " + PATIENCE_SECONDS + " s");
    }
}
