package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.fast.Outsiders.Outsider;
import dev.outboard.dpa.machine.run.DoorbellBoard;
import dev.outboard.dpa.trace.Timeline;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The doorbells of a process under FAST, and the actors outside that wait for them. A doorbell
/// arrives at once, and allocates nothing.
final class FastDoorbells {
    private final FastRun run;
    private final Outsiders outsiders;
    private final Carriers carriers;
    private final Timeline timeline;

    /// Guarded by itself, and nobody calls anything meanwhile.
    private final DoorbellBoard board = new DoorbellBoard();

    private long nextToken = 1;

    /// Of the NIC that others work for.
    private volatile @Nullable NicSeat seat;

    FastDoorbells(FastRun run, Outsiders outsiders, Carriers carriers, Timeline timeline) {
        this.run = run;
        this.outsiders = outsiders;
        this.carriers = carriers;
        this.timeline = timeline;
    }

    /// From now on whoever rings works for that NIC.
    void seat(NicSeat nic) {
        synchronized (board) {
            board.engine();
        }
        seat = nic;
    }

    /// Whether there is a NIC that others work for.
    boolean hasSeat() {
        return seat != null;
    }

    /// A doorbell arrives. Whoever rings works for the NIC, if nobody does.
    void ring(int register, long value, int thread, int uar) {
        run.checkStopped();
        int queue = Doorbell.number(register, value);
        boolean isForNic;
        synchronized (board) {
            long token = nextToken++;
            timeline.ring(thread, register, queue, token);
            board.ring(register, value, thread, uar, token);
            isForNic = board.isForNic(register, value, thread);
        }
        if (outsiders.anyWaits()) {
            wake(register, queue);
        }
        if (isForNic) {
            attend();
        }
    }

    private void wake(int register, int queue) {
        run.lock().lock();
        try {
            outsiders.wake(carriers, register, queue);
            run.tell();
        } finally {
            run.lock().unlock();
        }
    }

    /// The host is interrupted: also who waits for that without being an actor.
    void interrupt(int vector) {
        ring(AddressMap.MSIX_DOORBELL, Doorbell.interrupt(vector), DoorbellBoard.OUTSIDE, 0);
        run.tell();
    }

    /// Whether the host has been interrupted, which it takes note of.
    boolean takeInterrupt(int vector) {
        return take(AddressMap.MSIX_DOORBELL, vector).isPresent();
    }

    /// There may be something to do for the NIC that others work for.
    void attend() {
        NicSeat current = seat;
        if (current != null) {
            current.help();
        }
    }

    /// The NIC that others work for brings in what there is on its wire.
    ///
    /// @param again whether the caller will soon have it do so again
    void drive(boolean again) {
        NicSeat current = seat;
        if (current != null) {
            current.drive(again);
        }
    }

    Optional<Doorbell> poll(int register, int queue) {
        run.checkStopped();
        Optional<Doorbell> found = take(register, queue);
        if (found.isPresent()) {
            run.act();
        }
        return found;
    }

    private Optional<Doorbell> take(int register, int queue) {
        synchronized (board) {
            int found = board.find(register, queue);
            return found < 0 ? Optional.empty() : Optional.of(board.take(found));
        }
    }

    /// The oldest doorbell for the NIC, but for a command if that has to wait for the NIC's own
    /// thread.
    ///
    /// @param keep keeps it for the caller
    /// @return whether there was one
    boolean poll(Doorbell.Use keep) {
        run.checkStopped();
        NicSeat current = seat;
        synchronized (board) {
            int found = board.find(DoorbellBoard.ANY, DoorbellBoard.ANY);
            if (found < 0
                    || (current != null && board.isCommand(found) && current.leavesCommand())) {
                return false;
            }
            board.take(found, keep);
        }
        run.act();
        return true;
    }

    Doorbell await(Outsider outsider, int register, int queue) {
        while (true) {
            run.lock().lock();
            try {
                run.checkStopped();
                outsiders.await(outsider, register, queue);
                Optional<Doorbell> found = take(register, queue);
                if (found.isPresent()) {
                    outsiders.stayAwake(outsider);
                    outsiders.act();
                    return found.get();
                }
                run.hasChanged();
            } finally {
                run.lock().unlock();
            }
            carriers.sleep(outsider.turn);
        }
    }

    /// The run is over. Called with the lock.
    void wakeAll() {
        outsiders.wakeAll(carriers);
        NicSeat current = seat;
        if (current != null) {
            current.wake();
        }
    }
}
