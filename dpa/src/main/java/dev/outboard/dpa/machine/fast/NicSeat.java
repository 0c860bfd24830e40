package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.fast.Outsiders.Outsider;
import dev.outboard.dpa.machine.run.EndSignal;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Who works for the NIC of a process under FAST: its own thread or, while that sleeps, whoever has
/// something for it: a handler that rings, or a thread that drives a device of the fabric. One at a
/// time, whoever has the seat. So neither a doorbell nor a message from the wire waits for another
/// thread to wake up.
///
/// Who finds the seat taken leaves news, and whoever gives it back looks for them. The NIC's own
/// thread does what takes long, what has to wait, and the commands of the host.
///
/// If the NIC has a wire, its own thread waits there, and runs an activation that something from
/// the wire has brought about. If that goes on for long, or the thread is needed, another one takes
/// its place.
final class NicSeat {
    private static final int FREE = 0;
    private static final int TAKEN = 1;

    /// A helper has left it to the NIC's own thread.
    private static final int LEFT = 2;

    /// After so many steps in a row a helper has done enough.
    private static final int STEPS = 64;

    private static final long LOOK_NANOS = 10_000;
    private static final long DOZE_NANOS = 1_000_000_000;

    /// After so many looks in vain at memory its thread sleeps between them, for longer each time.
    private static final int LOOKS_BEFORE_NAP = 1000;

    private static final long NAP_NANOS = 10_000;
    private static final long LONGEST_NAP_NANOS = 1_000_000;

    /// How many waits after a long activation no other one is kept.
    private static final int WAITS_AFTER_LONG_ONE = 64;

    private final FastRun run;
    private final Outsiders outsiders;
    private final Nic.Engine engine;
    private final Outsider outsider;
    private final FastOutside nic;
    private final AtomicInteger state = new AtomicInteger(TAKEN);
    private final Runnable wire;

    /// Somebody has found it taken.
    private volatile boolean news;

    /// The NIC's own thread, while it sleeps and has the seat.
    private volatile @Nullable Thread napping;

    // Of whoever has the seat

    private boolean helped;
    private boolean commanded;

    /// Whether the NIC's own thread runs an activation, and comes back.
    private final AtomicBoolean away = new AtomicBoolean();

    // Of the NIC's own thread

    /// Until an activation is kept again.
    private int waitsToKeep;

    /// Looks in vain in a row.
    private int looks;

    /// The NIC's own thread has it.
    NicSeat(FastRun run, Nic.Engine engine, Outsider outsider, Outsiders outsiders) {
        this.run = run;
        this.engine = engine;
        this.outsider = outsider;
        this.outsiders = outsiders;
        nic = run.outside(outsider);
        BooleanSupplier isAsleep = outsider::isAsleep;
        wire = () -> engine.awaitWire(isAsleep);
    }

    Outsider outsider() {
        return outsider;
    }

    boolean hasWire() {
        return engine.hasWire();
    }

    /// The NIC's own thread works until the run is over, or another one has taken its place. When
    /// the run is over, the seat is never free any more.
    ///
    /// @param first whether it is the first thread, and otherwise one that takes the place of
    ///   another one
    /// @return whether it still is the NIC's own thread
    boolean serve(boolean first) {
        boolean own = true;
        try {
            if (first) {
                engine.begin(nic);
            } else {
                own = awaitSeat();
            }
            while (own) {
                news = false;
                Nic.Work done = engine.work(nic);
                looks = done == Nic.Work.WAITS ? looks + 1 : 0;
                switch (done) {
                    case DONE -> run.giveCarrierAway(outsider.turn);
                    case WAITS -> pause();
                    case NONE -> own = rest();
                }
            }
        } finally {
            if (own) {
                engine.end();
            }
        }
        return own;
    }

    /// Until it may be worth another look. What memory holds changes without news.
    private void pause() {
        nic.pause();
        if (looks > LOOKS_BEFORE_NAP) {
            run.carriers().leave();
            nap(Math.min((looks - LOOKS_BEFORE_NAP) * NAP_NANOS, LONGEST_NAP_NANOS));
            run.carriers().admit(outsider.turn.ofCaller());
            outsider.turn.await();
        }
    }

    private void nap(long nanos) {
        napping = Thread.currentThread();
        long begin = System.nanoTime();
        long left = nanos;
        while (left > 0 && !news) {
            LockSupport.parkNanos(this, left);
            left = begin + nanos - System.nanoTime();
        }
        napping = null;
    }

