package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Observer.Announcement;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.ActorPlan.HostPlan;
import dev.outboard.dpa.machine.run.ActorPlan.NicPlan;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.CodeSites;
import dev.outboard.dpa.machine.run.CrashReports;
import dev.outboard.dpa.machine.run.DoorbellBoard;
import dev.outboard.dpa.machine.run.EndSignal;
import dev.outboard.dpa.machine.run.ProcessRun;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.turns.TurnActor.State;
import dev.outboard.dpa.machine.unit.UnitCounters;
import dev.outboard.dpa.machine.unit.UnitScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A run in turns. Each actor is a virtual thread, but only the one that holds the baton acts; it
/// decides itself when its turn is over and who is next, so that an operation costs no switch of
/// threads.
public final class TurnRun implements ProcessRun {
    private final ProcessState process;
    private final RunMode.Turns mode;
    private final Observer observer;
    private final CodeSites sites;
    private final DoorbellBoard doorbells = new DoorbellBoard();
    private final MemoryRules rules;
    private final TurnOrder order;
    private final Baton baton = new Baton();
    private final UnitScheduler units;
    private final UnitCounters[] counters;
    private final List<TurnActor> actors = new ArrayList<>();
    private final List<Thread> carriers = new ArrayList<>();
    private final Thread main;
    private final int[] candidates;

    /// Of the threads, by their numbers.
    private final List<TurnActor> threads = new ArrayList<>();

    /// Counts all that could end somebody's waiting.
    private long version;

    private long operations;
    private int left;
    private long nextToken = 1;
    private long activations;
    private boolean running;
    private boolean stopped;
    private End end = End.DONE;
    private @Nullable CrashReport crash;
    private @Nullable Throwable failure;

    /// The run of what has been set up.
    public TurnRun(ProcessState process, RunMode.Turns mode, CodeSites sites) {
        this.process = process;
        this.mode = mode;
        this.sites = sites;
        observer = mode.observer();
        SplittableRandom random = new SplittableRandom(mode.seed());
        rules =
                mode.weak().isPresent()
                        ? new WeakRules(process, mode.weak().get(), random.split(), doorbells)
                        : new DirectRules(process, doorbells);
        order = new TurnOrder(random.split(), process.actors().size());
        MachineOptions options = process.options();
        units = new UnitScheduler(options.units());
        counters = new UnitCounters[options.units().total()];
        for (int unit = 0; unit < counters.length; unit++) {
            counters[unit] = new UnitCounters(mode.seed(), unit, options.timing().tickNanos());
        }
        main = Thread.currentThread();
        for (ActorPlan plan : process.actors()) {
            TurnActor actor = new TurnActor(plan);
            actors.add(actor);
            if (plan instanceof ThreadPlan) {
                threads.add(actor);
            }
        }
        candidates = new int[actors.size()];
    }

    @Override
    public RunResult run() {
        running = true;
        observer.started();
        for (TurnActor actor : actors) {
            carriers.add(Thread.ofVirtual().name(actor.plan.name()).unstarted(() -> life(actor)));
        }
        carriers.forEach(Thread::start);
        for (TurnActor actor : threads) {
            boolean handler = ((ThreadPlan) actor.plan).attributes().handler();
            if (actor.pending || !handler) {
                actor.pending = false;
                submit(actor);
            }
        }
        passOn(null);
        baton.await();
        rules.settle();
        List<String> waiting = end == End.STUCK || end == End.LIMIT ? unfinished() : List.of();
        observer.finished();
        if (failure != null) {
            throw new IllegalStateException("A program outside the DPA failed", failure);
        }
        return new RunResult(end, Optional.ofNullable(crash), waiting, activations);
    }

    private List<String> unfinished() {
        return actors.stream().filter(actor -> actor.left).map(actor -> actor.plan.name()).toList();
    }

    @Override
    public byte[] seenByNic(long address, int lengthBytes) {
        return rules.seenByNic(address, lengthBytes);
    }

    // Whose turn it is

