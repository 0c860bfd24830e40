package dev.outboard.bench.comparison;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What goes before a measurement on a JVM. Java's compiler takes its processors from what is
/// measured while it works.
public final class WarmUp {
    private static final int LEAST = 3;
    private static final int MOST = 24;

    private static final long LIMIT_NANOS = 30_000_000_000L;

    /// The part of the time for which a quiet compiler works at most.
    private static final double QUIET = 0.05;

    private static final @Nullable CompilationMXBean COMPILER =
            ManagementFactory.getCompilationMXBean();

    private WarmUp() {}

    /// Does `work` again and again until the compiler is quiet meanwhile: at least three times, at
    /// most 24, and not again half a minute after the first time, which may have much to set up.
    public static void with(Runnable work) {
        with(work, WarmUp::compilerMillis);
    }

    /// The same for a JVM whose compiler has worked for `compilerMillis` in all.
    public static void with(Runnable work, LongSupplier compilerMillis) {
        long deadline = 0;
        boolean goesOn = true;
        for (int i = 0; i < LEAST || (goesOn && i < MOST); i++) {
            long start = System.nanoTime();
            long compiled = compilerMillis.getAsLong();
            work.run();
            long compiling = TimeUnit.MILLISECONDS.toNanos(compilerMillis.getAsLong() - compiled);
            long now = System.nanoTime();
            deadline = i == 0 ? now + LIMIT_NANOS : deadline;
            goesOn = compiling >= QUIET * (now - start) && now - deadline < 0;
        }
    }

    /// For how long the compiler of this process has worked so far.
    public static long compilerMillis() {
        return COMPILER == null ? 0 : COMPILER.getTotalCompilationTime();
    }
}
