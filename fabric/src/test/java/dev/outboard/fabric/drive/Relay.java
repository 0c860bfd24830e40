package dev.outboard.fabric.drive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Threads that wait, each at a point of its own, hand a baton around. The one that has it passes
/// it to another, sends some more out of their waits, and goes out itself or waits again. Those
/// outside do not drive until a later one with the baton lets them in: so the baton gets on only if
/// one of those inside wakes for it, although any of them may leave in that moment.
///
/// The service thread looks only when it is told to: what is lost stays lost.
final class Relay {
    private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long SHORT_NANOS = 20_000;

    /// Only what hangs takes so long, however busy the machine is.
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    /// As long as a thread needs to wake, and as it needs to fall asleep.
    private static final int SPINS = 2_000;

    private static final int FEW_SPINS = 50;

    /// The last of the ways in which a runner learns of something.
    private static final int NETWORK = 4;

    private static final long CHECK_NANOS = 5_000_000;

    private final int rounds;

    /// Never more than two are inside: one comes just as the other leaves.
    private final boolean isSparse;

    private final RelayDevice device;
    private final Engine engine;
    private final ThreadDrivers drivers;
    private final Thread service;
    private final List<Runner> runners = new ArrayList<>();

    private volatile int round;
    private volatile boolean isOver;
    private volatile @Nullable Throwable failure;

    // What follows belongs to the runner that has the baton.

    private final List<Runner> inside = new ArrayList<>();
    private final List<Runner> outside = new ArrayList<>();

    Relay(long seed, int rounds, boolean isSparse) {
        this.rounds = rounds;
        this.isSparse = isSparse;
        device = new RelayDevice(seed, !isSparse);
        engine = new Engine(device, device);
        String name = "relay " + seed;
        drivers = ThreadDrivers.start(engine, name, LONG_NANOS);
        service =
                Thread.getAllStackTraces().keySet().stream()
                        .filter(each -> each.getName().equals("outboard " + name))
                        .findFirst()
                        .orElseThrow();
        SplittableRandom random = device.random();
        int platform = isSparse ? 3 : 2 + random.nextInt(4);
        int virtual = isSparse ? 0 : random.nextInt(3);
        for (int i = 0; i < platform + virtual; i++) {
            runners.add(new Runner("runner " + i, i >= platform));
        }
    }

    /// Lets them run, and closes the device while most of them wait.
    void run() {
        inside.addAll(runners);
        runners.forEach(runner -> runner.thread.start());
        runners.getFirst().take();
        watch(() -> round >= rounds);
        isOver = true;
        drivers.close();
        runners.forEach(runner -> runner.mayEnter.release());
        watch(() -> runners.stream().noneMatch(runner -> runner.thread.isAlive()));
        if (service.isAlive()) {
            throw new AssertionError("the service thread outlives the device");
        }
    }

    private interface Condition {
        boolean holds();
    }

    private void watch(Condition condition) {
        int seen = round;
        long since = System.nanoTime();
        while (!condition.holds()) {
            LockSupport.parkNanos(CHECK_NANOS);
            Throwable thrown = failure;
            if (thrown != null) {
                throw new AssertionError("in round " + round + ": " + thrown, thrown);
            }
            if (seen != round) {
                seen = round;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > PATIENCE_NANOS) {
                throw new AssertionError(
                        "after round " + round + " nobody wakes any more:\n" + report());
            }
        }
    }

    private String report() {
        return runners.stream().map(Runner::toString).collect(Collectors.joining("\n"))
                + "\nservice thread: "
                + where(service)
                + "\ndevice: "
                + device;
    }

    private static String where(Thread thread) {
        return thread.getState()
                + Arrays.stream(thread.getStackTrace())
                        .filter(frame -> frame.getClassName().startsWith("dev.outboard"))
                        .limit(6)
                        .map(frame -> " < " + frame.getMethodName() + ":" + frame.getLineNumber())
                        .collect(Collectors.joining());
    }

    /// The round of the runner that has the baton.
    @SuppressWarnings("NonAtomicVolatileUpdate") // only that runner counts
    private void pass(Runner from) {
        SplittableRandom random = device.random();
        inside.remove(from);
        if (inside.stream().allMatch(Runner::isVirtual)) {
            outside.forEach(each -> each.mayEnter.release());
            inside.addAll(outside);
            outside.clear();
        }
        Runner next = inside.get(random.nextInt(inside.size()));
        List<Runner> leaving = leaving(next);
        inside.removeAll(leaving);
        List<Runner> entering = List.of();
        if (isSparse || random.nextInt(4) == 0) {
            entering = List.copyOf(outside);
            inside.addAll(outside);
            outside.clear();
        }
        outside.addAll(leaving);
        boolean goesOut = isSparse || random.nextBoolean();
        (goesOut ? outside : inside).add(from);
        round++;
        send(next, entering, leaving);
        if (!isSparse && random.nextInt(8) == 0) {
            drivers.drive();
        }
        if (!isSparse && random.nextInt(64) == 0) {
            LockSupport.unpark(service);
        }
        if (goesOut) {
            from.awaitEntry();
        }
    }

