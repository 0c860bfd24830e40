package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.Affinity;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.ProcessEndedException;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.ThreadAttributes.Kind;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.ThreadReport;
import dev.outboard.dpa.machine.ThreadStatus;
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
import dev.outboard.dpa.machine.unit.UnitScheduler;
import dev.outboard.dpa.trace.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A process under FAST: each activation that has an execution unit is a virtual thread, and so is
/// each actor outside. The lock of the machine guards who runs where; accesses to memory never take
/// it.
public final class FastRun implements ProcessRun {
    /// How long the run waits at its end for programs that do not look up from what they do.
    private static final Duration GRACE = Duration.ofSeconds(5);

    /// In place of the number of a thread that rings.
    static final int OUTSIDE = DoorbellBoard.OUTSIDE;

    private final FastMachine machine;
    private final ProcessState process;
    private final Timeline timeline;
    private final Duration limit;
    private final ReentrantLock lock;
    private final Carriers carriers;

    /// Somebody has ended, waits, or has something to say to whoever waits for the process.
    private final Condition changed;

    private final List<FastActivity> activities = new CopyOnWriteArrayList<>();
    private final FastDoorbells doorbells;

    /// Activations that have begun or wait for a unit.
    private int activations;

    /// Activations that have had a unit and not ended.
    private int begun;

    private long endedActivations;

    private final Outsiders outsiders = new Outsiders();
    private final OutsideThreads threads;
    private @Nullable FastOutside owner;
    private boolean running;

    /// What threads were doing when it stopped.
    private List<ThreadStatus> lastStatuses = List.of();

    private @Nullable CrashReport crash;
    private int exitStatus;
    private Runnable whenCrashed = () -> {};
    private @Nullable Throwable failure;
    private volatile boolean stopped;

    /// Whether nobody of it runs any more.
    private boolean left;

    /// The run of what has been set up.
    ///
    /// @param limit how long [#run] may take
    public FastRun(FastMachine machine, ProcessState process, Duration limit) {
        this.machine = machine;
        this.process = process;
        timeline = process.timeline();
        this.limit = limit;
        lock = machine.lock();
        carriers = machine.carriers();
        changed = lock.newCondition();
        doorbells = new FastDoorbells(this, outsiders, carriers, timeline);
        threads = new OutsideThreads(this, outsiders, carriers);
    }

    // Life of the process

    @Override
    public RunResult run() {
        End ended;
        List<String> left;
        lock.lock();
        try {
            begin();
            ended = awaitEnd();
            left = ended == End.DONE || ended == End.FAULT ? List.of() : unfinished();
            stop();
            machine.end();
        } finally {
            lock.unlock();
        }
        join();
        checkFailure();
        return new RunResult(ended, Optional.ofNullable(crash), left, endedActivations);
    }

    private void checkFailure() {
        if (failure != null) {
            throw new IllegalStateException("A program outside the DPA failed", failure);
        }
    }

    @Override
    public void start(Runnable tell) {
        whenCrashed = tell;
        lock.lock();
        try {
            begin();
        } finally {
            lock.unlock();
        }
    }

    private void begin() {
        machine.begin();
        process.actors().stream().filter(ThreadPlan.class::isInstance).forEach(this::addActor);
        process.activated().forEach(this::activate);
        running = true;
        process.actors().stream()
                .filter(plan -> !(plan instanceof ThreadPlan))
                .forEach(this::addActor);
        for (FastActivity activity : activities) {
            if (activity.pending || activity.kind() == Kind.ONCE) {
                activity.pending = false;
                submit(activity, false);
            }
        }
    }

    private void addActor(ActorPlan plan) {
        switch (plan) {
            case NicPlan nic
                    when nic.program() instanceof Nic.Engine engine && !doorbells.hasSeat() -> {
                Outsider outsider = new Outsider(nic);
                NicSeat seat = new NicSeat(this, engine, outsider, outsiders);
                doorbells.seat(seat);
                threads.start(seat);
            }
            case NicPlan nic -> threads.start(new Outsider(nic), nic.program()::run);
            case HostPlan host when host.isOwner() -> owner = outside(new Outsider(host));
            case HostPlan host -> threads.start(new Outsider(host), host.program()::run);
            case ThreadPlan thread -> {
                FastThread made = new FastThread(this, process, thread, machine.counters(0));
                activities.add(new FastActivity(this, thread, made, !running));
            }
        }
    }

    @Override
    public void add(ActorPlan plan) {
        change(() -> addActor(plan));
    }

