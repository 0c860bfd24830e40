package dev.outboard.bench.comparison;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// What Outboard does, in this process. Made anew for every measurement, because its threads may
/// spin as long as it lives, unless it is [kept][#kept].
public final class Ours implements Contender {
    private static final int WARM_UP_SHARE = 10;

    private final String name;
    private final Callable<Subject> maker;
    private final boolean keeps;
    private @Nullable Subject kept;

    /// Something that lives as long as one measurement, or all of them.
    public interface Subject extends AutoCloseable {
        /// Runs for about `nanos`; the result is what [Contender#measure] returns.
        double run(long nanos);

        @Override
        void close();
    }

    /// Waits for a thread that was told to stop.
    public static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// A contender for which `maker` makes a subject per measurement.
    public Ours(String name, Callable<Subject> maker) {
        this(name, maker, false);
    }

    private Ours(String name, Callable<Subject> maker, boolean keeps) {
        this.name = name;
        this.maker = maker;
        this.keeps = keeps;
    }

    /// A contender for which `maker` makes one subject, for all measurements, because it is dear to
    /// set up. Others are in turns with it only if it leaves the processors to them meanwhile.
    public static Ours kept(String name, Callable<Subject> maker) {
        return new Ours(name, maker, true);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double measure(Duration time) {
        try {
            if (keeps) {
                if (kept == null) {
                    kept = maker.call();
                }
                return measure(kept, time);
            }
            try (Subject subject = maker.call()) {
                return measure(subject, time);
            }
        } catch (Exception e) {
            throw new MeasurementException(e.toString());
        }
    }

    private static double measure(Subject subject, Duration time) {
        subject.run(time.toNanos() / WARM_UP_SHARE);
        return subject.run(time.toNanos());
    }

    @Override
    public void close() {
        if (kept != null) {
            kept.close();
            kept = null;
        }
    }
}
