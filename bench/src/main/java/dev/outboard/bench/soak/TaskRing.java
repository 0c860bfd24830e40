package dev.outboard.bench.soak;

import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// Threads that send DOCA tasks to each other round and round, each with an engine of its own, all
/// on one device. Whoever made it starts it, and closes it, which waits until nothing is in flight.
final class TaskRing implements AutoCloseable {
    /// A task that takes longer is lost.
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final DocaDev dev;
    private final TaskTally tally;
    private final List<TaskRingEnd> ends = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch working;

    TaskRing(String deviceUri, int size, TaskTally tally) {
        this.tally = tally;
        working = new CountDownLatch(size);
        dev = DocaDev.open(DocaDevInfo.of(deviceUri));
        for (int i = 0; i < size; i++) {
            ends.add(new TaskRingEnd(dev, tally));
        }
        for (int i = 0; i < size; i++) {
            ends.get(i).connectTo(ends.get((i + 1) % size));
        }
    }

    void start() {
        for (int i = 0; i < ends.size(); i++) {
            TaskRingEnd end = ends.get(i);
            TaskRingEnd before = ends.get((i + ends.size() - 1) % ends.size());
            threads.add(Thread.ofPlatform().name("ring-" + i).start(() -> run(end, before)));
        }
    }

    private void run(TaskRingEnd end, TaskRingEnd before) {
        try (end) {
            end.begin();
            while (stop.getCount() > 0) {
                end.work();
            }
            end.end();
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (!end.isDone()) {
                workUntil(deadline, end);
            }
            working.countDown();
            while (working.getCount() > 0 || !end.hasAllOf(before)) {
                workUntil(deadline, end);
            }
            end.checkCounter(before);
        } catch (RuntimeException | InterruptedException e) {
            tally.failed(Thread.currentThread().getName() + ": " + e);
        }
    }

    private static void workUntil(long deadline, TaskRingEnd end) throws InterruptedException {
        if (System.nanoTime() - deadline > 0) {
            throw new IllegalStateException("a task has not completed within " + PATIENCE);
        }
        end.work();
    }

    @Override
    public void close() {
        stop.countDown();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // After a failure something may be in use still; the report of it counts more.
        if (tally.failures.sum() == 0) {
            ends.forEach(TaskRingEnd::release);
            dev.close();
        }
    }
}
