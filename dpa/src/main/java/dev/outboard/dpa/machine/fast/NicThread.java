package dev.outboard.dpa.machine.fast;

import org.jspecify.annotations.Nullable;

/// A thread of a NIC that has a wire. An activation that something from the wire brings about is
/// kept by the thread that has brought it in, which runs it when it has brought in all that there
/// is: as nobody has to be woken for it, that takes half the time.
///
/// Only the thread itself touches its fields.
final class NicThread extends Thread {
    /// The NIC that it waits for and keeps an activation for, if it does.
    private @Nullable NicSeat keepsFor;

    private @Nullable Runnable kept;

    /// Whether it runs an activation, at whose end it comes back to its NIC.
    private @Nullable NicSeat away;

    NicThread(String name, Runnable task) {
        super(task, name);
        setDaemon(true);
    }

    /// The calling thread, if it keeps activations, keeps this one, of whatever process: its wait
    /// ends as soon as it has brought in all that there is.
    ///
    /// @return whether it does
    static boolean keep(Runnable activation) {
        if (Thread.currentThread() instanceof NicThread self
                && self.keepsFor != null
                && self.kept == null) {
            self.kept = activation;
            self.keepsFor.wake();
            return true;
        }
        return false;
    }

    /// The calling thread has run an activation for a while: somebody else has to do what it would
    /// otherwise do.
    static void goesOn() {
        if (Thread.currentThread() instanceof NicThread self && self.away != null) {
            NicSeat seat = self.away;
            self.away = null;
            seat.substitute();
        }
    }

    /// Brings in what comes by the wire.
    ///
    /// @param keeper the NIC, if an activation is to be kept
    /// @return the activation that it has kept
    @Nullable Runnable await(Runnable wire, @Nullable NicSeat keeper) {
        keepsFor = keeper;
        wire.run();
        keepsFor = null;
        Runnable activation = kept;
        kept = null;
        return activation;
    }

    /// Runs an activation.
    void run(Runnable activation, NicSeat seat) {
        away = seat;
        activation.run();
        away = null;
    }
}
