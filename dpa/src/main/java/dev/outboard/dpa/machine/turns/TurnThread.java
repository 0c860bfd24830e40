package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaFxp;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.MemoryOperation.Kind;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Observer.Counter;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.ProgramEdits.Operation;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.run.AccessPort;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.CodeSites;
import dev.outboard.dpa.machine.run.EndSignal;
import dev.outboard.dpa.machine.run.ExitStatus;
import dev.outboard.dpa.machine.run.Fuel;
import dev.outboard.dpa.machine.run.FueledThread;
import dev.outboard.dpa.machine.run.LatestOperations;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.run.SitedActor;
import dev.outboard.dpa.machine.run.SitedThread;
import dev.outboard.dpa.machine.run.SizedThread;
import dev.outboard.dpa.machine.unit.UnitCounters;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/// A thread of a run in turns. Each operation may first give the turn away, then happens by the
/// rules of the run, and is then told to the observer.
final class TurnThread implements SitedActor, SitedThread, SizedThread, FueledThread {
    private final TurnRun run;
    private final TurnMachine machine;
    private final TurnActor actor;
    private final int number;
    private final int actorNumber;
    private final ThreadPlan plan;
    private final AccessPort port;
    private final MemoryRules rules;
    private final Observer observer;
    private final CodeSites sites;
    private final MachineOptions options;
    private final LatestOperations latest = new LatestOperations();

    /// Whether anybody wants to know where an operation comes from.
    private final boolean traced;

    private final boolean edited;

    /// Where the operation that goes on comes from. 0 if the program does not tell.
    private int told;

    /// Where operations of C code come from.
    private int held;

    private int site;
    private boolean editing;
    private long unitCycles;

    TurnThread(TurnRun run, ProcessState process, TurnActor actor, MemoryRules rules) {
        this.run = run;
        machine = run.machine();
        this.actor = actor;
        this.rules = rules;
        plan = (ThreadPlan) actor.plan;
        number = plan.handle().number();
        actorNumber = plan.actor();
        port = new AccessPort(process, number);
        observer = run.observer();
        sites = run.sites();
        options = process.options();
        edited = !run.mode().edits().isEmpty();
        traced = run.mode().isChecked() || edited;
    }

    void begin() {
        Fuel.begin(this);
        port.begin();
        rules.begin(number);
        unitCycles = 0;
        told = 0;
        held = 0;
        site = 0;
    }

    List<MemoryOperation> latest() {
        return latest.list();
    }

    /// The activation is about to end.
    void end() {
        if (edited) {
            insert(sites.after(site));
        }
        if (plan.attributes().kind() == ThreadAttributes.Kind.RPC) {
            // The machine sees to it that the host can read what the call has written.
            rules.complete(number);
            observer.memoryWriteback(actorNumber, site);
        }
    }

    /// Where the activation ended.
    int endSite() {
        return site;
    }

    @Override
    public void site(int site) {
        told = site;
    }

    @Override
    public void within(int site) {
        held = site;
    }

    @Override
    public FaultSignal endless() {
        observer.endless(actorNumber, held);
        return Fuel.watchdog(options);
    }

    @Override
    public Optional<CodeSites> wantedSites() {
        return traced ? Optional.of(sites) : Optional.empty();
    }

    /// Before each operation.
    private void enter(int cycles) {
        enter();
        take(1, 1L + cycles);
    }

    private void enter() {
        if (traced && !editing) {
            if (edited) {
                insert(sites.after(site));
            }
            site = told != 0 ? told : held != 0 ? held : sites.ofCaller();
            told = 0;
            if (edited) {
                insert(sites.before(site));
            }
        }
        machine.turn(actor);
        if (actor.expired) {
            throw Fuel.watchdog(options);
        }
    }

    private void take(int operations, long cycles) {
        machine.counters(actor).advance(operations, cycles);
        machine.spend(cycles);
        unitCycles += cycles;
        Fuel.checkWatchdog(unitCycles, options);
    }

    /// Nobody else gets the turn meanwhile, since nothing happens that others could see.
    @Override
    public void spendRounds(int rounds) {
        take(0, (long) rounds * Fuel.ROUND_CYCLES);
    }

    @Override
    public int spendInstructions(int count) {
        take(count, count);
        return 1;
    }

    @Override
    public AccessPort port() {
        return port;
    }

    private void insert(List<Operation> inserted) {
        if (!inserted.isEmpty()) {
            editing = true;
            inserted.forEach(operation -> operation.action().accept(this));
            editing = false;
        }
    }

    private boolean isOmitted() {
        return edited && !editing && sites.isOmitted(site);
    }

