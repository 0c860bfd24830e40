package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.ThreadReport;
import dev.outboard.dpa.machine.ThreadStatus;
import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.ActorPlan.HostPlan;
import dev.outboard.dpa.machine.run.ActorPlan.NicPlan;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.EndSignal;
import dev.outboard.dpa.machine.unit.UnitScheduler;
import org.jspecify.annotations.Nullable;

/// An actor of a run in turns, and what it is doing. Only who has the turn touches it.
final class TurnActor {
    /// What an actor is doing.
    enum State {
        /// No event has activated the thread; an event makes it [#UNITLESS] or [#READY]. Or it is
        /// the owner of a process, which does nothing at this moment.
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

    final TurnRun run;
    final ActorPlan plan;
    final PollWatch watch = new PollWatch();
    final boolean server;
    State state;

    /// Among all actors of the machine.
    int index;

    /// Its thread of Java. Null for the owner of a process: a thread of the host, while that acts.
    @Nullable Thread carrier;

    /// Of a thread: its unit, and what it has asked for.
    int unit = UnitScheduler.NONE;

    boolean pending;

    /// Of a thread: what [dev.outboard.dpa.machine.DpaThread#argument] gives.
    long argument;

    /// Of a thread: whether events activate it, or are only remembered as yet.
    boolean enabled = true;

    /// Of a thread: whether the watchdog ends it at its next operation.
    boolean expired;

    /// Of a thread: how many activations have begun.
    long activations;

    /// Of a thread that serves calls: how often it has returned, and what announced it last.
    long returns;

    long returnToken;

    /// Of a thread: whether it has been destroyed.
    boolean retired;

    /// Whether its thread of Java has left the program.
    boolean gone;

    long pendingToken;

    TurnActor(TurnRun run, ActorPlan plan) {
        this.run = run;
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

    /// What it is doing, if it is a thread.
    ThreadStatus status() {
        ThreadStatus.State doing =
                switch (state) {
                    case INACTIVE -> ThreadStatus.State.INACTIVE;
                    case UNITLESS -> ThreadStatus.State.WAITING;
                    case READY, WAITING -> ThreadStatus.State.RUNNING;
                    case ENDED -> ThreadStatus.State.ENDED;
                };
        return new ThreadStatus(plan.name(), retired ? ThreadStatus.State.ENDED : doing, unit);
    }

    ThreadReport report(ThreadStatus status) {
        return new ThreadReport(status, ((ThreadPlan) plan).attributes().kind(), activations);
    }

    /// Whether it only leaves its program any more.
    boolean isUnwinding() {
        return retired || run.isStopped();
    }

    /// Before it acts.
    ///
    /// @throws EndSignal if it may not
    void check() {
        if (isUnwinding()) {
            throw EndSignal.stop();
        }
    }

    /// Whether it can act and may find something new.
    boolean isAwake(long version) {
        return isReady() && (expired || !watch.isAsleep(version));
    }

    /// Whether it can act.
    boolean isReady() {
        return state == State.READY && !isUnwinding();
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
