package dev.outboard.fabric.roce;

import dev.outboard.fabric.memory.KeyedTable;
import dev.outboard.fabric.roce.io.PacketHandler;
import dev.outboard.fabric.roce.io.Receiver;
import dev.outboard.fabric.roce.io.Transmitter;
import dev.outboard.fabric.roce.io.Waiter;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.wire.Discard;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.verbs.CompletionRing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Moves packets between the socket and the protocol machines of one device, in turns. Whoever has
/// an interest takes a turn: a thread that posts or polls, a thread that awaits, or the service
/// thread of the device's [Drivers]. At most one does at a time; who finds the engine busy leaves,
/// because the one inside looks for new work before it goes.
///
/// The clock is read once a turn and handed down.
final class Engine implements PacketHandler {
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

    /// One system call brings up to 64 KiB of packets; a second one that finds nothing costs 0.3 µs
    /// before the first packet is answered.
    private static final int MESSAGES_PER_TURN = 1;

    /// With many queue pairs at work, or a timer about to fire, what has arrived goes first. Else
    /// answers wait in the socket while ten thousand queue pairs ask for them again, until the
    /// socket overflows and nobody gets any further.
    private static final int BACKLOG_MESSAGES = 64;

    /// Queue pairs that send in one turn. Fewer than the messages received in a backlog, so that a
    /// flood of answers is worked off faster than it is asked for.
    private static final int SERVED_PER_TURN = 32;

    /// After posting, turns in a row: enough for a full window to leave.
    private static final int TURNS_PER_POST = 4;

    private static final long BUSY_PARK_NANOS = 20_000;

    private final Transmitter transmitter;
    private final Receiver receiver;
    private final Waiter waiter;
    private final GeneralServices services;
    private final CongestionControl congestion;
    private final IntConsumer admission = this::admit;
    private final KeyedTable<RoceQueuePair> queuePairs = new KeyedTable<>();
    private final ReadyQueue ready = new ReadyQueue();
    private final DeadlineQueue deadlines = new DeadlineQueue();

    @SuppressWarnings("unused") // through OWNED
    private boolean owned;

    private @Nullable Thread owner;

    /// The queue pairs with new requests, linked through [RoceQueuePair#nextPosted].
    @SuppressWarnings("unused") // through POSTED
    private @Nullable RoceQueuePair posted;

    private @Nullable Path failedPath;

    private volatile long nextDeadlineNanos = Long.MAX_VALUE;
    private volatile long sleepingUntilNanos = Long.MIN_VALUE;

    /// Queue pairs could send more at once: the window or the sink was not the limit, only their
    /// share.
    private volatile boolean hasMore;

    /// Of answers, which wait for a request to go with. While driving.
    private final Deferral answers = new Deferral();

    private volatile boolean closed;
    private final AtomicLong congestionNotifications = new AtomicLong();

    Engine(
            Transmitter transmitter,
            Receiver receiver,
            Waiter waiter,
            GeneralServices services,
            CongestionControl congestion) {
        this.transmitter = transmitter;
        this.congestion = congestion;
        this.receiver = receiver;
        this.waiter = waiter;
        this.services = services;
    }

