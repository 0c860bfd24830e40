package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaFxp;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.MemoryOperation.Kind;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.machine.memory.Reservations;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.AccessPort;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.EndSignal;
import dev.outboard.dpa.machine.run.ExitStatus;
import dev.outboard.dpa.machine.run.Fuel;
import dev.outboard.dpa.machine.run.FueledThread;
import dev.outboard.dpa.machine.run.LatestOperations;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.run.Registers;
import dev.outboard.dpa.machine.unit.UnitCounters;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A thread under FAST. Only the carrier that runs its activation touches it.
///
/// DPA-OPM-17: a store is performed at once, the view of the NIC is the last one, and nothing is
/// cached. As every access is volatile, fences and cache operations have nothing left to do.
///
/// Operations are counted by a budget that goes down; when it is used up, the thread settles its
/// accounts ([#turn]). So an operation costs one decrement for counters, watchdog and carriers
/// together.
public final class FastThread implements DpaThread, FueledThread {
    /// DPA-HW-17: how many operations a thread does before it gives its carrier away: enough to
    /// make the price of that small, few enough for 256 threads that spin.
    private static final int SLICE = 4096;

    /// What a window load takes of the budget, since programs poll through windows.
    private static final int WINDOW_SHARE = 32;

    private final FastRun run;
    private final ThreadPlan plan;
    private final int number;
    private final AccessPort port;
    private final MemorySegment heap;
    private final Reservations reservations;
    private final MachineOptions options;
    private final LatestOperations latest = new LatestOperations();

    /// 0 if every access has to be looked at, in a strict heap.
    private final long heapBytes;

    private int unit;
    private long argument;
    private volatile boolean retired;
    private UnitCounters counters;
    private int budget = SLICE;
    private int settledBudget = SLICE;
    private long extraCycles;

    /// Cycles since the thread got its unit.
    private long unitCycles;

    private final Looks looks = new Looks();

    /// What the reserved granule holds, as far as the thread knows.
    private long reservedValue;

    FastThread(FastRun run, ProcessState process, ThreadPlan plan, UnitCounters firstUnit) {
        this.run = run;
        this.plan = plan;
        number = plan.handle().number();
        port = new AccessPort(process, number);
        heap = process.memory().heap();
        reservations = process.reservations();
        options = process.options();
        heapBytes = options.storage().strictHeap() ? 0 : heap.byteSize();
        counters = firstUnit;
        argument = plan.attributes().argument();
    }

    /// It ends when it next gives its carrier away.
    void withdraw() {
        retired = true;
    }

    /// What [#argument()] gives from its next activation on.
    void argument(long given) {
        argument = given;
    }

    /// An activation begins.
    void begin() {
        Fuel.begin(this);
        port.begin();
    }

    /// An activation has ended.
    void end() {
        settle();
        Fuel.end();
    }

    /// The thread has got a unit.
    void moveTo(int unit, UnitCounters counters) {
        this.unit = unit;
        this.counters = counters;
        unitCycles = 0;
        budget = SLICE;
        settledBudget = SLICE;
        extraCycles = 0;
    }

    /// Its latest operations, for a crash report.
    List<MemoryOperation> latest() {
        return latest.list();
    }

    /// Notes a store that another class performs for this thread.
    public void noteStore(long address, int lengthBytes) {
        latest.note(Kind.STORE, address, lengthBytes);
    }

    @Override
    public AccessPort port() {
        return port;
    }

    @Override
    public void spendRounds(int rounds) {
        spend(0, rounds);
    }

    @Override
    public int spendInstructions(int count) {
        extraCycles -= (long) count * options.timing().costs().memory();
        spend(count);
        return SLICE / 4;
    }

    /// The program has retired operations that were not counted.
    public void spend(int operations) {
        budget -= operations;
        if (budget < 0) {
            turn();
        }
    }

    /// The program has retired operations that were not counted, and gone round its loops.
    public void spend(int operations, int rounds) {
        budget -= operations + rounds;
        settledBudget -= rounds;
        extraCycles += (long) rounds * Fuel.ROUND_CYCLES;
        if (budget < 0) {
            turn();
        }
    }

    /// Lets others have the carrier.
    public void giveWay() {
        run.giveCarrierAway(this);
        if (retired) {
            throw EndSignal.stop();
        }
    }

    private void retire() {
        if (--budget < 0) {
            turn();
        }
    }

