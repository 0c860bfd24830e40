package dev.outboard.naa.server;

import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The threads that run routines that are not short: a fixed number. Calls that wait for one take
/// turns, address by address; a connection has one call at a time, so that is fair among clients
/// too.
///
/// A routine that ignores that its time is over keeps its thread. Another one then takes its place,
/// until it returns; but there are never more than twice as many threads as configured, so that
/// routines that hang for good cost the server its capacity in the end, and nothing else.
///
/// Any thread may call. [#stop] ends it.
final class RoutineWorkers {
    private final int size;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition available = lock.newCondition();
    private final Condition ended = lock.newCondition();
    private final FairTurns<Origin, RoutineRun> turns;
    private final ThreadFactory factory =
            Thread.ofPlatform().daemon().name("naa-routine-", 0).factory();
    private final Set<Thread> threads = new HashSet<>();
    private int idle;
    private int stuck;
    private boolean stopping;

    /// @param size how many threads
    /// @param maxPerAddress how many of them may run calls from one address
    /// @param maxQueued how many routines may wait for one
    RoutineWorkers(int size, int maxPerAddress, int maxQueued) {
        this.size = size;
        this.turns = new FairTurns<>(size, maxPerAddress, maxQueued);
    }

    /// Runs a routine as soon as a thread is free and it is its turn.
    ///
    /// @return false if too many are waiting
    boolean execute(RoutineRun run) {
        lock.lock();
        try {
            boolean accepted = !stopping && turns.offer(run.origin(), run);
            wake();
            return accepted;
        } finally {
            lock.unlock();
        }
    }

    /// Takes a routine out of the queue.
    ///
    /// @return false if it has begun
    boolean withdraw(RoutineRun run) {
        lock.lock();
        try {
            boolean withdrawn = turns.remove(run.origin(), run);
            wake();
            return withdrawn;
        } finally {
            lock.unlock();
        }
    }

    /// Replaces the thread of a routine that hangs.
    ///
    /// @return false if the routine has ended by now
    boolean replace(RoutineRun run) {
        lock.lock();
        try {
            if (!run.abandon(this::returned)) {
                return false;
            }
            stuck++;
            resize();
            turns.done(run.origin());
            wake();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// How many threads are lost to routines that hang.
    int stuck() {
        lock.lock();
        try {
            return stuck;
        } finally {
            lock.unlock();
        }
    }

    /// How many routines wait for a thread.
    int queued() {
        lock.lock();
        try {
            return turns.waiting();
        } finally {
            lock.unlock();
        }
    }

    /// Interrupts what runs and waits until it has ended.
    ///
    /// @param limit how long at most
    void stop(Duration limit) {
        lock.lock();
        try {
            stopping = true;
            turns.clear();
            threads.forEach(Thread::interrupt);
            available.signalAll();
            long left = limit.toNanos();
            while (!threads.isEmpty() && left > 0) {
                left = ended.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void returned() {
        lock.lock();
        try {
            stuck--;
            resize();
            wake();
        } finally {
            lock.unlock();
        }
    }

    /// Beyond as many threads again as configured, one that is lost is not replaced.
    private void resize() {
        turns.capacity(Math.min(size, Math.max(0, 2 * size - stuck)));
    }

    /// Sees to it that everything that is ready finds a thread.
    private void wake() {
        for (int missing = turns.ready() - idle; missing > 0; missing--) {
            Thread thread = factory.newThread(this::work);
            threads.add(thread);
            idle++;
            thread.start();
        }
        for (int i = 0; i < turns.ready(); i++) {
            available.signal();
        }
    }

    // ---- threads --------------------------------------------------------------------------------

    private void work() {
        Optional<RoutineRun> run = take();
        while (run.isPresent()) {
            run.get().run();
            run = finished(run.get()) ? take() : Optional.empty();
        }
        lock.lock();
        try {
            threads.remove(Thread.currentThread());
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Waits for a routine to run; nothing when the server stops. The thread counts as idle.
    private Optional<RoutineRun> take() {
        lock.lock();
        try {
            Optional<RoutineRun> next = turns.next();
            while (next.isEmpty() && !stopping) {
                available.awaitUninterruptibly();
                next = turns.next();
            }
            idle--;
            return next;
        } finally {
            lock.unlock();
        }
    }

    /// @return whether the thread is needed any more; it counts as idle then
    private boolean finished(RoutineRun run) {
        lock.lock();
        try {
            if (!run.isAbandoned()) {
                turns.done(run.origin());
            } else if (threads.size() - stuck > size) {
                return false;
            }
            idle++;
            wake();
            return !stopping;
        } finally {
            lock.unlock();
        }
    }
}
