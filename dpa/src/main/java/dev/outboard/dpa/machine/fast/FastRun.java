package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.Affinity;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.fast.Carriers.Turn;
import dev.outboard.dpa.machine.fast.Outsiders.Outsider;
import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.ActorPlan.HostPlan;
import dev.outboard.dpa.machine.run.ActorPlan.NicPlan;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.CrashReports;
import dev.outboard.dpa.machine.run.DoorbellBoard;
import dev.outboard.dpa.machine.run.EndSignal;
import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpa.machine.run.ProcessRun;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.unit.UnitCounters;
import dev.outboard.dpa.machine.unit.UnitScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// DPA-HW-17: a run of a process under FAST. Each activation that has an execution unit is a
/// virtual thread, and so is each actor outside; virtual threads have as many carriers as there are
/// processors. One lock guards who runs where; accesses to memory never take it.
public final class FastRun implements ProcessRun {
    /// How long the run waits at its end for programs that do not look up from what they do.
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final ProcessState process;
    private final Duration limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final UnitScheduler units;
    private final UnitCounters[] counters;
    private final List<Activity> activities = new ArrayList<>();
    private final DoorbellBoard doorbells = new DoorbellBoard();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final Carriers carriers = new Carriers(Runtime.getRuntime().availableProcessors());

    /// Activations that have begun or wait for a unit.
    private int activations;

    private long endedActivations;

    private final Outsiders outsiders = new Outsiders();
    private long nextToken = 1;
    private boolean running;
    private @Nullable CrashReport crash;
    private @Nullable Throwable failure;
    private volatile boolean stopped;

    /// The run of what has been set up.
    public FastRun(ProcessState process, Duration limit) {
        this.process = process;
        this.limit = limit;
        MachineOptions options = process.options();
        units = new UnitScheduler(options.units());
        counters = new UnitCounters[options.units().total()];
        for (int unit = 0; unit < counters.length; unit++) {
            counters[unit] = new UnitCounters(options.seed(), unit, options.timing().tickNanos());
        }
        for (ActorPlan plan : process.actors()) {
            if (plan instanceof ThreadPlan thread) {
                activities.add(
                        new Activity(thread, new FastThread(this, process, thread, counters[0])));
            }
        }
    }

    @Override
    public RunResult run() {
        End ended;
        List<String> left;
        lock.lock();
        try {
            running = true;
            for (ActorPlan plan : process.actors()) {
                switch (plan) {
                    case NicPlan nic -> startOutside(nic, nic.program()::run);
                    case HostPlan host -> startOutside(host, host.program()::run);
                    case ThreadPlan thread -> {
                        // Below, as activations may need an actor.
                    }
                }
            }
            for (Activity activity : activities) {
                if (activity.pending || !activity.plan.attributes().handler()) {
                    activity.pending = false;
                    submit(activity);
                }
            }
            ended = awaitEnd();
            left = ended == End.DONE || ended == End.FAULT ? List.of() : unfinished();
            stop();
        } finally {
            lock.unlock();
        }
        join();
        if (failure != null) {
            throw new IllegalStateException("A program outside the DPA failed", failure);
        }
        return new RunResult(ended, Optional.ofNullable(crash), left, endedActivations);
    }

