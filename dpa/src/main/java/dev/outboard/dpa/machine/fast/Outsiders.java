package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.fast.Carriers.Turn;
import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.ActorPlan.HostPlan;
import dev.outboard.dpa.machine.run.ActorPlan.NicPlan;
import dev.outboard.dpa.machine.run.DoorbellBoard;
import java.util.ArrayList;
import java.util.List;

/// The actors outside that have not ended, and which of them have nothing to do. Guarded by the
/// lock of the run, but for [#isQuiet], [#anyWaits] and [Outsider#isAsleep].
///
/// When all others have ended or wait in vain, it is quiet: then servers get the time to look at
/// everything once more, and what they do may end the quiet.
final class Outsiders {
    /// In place of a register.
    private static final int NONE = -2;

    /// Between two pauses lies one look at everything.
    private static final int PAUSES_OF_REST = 2;

    private final List<Outsider> all = new ArrayList<>();

    /// How many wait for a doorbell, but for the NIC that others work for.
    private volatile int waiting;

    private volatile boolean quiet;

    /// Counts quiet times and what servers do in them.
    private long epoch;

    /// One of them.
    static final class Outsider {
        final ActorPlan plan;
        private final boolean server;
        private int register = NONE;
        private int queue;
        private long epoch;
        private int pauses;

        /// While it waits for a doorbell.
        private volatile boolean asleep;

        final Turn turn = new Turn();

        Outsider(ActorPlan plan) {
            this.plan = plan;
            server =
                    plan instanceof NicPlan nic
                            ? nic.server()
                            : plan instanceof HostPlan host && host.server();
        }

        /// Whether it waits. Any thread may ask.
        boolean isAsleep() {
            return asleep;
        }
    }

    void begin(Outsider outsider) {
        all.add(outsider);
    }

    void end(Outsider outsider) {
        all.remove(outsider);
        epoch++;
    }

    /// It waits for a doorbell.
    @SuppressWarnings("NonAtomicVolatileUpdate") // guarded by the lock
    void await(Outsider outsider, int register, int queue) {
        outsider.register = register;
        outsider.queue = queue;
        waiting++;
        fallAsleep(outsider);
    }

    /// It waits until it is woken.
    void fallAsleep(Outsider outsider) {
        outsider.turn.ofCaller();
        outsider.asleep = true;
    }

    /// It waits no more.
    ///
    /// @return whether it did
    @SuppressWarnings("NonAtomicVolatileUpdate") // guarded by the lock
    boolean stayAwake(Outsider outsider) {
        boolean slept = outsider.asleep;
        if (slept && outsider.register != NONE) {
            outsider.register = NONE;
            waiting--;
        }
        outsider.asleep = false;
        return slept;
    }

    /// Whether a doorbell has to be told of. Who reads that after it has put a doorbell on the
    /// board misses nobody who looks at the board after it has said that it waits.
    boolean anyWaits() {
        return waiting > 0;
    }

    /// A doorbell has arrived.
    void wake(Carriers carriers, int register, int queue) {
        for (int i = 0; i < all.size(); i++) {
            Outsider outsider = all.get(i);
            boolean awaited = outsider.register == register && outsider.queue == queue;
            if (awaited || outsider.register == DoorbellBoard.ANY) {
                wake(carriers, outsider);
            }
        }
    }

    /// The run is over.
    void wakeAll(Carriers carriers) {
        all.forEach(outsider -> wake(carriers, outsider));
    }

    /// Wakes one.
    ///
    /// @return whether it slept
    boolean wake(Carriers carriers, Outsider outsider) {
        boolean slept = stayAwake(outsider);
        if (slept) {
            carriers.admit(outsider.turn);
            epoch++;
        }
        return slept;
    }

    /// It did something that others may see.
    void act() {
        epoch++;
    }

    /// It has nothing to do.
    void pause(Outsider outsider) {
        if (outsider.epoch != epoch) {
            outsider.epoch = epoch;
            outsider.pauses = 0;
        }
        outsider.pauses++;
    }

    /// Whether only servers are left, if anybody.
    boolean isDone() {
        return all.stream().allMatch(outsider -> outsider.server);
    }

    /// Looks whether it is quiet, now that no activation is left.
    ///
    /// @return whether nobody will do anything any more
    boolean rest() {
        boolean othersWait = all.stream().allMatch(outsider -> outsider.server || outsider.asleep);
        if (othersWait && !quiet) {
            epoch++;
        }
        quiet = othersWait;
        return othersWait && all.stream().allMatch(this::isAtRest);
    }

    /// An activation has begun.
    void disturb() {
        quiet = false;
    }

    /// Whether servers are asked to say that they have nothing to do.
    boolean isQuiet() {
        return quiet;
    }

    private boolean isAtRest(Outsider outsider) {
        return outsider.asleep || (outsider.epoch == epoch && outsider.pauses >= PAUSES_OF_REST);
    }
}
