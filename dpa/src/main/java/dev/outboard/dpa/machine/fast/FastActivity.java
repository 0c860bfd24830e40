package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.Affinity;
import dev.outboard.dpa.machine.ThreadAttributes.Kind;
import dev.outboard.dpa.machine.ThreadReport;
import dev.outboard.dpa.machine.ThreadStatus;
import dev.outboard.dpa.machine.ThreadStatus.State;
import dev.outboard.dpa.machine.fast.Carriers.Turn;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.unit.UnitScheduler;

/// A thread and what it does now. Guarded by the lock of the machine.
final class FastActivity {
    final FastRun run;
    final ThreadPlan plan;
    final FastThread thread;
    int unit = UnitScheduler.NONE;

    /// Whether events activate it, or are only remembered as yet.
    boolean enabled;

    boolean active;
    boolean pending;
    boolean finished;

    /// How many activations have got a unit.
    long activations;

    /// How often it has returned.
    long returns;

    /// Whether it waits for a unit in the middle of its activation.
    boolean asleep;

    final Turn turn = new Turn(this::run);

    FastActivity(FastRun run, ThreadPlan plan, FastThread thread, boolean enabled) {
        this.run = run;
        this.plan = plan;
        this.thread = thread;
        this.enabled = enabled;
    }

    Affinity affinity() {
        return plan.attributes().affinity();
    }

    Kind kind() {
        return plan.attributes().kind();
    }

    ThreadStatus status() {
        State state;
        if (active) {
            state = unit == UnitScheduler.NONE ? State.WAITING : State.RUNNING;
        } else {
            state = finished ? State.ENDED : State.INACTIVE;
        }
        return new ThreadStatus(plan.name(), state, unit);
    }

    ThreadReport report(ThreadStatus status) {
        return new ThreadReport(status, kind(), activations);
    }

    private void run() {
        run.runActivation(this);
    }

    /// It has got a unit.
    void dispatch(int unit) {
        run.dispatch(this, unit);
    }
}