    /// The budget is used up: counts what was done, and lets others run.
    private void turn() {
        settle();
        budget = SLICE;
        settledBudget = SLICE;
        unitCycles = looks.charged(unitCycles);
        Fuel.checkWatchdog(unitCycles, options);
        giveWay();
    }

    /// DPA-INT-4: under FAST each operation counts as one that reaches DPA memory.
    void settle() {
        int operations = settledBudget - budget;
        long cycles = operations * (1L + options.timing().costs().memory()) + extraCycles;
        counters.advance(operations, cycles);
        unitCycles += cycles;
        settledBudget = budget;
        extraCycles = 0;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int unit() {
        return unit;
    }

    @Override
    public long argument() {
        return argument;
    }

    @Override
    public long localStorage() {
        return plan.attributes().localStorage();
    }

    // Loads

    @Override
    public byte load8(long address) {
        retire();
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, heapBytes) < 0) {
            return (byte) Words.BYTE.getVolatile(heap, offset);
        }
        return (byte) loadElsewhere(address, Byte.BYTES);
    }

    @Override
    public short load16(long address) {
        retire();
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, heapBytes) < 0 && (offset & 1) == 0) {
            return (short) Words.SHORT.getVolatile(heap, offset);
        }
        return (short) loadElsewhere(address, Short.BYTES);
    }

    @Override
    public int load32(long address) {
        retire();
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, heapBytes) < 0 && (offset & 3) == 0) {
            return (int) Words.INT.getVolatile(heap, offset);
        }
        return (int) loadElsewhere(address, Integer.BYTES);
    }

    @Override
    public long load64(long address) {
        retire();
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, heapBytes) < 0 && (offset & 7) == 0) {
            return (long) Words.LONG.getVolatile(heap, offset);
        }
        return loadElsewhere(address, Long.BYTES);
    }

    /// Loads what is not simply in the heap. Does not count the operation.
    public long loadElsewhere(long address, int lengthBytes) {
        MemorySegment bytes = port.reach(address, lengthBytes, false);
        if (AddressMap.isWindow(address)) {
            latest.note(Kind.LOAD, address, lengthBytes);
            extraCycles += options.timing().costs().window();
            budget -= WINDOW_SHARE;
            settledBudget -= WINDOW_SHARE;
            ExternalRegion registers = port.registers(address);
            if (registers != null) {
                return Registers.read(registers, address, lengthBytes);
            }
        }
        return Words.load(bytes, port.offset(address), lengthBytes);
    }

    // Stores

    @Override
    public void store8(long address, int value) {
        retire();
        noteStore(address, Byte.BYTES);
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, heapBytes) < 0 && !reservations.any()) {
            Words.BYTE.setVolatile(heap, offset, (byte) value);
        } else {
            storeElsewhere(address, Byte.BYTES, value);
        }
    }

    @Override
    public void store16(long address, int value) {
        retire();
        noteStore(address, Short.BYTES);
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, heapBytes) < 0
                && (offset & 1) == 0
                && !reservations.any()) {
            Words.SHORT.setVolatile(heap, offset, (short) value);
        } else {
            storeElsewhere(address, Short.BYTES, value);
        }
    }

    @Override
    public void store32(long address, int value) {
        retire();
        noteStore(address, Integer.BYTES);
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, heapBytes) < 0
                && (offset & 3) == 0
                && !reservations.any()) {
            Words.INT.setVolatile(heap, offset, value);
        } else {
            storeElsewhere(address, Integer.BYTES, value);
        }
    }

    @Override
    public void store64(long address, long value) {
        retire();
        noteStore(address, Long.BYTES);
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, heapBytes) < 0
                && (offset & 7) == 0
                && !reservations.any()) {
            Words.LONG.setVolatile(heap, offset, value);
        } else {
            storeElsewhere(address, Long.BYTES, value);
        }
    }

    /// Stores what is not simply to the heap. Does not count the operation.
    public void storeElsewhere(long address, int lengthBytes, long value) {
        if (lengthBytes == Long.BYTES && AddressMap.isOutbox(address)) {
            extraCycles += options.timing().costs().outbox();
            run.doorbells().ring(port.doorbell(address), value, number, port.uar());
            return;
        }
        MemorySegment bytes = port.reach(address, lengthBytes, true);
        long offset = port.offset(address);
        if (AddressMap.isWindow(address)) {
            extraCycles += options.timing().costs().window();
            ExternalRegion registers = port.registers(address);
            if (registers != null) {
                Registers.write(registers, address, lengthBytes, value);
            } else {
                Words.store(bytes, offset, lengthBytes, value);
            }
        } else if (reservations.any()) {
            synchronized (reservations) {
                Words.store(bytes, offset, lengthBytes, value);
                stored(address, lengthBytes, value);
            }
        } else {
            Words.store(bytes, offset, lengthBytes, value);
        }
    }

    // Fences and cache operations

    @Override
    public void fence(Space space, Op before, Op after) {
        retire();
        latest.note(Kind.FENCE, 0, 0);
    }

    @Override
    public void memoryWriteback() {
        retire();
        latest.note(Kind.MEMORY_WRITEBACK, 0, 0);
    }

    @Override
    public void windowWriteback() {
        retire();
        latest.note(Kind.WINDOW_WRITEBACK, 0, 0);
    }

    @Override
    public void windowReadInv() {
        retire();
        latest.note(Kind.WINDOW_READ_INV, 0, 0);
    }

    // Atomics

    @Override
    public int atomic32(AtomicOp op, long address, int operand, AtomicOrder order) {
        retire();
        latest.note(Kind.ATOMIC, address, Integer.BYTES);
        MemorySegment bytes = port.reachAtomic(address, Integer.BYTES);
        if (reservations.any()) {
            synchronized (reservations) {
                int old = FastAtomics.update32(op, bytes, port.offset(address), operand);
                stored(address, Integer.BYTES, op.apply(old, operand));
                return old;
            }
        }
        return FastAtomics.update32(op, bytes, port.offset(address), operand);
    }

    @Override
    public long atomic64(AtomicOp op, long address, long operand, AtomicOrder order) {
        retire();
        latest.note(Kind.ATOMIC, address, Long.BYTES);
        MemorySegment bytes = port.reachAtomic(address, Long.BYTES);
        if (reservations.any()) {
            synchronized (reservations) {
                long old = FastAtomics.update64(op, bytes, port.offset(address), operand);
                stored(address, Long.BYTES, op.apply(old, operand));
                return old;
            }
        }
        return FastAtomics.update64(op, bytes, port.offset(address), operand);
    }

    @Override
    public int loadReserved32(long address, AtomicOrder order) {
        return (int) loadReserved(address, Integer.BYTES);
    }

    @Override
    public long loadReserved64(long address, AtomicOrder order) {
        return loadReserved(address, Long.BYTES);
    }

    private long loadReserved(long address, int lengthBytes) {
        retire();
        latest.note(Kind.LOAD_RESERVED, address, lengthBytes);
        MemorySegment bytes = port.reachAtomic(address, lengthBytes);
        long offset = port.offset(address);
        synchronized (reservations) {
            reservations.reserve(number, address);
            long value = Words.load(bytes, offset, lengthBytes);
            know(address, lengthBytes, value);
            long otherHalf = offset ^ Integer.BYTES;
            if (lengthBytes == Integer.BYTES && otherHalf + Integer.BYTES <= bytes.byteSize()) {
                long other = Words.load(bytes, otherHalf, lengthBytes);
                know(address ^ Integer.BYTES, lengthBytes, other);
            }
            return value;
        }
    }

    /// Notes what some bytes of the reserved granule hold.
    private void know(long address, int lengthBytes, long value) {
        int shift = shift(address);
        long mask = Words.mask(lengthBytes) << shift;
        reservedValue = (reservedValue & ~mask) | ((value << shift) & mask);
    }

    private static int shift(long address) {
        return (int) (address & (Long.BYTES - 1)) * Byte.SIZE;
    }

    /// Others lose their reservations of the granule, and this thread keeps its own.
    private void stored(long address, int lengthBytes, long value) {
        reservations.end(address, number);
        if (reservations.holds(number, address)) {
            know(address, lengthBytes, value);
        }
    }

    @Override
    public boolean storeConditional32(long address, int value, AtomicOrder order) {
        return storeConditional(address, Integer.BYTES, value);
    }

    @Override
    public boolean storeConditional64(long address, long value, AtomicOrder order) {
        return storeConditional(address, Long.BYTES, value);
    }

    /// A store that slipped in without seeing the reservation is noticed by its value; if that did
    /// not change, the store counts as older than the reservation ([Reservations]).
    private boolean storeConditional(long address, int lengthBytes, long value) {
        retire();
        latest.note(Kind.STORE_CONDITIONAL, address, lengthBytes);
        MemorySegment bytes = port.reachAtomic(address, lengthBytes);
        long offset = port.offset(address);
        synchronized (reservations) {
            long old = reservedValue >>> shift(address);
            boolean stored =
                    reservations.holds(number, address)
                            && FastAtomics.replace(bytes, offset, lengthBytes, old, value);
            if (stored) {
                reservations.end(address, number);
            }
            reservations.release(number);
            return stored;
        }
    }

    // Spin locks

    @Override
    public void spinInit(long lock) {
        store32(lock, 0);
    }

    @Override
    public void spinLock(long lock) {
        while (!spinTryLock(lock)) {
            while (load32(lock) != 0) {
                run.giveCarrierAway(this);
            }
        }
    }

    @Override
    public boolean spinTryLock(long lock) {
        return atomic32(AtomicOp.SWAP, lock, 1, AtomicOrder.ACQUIRE) == 0;
    }

    @Override
    public void spinUnlock(long lock) {
        atomic32(AtomicOp.SWAP, lock, 0, AtomicOrder.RELEASE);
    }

    // Window, outbox and stack

    @Override
    public boolean configureWindow(int key) {
        retire();
        return port.configureWindow(key);
    }

    @Override
    public boolean configureWindow(int window, int key) {
        retire();
        return port.configureWindow(window, key);
    }

    @Override
    public int errno() {
        retire();
        return port.errno();
    }

    @Override
    public void resetErrno() {
        retire();
        port.resetErrno();
    }

    @Override
    public boolean configureOutbox(int outbox) {
        retire();
        return port.configureOutbox(outbox);
    }

    @Override
    public boolean configureOutbox(int outbox, int uar) {
        retire();
        return port.configureOutbox(outbox, uar);
    }

    @Override
    public void configureOutboxFast(int outbox) {
        retire();
        port.configureOutboxFast(outbox);
    }

    @Override
    public boolean fencesCalls() {
        return options.fencesCalls();
    }

    @Override
    public long allocateStack(long lengthBytes) {
        retire();
        return port.allocateStack(lengthBytes);
    }

    // Counters: a read does not count itself

    @Override
    public void message(int stream, Messages.Level level, String format, long... arguments) {
        retire();
        port.messages().print(stream, level, format, arguments, this);
    }

    @Override
    public long cycles() {
        settle();
        long cycles = counters.cycles();
        retire();
        return cycles;
    }

    @Override
    public long time() {
        settle();
        long time = counters.time();
        retire();
        return time;
    }

    @Override
    public long instRet() {
        settle();
        long retired = counters.instRet();
        retire();
        return retired;
    }

    @Override
    public int fxpLog2(int operand) {
        retire();
        return options.log2Input().log2(operand);
    }

    @Override
    public int fxpRcp(int operand) {
        retire();
        return DpaFxp.rcp(operand);
    }

    @Override
    public int fxpPow2(int operand) {
        retire();
        return DpaFxp.pow2(operand);
    }

    // Scheduling

    /// Who looks in vain brings in what comes by the wire, and in the long run sleeps between its
    /// looks, for longer each time.
    @Override
    public void pause() {
        if (looks.isFirst(budget)) {
            settle();
            looks.begin(unitCycles);
        }
        retire();
        looks.looked(budget);
        long napNanos = looks.napNanos();
        run.doorbells().drive(napNanos == 0);
        if (napNanos > 0) {
            nap(napNanos);
        }
    }

    @Override
    public void resume() {
        if (looks.areInVain()) {
            settle();
            unitCycles = looks.charged(unitCycles);
            looks.end();
        }
    }

    private void nap(long nanos) {
        run.nap(this, nanos);
        extraCycles += UnitCounters.cycles(nanos);
        if (retired) {
            throw EndSignal.stop();
        }
    }

    @Override
    public void yieldUnit() {
        retire();
        settle();
        run.yieldUnit(this, plan.attributes().affinity());
        unitCycles = 0;
    }

    private EndSignal leave(Ending ending) {
        plan.checkLeave(ending);
        return EndSignal.of(ending);
    }

    @Override
    public void reschedule() {
        throw leave(Ending.RESCHEDULE);
    }

    @Override
    public void retrigger() {
        throw leave(Ending.RETRIGGER);
    }

    @Override
    public void finish() {
        throw leave(Ending.FINISH);
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