    /// Some of those inside, but not the next one and not all platform threads: a virtual thread
    /// relies on somebody else who drives.
    private List<Runner> leaving(Runner next) {
        SplittableRandom random = device.random();
        List<Runner> platform = inside.stream().filter(each -> !each.isVirtual()).toList();
        Runner keeper = platform.get(random.nextInt(platform.size()));
        return inside.stream()
                .filter(each -> each != keeper && each != next && random.nextInt(4) == 0)
                .toList();
    }

    private void send(Runner next, List<Runner> entering, List<Runner> leaving) {
        boolean isLast = device.random().nextBoolean();
        if (!isLast) {
            next.learn(() -> letIn(entering, next));
        }
        leaving.forEach(each -> each.learn(each::leave));
        if (isLast) {
            next.learn(() -> letIn(entering, next));
        }
    }

    /// They come just as `next`, who may lead, leaves.
    private void letIn(List<Runner> entering, Runner next) {
        for (Runner each : entering) {
            each.mayEnter.release();
            if (isSparse) {
                device.spin(SPINS, () -> each.isInside);
                device.spin(FEW_SPINS, () -> false);
            } else {
                device.pause();
            }
        }
        next.take();
    }

    private final class Runner {
        final Thread thread;
        final Semaphore mayEnter = new Semaphore(0);
        private final AtomicInteger leaves = new AtomicInteger();
        private volatile boolean isInside;
        private volatile boolean hasBaton;
        private volatile WaitPoint point = new WaitPoint(drivers);

        Runner(String name, boolean isVirtual) {
            Thread.Builder builder = isVirtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
            thread = builder.name(name).unstarted(this::work);
        }

        boolean isVirtual() {
            return thread.isVirtual();
        }

        private void work() {
            try {
                while (!isOver) {
                    if (leaves.get() > 0) {
                        leaves.decrementAndGet();
                        awaitEntry();
                    } else if (!hasBaton) {
                        await();
                    } else if (round < rounds) {
                        hasBaton = false;
                        pass(this);
                    } else {
                        return;
                    }
                }
            } catch (Throwable thrown) {
                failure = thrown;
            }
        }

        private void awaitEntry() {
            isInside = false;
            mayEnter.acquireUninterruptibly();
        }

        private void await() {
            boolean isShort = device.random().nextInt(16) == 0;
            isInside = true;
            drivers.await(point, isShort ? device.random().nextLong(SHORT_NANOS) : LONG_NANOS);
            device.pause();
            if (point.isClosed()) {
                point = new WaitPoint(drivers);
            } else {
                point.forget();
            }
        }

        /// `news` get to it one way or the other.
        void learn(Runnable news) {
            device.pause();
            int way = isSparse ? NETWORK : device.random().nextInt(2 * NETWORK);
            switch (way) {
                case 0 -> news.run();
                case 1 -> engine.ring(new Bell(news));
                case 2 -> engine.exclusively(() -> device.post(news));
                case 3 -> {
                    long nanos = System.nanoTime() + device.random().nextLong(SHORT_NANOS);
                    engine.exclusively(() -> device.schedule(nanos, news));
                }
                default -> device.arrive(news);
            }
        }

        void take() {
            hasBaton = true;
            device.pause();
            point.wake();
        }

        void leave() {
            leaves.incrementAndGet();
            device.pause();
            // A point that is closed ends the wait as well.
            if (device.random().nextInt(8) == 0) {
                point.close();
            } else {
                point.wake();
            }
        }

        @Override
        public String toString() {
            return thread.getName()
                    + (isVirtual() ? ", virtual" : "")
                    + (hasBaton ? ", has the baton" : "")
                    + (leaves.get() > 0 ? ", is to leave" : "")
                    + (point.isNotified() ? ", notified: " : ": ")
                    + where(thread);
        }
    }

    /// Something posted.
    private final class Bell extends Doorbell {
        private final Runnable action;

        Bell(Runnable action) {
            this.action = action;
        }

        @Override
        protected void ready() {
            device.post(action);
        }

        @Override
        protected boolean isWaitingForAnswers() {
            return false;
        }
    }
}
