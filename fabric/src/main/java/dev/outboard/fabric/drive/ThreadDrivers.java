package dev.outboard.fabric.drive;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Drivers in real time. Somebody always drives, and nobody hands over without need:
///
/// - a thread that polls drives by itself, with the lowest latency;
/// - of the platform threads that await, one *leads*: it sleeps on the socket and drives when
///   something comes; the others sleep until their queue is notified, or until the leader leaves
///   and one of them follows;
/// - the service thread leads when nobody else does. While applications drive it stays off the
///   socket, because every packet would wake it for nothing, and looks whether it is needed again:
///   after a millisecond, then less and less often, at last every eight.
public final class ThreadDrivers implements Drivers {
    private static final Logger LOGGER = System.getLogger(ThreadDrivers.class.getName());

    private static final long LOOK_NANOS = 1_000_000;

    /// In first looks. Each look takes a processor from somebody who may be polling.
    private static final int LONGEST_LOOK = 8;

    /// In first looks, while a thread sleeps on the socket, and wakes the service thread when it
    /// leaves.
    private static final int IDLE_LOOK = 1_000;

    private static final int STAND_DOWN_SPINS = 1_000;
    private static final long STAND_DOWN_NANOS = 20_000;
    private static final long CLOSE_NANOS = 5_000_000_000L;
    private static final long CLOSE_RETRY_NANOS = 1_000_000;

    private final Engine engine;

    /// After which the service thread looks again for the first time.
    private final long lookNanos;

    private final Set<WaitPoint> points = ConcurrentHashMap.newKeySet();

    /// Where threads sleep that do not lead.
    private final Set<WaitPoint> sleepers = ConcurrentHashMap.newKeySet();

    private final AtomicReference<@Nullable Thread> leader = new AtomicReference<>();
    private final Thread service;
    private final BooleanSupplier mayPark = this::mayPark;

    /// What the application's thread that leads waits for.
    private volatile @Nullable WaitPoint leadersPoint;

    /// Where the thread sleeps that was woken to lead next, until it does or passes it on.
    private volatile @Nullable WaitPoint heir;

    /// Changes whenever an application's thread drives.
    private volatile int applicationTurns;

    /// An application's thread wants to lead.
    private volatile boolean standDown;

    /// The service thread sleeps for long and must be woken by a leader who leaves.
    private volatile boolean isServiceIdle;

    private volatile boolean closed;

    private ThreadDrivers(Engine engine, String name, long lookNanos) {
        this.engine = engine;
        this.lookNanos = lookNanos;
        this.service = Thread.ofPlatform().daemon().name("outboard " + name).unstarted(this::serve);
    }

    /// Starts the service thread for `engine`.
    ///
    /// @param name what the device is called, and the thread after it
    public static ThreadDrivers start(Engine engine, String name) {
        return start(engine, name, LOOK_NANOS);
    }

    /// Like [#start(Engine, String)]. For tests: with a look that never comes, nothing mends a
    /// wake-up that was lost.
    static ThreadDrivers start(Engine engine, String name, long lookNanos) {
        ThreadDrivers drivers = new ThreadDrivers(engine, name, lookNanos);
        drivers.service.start();
        return drivers;
    }

    @Override
    public void add(WaitPoint point) {
        points.add(point);
    }