    @Override
    public void enable(ThreadHandle thread, long argument) {
        lock.lock();
        try {
            FastActivity activity = activities.get(thread.number());
            activity.thread.argument(argument);
            activity.enabled = true;
            if ((activity.pending || activity.kind() == Kind.ONCE) && !stopped) {
                activity.pending = false;
                submit(activity, false);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void retire(ThreadHandle thread) {
        FastActivity activity = activities.get(thread.number());
        lock.lock();
        try {
            activity.thread.withdraw();
            activity.finished = true;
            if (machine.units().cancel(activity)) {
                activity.active = false;
                activations--;
            }
            wake(activity);
        } finally {
            lock.unlock();
        }
        await(() -> !activity.active, GRACE);
    }

    @Override
    public <T> T act(Function<Host, T> calls) {
        if (stopped) {
            throw new ProcessEndedException("The process has ended");
        }
        try {
            return calls.apply(Objects.requireNonNull(owner, "owner"));
        } catch (EndSignal over) {
            throw new ProcessEndedException("The process has ended");
        }
    }

    @Override
    public boolean await(BooleanSupplier condition, Duration atMost) {
        long left = atMost.toNanos();
        lock.lock();
        try {
            while (!condition.getAsBoolean()) {
                checkFailure();
                if (stopped || left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean goOn(Duration atMost) {
        return !stopped;
    }

    @Override
    public boolean awaitInterrupt(int vector, Duration atMost) {
        return await(() -> doorbells.takeInterrupt(vector), atMost);
    }

    @Override
    public boolean call(ThreadHandle thread, Duration atMost) {
        FastActivity called = activities.get(thread.number());
        long returned = called.returns + 1;
        activate(thread);
        return await(() -> called.returns == returned, atMost);
    }

    @Override
    public boolean awaitReturns(
            List<ThreadHandle> called, BooleanSupplier condition, Duration atMost) {
        return await(
                () -> condition.getAsBoolean() && called.stream().allMatch(this::hasReturned),
                atMost);
    }

    private boolean hasReturned(ThreadHandle thread) {
        FastActivity called = activities.get(thread.number());
        return !called.active && !called.pending;
    }

    @Override
    public int exitStatus() {
        lock.lock();
        try {
            return exitStatus;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<CrashReport> crash() {
        lock.lock();
        try {
            return Optional.ofNullable(crash);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void look(Consumer<List<ThreadStatus>> look) {
        List<ThreadStatus> seen;
        lock.lock();
        try {
            seen = stopped ? lastStatuses : statuses();
        } finally {
            lock.unlock();
        }
        look.accept(seen);
    }

    @Override
    public List<ThreadReport> report() {
        lock.lock();
        try {
            List<ThreadReport> reports = new ArrayList<>();
            for (FastActivity activity : activities) {
                boolean then = stopped && reports.size() < lastStatuses.size();
                ThreadStatus status = then ? lastStatuses.get(reports.size()) : activity.status();
                reports.add(activity.report(status));
            }
            return reports;
        } finally {
            lock.unlock();
        }
    }

    private List<ThreadStatus> statuses() {
        return activities.stream().map(FastActivity::status).toList();
    }

    @Override
    public void end() {
        change(this::stop);
        join();
    }

    private End awaitEnd() {
        long left = limit.toNanos();
        while (true) {
            if (crash != null) {
                return End.FAULT;
            }
            if (failure != null || stopped) {
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
        for (FastActivity activity : activities) {
            if (activity.active) {
                names.add(activity.plan.name());
            }
        }
        threads.living().filter(name -> !names.contains(name)).forEach(names::add);
        return names;
    }

    /// Ends everybody at its next operation. Nobody gets a unit any more.
    private void stop() {
        if (stopped) {
            return;
        }
        lastStatuses = statuses();
        stopped = true;
        doorbells.wakeAll();
        for (FastActivity activity : activities) {
            machine.units().cancel(activity);
            wake(activity);
        }
    }

    /// It waited for a unit, which nobody gets any more.
    private void wake(FastActivity activity) {
        if (activity.asleep) {
            activity.asleep = false;
            carriers.admit(activity.turn);
        }
    }

    /// Waits until all threads have ended, those too whose turn to start is still to come.
    private void join() {
        lock.lock();
        try {
            long nanos = GRACE.toNanos();
            while ((begun > 0 || !threads.isEmpty()) && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (!left) {
                left = true;
                machine.leave();
            }
            lock.unlock();
        }
    }

    @Override
    public byte[] seenByNic(long address, int lengthBytes) {
        return OutsidePort.read(process, address, lengthBytes);
    }

    // Actors outside

    FastDoorbells doorbells() {
        return doorbells;
    }

    FastOutside outside(Outsider outsider) {
        return new FastOutside(this, process, outsider);
    }

    OutsideThreads outsideThreads() {
        return threads;
    }

    Carriers carriers() {
        return carriers;
    }

    ReentrantLock lock() {
        return lock;
    }

    boolean hasStopped() {
        return stopped;
    }

    /// What somebody may wait for has changed. Called with the lock.
    void hasChanged() {
        changed.signalAll();
    }

    /// What somebody may wait for changes.
    void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// An actor has done what a thread of the host may wait for.
    void tell() {
        change(() -> {});
    }

    void fail(Throwable thrown) {
        lock.lock();
        try {
            if (failure == null && !stopped) {
                failure = thrown;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    // Activations

    @Override
    public void activate(ThreadHandle thread) {
        lock.lock();
        try {
            FastActivity activity = activities.get(thread.number());
            if (!running || !activity.enabled || activity.active) {
                activity.pending = true;
            } else if (!activity.finished && !stopped) {
                submit(activity, false);
            }
        } finally {
            lock.unlock();
        }
    }

    /// @param again whether the calling thread is at the end of an activation of it
    private void submit(FastActivity activity, boolean again) {
        activity.active = true;
        activations++;
        outsiders.disturb();
        int unit = machine.units().activate(activity, activity.affinity());
        if (unit != UnitScheduler.NONE) {
            if (again) {
                take(activity, unit);
                carriers.follow(activity.turn);
            } else {
                dispatch(activity, unit);
            }
        }
    }

    /// The activity has got a unit: it begins, or goes on where it gave its last one away.
    void dispatch(FastActivity activity, int unit) {
        take(activity, unit);
        carriers.admit(activity.turn);
    }

    private void take(FastActivity activity, int unit) {
        activity.unit = unit;
        timeline.begin(activity.plan.handle(), unit);
        if (!activity.asleep) {
            activity.activations++;
            begun++;
        }
        activity.asleep = false;
    }

    void runActivation(FastActivity activity) {
        activity.thread.begin();
        activity.thread.moveTo(activity.unit, machine.counters(activity.unit));
        Ending ending = Ending.RETURN;
        try {
            if (stopped) {
                throw EndSignal.stop();
            }
            activity.plan.kernel().run(activity.thread);
        } catch (EndSignal end) {
            ending = end.ending();
            if (end.exitStatus() != 0) {
                exit(end.exitStatus());
            }
        } catch (Throwable thrown) {
            ending = Ending.FAULT;
            crash(activity, thrown);
        }
        activity.thread.end();
        lock.lock();
        try {
            end(activity, ending);
        } finally {
            lock.unlock();
        }
    }

    private void exit(int status) {
        lock.lock();
        try {
            if (!stopped) {
                exitStatus = status;
                stop();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void crash(FastActivity activity, Throwable thrown) {
        CrashReport report =
                CrashReports.of(
                        thrown, activity.plan.name(), activity.unit, activity.thread.latest());
        lock.lock();
        try {
            if (crash == null && !stopped) {
                crash = report;
                stop();
                Thread.ofVirtual().name("crash of a process").start(whenCrashed);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void end(FastActivity activity, Ending ending) {
        activity.active = false;
        if (ending == Ending.RETURN) {
            activity.returns++;
        }
        activity.finished |=
                ending == Ending.FINISH
                        || (ending == Ending.RETURN && activity.kind() == Kind.ONCE);
        activity.pending |= ending == Ending.RETRIGGER;
        activations--;
        begun--;
        endedActivations++;
        if (activity.unit != UnitScheduler.NONE) {
            timeline.end(activity.plan.handle(), activity.unit);
            machine.pass(activity.unit);
            activity.unit = UnitScheduler.NONE;
        }
        if (activity.pending && !activity.finished && !stopped) {
            activity.pending = false;
            submit(activity, true);
        }
        changed.signalAll();
    }

    /// DPA-HW-2: the thread gives its unit away and waits for one.
    void yieldUnit(FastThread thread, Affinity affinity) {
        FastActivity activity = activities.get(thread.number());
        boolean sleeps = false;
        lock.lock();
        try {
            checkStopped();
            int former = activity.unit;
            if (!machine.units().isWanted(former)) {
                return;
            }
            timeline.end(activity.plan.handle(), former);
            machine.pass(former);
            activity.unit = machine.units().activate(activity, affinity);
            if (activity.unit == UnitScheduler.NONE) {
                activity.turn.ofCaller();
                activity.asleep = true;
                sleeps = true;
            } else {
                timeline.begin(activity.plan.handle(), activity.unit);
            }
        } finally {
            lock.unlock();
        }
        if (sleeps) {
            NicThread.goesOn();
            carriers.sleep(activity.turn);
            checkStopped();
        }
        thread.moveTo(activity.unit, machine.counters(activity.unit));
    }

    // What threads and actors call

    /// DPA-HW-17: lets others have the carrier, if there are more than carriers.
    void giveCarrierAway(FastThread thread) {
        NicThread.goesOn();
        giveCarrierAway(activities.get(thread.number()).turn);
    }

    /// The thread sleeps for a while, and others have its carrier.
    void nap(FastThread thread, long nanos) {
        NicThread.goesOn();
        checkStopped();
        carriers.nap(activities.get(thread.number()).turn, nanos);
        checkStopped();
    }

    /// The same for whoever has that turn.
    void giveCarrierAway(Turn turn) {
        checkStopped();
        carriers.giveWay(turn);
        checkStopped();
    }

    void checkStopped() {
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
        giveCarrierAway(outsider.turn);
    }

    @Override
    public boolean command() {
        boolean lives = !stopped;
        if (lives) {
            doorbells.ring(Doorbell.COMMAND, 0, OUTSIDE, 0);
        }
        return lives;
    }
}
