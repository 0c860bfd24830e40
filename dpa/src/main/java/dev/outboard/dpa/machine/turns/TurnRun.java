package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Observer.Announcement;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.ProcessEndedException;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.ThreadAttributes.Kind;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.ThreadReport;
import dev.outboard.dpa.machine.ThreadStatus;
import dev.outboard.dpa.machine.memory.FaultSignal;
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
import dev.outboard.dpa.trace.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A process of a machine whose actors act in turns: its memory, its actors and how they end.
public final class TurnRun implements ProcessRun {
    /// In place of the number of a thread that rings.
    private static final int OUTSIDE = DoorbellBoard.OUTSIDE;

    /// Longer than any alarm of the machine.
    private static final Duration FOREVER = Duration.ofDays(1);

    private final TurnMachine machine;
    private final ProcessState process;
    private final RunMode.Turns mode;
    private final Observer observer;
    private final CodeSites sites;
    private final DoorbellBoard doorbells = new DoorbellBoard();
    private final MemoryRules rules;
    private final AccessCosts costs;
    private final List<TurnActor> actors = new ArrayList<>();

    /// Of the threads, by their numbers. Whoever looks from the side goes through them, too.
    private final List<TurnActor> threads = new CopyOnWriteArrayList<>();

    private @Nullable TurnActor owner;
    private @Nullable TurnOutside ownerPort;
    private long activations;
    private boolean running;
    private boolean stopped;

    /// What threads were doing when it stopped.
    private List<ThreadStatus> lastStatuses = List.of();

    private @Nullable CrashReport crash;
    private @Nullable Throwable failure;
    private Runnable whenCrashed = () -> {};
    private boolean crashTold;
    private int exitStatus;
    private boolean unwound;
    private volatile boolean ending;

    /// The run of what has been set up.
    public TurnRun(TurnMachine machine, ProcessState process, RunMode.Turns mode, CodeSites sites) {
        this.machine = machine;
        this.process = process;
        this.mode = mode;
        this.sites = sites;
        observer = mode.observer();
        costs = new AccessCosts(process, machine.chanceOfCosts());
        rules =
                mode.weak().isPresent()
                        ? new WeakRules(
                                process,
                                mode.weak().get(),
                                machine.randomOfRules(),
                                doorbells,
                                this::happened,
                                this::crash)
                        : new DirectRules(process, doorbells);
    }

    // Life of the process

    @Override
    public RunResult run() {
        machine.enter();
        try {
            begin();
            boolean over = machine.await(() -> stopped, FOREVER);
            End end = over ? End.DONE : machine.isAtLimit() ? End.LIMIT : endOfIdle();
            List<String> waiting = end == End.STUCK || end == End.LIMIT ? unfinished() : List.of();
            unwind();
            machine.remove(this);
            return result(crash == null ? end : End.FAULT, waiting);
        } finally {
            machine.leave();
        }
    }

    private End endOfIdle() {
        if (actors.stream().noneMatch(TurnActor::isNeeded)) {
            return End.DONE;
        }
        observer.stuck(
                actors.stream()
                        .filter(actor -> actor.state == State.READY && actor.isNeeded())
                        .mapToInt(TurnActor::number)
                        .toArray());
        return End.STUCK;
    }

    private List<String> unfinished() {
        return actors.stream().filter(TurnActor::isNeeded).map(actor -> actor.plan.name()).toList();
    }

    private RunResult result(End end, List<String> waiting) {
        checkFailure();
        return new RunResult(end, Optional.ofNullable(crash), waiting, activations);
    }

    private void checkFailure() {
        if (failure != null) {
            throw new IllegalStateException("A program outside the DPA failed", failure);
        }
    }

    @Override
    public void start(Runnable tell) {
        whenCrashed = tell;
        machine.enter();
        try {
            begin();
        } finally {
            leave();
        }
    }

    /// A call of the host is over.
    private void leave() {
        boolean tell = crash != null && !crashTold;
        crashTold |= tell;
        machine.leave();
        if (tell) {
            whenCrashed.run();
        }
    }

    private void begin() {
        machine.add(this);
        process.actors().forEach(this::addActor);
        process.activated().forEach(this::activate);
        running = true;
        observer.started();
        for (TurnActor actor : threads) {
            if (actor.pending || kind(actor) == Kind.ONCE) {
                actor.pending = false;
                machine.submit(actor);
            }
        }
    }

