package dev.outboard.naa.server;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// The threads that run routines that are not short: a fixed number, behind a bounded queue.
///
/// A routine that ignores that its time is over keeps its thread. Another one then takes its place,
/// until it returns; but there are never more than twice as many threads as configured, so that
/// routines that hang for good cost the server its capacity in the end, and nothing else.
///
/// Any thread may call. [#stop] ends it.
final class RoutineWorkers {
    private final int size;
    private final ThreadPoolExecutor pool;
    private int stuck;

    /// @param size how many threads
    /// @param maxQueued how many routines may wait for one
    RoutineWorkers(int size, int maxQueued) {
        this.size = size;
        BlockingQueue<Runnable> queue =
                maxQueued == 0 ? new SynchronousQueue<>() : new ArrayBlockingQueue<>(maxQueued);
        this.pool =
                new ThreadPoolExecutor(
                        size,
                        size,
                        0,
                        TimeUnit.NANOSECONDS,
                        queue,
                        Thread.ofPlatform().daemon().name("naa-routine-", 0).factory());
    }

    /// Runs a routine as soon as a thread is free.
    ///
    /// @return false if too many are waiting
    boolean execute(RoutineRun run) {
        try {
            pool.execute(run);
            return true;
        } catch (RejectedExecutionException _) {
            return false;
        }
    }

    /// Takes a routine out of the queue.
    ///
    /// @return false if it has begun
    boolean withdraw(RoutineRun run) {
        return pool.remove(run);
    }

    /// Replaces the thread of a routine that hangs.
    ///
    /// @return false if the routine has ended by now
    synchronized boolean replace(RoutineRun run) {
        if (!run.abandon(this::returned)) {
            return false;
        }
        stuck++;
        resize();
        return true;
    }

    /// How many threads are lost to routines that hang.
    synchronized int stuck() {
        return stuck;
    }

    /// How many routines wait for a thread.
    int queued() {
        return pool.getQueue().size();
    }

    /// Interrupts what runs and waits until it has ended.
    ///
    /// @param limit how long at most
    void stop(Duration limit) {
        pool.shutdownNow();
        try {
            pool.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void returned() {
        stuck--;
        resize();
    }

    /// The maximum is never below the core size, whichever way it goes.
    private void resize() {
        int target = size + Math.min(stuck, size);
        if (target > pool.getMaximumPoolSize()) {
            pool.setMaximumPoolSize(target);
            pool.setCorePoolSize(target);
        } else {
            pool.setCorePoolSize(target);
            pool.setMaximumPoolSize(target);
        }
    }
}
