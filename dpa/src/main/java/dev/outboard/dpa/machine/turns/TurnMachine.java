package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.turns.TurnActor.State;
import dev.outboard.dpa.machine.unit.UnitCounters;
import dev.outboard.dpa.machine.unit.UnitScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The execution units of a machine, and the actors of all its processes, which act in turns. Each
/// actor is a virtual thread, but only the one that holds the baton acts; it decides itself when
/// its turn is over and who is next, so that an operation costs no switch of threads.
///
/// DPA-HW-14: nothing moves but while a thread of the host has called in: that one holds the baton
/// between its own operations, or has passed it on and waits for something. So what happens is a
/// function of programs, inputs and seed, and of the order of the host's calls.
public final class TurnMachine {
    /// Whatever may happen by itself happens at least once in so many operations, however slow the
    /// seed has made it: nothing is delayed for ever.
    private static final int LONGEST_DELAY = 1000;

    private final long limitOperations;
    private final SplittableRandom random;

    /// What costs of accesses draw from. Apart from [#random], so that no order of operations
    /// follows from what they take.
    private final SplittableRandom chanceOfCosts;

    private final TurnOrder order;
    private final Baton baton = new Baton();
    private final UnitScheduler<TurnActor> units;
    private final UnitCounters[] counters;

    /// Held by the thread of the host that has called in. In order, or one that calls again and
    /// again would keep all others out.
    private final ReentrantLock calls = new ReentrantLock(true);

    /// Of all processes, by their indices.
    private final List<TurnActor> actors = new ArrayList<>();

    private final List<TurnRun> runs = new ArrayList<>();
    private @Nullable SplittableRandom firstRules;
    private int[] candidates = new int[16];

    /// The earliest first.
    private final Queue<Alarm> alarms = new PriorityQueue<>(Comparator.comparingLong(Alarm::nanos));

    /// Counts all that could end somebody's waiting.
    private long version;

    private long operations;

    /// What operations of threads have taken, beside a cycle for each operation.
    private long extraCycles;

    private long limit;
    private int left;
    private long nextToken = 1;

    /// The thread of the host that has called in, and what it waits for.
    private @Nullable Thread caller;

    private BooleanSupplier until = () -> false;

    /// The actor that it waits for while that leaves its program.
    private @Nullable TurnActor unwound;

    /// Up to when it waits, in virtual time.
    private long deadline;

    /// What is done at a virtual time.
    private record Alarm(long nanos, Runnable then) {}

    /// A machine without processes.
    public TurnMachine(MachineOptions options, RunMode.Turns mode) {
        limitOperations = mode.limitOperations();
        random = new SplittableRandom(mode.seed());
        chanceOfCosts = new SplittableRandom(~mode.seed());
        firstRules = mode.weak().isPresent() ? random.split() : null;
        order = new TurnOrder(random.split());
        units = new UnitScheduler<>(options.units());
        counters = new UnitCounters[options.units().total()];
        for (int unit = 0; unit < counters.length; unit++) {
            counters[unit] = new UnitCounters(mode.seed(), unit, options.timing().tickNanos());
        }
    }

    /// What the memory rules of the next process draw from.
    SplittableRandom randomOfRules() {
        SplittableRandom first = firstRules;
        firstRules = null;
        return first == null ? random.split() : first;
    }

    /// What the costs of accesses of the next process draw from.
    SplittableRandom chanceOfCosts() {
        return chanceOfCosts.split();
    }

    // Calls of the host

    /// A thread of the host calls in, and gets the baton. Others wait until it leaves.
    void enter() {
        calls.lock();
        if (calls.getHoldCount() == 1) {
            caller = Thread.currentThread();
            limit = operations + limitOperations;
            baton.pass(Thread.currentThread());
        }
    }

    void leave() {
        if (calls.getHoldCount() == 1) {
            caller = null;
        }
        calls.unlock();
    }

    /// Lets actors act until it holds. For the thread that has called in.
    ///
    /// @param atMost how far virtual time goes on while nobody acts, at most
    /// @return false if nobody can go on before, or the limit of operations is reached
    boolean await(BooleanSupplier condition, Duration atMost) {
        until = condition;
        deadline = nanos() + atMost.toNanos();
        passOn(null);
        baton.await();
        until = () -> false;
        return condition.getAsBoolean();
    }

    /// Whether actors have done more since the call began than one may.
    boolean isAtLimit() {
        return operations > limit;
    }

    /// Lets an actor of a process that has been stopped leave its program.
    void unwind(TurnActor actor) {
        if (!actor.gone && actor.carrier != null) {
            unwound = actor;
            baton.pass(actor.carrier);
            baton.await();
            unwound = null;
        }
    }

    // Actors

    /// An actor of a process, and what it does from its first turn on.
    void add(TurnActor actor, Runnable life) {
        number(actor);
        actor.carrier =
                Thread.ofVirtual()
                        .name(actor.plan.name())
                        .start(() -> {
                            baton.await();
                            life.run();
                            end(actor);
                        });
    }

    private void end(TurnActor actor) {
        actor.state = State.ENDED;
        actor.gone = true;
        version++;
        // Whoever has ended by itself may be of another process than the one that is called.
        if (actor.equals(unwound)) {
            passToCaller();
        } else {
            passOn(null);
        }
    }

    /// The actor that stands for the thread of the host that has called in, while that acts itself.
    void addOwner(TurnActor owner) {
        number(owner);
        owner.state = State.INACTIVE;
        owner.gone = true;
    }

    private void number(TurnActor actor) {
        actor.index = actors.size();
        actors.add(actor);
        order.reach(actors.size());
        candidates = new int[Math.max(candidates.length, 2 * actors.size())];
    }