    private void addActor(ActorPlan plan) {
        TurnActor actor = new TurnActor(this, plan);
        actors.add(actor);
        if (plan instanceof NicPlan nic && nic.program() instanceof Nic.Engine) {
            doorbells.engine();
        }
        if (plan instanceof HostPlan host && host.isOwner()) {
            owner = actor;
            ownerPort = new TurnOutside(this, process, actor, rules);
            machine.addOwner(actor);
            return;
        }
        if (plan instanceof ThreadPlan thread) {
            threads.add(actor);
            actor.argument = thread.attributes().argument();
            actor.enabled = !running;
        }
        machine.add(actor, () -> life(actor));
    }

    @Override
    public void add(ActorPlan plan) {
        machine.enter();
        try {
            rules.add(plan);
            observer.joined();
            addActor(plan);
        } finally {
            machine.leave();
        }
    }

    @Override
    public void enable(ThreadHandle thread, long argument) {
        machine.enter();
        try {
            TurnActor actor = threads.get(thread.number());
            actor.argument = argument;
            actor.enabled = true;
            if (actor.pending || kind(actor) == Kind.ONCE) {
                actor.pending = false;
                machine.submit(actor);
            }
        } finally {
            machine.leave();
        }
    }

    @Override
    public void retire(ThreadHandle thread) {
        machine.enter();
        try {
            TurnActor actor = threads.get(thread.number());
            actor.retired = true;
            machine.withdraw(actor);
            machine.unwind(actor);
        } finally {
            machine.leave();
        }
    }

    @Override
    public <T> T act(Function<Host, T> calls) {
        machine.enter();
        TurnActor self = Objects.requireNonNull(owner, "owner");
        State before = self.state;
        self.state = State.READY;
        try {
            return calls.apply(Objects.requireNonNull(ownerPort, "ownerPort"));
        } catch (EndSignal over) {
            throw new ProcessEndedException("The process has ended");
        } finally {
            self.state = before;
            self.watch.reset();
            leave();
        }
    }

    @Override
    public boolean await(BooleanSupplier condition, Duration atMost) {
        return await(condition, atMost, () -> {});
    }

    /// @param done runs if the condition holds, before another thread of the host may call in
    private boolean await(BooleanSupplier condition, Duration atMost, Runnable done) {
        boolean watched = atMost.toNanos() > process.options().timing().watchdogNanos();
        machine.enter();
        try {
            BooleanSupplier over = () -> stopped || ending || condition.getAsBoolean();
            while (!machine.await(over, atMost)) {
                if (!watched || machine.isAtLimit() || !expire()) {
                    return false;
                }
            }
            checkFailure();
            boolean holds = condition.getAsBoolean();
            if (holds) {
                done.run();
            }
            return holds;
        } finally {
            leave();
        }
    }

    @Override
    public boolean goOn(Duration atMost) {
        machine.enter();
        try {
            long end = machine.nanos() + atMost.toNanos();
            boolean busy = machine.await(() -> stopped || ending || machine.nanos() >= end, atMost);
            checkFailure();
            return busy && !stopped && !ending;
        } finally {
            leave();
        }
    }

    @Override
    public boolean awaitInterrupt(int vector, Duration atMost) {
        int site = callerSite();
        return await(
                () -> doorbells.find(AddressMap.MSIX_DOORBELL, vector) >= 0,
                atMost,
                () -> {
                    int found = doorbells.find(AddressMap.MSIX_DOORBELL, vector);
                    observer.receive(ownerNumber(), doorbells.take(found).token(), site);
                });
    }

    @Override
    public boolean call(ThreadHandle thread, Duration atMost) {
        TurnActor called = threads.get(thread.number());
        long returned = called.returns + 1;
        int site =
                act(host -> {
                    host.activate(thread);
                    return callerSite();
                });
        return await(() -> called.returns == returned, atMost, () -> tellReturned(called, site));
    }

    @Override
    public boolean awaitReturns(
            List<ThreadHandle> called, BooleanSupplier condition, Duration atMost) {
        List<TurnActor> actors =
                called.stream().map(thread -> threads.get(thread.number())).toList();
        int site = callerSite();
        return await(
                () -> condition.getAsBoolean() && actors.stream().allMatch(TurnRun::hasReturned),
                atMost,
                () -> actors.forEach(actor -> tellReturned(actor, site)));
    }