    KeyedTable<RoceQueuePair> queuePairs() {
        return queuePairs;
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

    /// `queuePair` may have something to send. While driving.
    void ready(RoceQueuePair queuePair) {
        ready.add(queuePair);
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
                finishTurn(System.nanoTime());
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
        // A deadline that came closer since then has been missed by noteDeadline: look again.
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

    /// Packets on `path` are too long for the IP path: its queue pairs fail after the turn. While
    /// driving.
    void failPath(Path path) {
        failedPath = path;
    }

    /// Packets of congestion control that arrived.
    long congestionNotifications() {
        return congestionNotifications.get();
    }

    @Override
    public void packet(Packet packet, long nowNanos) {
        Opcode.Transport transport = packet.opcode().transport();
        if (packet.destinationQpn() == QueuePairOne.NUMBER && transport == Opcode.Transport.UD) {
            services.receive(packet, nowNanos);
            return;
        }
        RoceQueuePair queuePair = queuePairs.find(packet.destinationQpn());
        if (queuePair == null) {
            receiver.discards().increment(Discard.UNKNOWN_QPN);
        } else if (!queuePair.isOf(transport)) {
            receiver.discards().increment(Discard.WRONG_TRANSPORT);
        } else if (!queuePair.machine().accepts(packet)) {
            receiver.discards().increment(Discard.WRONG_SOURCE);
        } else {
            if (transport == Opcode.Transport.CNP) {
                congestionNotifications.incrementAndGet();
            }
            queuePair.receive(packet, nowNanos);
            ready.add(queuePair);
        }
    }

    private void admit(int queuePairNumber) {
        RoceQueuePair queuePair = queuePairs.find(queuePairNumber);
        if (queuePair != null) {
            ready.add(queuePair);
        }
    }

    private boolean turn(long now, boolean receives, @Nullable CompletionRing wanted) {
        boolean worked = takePosted();
        boolean mayDefer = wanted != null && ready.isEmpty();
        answers.end(now);
        if (receives) {
            boolean isDue = now >= nextDeadlineNanos;
            boolean hasBacklog = isDue || ready.size() > SERVED_PER_TURN;
            int messages = hasBacklog ? BACKLOG_MESSAGES : MESSAGES_PER_TURN;
            worked |= receiver.receive(messages, now, this) > 0;
            if (isDue) {
                expire(now);
                worked = true;
            }
        }
        if (mayDefer && wanted != null && mayWait(wanted) && answers.start(now)) {
            hasMore = true;
            return true;
        }
        worked |= finishTurn(now);
        return worked;
    }

    /// Whether the turn brought the completion that was wanted, and all there is to send is an
    /// acknowledgement that may wait. Not while another thread sleeps on the socket, who would have
    /// to be woken for it.
    private boolean mayWait(CompletionRing wanted) {
        return ready.size() == 1
                && sleepingUntilNanos == Long.MIN_VALUE
                && !wanted.isEmpty()
                && !services.hasOutgoing()
                && ready.first().machine().mayAnswerLater();
    }

    private boolean takePosted() {
        RoceQueuePair queuePair = (RoceQueuePair) POSTED.getAndSet(this, null);
        if (queuePair == null) {
            return false;
        }
        while (queuePair != null) {
            RoceQueuePair next = queuePair.nextPosted;
            queuePair.clearPosted();
            ready.add(queuePair);
            queuePair = next;
        }
        return true;
    }

    /// The machines that may have something to send get their share, in turn; then everything
    /// leaves.
    private boolean finishTurn(long now) {
        congestion.admit(admission);
        int count = Math.min(ready.size(), SERVED_PER_TURN);
        boolean worked = count > 0;
        for (int i = 0; i < count; i++) {
            RoceQueuePair queuePair = ready.remove();
            if (queuePair.transmit(transmitter, now)) {
                ready.add(queuePair);
            }
            if (!transmitter.hasRoom()) {
                transmitter.flush(now);
            }
            noteDeadline(deadlines.note(queuePair));
        }
        congestion.admit(admission);
        worked |= services.transmit(transmitter);
        noteDeadline(services.deadlineNanos());
        transmitter.flush(now);
        noteDeadline(transmitter.deadlineNanos());
        noteDeadline(receiver.deadlineNanos());
        if (failedPath != null) {
            Path path = failedPath;
            failedPath = null;
            queuePairs.forEach(queuePair -> queuePair.machine().tooLong(path));
        }
        boolean more = !ready.isEmpty();
        if (more != hasMore) {
            hasMore = more;
        }
        return worked;
    }

    private void expire(long now) {
        nextDeadlineNanos = Long.MAX_VALUE;
        services.onTimer(now);
        noteDeadline(deadlines.expire(now, ready));
    }

    private void noteDeadline(long deadline) {
        if (deadline < nextDeadlineNanos) {
            nextDeadlineNanos = deadline;
            if (deadline < sleepingUntilNanos) {
                waiter.wake();
            }
        }
    }
}
