package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.ActorPlan.HostPlan;
import dev.outboard.dpa.machine.run.ActorPlan.NicPlan;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.unit.UnitScheduler;

/// An actor of a run in turns, and what it is doing. Only who has the turn touches it.
final class TurnActor {
    /// What an actor is doing.
    enum State {
        /// No event has activated the thread; an event makes it [#UNITLESS] or [#READY].
        INACTIVE,
        /// It waits for an execution unit, and gets [#READY] with it.
        UNITLESS,
        /// It can act. It gets [#WAITING] for a doorbell, [#INACTIVE] at the end of an activation,
        /// and [#ENDED] for good.
        READY,
        /// It waits for a doorbell; any that arrives makes it [#READY].
        WAITING,
        /// Its program has ended.
        ENDED
    }

    final ActorPlan plan;
    final PollWatch watch = new PollWatch();
    final boolean server;
    State state;

    /// Of a thread: its unit, and what it has asked for.
    int unit = UnitScheduler.NONE;

    boolean pending;

    /// When the run was stopped: whether it had still something to do.
    boolean left;

    /// Whether its thread of Java has left the program.
    boolean gone;

    long pendingToken;

    TurnActor(ActorPlan plan) {
        this.plan = plan;
        state = plan instanceof ThreadPlan ? State.INACTIVE : State.READY;
        server =
                switch (plan) {
                    case NicPlan nic -> nic.server();
                    case HostPlan host -> host.server();
                    case ThreadPlan thread -> false;
                };
    }

    int number() {
        return plan.actor();
    }

    /// Whether the run cannot end before it does.
    boolean isNeeded() {
        return switch (state) {
            case INACTIVE, ENDED -> false;
            case UNITLESS -> true;
            case READY, WAITING -> !server;
        };
    }
}