    private int callerSite() {
        return mode.isChecked() ? sites.ofCaller() : 0;
    }

    /// The host knows now what that thread has done.
    private void tellReturned(TurnActor called, int site) {
        observer.receive(ownerNumber(), called.returnToken, site);
    }

    private static boolean hasReturned(TurnActor called) {
        return called.state == State.INACTIVE && !called.pending;
    }

    private int ownerNumber() {
        return Objects.requireNonNull(owner, "owner").number();
    }

    /// DPA-HW-3: nobody can go on, so that time passes until the watchdog ends a thread that polls.
    ///
    /// @return false if none does
    private boolean expire() {
        for (TurnActor actor : threads) {
            if (actor.isReady()) {
                actor.expired = true;
                return true;
            }
        }
        return false;
    }

    @Override
    public int exitStatus() {
        return exitStatus;
    }

    @Override
    public Optional<CrashReport> crash() {
        return Optional.ofNullable(crash);
    }

    @Override
    public void look(Consumer<List<ThreadStatus>> look) {
        machine.enter();
        try {
            if (!unwound) {
                rules.reveal();
            }
            look.accept(stopped ? lastStatuses : statuses());
        } finally {
            machine.leave();
        }
    }

    @Override
    public List<ThreadReport> report() {
        List<ThreadStatus> last = lastStatuses;
        List<ThreadReport> reports = new ArrayList<>();
        for (TurnActor actor : threads) {
            boolean then = reports.size() < last.size();
            reports.add(actor.report(then ? last.get(reports.size()) : actor.status()));
        }
        return reports;
    }

    private List<ThreadStatus> statuses() {
        return threads.stream().map(TurnActor::status).toList();
    }

    @Override
    public void end() {
        // Whoever waits for the process in another thread of the host comes back.
        ending = true;
        machine.enter();
        try {
            if (!unwound) {
                unwind();
                machine.remove(this);
            }
        } finally {
            machine.leave();
        }
    }

    private void unwind() {
        halt();
        unwound = true;
        actors.forEach(machine::unwind);
        actors.forEach(machine::withdraw);
        rules.settle();
        observer.finished();
    }

    /// Nobody of the process does anything any more.
    private void stop() {
        halt();
        for (TurnActor actor : actors) {
            machine.withdraw(actor);
        }
    }

    private void halt() {
        if (!stopped) {
            lastStatuses = statuses();
            stopped = true;
        }
    }

    boolean isStopped() {
        return stopped;
    }

    @Override
    public byte[] seenByNic(long address, int lengthBytes) {
        return rules.seenByNic(address, lengthBytes);
    }

    // Lives of actors

