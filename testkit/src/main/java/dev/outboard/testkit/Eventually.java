package dev.outboard.testkit;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Waits for what other threads or processes bring about.
public final class Eventually {
    /// Only what hangs takes so long, however busy the machine is.
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private Eventually() {}

    /// Asks again and again until `done`.
    ///
    /// @throws AssertionError if that takes too long
    public static void until(BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new AssertionError("still not so after 2 min");
            }
            Thread.onSpinWait();
        }
    }
}
