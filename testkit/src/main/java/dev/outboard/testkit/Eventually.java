package dev.outboard.testkit;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Waits for what other threads or processes bring about.
public final class Eventually {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private Eventually() {}

    /// Asks again and again until `done`.
    ///
    /// @throws AssertionError if that takes too long
    public static void until(BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new AssertionError("still not so after 30 s");
            }
            Thread.onSpinWait();
        }
    }
}