    private int cost(long address) {
        return run.costs().access(address, port);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int unit() {
        return actor.unit;
    }

    @Override
    public long argument() {
        return actor.argument;
    }

    @Override
    public long localStorage() {
        return plan.attributes().localStorage();
    }

    // Loads and stores

    @Override
    public long load(long address, int lengthBytes) {
        boolean counting = told != 0 && !sites.inPollLoop(told);
        enter();
        take(1, 1L + run.costs().load(address, port));
        latest.note(Kind.LOAD, address, lengthBytes);
        MemorySegment bytes = port.reach(address, lengthBytes, false);
        ExternalRegion registers = port.registers(address);
        long value =
                registers == null
                        ? rules.load(number, address, lengthBytes, bytes, port.offset(address))
                        : rules.loadRegister(number, address, lengthBytes, registers);
        actor.watch.load(address, value, machine.version(), counting);
        observer.load(actorNumber, address, lengthBytes, site);
        return value;
    }

    @Override
    public void store(long address, int lengthBytes, long value) {
        enter(cost(address));
        if (isOmitted()) {
            return;
        }
        latest.note(Kind.STORE, address, lengthBytes);
        MemorySegment bytes = port.reach(address, lengthBytes, true);
        ExternalRegion registers = port.registers(address);
        if (registers == null) {
            rules.store(number, address, lengthBytes, bytes, port.offset(address), value);
        } else {
            rules.storeRegister(number, address, lengthBytes, registers, value);
        }
        acted();
        observer.store(actorNumber, address, lengthBytes, site);
    }

    /// It has done something that others may wait for.
    private void acted() {
        actor.watch.reset();
        machine.changed();
    }

    @Override
    public void store64(long address, long value) {
        if (AddressMap.isOutbox(address)) {
            enter(cost(address));
            if (isOmitted()) {
                return;
            }
            latest.note(Kind.STORE, address, Long.BYTES);
            run.ring(actor, port.doorbell(address), value, port.uar(), site);
            actor.watch.reset();
        } else {
            store(address, Long.BYTES, value);
        }
    }

    // Fences and cache operations

    @Override
    public void fence(Space space, Op before, Op after) {
        enter(0);
        if (!isOmitted()) {
            latest.note(Kind.FENCE, 0, 0);
            rules.fence(number, space, before, after);
            observer.fence(actorNumber, space, before, after, site);
        }
    }

    @Override
    public void memoryWriteback() {
        enter(0);
        if (!isOmitted()) {
            latest.note(Kind.MEMORY_WRITEBACK, 0, 0);
            rules.memoryWriteback(number);
            observer.memoryWriteback(actorNumber, site);
        }
    }

    @Override
    public void windowWriteback() {
        enter(0);
        if (!isOmitted()) {
            latest.note(Kind.WINDOW_WRITEBACK, 0, 0);
            rules.windowWriteback(number);
            observer.windowWriteback(actorNumber, site);
        }
    }

    @Override
    public void windowReadInv() {
        enter(0);
        if (!isOmitted()) {
            latest.note(Kind.WINDOW_READ_INV, 0, 0);
            rules.windowReadInv(number);
            observer.windowReadInv(actorNumber, site);
        }
    }

    // Atomics

    @Override
    public long atomic(
            AtomicOp op, long address, int lengthBytes, long operand, AtomicOrder order) {
        enter(cost(address));
        latest.note(Kind.ATOMIC, address, lengthBytes);
        MemorySegment bytes = port.reachAtomic(address, lengthBytes);
        long old =
                rules.atomic(
                        number,
                        op,
                        order,
                        address,
                        lengthBytes,
                        bytes,
                        port.offset(address),
                        operand);
        if (op.apply(old, operand, lengthBytes) == old) {
            // A lock that stays taken, for instance: nobody can tell that it was tried.
            actor.watch.load(address, old, machine.version(), false);
        } else {
            acted();
        }
        observer.atomic(actorNumber, address, lengthBytes, order, true, site);
        return old;
    }

    @Override
    public long loadReserved(long address, int lengthBytes, AtomicOrder order) {
        enter(cost(address));
        latest.note(Kind.LOAD_RESERVED, address, lengthBytes);
        MemorySegment bytes = port.reachAtomic(address, lengthBytes);
        long value =
                rules.loadReserved(
                        number, order, address, lengthBytes, bytes, port.offset(address));
        actor.watch.load(address, value, machine.version(), false);
        observer.atomic(actorNumber, address, lengthBytes, order, false, site);
        return value;
    }

    @Override
    public boolean storeConditional(long address, int lengthBytes, long value, AtomicOrder order) {
        enter(cost(address));
        latest.note(Kind.STORE_CONDITIONAL, address, lengthBytes);
        MemorySegment bytes = port.reachAtomic(address, lengthBytes);
        boolean stored =
                rules.storeConditional(
                        number, order, address, lengthBytes, bytes, port.offset(address), value);
        acted();
        observer.atomic(actorNumber, address, lengthBytes, order, stored, site);
        return stored;
    }

    // Spin locks

    @Override
    public void spinLock(long lock) {
        int place = told;
        while (!spinTryLock(lock)) {
            told = place;
        }
    }

    @Override
    public void spinUnlock(long lock) {
        enter(cost(lock));
        latest.note(Kind.STORE, lock, Integer.BYTES);
        MemorySegment bytes = port.reachAtomic(lock, Integer.BYTES);
        rules.storeRelease(number, lock, Integer.BYTES, bytes, port.offset(lock), 0);
        acted();
        observer.atomic(actorNumber, lock, Integer.BYTES, AtomicOrder.RELEASE, true, site);
    }

    // Window, outbox and stack

    @Override
    public boolean configureWindow(int key) {
        enter(0);
        rules.leaveWindow(number);
        return configured(port.configureWindow(key));
    }

    @Override
    public boolean configureWindow(int window, int key) {
        enter(0);
        rules.leaveWindow(number);
        return configured(port.configureWindow(window, key));
    }

    private boolean configured(boolean done) {
        if (done) {
            observer.configureWindow(actorNumber, site);
        }
        return done;
    }

    @Override
    public int errno() {
        enter(0);
        return port.errno();
    }

    @Override
    public void resetErrno() {
        enter(0);
        port.resetErrno();
    }

    @Override
    public boolean configureOutbox(int outbox) {
        enter(0);
        return port.configureOutbox(outbox);
    }

    @Override
    public boolean configureOutbox(int outbox, int uar) {
        enter(0);
        return port.configureOutbox(outbox, uar);
    }

    @Override
    public void configureOutboxFast(int outbox) {
        enter(0);
        port.configureOutboxFast(outbox);
    }

    @Override
    public boolean fencesCalls() {
        return options.fencesCalls();
    }

    @Override
    public long allocateStack(long lengthBytes) {
        enter(0);
        return port.allocateStack(lengthBytes);
    }

    @Override
    public void message(int stream, Messages.Level level, String format, long... arguments) {
        enter(0);
        port.messages().print(stream, level, format, arguments, this);
    }

    // Counters: a read does not count itself

    private long counter(Counter counter) {
        UnitCounters counters = machine.counters(actor);
        long value =
                switch (counter) {
                    case CYCLES -> counters.cycles();
                    case TIME -> counters.time();
                    case RETIRED -> counters.instRet();
                };
        enter(0);
        actor.watch.reset();
        observer.counter(actorNumber, counter, actor.unit, site);
        return value;
    }

    @Override
    public long cycles() {
        return counter(Counter.CYCLES);
    }

    @Override
    public long time() {
        return counter(Counter.TIME);
    }

    @Override
    public long instRet() {
        return counter(Counter.RETIRED);
    }

    @Override
    public int fxpLog2(int operand) {
        enter(0);
        return options.log2Input().log2(operand);
    }

    @Override
    public int fxpRcp(int operand) {
        enter(0);
        return DpaFxp.rcp(operand);
    }

    @Override
    public int fxpPow2(int operand) {
        enter(0);
        return DpaFxp.pow2(operand);
    }

    // Scheduling

    @Override
    public void yieldUnit() {
        enter(0);
        machine.yieldUnit(actor);
        unitCycles = 0;
    }

    private EndSignal leave(Ending ending) {
        plan.checkLeave(ending);
        return leave(EndSignal.of(ending));
    }

    private EndSignal leave(EndSignal signal) {
        if (traced) {
            end();
            site = told != 0 ? told : sites.ofCaller();
        }
        return signal;
    }

    @Override
    public void reschedule() {
        enter(0);
        throw leave(Ending.RESCHEDULE);
    }

    @Override
    public void retrigger() {
        enter(0);
        throw leave(Ending.RETRIGGER);
    }

    @Override
    public void finish() {
        enter(0);
        throw leave(Ending.FINISH);
    }

    @Override
    public void finishProcess() {
        enter(0);
        throw leave(EndSignal.exit(ExitStatus.FINISHED));
    }

    @Override
    public void error(int code) {
        enter(0);
        throw leave(EndSignal.exit(ExitStatus.ofProgram(code)));
    }
}
