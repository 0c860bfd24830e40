package dev.outboard.fabric.roce;

import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.io.Receiver;
import dev.outboard.fabric.roce.io.Transmitter;
import dev.outboard.fabric.roce.io.UdpSocket;
import dev.outboard.fabric.roce.io.Waiter;
import dev.outboard.fabric.roce.nic.NicLink;
import dev.outboard.fabric.roce.nic.NicMachine;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.Counters;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Drives the [NicMachine] of one device: owns its socket, reads the clock, and lets one thread at
/// a time take a turn. Whoever has an interest takes one: a thread that posts or polls, a thread
/// that awaits, or the service thread of the device's [Drivers]. Who finds the engine busy leaves,
/// because the one inside looks for new work before it goes.
///
/// The clock is read once a turn and handed down.
final class Engine implements NicLink {
    private static final VarHandle OWNED;
    private static final VarHandle POSTED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNED = lookup.findVarHandle(Engine.class, "owned", boolean.class);
            POSTED = lookup.findVarHandle(Engine.class, "posted", RoceQueuePair.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// After posting, turns in a row: enough for a full window to leave.
    private static final int TURNS_PER_POST = 4;

    private static final long BUSY_PARK_NANOS = 20_000;

    private final Transmitter transmitter;
    private final Receiver receiver;
    private final Waiter waiter;
    private final NicMachine nic;
    private final Counters<Discard> discards = new Counters<>(Discard.class);

    @SuppressWarnings("unused") // through OWNED
    private boolean owned;

    private @Nullable Thread owner;

    /// The queue pairs with new requests, linked through [RoceQueuePair#nextPosted].
    @SuppressWarnings("unused") // through POSTED
    private @Nullable RoceQueuePair posted;

    private volatile long nextDeadlineNanos = Long.MAX_VALUE;
    private volatile long sleepingUntilNanos = Long.MIN_VALUE;

    /// Whether the machine has more to do at once.
    private volatile boolean hasMore;

    private volatile boolean closed;

    Engine(
            UdpSocket socket,
            IcrcVerifier.Policy icrc,
            Taps taps,
            CmConfiguration configuration,
            RandomGenerator random,
            CongestionControl congestion) {
        this.nic = new NicMachine(configuration, random, congestion, this);
        this.transmitter = Transmitter.open(socket, nic);
        this.receiver = new Receiver(socket, icrc);
        this.waiter = new Waiter(socket);
        taps.attach(transmitter, receiver);
    }

    /// What is driven here. While driving.
    NicMachine nic() {
        return nic;
    }

    /// Takes a turn, unless somebody else is at it.
    ///
    /// @return whether there was something to do
    boolean drive() {
        return run(true, null);
    }

    /// Takes a turn for a thread that wants a completion of `ring`, unless somebody else is at it.
    ///
    /// A thread that gets one usually posts at once. So if the turn brings it one, an
    /// acknowledgement that may ride behind a request waits for the next turn, of whatever kind:
    /// the thread posts, or polls again, or awaits; if it does nothing of this, the service thread
    /// takes one within two milliseconds.
    ///
    /// @return whether there was something to do
    boolean drive(CompletionRing ring) {
        return run(true, ring);
    }

    /// `queuePair` has new requests: gets them on their way, unless they wait for answers.
    void submit(RoceQueuePair queuePair) {
        if (queuePair.markPosted()) {
            RoceQueuePair head;
            do {
                head = (RoceQueuePair) POSTED.getVolatile(this);
                queuePair.nextPosted = head;
            } while (!POSTED.compareAndSet(this, head, queuePair));
        }
        if (queuePair.machine().isWaitingForAnswers()) {
            return;
        }
        int turns = 0;
        do {
            run(false, null);
        } while (hasMore && ++turns < TURNS_PER_POST);
        if (hasMore) {
            waiter.wake();
        }
    }

    /// Takes turns until no new requests are left, unless somebody else is at it.
    private boolean run(boolean receives, @Nullable CompletionRing wanted) {
        boolean worked = false;
        do {
            if (closed || !OWNED.compareAndSet(this, false, true)) {
                return worked;
            }
            try {
                // Whoever closed the engine may have been inside a moment ago.
                worked |= !closed && turn(System.nanoTime(), receives, wanted);
            } finally {
                OWNED.setVolatile(this, false);
            }
        } while (POSTED.getVolatile(this) != null);
        return worked;
    }

    /// Runs a control operation while nobody else drives, then sends what it led to.
    <T> T exclusively(Supplier<T> operation) {
        while (!OWNED.compareAndSet(this, false, true)) {
            if (Thread.currentThread().equals(owner)) {
                throw new IllegalStateException(
                        "a control operation was called from inside the engine");
            }
            LockSupport.parkNanos(BUSY_PARK_NANOS);
        }
        owner = Thread.currentThread();
        try {
            T result = operation.get();
            if (!closed) {
                nic.finishTurn(System.nanoTime());
                publish();
            }
            return result;
        } finally {
            owner = null;
            OWNED.setVolatile(this, false);
            if (POSTED.getVolatile(this) != null || hasMore) {
                drive();
            }
        }
    }

    /// Like [#exclusively(Supplier)], without a result.
    void exclusively(Runnable operation) {
        exclusively(() -> {
            operation.run();
            return true;
        });
    }

    /// Sleeps until a packet comes, [#wake] is called, a deadline of the machines is reached, or
    /// `timeoutNanos` passed. One thread at a time may sleep here; it drives when it returns.
    void sleep(long timeoutNanos) {
        long now = System.nanoTime();
        long until = Math.min(now + timeoutNanos, nextDeadlineNanos);
        sleepingUntilNanos = until;
        // A deadline that came closer since then has been missed by publish: look again.
        until = Math.min(until, nextDeadlineNanos);
        if (POSTED.getVolatile(this) == null && !hasMore && until > now) {
            waiter.await(until - now);
        }
        sleepingUntilNanos = Long.MIN_VALUE;
    }

    /// Ends a [#sleep].
    void wake() {
        waiter.wake();
    }

    /// Stops all driving; called inside [#exclusively].
    void close() {
        closed = true;
    }

    /// Gives back what sleeping needed, when nobody drives any more.
    void release() {
        waiter.close();
    }

    Map<String, Long> counters() {
        Map<String, Long> counters =
                exclusively(() -> {
                    Map<String, Long> own = nic.services().agent().counters().snapshot();
                    own.put("received.congestion-notifications", nic.congestionNotifications());
                    return own;
                });
        transmitter.counters().copyTo(counters, "sent.");
        receiver.counters().copyTo(counters, "received.");
        receiver.flaws().copyTo(counters, "discarded.");
        discards.copyTo(counters, "discarded.");
        counters.put("icrc.strict", receiver.verifier().strictOk());
        counters.put("icrc.solved", receiver.verifier().solved());
        counters.put("icrc.bad", receiver.verifier().bad());
        return counters;
    }

    @Override
    public int receive(int messages, long nowNanos, PacketHandler handler) {
        return receiver.receive(messages, nowNanos, handler);
    }

    @Override
    public PacketSink sink() {
        return transmitter;
    }

    @Override
    public void flush(long nowNanos) {
        transmitter.flush(nowNanos);
    }

    @Override
    public long deadlineNanos() {
        return Math.min(transmitter.deadlineNanos(), receiver.deadlineNanos());
    }

    @Override
    public boolean isAwaited() {
        return sleepingUntilNanos != Long.MIN_VALUE;
    }

    @Override
    public void discard(Discard reason) {
        discards.increment(reason);
    }

    private boolean turn(long now, boolean receives, @Nullable CompletionRing wanted) {
        boolean worked = takePosted();
        worked |= nic.turn(now, receives, wanted);
        publish();
        return worked;
    }

    /// Tells the other threads what the turn led to.
    private void publish() {
        if (hasMore != nic.hasMore()) {
            hasMore = nic.hasMore();
        }
        long deadline = nic.deadlineNanos();
        if (deadline != nextDeadlineNanos) {
            nextDeadlineNanos = deadline;
            if (deadline < sleepingUntilNanos) {
                waiter.wake();
            }
        }
    }

    private boolean takePosted() {
        RoceQueuePair queuePair = (RoceQueuePair) POSTED.getAndSet(this, null);
        if (queuePair == null) {
            return false;
        }
        while (queuePair != null) {
            RoceQueuePair next = queuePair.nextPosted;
            queuePair.clearPosted();
            nic.ready(queuePair.inMachine());
            queuePair = next;
        }
        return true;
    }
}