    @Override
    public void remove(WaitPoint point) {
        points.remove(point);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // any change will do
    public boolean drive() {
        applicationTurns++;
        return engine.drive(true);
    }

    @Override
    public boolean await(WaitPoint point, long timeoutNanos) {
        long start = System.nanoTime();
        boolean leads = false;
        try {
            while (!point.isNotified() && !point.isClosed()) {
                boolean worked = drive();
                long left = timeoutNanos - (System.nanoTime() - start);
                if (left <= 0) {
                    break;
                }
                if (worked) {
                    continue;
                }
                if (leads) {
                    engine.sleep(left);
                } else if (canLead() && tryLead()) {
                    leads = true;
                    leadersPoint = point;
                    heir = null;
                } else {
                    sleep(point, left);
                }
            }
        } finally {
            if (leads) {
                leadersPoint = null;
                leader.set(null);
            }
            // Who was woken to lead may have got what it waited for in the same moment.
            if (leads || point.equals(heir)) {
                passOn();
            }
        }
        return point.isNotified();
    }

    /// Somebody else drives meanwhile.
    private void sleep(WaitPoint point, long nanos) {
        sleepers.add(point);
        point.park(nanos, mayPark);
        sleepers.remove(point);
    }

    /// A leader who left before the sleeper could be found has passed it over. The service thread
    /// wakes no follower when it leaves, so a thread that can lead does not rely on it.
    private boolean mayPark() {
        Thread leads = leader.get();
        return !canLead() || (leads != null && !service.equals(leads));
    }

    /// The service thread drives meanwhile.
    @Override
    public <T> @Nullable T take(BlockingQueue<T> queue, long timeoutNanos) {
        try {
            return queue.poll(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /// The leader may sleep on the socket while it waits for just that.
    @Override
    public void notified(WaitPoint point) {
        if (point.equals(leadersPoint) && !Thread.currentThread().equals(leader.get())) {
            engine.wake();
        }
    }

    @Override
    public void close() {
        closed = true;
        points.forEach(WaitPoint::abandon);
        LockSupport.unpark(service);
        long deadline = System.nanoTime() + CLOSE_NANOS;
        while ((leader.get() != null || service.isAlive()) && System.nanoTime() < deadline) {
            engine.wake();
            LockSupport.parkNanos(this, CLOSE_RETRY_NANOS);
        }
    }

    /// A virtual thread must not hold on to its carrier while it sleeps.
    private static boolean canLead() {
        return !Thread.currentThread().isVirtual();
    }

    private boolean tryLead() {
        if (leader.compareAndSet(null, Thread.currentThread())) {
            return true;
        }
        if (service.equals(leader.get())) {
            standDown = true;
            engine.wake();
            awaitStandDown();
            return leader.compareAndSet(null, Thread.currentThread());
        }
        return false;
    }

    /// The service thread may need the processor of this one for it.
    private void awaitStandDown() {
        for (int i = 0; service.equals(leader.get()) && standDown; i++) {
            if (i < STAND_DOWN_SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, STAND_DOWN_NANOS);
            }
        }
    }

    /// Who led, or was to lead, goes back to its application: another sleeper follows, or the
    /// service thread looks after the socket.
    private void passOn() {
        for (WaitPoint point : sleepers) {
            heir = point;
            if (point.unparkToLead()) {
                return;
            }
        }
        heir = null;
        if (isServiceIdle) {
            isServiceIdle = false;
            LockSupport.unpark(service);
        }
    }

    private void serve() {
        int seen = applicationTurns;
        long look = lookNanos;
        while (!closed) {
            if (seen == applicationTurns && leader.compareAndSet(null, service)) {
                look = lookNanos;
                try {
                    lead(seen);
                } catch (RuntimeException | Error e) {
                    // A defect of ours in one packet must not end the device for everybody.
                    LOGGER.log(Level.ERROR, service.getName() + ": the engine failed", e);
                }
            }
            seen = applicationTurns;
            rest(look);
            look = Math.min(2 * look, LONGEST_LOOK * lookNanos);
        }
    }

    /// Drives until an application's thread does.
    private void lead(int seen) {
        try {
            while (!closed && !standDown && seen == applicationTurns) {
                if (!engine.drive(false)) {
                    engine.sleep(Long.MAX_VALUE);
                }
            }
        } finally {
            leader.set(null);
            standDown = false;
        }
    }

    private void rest(long nanos) {
        boolean wasLed = leader.get() != null;
        int before = applicationTurns;
        LockSupport.parkNanos(this, nanos);
        // If somebody slept on the socket all the while, sleep until he leaves.
        if (wasLed && before == applicationTurns && leader.get() != null) {
            isServiceIdle = true;
            if (leader.get() != null && !closed) {
                LockSupport.parkNanos(this, IDLE_LOOK * lookNanos);
            }
            isServiceIdle = false;
        }
    }
}
