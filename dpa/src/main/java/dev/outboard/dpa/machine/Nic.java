package dev.outboard.dpa.machine;

import java.util.function.BooleanSupplier;

/// DPA-MEM-8, DPA-MEM-10: a NIC, or one of its queues. In DPA memory it reads its own view, which
/// has what was written back and perhaps more. Its writes are in no order but that of [#order].
public interface Nic extends Outside {

    /// DPA-MEM-11: what it has written so far comes before what it writes from now on. Between two
    /// writes to a strictly ordered region, and before a completion entry.
    void order();

    /// Stores 8 bytes if they equal `expected`, in one step, atomically among all accesses of NIC
    /// and host.
    ///
    /// @return the former value
    long compareSwap64(long address, long expected, long value);

    /// Takes the oldest doorbell of all registers and queues, if one has arrived: for a NIC that
    /// serves all queues of the process. Interrupts are left to the host.
    ///
    /// @return whether one was there, and has been used
    boolean pollDoorbell(Doorbell.Use use);

    /// Waits for a doorbell of any register and queue, but for interrupts, and takes the oldest.
    Doorbell awaitDoorbell();

    /// DPA-FXO-6: interrupts the host.
    ///
    /// @param vector of the interrupt, by which the host awaits it; of 24 bits
    void interrupt(int vector);

    /// What time it is: the virtual one in turns, else that of a monotonic clock.
    long nanos();

    /// The same as [#command], once some time has passed. A run that is over when nobody has
    /// anything to do does not wait for that.
    void commandAfter(long nanos);

    /// Has an [Engine] look for what there is to do, from any thread, when something has come to it
    /// that is no doorbell.
    default void attend() {
        command();
    }

    /// What a NIC does.
    @FunctionalInterface
    interface Program {
        /// Runs from the begin of the run to its own end.
        void run(Nic nic);
    }

    /// What a NIC does that goes from one thing to the next, and keeps nothing on its stack between
    /// them: then whoever has something for it may do some of its work. One thread at a time calls
    /// it.
    interface Engine extends Program {
        /// The run begins.
        void begin(Nic nic);

        /// Does one thing, or one for each of its queues.
        Work work(Nic nic);

        /// Uses a doorbell.
        void take(Nic nic, int register, long value, int uar, long token);

        /// The run is over.
        void end();

        /// Whether things come to it from outside the machine that are no doorbells, and one of its
        /// threads may sleep until they do.
        default boolean hasWire() {
            return false;
        }

        /// Whether somebody has to wait at the wire, or something comes all the same.
        default boolean awaitsWire() {
            return hasWire();
        }

        /// Brings in what comes by the wire, and waits if there is nothing. Comes back when
        /// something has come, or now and then for no reason, and has others attend to it
        /// meanwhile, or does so itself.
        ///
        /// @param mayWait asked once more when a [#wake] cannot be missed any more
        default void awaitWire(BooleanSupplier mayWait) {
            throw new UnsupportedOperationException("There is no wire");
        }

        /// Brings in what there is on the wire, without waiting. Any thread.
        default void drive() {
            // There is no wire.
        }

        /// Ends the wait of another thread.
        default void wake() {
            // Nobody waits.
        }

        @Override
        default void run(Nic nic) {
            begin(nic);
            try {
                while (true) {
                    switch (work(nic)) {
                        case DONE -> {
                            // There may be more.
                        }
                        case WAITS -> nic.pause();
                        case NONE -> {
                            Doorbell rung = nic.awaitDoorbell();
                            take(nic, rung.register(), rung.value(), rung.uar(), rung.token());
                        }
                    }
                }
            } finally {
                end();
            }
        }
    }

    /// What an engine has found to do.
    enum Work {
        /// Something, which it has done. There may be more.
        DONE,
        /// Something that cannot be done at this moment.
        WAITS,
        /// Nothing, until something comes.
        NONE
    }
}