    private End awaitEnd() {
        long left = limit.toNanos();
        while (true) {
            if (crash != null) {
                return End.FAULT;
            }
            if (failure != null) {
                return End.DONE;
            }
            if (activations == 0 && outsiders.rest()) {
                return outsiders.isDone() ? End.DONE : End.STUCK;
            }
            if (left <= 0) {
                return End.LIMIT;
            }
            try {
                left = changed.awaitNanos(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return End.LIMIT;
            }
        }
    }

    private List<String> unfinished() {
        List<String> names = new ArrayList<>();
        for (Activity activity : activities) {
            if (activity.active) {
                names.add(activity.plan.name());
            }
        }
        for (Thread thread : threads) {
            if (thread.isAlive() && !names.contains(thread.getName())) {
                names.add(thread.getName());
            }
        }
        return names;
    }

    /// Ends everybody at its next operation.
    private void stop() {
        stopped = true;
        carriers.open();
        outsiders.wakeAll(carriers);
        for (Activity activity : activities) {
            if (activity.sleeper != null) {
                carriers.wake(activity.sleeper);
                activity.sleeper = null;
            }
        }
    }

    private void join() {
        try {
            for (Thread thread : threads) {
                thread.join(GRACE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public byte[] seenByNic(long address, int lengthBytes) {
        return OutsidePort.read(process, address, lengthBytes);
    }

    // Actors outside

    private void startOutside(ActorPlan plan, Consumer<FastOutside> program) {
        Outsider outsider = new Outsider(plan);
        outsiders.begin(outsider);
        start(
                plan.name(),
                () -> {
                    try {
                        program.accept(new FastOutside(this, process, outsider));
                    } catch (EndSignal end) {
                        // The run is over.
                    } catch (Throwable thrown) {
                        fail(thrown);
                    }
                    change(() -> outsiders.end(outsider));
                });
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void fail(Throwable thrown) {
        lock.lock();
        try {
            if (failure == null && !stopped) {
                failure = thrown;
            }
        } finally {
            lock.unlock();
        }
    }

    private void start(String name, Runnable task) {
        Thread thread =
                Thread.ofVirtual()
                        .name(name)
                        .unstarted(() -> {
                            try {
                                task.run();
                            } finally {
                                carriers.leave();
                                threads.remove(Thread.currentThread());
                            }
                        });
        threads.add(thread);
        carriers.start(thread);
    }

    // Activations

    @Override
    public void activate(ThreadHandle thread) {
        lock.lock();
        try {
            Activity activity = activities.get(thread.number());
            if (!running || activity.active) {
                activity.pending = true;
            } else if (!activity.finished) {
                submit(activity);
            }
        } finally {
            lock.unlock();
        }
    }

    private void submit(Activity activity) {
        activity.active = true;
        activations++;
        outsiders.disturb();
        int unit = units.activate(activity.number(), activity.affinity());
        if (unit != UnitScheduler.NONE) {
            dispatch(activity, unit);
        }
    }

    /// The activity has got a unit: it begins, or goes on where it gave its last one away.
    private void dispatch(Activity activity, int unit) {
        activity.unit = unit;
        if (activity.sleeper != null) {
            carriers.wake(activity.sleeper);
            activity.sleeper = null;
        } else {
            start(activity.plan.name(), () -> runActivation(activity));
        }
    }

    private void runActivation(Activity activity) {
        activity.thread.begin();
        activity.thread.moveTo(activity.unit, counters[activity.unit]);
        Ending ending = Ending.RETURN;
        try {
            if (stopped) {
                throw EndSignal.stop();
            }
            activity.plan.kernel().run(activity.thread);
        } catch (EndSignal end) {
            ending = end.ending();
        } catch (Throwable thrown) {
            ending = Ending.FAULT;
            crash(activity, thrown);
        }
        activity.thread.settle();
        lock.lock();
        try {
            end(activity, ending);
        } finally {
            lock.unlock();
        }
    }

    private void crash(Activity activity, Throwable thrown) {
        CrashReport report =
                CrashReports.of(
                        thrown, activity.plan.name(), activity.unit, activity.thread.latest());
        lock.lock();
        try {
            if (crash == null && !stopped) {
                crash = report;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void end(Activity activity, Ending ending) {
        activity.active = false;
        activity.finished |=
                ending == Ending.FINISH
                        || (ending == Ending.RETURN && !activity.plan.attributes().handler());
        activity.pending |= ending == Ending.RETRIGGER;
        activations--;
        endedActivations++;
        pass(activity.unit);
        if (activity.pending && !activity.finished && !stopped) {
            activity.pending = false;
            submit(activity);
        }
        changed.signalAll();
    }

    /// The unit goes to the next one that waits for it.
    private void pass(int unit) {
        int next = units.release(unit);
        if (next != UnitScheduler.NONE) {
            dispatch(activities.get(next), unit);
        }
    }

    /// DPA-HW-2: the thread gives its unit away and waits for one.
    void yieldUnit(FastThread thread, Affinity affinity) {
        Activity activity = activities.get(thread.number());
        Turn sleeper = null;
        lock.lock();
        try {
            checkStopped();
            int former = activity.unit;
            if (!units.isWanted(former)) {
                return;
            }
            pass(former);
            activity.unit = units.activate(activity.number(), affinity);
            if (activity.unit == UnitScheduler.NONE) {
                sleeper = carriers.sleeper();
                activity.sleeper = sleeper;
            }
        } finally {
            lock.unlock();
        }
        if (sleeper != null) {
            carriers.sleep(sleeper);
            checkStopped();
        }
        thread.moveTo(activity.unit, counters[activity.unit]);
    }

    // What threads and actors call

    /// DPA-HW-17: lets others have the carrier, if there are more than carriers.
    void giveCarrierAway() {
        checkStopped();
        carriers.giveWay();
        checkStopped();
    }

    private void checkStopped() {
        if (stopped) {
            throw EndSignal.stop();
        }
    }

    /// An actor outside has stored.
    void act() {
        if (outsiders.isQuiet()) {
            change(outsiders::act);
        }
    }

    /// An actor outside has nothing to do.
    void pause(Outsider outsider) {
        if (outsiders.isQuiet()) {
            change(() -> outsiders.pause(outsider));
        }
        giveCarrierAway();
    }

    /// A doorbell arrives at once.
    void ring(int register, long value, int thread) {
        lock.lock();
        try {
            checkStopped();
            doorbells.ring(register, value, thread, nextToken++);
            outsiders.wake(carriers, register, Doorbell.number(register, value));
        } finally {
            lock.unlock();
        }
    }

    Optional<Doorbell> pollDoorbell(int register, int queue) {
        lock.lock();
        try {
            checkStopped();
            int found = doorbells.find(register, queue);
            if (found < 0) {
                return Optional.empty();
            }
            outsiders.act();
            return Optional.of(doorbells.take(found));
        } finally {
            lock.unlock();
        }
    }

    Doorbell awaitDoorbell(Outsider outsider, int register, int queue) {
        while (true) {
            Turn sleeper;
            lock.lock();
            try {
                checkStopped();
                int found = doorbells.find(register, queue);
                if (found >= 0) {
                    outsiders.act();
                    return doorbells.take(found);
                }
                sleeper = carriers.sleeper();
                outsiders.await(outsider, register, queue, sleeper);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            carriers.sleep(sleeper);
        }
    }

    /// A thread and what it does now. Guarded by the lock of the run.
    private static final class Activity {
        private final ThreadPlan plan;
        private final FastThread thread;
        private int unit = UnitScheduler.NONE;
        private boolean active;
        private boolean pending;
        private boolean finished;

        /// While it waits for a unit in the middle of its activation.
        private @Nullable Turn sleeper;

        private Activity(ThreadPlan plan, FastThread thread) {
            this.plan = plan;
            this.thread = thread;
        }

        private int number() {
            return thread.number();
        }

        private Affinity affinity() {
            return plan.attributes().affinity();
        }
    }
}
