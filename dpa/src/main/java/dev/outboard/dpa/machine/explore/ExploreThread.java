package dev.outboard.dpa.machine.explore;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaFxp;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.AccessPort;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.EndSignal;
import dev.outboard.dpa.machine.run.ExitStatus;
import dev.outboard.dpa.machine.run.Fuel;
import dev.outboard.dpa.machine.run.FueledThread;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.run.SizedThread;
import dev.outboard.dpa.machine.unit.UnitCounters;
import dev.outboard.dpa.model.Action;

/// A thread of a replay. It has the execution unit of its own number.
final class ExploreThread implements SizedThread, FueledThread {
    private final ThreadPlan plan;
    private final AccessPort port;
    private final ExploreMemory memory;
    private final Replay replay;
    private final MachineOptions options;
    private final UnitCounters counters;
    private boolean hasWindow;
    private long unitCycles;

    ExploreThread(ProcessState process, ThreadPlan plan, ExploreMemory memory, Replay replay) {
        this.plan = plan;
        this.memory = memory;
        this.replay = replay;
        options = process.options();
        port = new AccessPort(process, number());
        counters = new UnitCounters(options.seed(), number(), options.timing().tickNanos());
    }

    @Override
    public int number() {
        return plan.handle().number();
    }

    @Override
    public int unit() {
        return number();
    }

    @Override
    public long argument() {
        return plan.attributes().argument();
    }

    @Override
    public long localStorage() {
        return plan.attributes().localStorage();
    }

    private void retire(int cycles) {
        take(1, 1L + cycles);
    }

    private void take(int operations, long cycles) {
        counters.advance(operations, cycles);
        unitCycles += cycles;
        Fuel.checkWatchdog(unitCycles, options);
    }

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

    private long act(Action action) {
        memory.checkKnown();
        return replay.act(action);
    }

    // Loads and stores

    @Override
    public long load(long address, int lengthBytes) {
        port.reach(address, lengthBytes, false);
        int at = memory.at(address);
        if (AddressMap.isWindow(address)) {
            retire(options.timing().costs().window(port.windowKind()));
            return act(new Action.LoadWindow(at, lengthBytes));
        }
        retire(options.timing().costs().memory());
        return act(new Action.Load(at, lengthBytes));
    }

    @Override
    public void store(long address, int lengthBytes, long value) {
        port.reach(address, lengthBytes, true);
        int at = memory.at(address);
        long stored = value & Words.mask(lengthBytes);
        if (AddressMap.isWindow(address)) {
            retire(options.timing().costs().window(port.windowKind()));
            act(new Action.StoreWindow(at, lengthBytes, stored));
        } else {
            retire(options.timing().costs().memory());
            act(new Action.Store(at, lengthBytes, stored));
        }
    }

    @Override
    public void store64(long address, long value) {
        if (AddressMap.isOutbox(address)) {
            int register = port.doorbell(address);
            int queue = Doorbell.number(register, value);
            retire(options.timing().costs().outbox());
            memory.ring(register, queue, value);
            act(new Action.Ring(register, memory.doorbell(register, queue)));
        } else {
            store(address, Long.BYTES, value);
        }
    }

    // Fences and cache operations

    @Override
    public void fence(Space space, Op before, Op after) {
        retire(0);
        act(new Action.Fence(space, before, after));
    }

    @Override
    public void memoryWriteback() {
        retire(0);
        act(new Action.MemoryWriteback());
    }

    @Override
    public void windowWriteback() {
        retire(0);
        act(new Action.WindowWriteback());
    }

    @Override
    public void windowReadInv() {
        retire(0);
        act(new Action.WindowReadInv());
    }

    // Atomics

    private int reachAtomic(long address, int lengthBytes) {
        port.reachAtomic(address, lengthBytes);
        retire(options.timing().costs().memory());
        return memory.at(address);
    }

