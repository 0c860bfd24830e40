package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;
import java.util.concurrent.Semaphore;

/// Hand-overs to another thread and back, by the semaphores of the JDK: what a call costs at least
/// if both sides sleep until it is their turn.
final class HandOverTime implements Ours.Subject {
    private final Semaphore there = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);
    private final Thread other = Thread.ofPlatform().daemon().name("hand-over").start(this::answer);
    private final RoundTripTimes times = new RoundTripTimes();
    private volatile boolean closed;

    @Override
    public double run(long nanos) {
        return times.median(nanos, this::handOver);
    }

    private void handOver() {
        there.release();
        back.acquireUninterruptibly();
    }

    private void answer() {
        while (!closed) {
            there.acquireUninterruptibly();
            back.release();
        }
    }

    @Override
    public void close() {
        closed = true;
        there.release();
        Ours.join(other);
    }
}