    /// A process.
    void add(TurnRun run) {
        runs.add(run);
    }

    /// A process has been destroyed.
    void remove(TurnRun run) {
        runs.remove(run);
        actors.removeIf(actor -> actor.run.equals(run));
        for (int i = 0; i < actors.size(); i++) {
            actors.get(i).index = i;
        }
    }

    // Whose turn it is

    /// The actor is about to do an operation: first others may have their turn.
    void turn(TurnActor actor) {
        actor.check();
        operations++;
        actor.run.rules().drift();
        if (operations % LONGEST_DELAY == 0) {
            step();
        }
        if (!alarms.isEmpty() && alarms.element().nanos <= nanos()) {
            alarms.remove().then.run();
        }
        if (--left <= 0 || actor.watch.isAsleep(version) || isAtLimit()) {
            giveWay(actor);
        }
    }

    /// Gives the turn to whoever is next, and comes back when it is this actor again.
    void giveWay(TurnActor actor) {
        passOn(actor);
        actor.check();
    }

    /// An operation of a thread has taken more cycles.
    void spend(long cycles) {
        extraCycles += cycles;
    }

    /// The virtual time that all have taken together, one after the other.
    public long nanos() {
        return UnitCounters.nanos(operations + extraCycles);
    }

    /// Has something done when so much more time has passed.
    void alarm(long nanos, Runnable then) {
        alarms.add(new Alarm(nanos() + nanos, then));
    }

    /// Nobody has anything to do, so that time passes until there is.
    ///
    /// @return false if nothing will come before the thread that has called in waits no more
    private boolean sleep() {
        if (alarms.isEmpty()) {
            return false;
        }
        long next = alarms.element().nanos;
        long missing = Math.min(next, deadline) - nanos();
        if (missing > 0) {
            extraCycles += UnitCounters.cycles(missing);
        }
        if (next > deadline) {
            return false;
        }
        alarms.remove().then.run();
        return true;
    }

    /// Something has changed that somebody may wait for.
    void changed() {
        version++;
    }

    /// Counts all such changes.
    long version() {
        return version;
    }

    /// Lets the next actor act. The calling thread waits until it is the turn of `self`; if that is
    /// null, it does not wait.
    void passOn(@Nullable TurnActor self) {
        boolean over = until.getAsBoolean() || isAtLimit();
        TurnActor next = over ? null : choose();
        left = order.length(operations);
        if (next != null && next.watch.isPolling()) {
            left = Math.min(left, PollWatch.ROUND);
        }
        if (next != null && next.equals(self)) {
            return;
        }
        if (next == null || next.carrier == null) {
            passToCaller();
        } else {
            baton.pass(next.carrier);
        }
        if (self != null) {
            baton.await();
        }
    }

    private void passToCaller() {
        if (caller == null) {
            throw new IllegalStateException("Nobody of the host has called in");
        }
        baton.pass(caller);
    }

    private @Nullable TurnActor choose() {
        while (true) {
            int awake = 0;
            for (TurnActor actor : actors) {
                if (actor.isAwake(version)) {
                    candidates[awake++] = actor.index;
                }
            }
            if (awake > 0) {
                return actors.get(order.pick(candidates, awake));
            }
            if (!step() && !sleep()) {
                return chooseIdle();
            }
        }
    }

    /// Something happens by itself in the memory of each process where anything can.
    ///
    /// @return whether anything has
    private boolean step() {
        boolean any = false;
        for (TurnRun run : runs) {
            any |= !run.isStopped() && run.rules().step();
        }
        return any;
    }

    /// Nobody sees anything new. Whoever has not looked long enough to be sure looks on.
    private @Nullable TurnActor chooseIdle() {
        int count = 0;
        boolean needed = false;
        for (TurnActor actor : actors) {
            needed |= actor.isNeeded() && !actor.run.isStopped();
            if (actor.isReady() && actor.watch.looksOn(version)) {
                candidates[count++] = actor.index;
            }
        }
        return count == 0 || !needed ? null : actors.get(order.pick(candidates, count));
    }

    // Units

    void submit(TurnActor actor) {
        ThreadPlan plan = (ThreadPlan) actor.plan;
        actor.unit = units.activate(actor, plan.attributes().affinity());
        actor.state = actor.unit == UnitScheduler.NONE ? State.UNITLESS : State.READY;
        actor.watch.reset();
        if (actor.unit != UnitScheduler.NONE) {
            actor.run.timeline().begin(plan.handle(), actor.unit);
        }
    }

    void release(TurnActor actor) {
        actor.run.timeline().end(((ThreadPlan) actor.plan).handle(), actor.unit);
        TurnActor next = units.release(actor.unit);
        if (next != null) {
            next.unit = actor.unit;
            next.state = State.READY;
            next.run.timeline().begin(((ThreadPlan) next.plan).handle(), next.unit);
        }
        actor.unit = UnitScheduler.NONE;
    }

    /// The actor runs no more: its unit is for others.
    void withdraw(TurnActor actor) {
        if (actor.unit != UnitScheduler.NONE) {
            release(actor);
        } else {
            units.cancel(actor);
        }
    }

    /// DPA-HW-2: the next thread that waits for the unit gets it.
    void yieldUnit(TurnActor actor) {
        if (units.isWanted(actor.unit)) {
            release(actor);
            submit(actor);
        }
        giveWay(actor);
    }

    UnitCounters counters(TurnActor actor) {
        return counters[actor.unit];
    }

    // Tokens of announcements

    long nextToken() {
        return nextToken++;
    }
}