    @Override
    public long atomic(
            AtomicOp op, long address, int lengthBytes, long operand, AtomicOrder order) {
        int at = reachAtomic(address, lengthBytes);
        return act(new Action.Atomic(op, order, at, lengthBytes, operand));
    }

    @Override
    public long loadReserved(long address, int lengthBytes, AtomicOrder order) {
        int at = reachAtomic(address, lengthBytes);
        return act(new Action.LoadReserved(order, at, lengthBytes));
    }

    @Override
    public boolean storeConditional(long address, int lengthBytes, long value, AtomicOrder order) {
        int at = reachAtomic(address, lengthBytes);
        long stored = value & Words.mask(lengthBytes);
        return act(new Action.StoreConditional(order, at, lengthBytes, stored)) == 0;
    }

    // Spin locks

    @Override
    public void spinLock(long lock) {
        act(new Action.Lock(reachAtomic(lock, Integer.BYTES)));
    }

    @Override
    public void spinUnlock(long lock) {
        act(new Action.StoreRelease(reachAtomic(lock, Integer.BYTES), Integer.BYTES, 0));
    }

    // Window, outbox and stack

    @Override
    public boolean configureWindow(int key) {
        retire(0);
        if (hasWindow) {
            throw new UnsupportedOperationException(
                    "In EXPLORE a thread configures its window once");
        }
        hasWindow = port.configureWindow(key);
        return hasWindow;
    }

    @Override
    public boolean configureWindow(int window, int key) {
        throw new UnsupportedOperationException("In EXPLORE a process has no windows but the one");
    }

    @Override
    public int errno() {
        retire(0);
        return port.errno();
    }

    @Override
    public void resetErrno() {
        retire(0);
        port.resetErrno();
    }

    @Override
    public boolean configureOutbox(int outbox) {
        retire(0);
        return port.configureOutbox(outbox);
    }

    @Override
    public boolean configureOutbox(int outbox, int uar) {
        retire(0);
        return port.configureOutbox(outbox, uar);
    }

    @Override
    public void configureOutboxFast(int outbox) {
        retire(0);
        port.configureOutboxFast(outbox);
    }

    @Override
    public boolean fencesCalls() {
        return options.fencesCalls();
    }

    @Override
    public long allocateStack(long lengthBytes) {
        retire(0);
        return port.allocateStack(lengthBytes);
    }

    // Counters

    @Override
    public void message(int stream, Messages.Level level, String format, long... arguments) {
        retire(0);
        port.messages().print(stream, level, format, arguments, this);
    }

    @Override
    public long cycles() {
        long cycles = counters.cycles();
        retire(0);
        return cycles;
    }

    @Override
    public long time() {
        long time = counters.time();
        retire(0);
        return time;
    }

    @Override
    public long instRet() {
        long retired = counters.instRet();
        retire(0);
        return retired;
    }

    @Override
    public int fxpLog2(int operand) {
        retire(0);
        return options.log2Input().log2(operand);
    }

    @Override
    public int fxpRcp(int operand) {
        retire(0);
        return DpaFxp.rcp(operand);
    }

    @Override
    public int fxpPow2(int operand) {
        retire(0);
        return DpaFxp.pow2(operand);
    }

    // Scheduling

    @Override
    public void yieldUnit() {
        // Nobody waits for the unit.
        retire(0);
        unitCycles = 0;
    }

    @Override
    public void reschedule() {
        throw EndSignal.of(Ending.RESCHEDULE);
    }

    @Override
    public void retrigger() {
        throw new UnsupportedOperationException(
                "EXPLORE runs each thread once: it does not begin again");
    }

    @Override
    public void finish() {
        throw EndSignal.of(Ending.FINISH);
    }

    @Override
    public void finishProcess() {
        throw EndSignal.exit(ExitStatus.FINISHED);
    }

    @Override
    public void error(int code) {
        throw EndSignal.exit(ExitStatus.ofProgram(code));
    }
}