    /// Until there is something that others do not do.
    private boolean rest() {
        run.change(() -> {
            run.checkStopped();
            outsiders.fallAsleep(outsider);
        });
        state.set(FREE);
        boolean back = news && state.compareAndSet(FREE, TAKEN);
        if (back && staysAwake()) {
            return true;
        }
        if (back) {
            state.set(FREE);
        }
        run.carriers().leave();
        return awaitSeat();
    }

    /// It does not sleep after all.
    ///
    /// @return false if it has been woken
    private boolean staysAwake() {
        run.lock().lock();
        try {
            return outsiders.stayAwake(outsider);
        } finally {
            run.lock().unlock();
        }
    }

    private boolean awaitSeat() {
        if (Thread.currentThread() instanceof NicThread self && !attend(self)) {
            return false;
        }
        outsider.turn.await();
        if (!state.compareAndSet(LEFT, TAKEN)) {
            awaitHelper();
            throw EndSignal.stop();
        }
        return true;
    }

    /// Waits at the wire until it is woken, or there is no wire any more.
    ///
    /// @return false if another thread has taken its place
    private boolean attend(NicThread self) {
        while (outsider.isAsleep() && engine.hasWire()) {
            if (!engine.awaitsWire()) {
                doze();
                continue;
            }
            Runnable kept = self.await(wire, mayKeep() ? this : null);
            if (kept != null) {
                away.set(true);
                self.run(kept, this);
                if (!away.compareAndSet(true, false)) {
                    return false;
                }
                run.carriers().leave();
            }
        }
        return true;
    }

    /// Until there is something to wait for at the wire.
    private void doze() {
        napping = Thread.currentThread();
        if (outsider.isAsleep() && !engine.awaitsWire()) {
            LockSupport.parkNanos(this, DOZE_NANOS);
        }
        napping = null;
    }

    private boolean mayKeep() {
        waitsToKeep = Math.max(waitsToKeep - 1, 0);
        return waitsToKeep == 0;
    }

    /// The NIC's own thread is in the middle of an activation: another one takes its place.
    void substitute() {
        run.lock().lock();
        try {
            if (!run.hasStopped() && away.compareAndSet(true, false)) {
                waitsToKeep = WAITS_AFTER_LONG_ONE;
                outsider.turn.of(run.outsideThreads().substitute(this));
            }
        } finally {
            run.lock().unlock();
        }
    }

    /// The run is over, and somebody may still be at work.
    private void awaitHelper() {
        while (!state.compareAndSet(FREE, TAKEN)) {
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
    }

    /// Has the NIC look for what there is to do: the calling thread works for it, unless somebody
    /// does already.
    void help() {
        news = true;
        while (news && state.compareAndSet(FREE, TAKEN)) {
            boolean finished = work();
            if (!finished && leave()) {
                return;
            }
            state.set(FREE);
        }
        Thread sleeper = napping;
        if (sleeper != null) {
            LockSupport.unpark(sleeper);
        }
    }

    /// What it throws ends the run, which whoever helps learns in its own time.
    ///
    /// @return whether nothing is left to do
    private boolean work() {
        helped = true;
        commanded = false;
        try {
            Nic.Work last = Nic.Work.DONE;
            for (int step = 0; step < STEPS && last == Nic.Work.DONE; step++) {
                news = false;
                last = engine.work(nic);
            }
            return last == Nic.Work.NONE && !commanded;
        } catch (EndSignal over) {
            return true;
        } catch (Throwable thrown) {
            run.fail(thrown);
            return true;
        } finally {
            helped = false;
        }
    }

    /// Leaves the seat to the NIC's own thread, and wakes that.
    ///
    /// @return false if the run is over
    private boolean leave() {
        run.lock().lock();
        try {
            if (run.hasStopped()) {
                return false;
            }
            substitute();
            state.set(LEFT);
            boolean slept = outsiders.wake(run.carriers(), outsider);
            wake();
            return slept;
        } finally {
            run.lock().unlock();
        }
    }

    /// A command of the host has come.
    ///
    /// @return whether it has to stay where it is, for the NIC's own thread
    boolean leavesCommand() {
        commanded |= helped;
        return helped;
    }

    /// Brings in what there is on the wire.
    void drive() {
        engine.drive();
    }

    /// Ends the wait of the NIC's own thread at the wire.
    void wake() {
        engine.wake();
        LockSupport.unpark(napping);
    }
}
