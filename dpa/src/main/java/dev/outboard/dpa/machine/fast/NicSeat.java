package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.fast.Outsiders.Outsider;
import dev.outboard.dpa.machine.run.EndSignal;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// Who works for the NIC of a process under FAST: its own thread or, while that sleeps, whoever has
/// something for it: a handler that rings, or a thread that drives a device of the fabric. One at a
/// time, whoever has the seat. So neither a doorbell nor a message from the wire waits for another
/// thread to wake up.
///
/// Who finds the seat taken leaves news, and whoever gives it back looks for them. The NIC's own
/// thread does what takes long, what has to wait, and the commands of the host.
final class NicSeat {
    private static final int FREE = 0;
    private static final int TAKEN = 1;

    /// A helper has left it to the NIC's own thread.
    private static final int LEFT = 2;

    /// After so many steps in a row a helper has done enough.
    private static final int STEPS = 64;

    private static final long LOOK_NANOS = 10_000;

    private final FastRun run;
    private final FastDoorbells doorbells;
    private final Nic.Engine engine;
    private final Outsider outsider;
    private final FastOutside nic;
    private final AtomicInteger state = new AtomicInteger(TAKEN);

    /// Somebody has found it taken.
    private volatile boolean news;

    // Of whoever has the seat

    private boolean helped;
    private boolean commanded;

    /// The NIC's own thread has it.
    NicSeat(FastRun run, Nic.Engine engine, Outsider outsider) {
        this.run = run;
        doorbells = run.doorbells();
        this.engine = engine;
        this.outsider = outsider;
        nic = run.outside(outsider);
    }

    /// The NIC's own thread works until the run is over. From then on the seat is never free.
    void serve() {
        engine.begin(nic);
        try {
            while (true) {
                news = false;
                switch (engine.work(nic)) {
                    case DONE -> run.giveCarrierAway(outsider.turn);
                    case WAITS -> nic.pause();
                    case NONE -> rest();
                }
            }
        } finally {
            engine.end();
        }
    }

    /// Until there is something that others do not do.
    private void rest() {
        doorbells.fallAsleep(outsider);
        state.set(FREE);
        boolean back = news && state.compareAndSet(FREE, TAKEN);
        if (back && doorbells.stayAwake(outsider)) {
            return;
        }
        if (back) {
            state.set(FREE);
        }
        doorbells.sleep(outsider);
        if (!state.compareAndSet(LEFT, TAKEN)) {
            awaitHelper();
            throw EndSignal.stop();
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
            if (!finished && doorbells.leaveSeat(outsider, this)) {
                return;
            }
            state.set(FREE);
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

    /// The NIC's own thread is woken to take the seat.
    void leave() {
        state.set(LEFT);
    }

    /// A command of the host has come.
    ///
    /// @return whether it has to stay where it is, for the NIC's own thread
    boolean leavesCommand() {
        commanded |= helped;
        return helped;
    }
}
