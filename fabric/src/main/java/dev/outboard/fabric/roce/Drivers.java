package dev.outboard.fabric.roce;

import dev.outboard.fabric.verbs.CompletionRing;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Decides who drives an engine, so that somebody always does and nobody hands over without need:
///
/// - a thread that polls drives by itself, with the lowest latency;
/// - of the platform threads that await, one *leads*: it sleeps on the socket and drives when
///   something comes; the others sleep until their queue is notified, or until the leader leaves
///   and one of them follows;
/// - the service thread leads when nobody else does. While applications drive it stays off the
///   socket, because every packet would wake it for nothing, and looks every millisecond whether it
///   is needed again.
final class Drivers implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(Drivers.class.getName());

    private static final long LOOK_NANOS = 1_000_000;

    /// While a thread sleeps on the socket, and wakes the service thread when it leaves.
    private static final long IDLE_LOOK_NANOS = 1_000_000_000;

    private static final long CLOSE_NANOS = 5_000_000_000L;

    private final Engine engine;
    private final List<RoceCompletionChannel> channels = new CopyOnWriteArrayList<>();
    private final AtomicReference<@Nullable Thread> leader = new AtomicReference<>();
    private final Thread service;

    /// What the application's thread that leads waits for.
    private volatile @Nullable RoceCompletionChannel leadersChannel;

    /// Changes whenever an application's thread drives.
    private volatile int applicationTurns;

    /// An application's thread wants to lead.
    private volatile boolean standDown;

    /// The service thread sleeps for long and must be woken by a leader who leaves.
    private volatile boolean isServiceIdle;

    private volatile boolean closed;

    Drivers(Engine engine, String name) {
        this.engine = engine;
        this.service = Thread.ofPlatform().daemon().name("outboard " + name).unstarted(this::serve);
    }

    void start() {
        service.start();
    }

    void add(RoceCompletionChannel channel) {
        channels.add(channel);
    }

    void remove(RoceCompletionChannel channel) {
        channels.remove(channel);
    }

    /// Takes a turn for an application's thread, which wants a completion of `ring`, or of any if
    /// null.
    @SuppressWarnings("NonAtomicVolatileUpdate") // any change will do
    boolean drive(@Nullable CompletionRing ring) {
        applicationTurns++;
        return ring == null ? engine.drive() : engine.drive(ring);
    }

    /// Waits until `channel` is notified, which is the case for a completion of `ring`, or of
    /// several rings if null; see [RoceCompletionQueue#await].
    boolean await(RoceCompletionChannel channel, @Nullable CompletionRing ring, long timeoutNanos) {
        long start = System.nanoTime();
        boolean leads = false;
        try {
            while (!channel.isNotified() && !channel.isClosed()) {
                if (drive(ring)) {
                    continue;
                }
                long left = timeoutNanos - (System.nanoTime() - start);
                if (left <= 0) {
                    break;
                }
                if (leads) {
                    engine.sleep(left);
                } else if (canLead() && tryLead()) {
                    leads = true;
                    leadersChannel = channel;
                } else {
                    channel.park(left);
                }
            }
        } finally {
            if (leads) {
                leave();
            }
        }
        return channel.isNotified();
    }

    /// `channel` was notified by the current thread: the leader may sleep on the socket while it
    /// waits for just that.
    void wakeLeader(RoceCompletionChannel channel) {
        if (channel.equals(leadersChannel) && !Thread.currentThread().equals(leader.get())) {
            engine.wake();
        }
    }

    /// Ends all waits; the socket is left alone when this returns.
    @Override
    public void close() {
        closed = true;
        channels.forEach(RoceCompletionChannel::abandon);
        LockSupport.unpark(service);
        long deadline = System.nanoTime() + CLOSE_NANOS;
        while ((leader.get() != null || service.isAlive()) && System.nanoTime() < deadline) {
            engine.wake();
            LockSupport.parkNanos(this, LOOK_NANOS);
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
            while (service.equals(leader.get()) && standDown) {
                Thread.onSpinWait();
            }
            return leader.compareAndSet(null, Thread.currentThread());
        }
        return false;
    }

    /// The leader goes back to its application: another sleeper follows, or the service thread
    /// looks after the socket.
    private void leave() {
        leadersChannel = null;
        leader.set(null);
        for (RoceCompletionChannel channel : channels) {
            if (channel.unparkToLead()) {
                return;
            }
        }
        if (isServiceIdle) {
            isServiceIdle = false;
            LockSupport.unpark(service);
        }
    }

    private void serve() {
        int seen = applicationTurns;
        while (!closed) {
            if (seen == applicationTurns && leader.compareAndSet(null, service)) {
                try {
                    lead(seen);
                } catch (RuntimeException | Error e) {
                    // A defect of ours in one packet must not end the device for everybody.
                    LOGGER.log(Level.ERROR, service.getName() + ": the engine failed", e);
                }
            }
            seen = applicationTurns;
            rest();
        }
    }

    /// Drives until an application's thread does.
    private void lead(int seen) {
        try {
            while (!closed && !standDown && seen == applicationTurns) {
                if (!engine.drive()) {
                    engine.sleep(Long.MAX_VALUE / 2);
                }
            }
        } finally {
            leader.set(null);
            standDown = false;
        }
    }

    private void rest() {
        boolean wasLed = leader.get() != null;
        int before = applicationTurns;
        LockSupport.parkNanos(this, LOOK_NANOS);
        // If somebody slept on the socket all the while, sleep until he leaves.
        if (wasLed && before == applicationTurns && leader.get() != null) {
            isServiceIdle = true;
            if (leader.get() != null && !closed) {
                LockSupport.parkNanos(this, IDLE_LOOK_NANOS);
            }
            isServiceIdle = false;
        }
    }
}