    private void life(TurnActor actor) {
        try {
            if (!actor.isUnwinding()) {
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
            // The process is over.
        } catch (Throwable thrown) {
            if (failure == null && !stopped) {
                failure = thrown;
                stop();
            }
        }
    }

    /// All activations of a thread, one after the other.
    private void activations(TurnActor actor, TurnThread thread) {
        while (!actor.isUnwinding()) {
            Ending ending = activation(actor, thread);
            if (ending == Ending.FAULT) {
                return;
            }
            activations++;
            machine.changed();
            machine.release(actor);
            if (ending == Ending.FINISH || (ending == Ending.RETURN && kind(actor) == Kind.ONCE)) {
                return;
            }
            actor.state = State.INACTIVE;
            if (actor.pending || ending == Ending.RETRIGGER) {
                actor.pending = false;
                machine.submit(actor);
            }
            machine.passOn(actor);
        }
    }

    private static Kind kind(TurnActor actor) {
        return ((ThreadPlan) actor.plan).attributes().kind();
    }

    private Ending activation(TurnActor actor, TurnThread thread) {
        ThreadPlan plan = (ThreadPlan) actor.plan;
        actor.activations++;
        thread.begin();
        observer.begin(actor.number(), kind(actor) == Kind.HANDLER, actor.pendingToken);
        actor.pendingToken = 0;
        Ending ending = Ending.RETURN;
        try {
            plan.kernel().run(thread);
            thread.end();
        } catch (EndSignal signal) {
            if (actor.isUnwinding()) {
                throw signal;
            }
            ending = signal.ending();
            if (signal.exitStatus() != 0) {
                exitStatus = signal.exitStatus();
                observer.end(actor.number(), ending, thread.endSite());
                stop();
                throw EndSignal.stop();
            }
        } catch (Throwable thrown) {
            if (actor.isUnwinding()) {
                throw EndSignal.stop();
            }
            ending = Ending.FAULT;
            crash(actor, thread.latest(), thrown);
        }
        if (ending == Ending.RETURN && kind(actor) == Kind.RPC) {
            actor.returnToken = machine.nextToken();
            actor.returns++;
            int place = thread.endSite();
            observer.announce(actor.number(), Announcement.RETURN, actor.returnToken, 0, place);
        }
        observer.end(actor.number(), ending, thread.endSite());
        return ending;
    }

    private void crash(TurnActor actor, List<MemoryOperation> latest, Throwable thrown) {
        crash = CrashReports.of(thrown, actor.plan.name(), actor.unit, latest);
        stop();
    }

    /// Something fails that a thread has asked for, and that happens only now.
    private void crash(FaultSignal signal, int thread) {
        if (crash == null) {
            TurnActor actor = threads.get(thread);
            crash = CrashReports.late(signal, actor.plan.name(), actor.unit);
            stop();
        }
    }

    // Activations

    @Override
    public void activate(ThreadHandle thread) {
        activate(threads.get(thread.number()), 0);
    }

    /// An actor outside activates a thread.
    void activate(TurnActor from, ThreadHandle thread, int site) {
        long token = machine.nextToken();
        observer.announce(from.number(), Announcement.CALL, token, 0, site);
        activate(threads.get(thread.number()), token);
    }

    private void activate(TurnActor actor, long token) {
        machine.changed();
        actor.pendingToken = token;
        boolean inactive = actor.state == State.INACTIVE;
        if (!running || !actor.enabled || (!inactive && actor.state != State.ENDED)) {
            actor.pending = true;
        } else if (inactive) {
            machine.submit(actor);
        }
    }

    // Doorbells

    /// A thread rings.
    void ring(TurnActor actor, int register, long value, int uar, int site) {
        long token = machine.nextToken();
        Announcement kind =
                register == AddressMap.MSIX_DOORBELL
                        ? Announcement.INTERRUPT
                        : Announcement.DOORBELL;
        int thread = ((ThreadPlan) actor.plan).handle().number();
        int queue = Doorbell.number(register, value);
        timeline().ring(thread, register, queue, token);
        rules.ring(thread, register, value, uar, token);
        observer.announce(actor.number(), kind, token, Doorbell.source(register, queue), site);
        happened();
    }

    /// The host has a command for the NIC, or another server.
    void command(TurnActor from, int server, int site) {
        long token = machine.nextToken();
        observer.announce(from.number(), Announcement.CALL, token, 0, site);
        timeline().ring(OUTSIDE, Doorbell.COMMAND, server, token);
        doorbells.ring(Doorbell.COMMAND, server, OUTSIDE, 0, token);
        happened();
    }

    /// The NIC interrupts the host.
    void interrupt(TurnActor from, int vector, int site) {
        long token = machine.nextToken();
        long source = Doorbell.source(AddressMap.MSIX_DOORBELL, vector);
        observer.announce(from.number(), Announcement.INTERRUPT, token, source, site);
        timeline().ring(OUTSIDE, AddressMap.MSIX_DOORBELL, vector, token);
        long value = Doorbell.interrupt(vector);
        doorbells.ring(AddressMap.MSIX_DOORBELL, value, OUTSIDE, 0, token);
        happened();
    }

    @Override
    public boolean command() {
        if (!stopped) {
            doorbells.ring(Doorbell.COMMAND, 0, OUTSIDE, 0, machine.nextToken());
            happened();
        }
        return !stopped;
    }

    /// Something has changed by itself, or a doorbell has arrived.
    private void happened() {
        machine.changed();
        wake();
    }

    /// Those that wait for doorbells look again.
    void wake() {
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
            machine.giveWay(actor);
        }
        return found;
    }

    DoorbellBoard doorbells() {
        return doorbells;
    }

    // What actors ask for

    TurnMachine machine() {
        return machine;
    }

    MemoryRules rules() {
        return rules;
    }

    AccessCosts costs() {
        return costs;
    }

    Timeline timeline() {
        return process.timeline();
    }

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
