package dev.outboard.fabric.drive;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Lets one thread at a time give a [Machine] its turn. Whoever has an interest takes one: a thread
/// that posts or polls, a thread that awaits, or who else the device's [Drivers] find. Who finds
/// the engine busy leaves, because the one inside looks for new work before it goes.
///
/// The clock is read once a turn and handed down.
public final class Engine {
    private static final VarHandle OWNED;
    private static final VarHandle RUNG;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNED = lookup.findVarHandle(Engine.class, "owned", boolean.class);
            RUNG = lookup.findVarHandle(Engine.class, "rung", Doorbell.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// After posting, turns in a row: enough for a full window to leave.
    private static final int TURNS_PER_POST = 4;

    /// About as long as a turn takes.
    private static final int OUTSIDE_SPINS = 100;

    private static final long BUSY_PARK_NANOS = 20_000;

    /// No time is so late that this could not be added to it.
    private static final long LONGEST_SLEEP_NANOS = Long.MAX_VALUE / 2;

    private final Machine machine;
    private final Site site;

    @SuppressWarnings("unused") // through OWNED
    private boolean owned;

    private @Nullable Thread owner;

    /// Those that have rung since the last turn, linked.
    @SuppressWarnings("unused") // through RUNG
    private @Nullable Doorbell rung;

    private volatile long nextDeadlineNanos = Long.MAX_VALUE;
    private volatile long sleepingUntilNanos = Long.MIN_VALUE;

    /// Whether the machine has more to do at once.
    private volatile boolean hasMore;

    private volatile boolean isDeferring;

    /// Who would sleep, but waits for the owner to leave.
    private volatile @Nullable Thread outside;

    private volatile boolean closed;

    /// An engine that nobody drives yet.
    public Engine(Machine machine, Site site) {
        this.machine = machine;
        this.site = site;
    }

    /// The time of the device.
    public long nowNanos() {
        return site.nowNanos();
    }

    /// When it wants a turn at the latest: [Long#MIN_VALUE] for at once, [Long#MAX_VALUE] for
    /// never. Any thread.
    public long deadlineNanos() {
        return mayNotRest() ? Long.MIN_VALUE : nextDeadlineNanos;
    }

    private boolean mayNotRest() {
        return hasMore || isDeferring || RUNG.getVolatile(this) != null;
    }

    /// Takes a turn, unless somebody else is at it.
    ///
    /// A thread that gets the completion it looks for usually posts soon. So what may ride behind a
    /// request can wait: for the thread to post, to look a few times more, or to sleep; if it does
    /// nothing of this, whoever else drives the engine takes a turn.
    ///
    /// @param looks whether the current thread looks for completions
    /// @return whether there was something to do
    public boolean drive(boolean looks) {
        boolean worked = run(true, looks);
        // The current thread may have got what it wants and not come back, and the one that sleeps
        // has not seen what is left.
        if (hasMore && isAwaited()) {
            site.wake();
        }
        return worked;
    }

    /// There are new requests behind `bell`: gets them on their way, unless they wait for answers.
    /// In a turn, for whoever is called from there, that is what the turn does next.
    public void ring(Doorbell bell) {
        if (isInside()) {
            bell.ready();
            return;
        }
        if (bell.mark()) {
            Doorbell head;
            do {
                head = (Doorbell) RUNG.getVolatile(this);
                bell.next = head;
            } while (!RUNG.compareAndSet(this, head, bell));
        }
        if (bell.isWaitingForAnswers()) {
            return;
        }
        int turns = 0;
        do {
            run(false, false);
        } while (hasMore && ++turns < TURNS_PER_POST);
        if (hasMore) {
            site.wake();
        }
    }

    /// Takes turns until no new requests are left, unless somebody else is at it.
    private boolean run(boolean receives, boolean looks) {
        boolean worked = false;
        do {
            if (closed || !OWNED.compareAndSet(this, false, true)) {
                return worked;
            }
            owner = Thread.currentThread();
            try {
                // Whoever closed the engine may have been inside a moment ago.
                worked |= !closed && turn(site.nowNanos(), receives, looks);
            } finally {
                release();
            }
        } while (RUNG.getVolatile(this) != null);
        return worked;
    }

    /// Runs a control operation while nobody else drives, then sends what it led to.
    public <T> T exclusively(Supplier<T> operation) {
        while (!OWNED.compareAndSet(this, false, true)) {
            requireOutside("a control operation");
            LockSupport.parkNanos(BUSY_PARK_NANOS);
        }
        owner = Thread.currentThread();
        try {
            T result = operation.get();
            if (!closed) {
                machine.finishTurn(site.nowNanos());
                publish();
            }
            return result;
        } finally {
            release();
            if (RUNG.getVolatile(this) != null || hasMore) {
                drive(false);
            }
            if (hasMore) {
                site.wake();
            }
        }
    }

    /// Like [#exclusively(Supplier)], without a result.
    public void exclusively(Runnable operation) {
        exclusively(() -> {
            operation.run();
            return true;
        });
    }

    /// Whether the current thread takes a turn, in which the application was called.
    public boolean isInside() {
        return Thread.currentThread().equals(owner);
    }

    /// Refuses, inside a turn, what would wait for its end or for something that only a turn can
    /// bring.
    public void requireOutside(String what) {
        if (isInside()) {
            throw new IllegalStateException(
                    what
                            + " was called from inside a turn of the device, such as by a"
                            + " completion sink; hand it to another thread");
        }
    }

    /// Sleeps until a packet comes, [#wake] is called, a deadline of the machines is reached, or
    /// `timeoutNanos` passed. One thread at a time may sleep here; it drives when it returns.
    public void sleep(long timeoutNanos) {
        if (waitOutside(timeoutNanos)) {
            return;
        }
        long now = site.nowNanos();
        long until = Math.min(now + Math.min(timeoutNanos, LONGEST_SLEEP_NANOS), nextDeadlineNanos);
        sleepingUntilNanos = until;
        // A deadline that came closer since then has been missed by publish: look again.
        until = Math.min(until, nextDeadlineNanos);
        if (until > now && !mayNotRest()) {
            site.await(until - now);
        }
        sleepingUntilNanos = Long.MIN_VALUE;
    }

    /// Ends a [#sleep].
    public void wake() {
        site.wake();
        LockSupport.unpark(outside);
    }

    /// Waits until the owner leaves, if there is one. What has come or is due is the owner's
    /// business meanwhile: a sleep would end at once because of it, again and again, and keep an
    /// owner that was interrupted from the processor.
    ///
    /// @return whether there was one
    private boolean waitOutside(long nanos) {
        for (int i = 0; i < OUTSIDE_SPINS && isOwned(); i++) {
            Thread.onSpinWait();
        }
        outside = Thread.currentThread();
        boolean waits = isOwned();
        if (waits) {
            LockSupport.parkNanos(this, nanos);
        }
        outside = null;
        return waits;
    }

    private void release() {
        owner = null;
        OWNED.setVolatile(this, false);
        Thread waiting = outside;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    private boolean isOwned() {
        return (boolean) OWNED.getVolatile(this);
    }

    /// Stops all driving; called inside [#exclusively].
    public void close() {
        closed = true;
    }

    private boolean turn(long now, boolean receives, boolean looks) {
        boolean worked = takeRung();
        worked |= machine.turn(now, receives, looks && !isAwaited());
        publish();
        return worked;
    }

    /// Whether a thread sleeps, who would have to be woken for what a turn leaves for the next.
    private boolean isAwaited() {
        return sleepingUntilNanos != Long.MIN_VALUE;
    }

    /// Tells the other threads what the turn led to.
    private void publish() {
        if (hasMore != machine.hasMore()) {
            hasMore = machine.hasMore();
        }
        if (isDeferring != machine.isDeferring()) {
            isDeferring = machine.isDeferring();
            if (isDeferring && isAwaited()) {
                site.wake();
            }
        }
        long deadline = machine.deadlineNanos();
        if (deadline != nextDeadlineNanos) {
            nextDeadlineNanos = deadline;
            if (deadline < sleepingUntilNanos) {
                site.wake();
            }
        }
    }

    private boolean takeRung() {
        Doorbell bell = (Doorbell) RUNG.getAndSet(this, null);
        if (bell == null) {
            return false;
        }
        while (bell != null) {
            Doorbell next = bell.next;
            bell.clear();
            bell.ready();
            bell = next;
        }
        return true;
    }
}