    /// The actor is about to do an operation: first others may have their turn.
    void turn(TurnActor actor) {
        if (stopped) {
            throw EndSignal.stop();
        }
        if (++operations > mode.limitOperations()) {
            stop(End.LIMIT);
            throw EndSignal.stop();
        }
        if (rules.drift()) {
            version++;
            wake();
        }
        if (--left <= 0 || actor.watch.isAsleep(version)) {
            giveWay(actor);
        }
    }

    /// Gives the turn to whoever is next, and comes back when it is this actor again.
    private void giveWay(TurnActor actor) {
        passOn(actor);
        if (stopped) {
            throw EndSignal.stop();
        }
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
    private void passOn(@Nullable TurnActor self) {
        TurnActor next = stopped ? null : choose();
        left = order.length(operations);
        if (next != null && next.watch.isPolling()) {
            left = Math.min(left, PollWatch.ROUND);
        }
        if (next != null && next.equals(self)) {
            return;
        }
        if (next == null && !stopped) {
            stop(endOfAll());
        }
        Thread carrier = next == null ? nextToUnwind(self) : carriers.get(next.number());
        baton.pass(carrier);
        if (self != null) {
            baton.await();
        }
    }

    private @Nullable TurnActor choose() {
        while (true) {
            int awake = 0;
            for (TurnActor actor : actors) {
                if (actor.state == State.READY && !actor.watch.isAsleep(version)) {
                    candidates[awake++] = actor.number();
                }
            }
            if (awake > 0) {
                return actors.get(order.pick(candidates, awake));
            }
            if (!rules.step()) {
                return chooseIdle();
            }
            version++;
            wake();
        }
    }

    /// Nobody sees anything new. Whoever has not looked long enough to be sure looks on.
    private @Nullable TurnActor chooseIdle() {
        int count = 0;
        for (TurnActor actor : actors) {
            if (actor.state == State.READY && actor.watch.looksOn(version)) {
                candidates[count++] = actor.number();
            }
        }
        return count == 0 || isDone() ? null : actors.get(order.pick(candidates, count));
    }

    private boolean isDone() {
        return actors.stream().noneMatch(TurnActor::isNeeded);
    }

    private End endOfAll() {
        return isDone() ? End.DONE : End.STUCK;
    }

    private void stop(End end) {
        this.end = end;
        stopped = true;
        actors.forEach(actor -> actor.left = actor.isNeeded());
        if (end == End.STUCK) {
            observer.stuck(
                    actors.stream()
                            .filter(actor -> actor.state == State.READY && actor.isNeeded())
                            .mapToInt(TurnActor::number)
                            .toArray());
        }
    }

    /// The run is over: one after the other leaves its program, and the main thread goes on last.
    private Thread nextToUnwind(@Nullable TurnActor self) {
        for (TurnActor actor : actors) {
            if (!actor.gone && !actor.equals(self)) {
                return carriers.get(actor.number());
            }
        }
        return self == null || self.gone ? main : carriers.get(self.number());
    }

    // Lives of actors

    private void life(TurnActor actor) {
        baton.await();
        try {
            if (!stopped) {
                switch (actor.plan) {
                    case NicPlan nic ->
                            nic.program().run(new TurnOutside(this, process, actor, rules));
                    case HostPlan host ->
                            host.program().run(new TurnOutside(this, process, actor, rules));
                    case ThreadPlan thread ->
                            activations(actor, new TurnThread(this, process, actor, rules));
                }
            }
        } catch (EndSignal over) {
            // The run is over.
        } catch (Throwable thrown) {
            if (failure == null && !stopped) {
                failure = thrown;
                stop(End.DONE);
            }
        }
        actor.state = State.ENDED;
        actor.gone = true;
        version++;
        passOn(null);
    }

    /// All activations of a thread, one after the other.
    private void activations(TurnActor actor, TurnThread thread) {
        while (!stopped) {
            Ending ending = activation(actor, thread);
            if (ending == Ending.FAULT) {
                return;
            }
            activations++;
            version++;
            boolean handler = ((ThreadPlan) actor.plan).attributes().handler();
            release(actor);
            if (ending == Ending.FINISH || (ending == Ending.RETURN && !handler)) {
                return;
            }
            actor.state = State.INACTIVE;
            if (actor.pending || ending == Ending.RETRIGGER) {
                actor.pending = false;
                submit(actor);
            }
            passOn(actor);
        }
    }

    private Ending activation(TurnActor actor, TurnThread thread) {
        ThreadPlan plan = (ThreadPlan) actor.plan;
        thread.begin();
        observer.begin(actor.number(), plan.attributes().handler(), actor.pendingToken);
        actor.pendingToken = 0;
        Ending ending = Ending.RETURN;
        try {
            plan.kernel().run(thread);
            thread.end();
        } catch (EndSignal signal) {
            if (stopped) {
                throw signal;
            }
            ending = signal.ending();
        } catch (Throwable thrown) {
            if (stopped) {
                throw EndSignal.stop();
            }
            ending = Ending.FAULT;
            crash(actor, thread.latest(), thrown);
        }
        observer.end(actor.number(), ending, thread.endSite());
        return ending;
    }

    private void crash(TurnActor actor, List<MemoryOperation> latest, Throwable thrown) {
        crash = CrashReports.of(thrown, actor.plan.name(), actor.unit, latest);
        stop(End.FAULT);
    }

    // Activations and units

    @Override
    public void activate(ThreadHandle thread) {
        activate(threads.get(thread.number()), 0);
    }

    /// An actor outside activates a thread.
    void activate(TurnActor from, ThreadHandle thread, int site) {
        long token = nextToken++;
        observer.announce(from.number(), Announcement.CALL, token, 0, site);
        activate(threads.get(thread.number()), token);
    }

    private void activate(TurnActor actor, long token) {
        version++;
        actor.pendingToken = token;
        if (!running || (actor.state != State.INACTIVE && actor.state != State.ENDED)) {
            actor.pending = true;
        } else if (actor.state == State.INACTIVE) {
            submit(actor);
        }
    }

    private void submit(TurnActor actor) {
        ThreadPlan plan = (ThreadPlan) actor.plan;
        actor.unit = units.activate(plan.handle().number(), plan.attributes().affinity());
        actor.state = actor.unit == UnitScheduler.NONE ? State.UNITLESS : State.READY;
        actor.watch.reset();
    }

    private void release(TurnActor actor) {
        int next = units.release(actor.unit);
        if (next != UnitScheduler.NONE) {
            threads.get(next).unit = actor.unit;
            threads.get(next).state = State.READY;
        }
        actor.unit = UnitScheduler.NONE;
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

    // Doorbells

    /// A thread rings.
    void ring(TurnActor actor, int register, long value, int site) {
        long token = nextToken++;
        Announcement kind =
                register == AddressMap.MSIX_DOORBELL
                        ? Announcement.INTERRUPT
                        : Announcement.DOORBELL;
        rules.ring(((ThreadPlan) actor.plan).handle().number(), register, value, token);
        int queue = Doorbell.number(register, value);
        observer.announce(actor.number(), kind, token, Doorbell.source(register, queue), site);
        version++;
        wake();
    }

    /// Those that wait for doorbells look again.
    private void wake() {
        for (TurnActor actor : actors) {
            if (actor.state == State.WAITING) {
                actor.state = State.READY;
            }
        }
    }

    /// Waits until a doorbell has arrived.
    ///
    /// @return where it is
    int awaitDoorbell(TurnActor actor, int register, int queue) {
        int found;
        while ((found = doorbells.find(register, queue)) < 0) {
            actor.state = State.WAITING;
            passOn(actor);
            if (stopped) {
                throw EndSignal.stop();
            }
        }
        return found;
    }

    DoorbellBoard doorbells() {
        return doorbells;
    }

    // What actors ask for

    Observer observer() {
        return observer;
    }

    CodeSites sites() {
        return sites;
    }

    RunMode.Turns mode() {
        return mode;
    }
}
