package dev.outboard.fabric.drive;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A device that does nothing but what it is told to by whoever posts, by its network and by its
/// timers, a little in each turn, and that loses time wherever it is called.
final class RelayDevice implements Machine, Site {
    private static final int RECEIVED_PER_TURN = 2;
    private static final int SPINS = 200;
    private static final long PARK_NANOS = 10_000;

    private record Timer(long nanos, Runnable action) {}

    private final boolean pauses;
    private final ThreadLocal<SplittableRandom> random;
    private final Queue<Runnable> network = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Thread> sleeper = new AtomicReference<>();
    private volatile boolean permit;

    // While driving.

    private final Queue<Runnable> ready = new ArrayDeque<>();
    private final Queue<Timer> timers = new ArrayDeque<>();
    private boolean isDeferring;

    RelayDevice(long seed, boolean pauses) {
        this.pauses = pauses;
        SplittableRandom root = new SplittableRandom(seed);
        random =
                ThreadLocal.withInitial(() -> {
                    synchronized (root) {
                        return root.split();
                    }
                });
    }

    /// Chance for the current thread.
    SplittableRandom random() {
        return random.get();
    }

    /// Mostly no time at all.
    @SuppressWarnings("ThreadPriorityCheck") // to yield is one of the chances
    void pause() {
        if (!pauses) {
            return;
        }
        switch (random().nextInt(16)) {
            case 0, 1 -> Thread.yield();
            case 2 -> spin(SPINS, () -> false);
            case 3 -> {
                if (random().nextInt(8) == 0) {
                    LockSupport.parkNanos(random().nextLong(PARK_NANOS));
                }
            }
            default -> {}
        }
    }

    /// Keeps the processor, for `most` rounds at most.
    void spin(int most, BooleanSupplier isOver) {
        for (int i = random().nextInt(most); i > 0 && !isOver.getAsBoolean(); i--) {
            Thread.onSpinWait();
        }
    }

    /// `action` comes as a packet. Any thread.
    void arrive(Runnable action) {
        network.add(action);
        pause();
        LockSupport.unpark(sleeper.get());
    }

    /// `action` is what a doorbell is rung for, or of a control operation. While driving.
    void post(Runnable action) {
        ready.add(action);
    }

    /// `action` is due at `nanos`. While driving.
    void schedule(long nanos, Runnable action) {
        timers.add(new Timer(nanos, action));
    }

    @Override
    public boolean turn(long nowNanos, boolean receives, boolean looks) {
        pause();
        int before = ready.size();
        if (receives) {
            receive(nowNanos);
        }
        boolean worked = ready.size() > before;
        // As an acknowledgement waits for a request to ride with.
        isDeferring =
                pauses && looks && !isDeferring && !ready.isEmpty() && random().nextInt(4) == 0;
        return isDeferring || finishTurn(nowNanos) || worked;
    }

    private void receive(long now) {
        for (int i = 0; i < RECEIVED_PER_TURN && !network.isEmpty(); i++) {
            ready.add(network.remove());
        }
        Iterator<Timer> each = timers.iterator();
        while (each.hasNext()) {
            Timer timer = each.next();
            if (now - timer.nanos() >= 0) {
                each.remove();
                ready.add(timer.action());
            }
        }
    }

    @Override
    public boolean finishTurn(long nowNanos) {
        Runnable action = ready.poll();
        if (action != null) {
            action.run();
        }
        pause();
        return action != null;
    }

    @Override
    public boolean hasMore() {
        return !isDeferring && !ready.isEmpty();
    }

    @Override
    public boolean isDeferring() {
        return isDeferring;
    }

    @Override
    public long deadlineNanos() {
        return timers.stream().mapToLong(Timer::nanos).min().orElse(Long.MAX_VALUE);
    }

    @Override
    public long nowNanos() {
        return System.nanoTime();
    }

    @Override
    public void await(long nanos) {
        if (!sleeper.compareAndSet(null, Thread.currentThread())) {
            throw new AssertionError(sleeper + " sleeps here already");
        }
        pause();
        if (!permit && network.isEmpty()) {
            LockSupport.parkNanos(this, nanos);
        }
        sleeper.set(null);
        pause();
        permit = false;
    }

    @Override
    public void wake() {
        pause();
        permit = true;
        LockSupport.unpark(sleeper.get());
    }

    @Override
    public String toString() {
        return ready.size()
                + " ready, "
                + network.size()
                + " in the network, "
                + timers.size()
                + " timers, "
                + (isDeferring ? "deferring, " : "")
                + (permit ? "woken, " : "")
                + "slept in by "
                + sleeper;
    }
}
