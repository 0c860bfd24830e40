package dev.outboard.bench.comparison;

import java.time.Duration;
import java.util.concurrent.Callable;

/// What Outboard does, in this process. Made anew for every measurement, because its threads spin
/// as long as it lives.
public final class Ours implements Contender {
    private static final int WARM_UP_SHARE = 10;

    private final String name;
    private final Callable<Subject> maker;

    /// Something that lives as long as one measurement.
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
        this.name = name;
        this.maker = maker;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double measure(Duration time) {
        try (Subject subject = maker.call()) {
            subject.run(time.toNanos() / WARM_UP_SHARE);
            return subject.run(time.toNanos());
        } catch (Exception e) {
            throw new MeasurementException(e.toString());
        }
    }
}
