package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Tasks for a pool of as many threads, that do nothing but count down a latch, until that is at
/// zero.
final class ExecutorTime implements Ours.Subject {
    private final int threads;
    private final ExecutorService pool;
    private final RoundTripTimes times = new RoundTripTimes();

    ExecutorTime(int threads) {
        this.threads = threads;
        pool = Executors.newFixedThreadPool(threads, Thread.ofPlatform().daemon().factory());
    }

    @Override
    public double run(long nanos) {
        return times.median(nanos, this::submit);
    }

    private void submit() {
        CountDownLatch ended = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            pool.execute(ended::countDown);
        }
        try {
            ended.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("The tasks were not waited for");
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
