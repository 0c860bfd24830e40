package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaFxp;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.MemoryOperation.Kind;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.AccessPort;
import dev.outboard.dpa.machine.run.EndSignal;
import dev.outboard.dpa.machine.run.FueledThread;
import dev.outboard.dpa.machine.run.LatestOperations;
import dev.outboard.dpa.machine.run.SizedThread;
import java.util.List;

/// The only thread of a bare program: alone with its memory, without windows and outboxes. A cycle
/// is an instruction.
final class BareThread implements SizedThread, FueledThread {
    /// After how many instructions it counts.
    private static final int SLICE = 4096;

    private static final int INSTRUCTIONS_A_TICK = 1000;
    private static final long GRANULE = ~7L;
    private static final long NOTHING = -1;

    private final BareMemory memory;
    private final long limit;
    private final LatestOperations latest = new LatestOperations();
    private long retired;
    private long reserved = NOTHING;

    /// @param limit how many instructions it may run
    BareThread(BareMemory memory, long limit) {
        this.memory = memory;
        this.limit = limit;
    }

    BareMemory memory() {
        return memory;
    }

    List<MemoryOperation> latest() {
        return latest.list();
    }

    @Override
    public int spendInstructions(int count) {
        retired += count;
        if (retired > limit) {
            throw new FaultSignal(
                    Fault.WATCHDOG, "it has run %d instructions, its limit".formatted(limit));
        }
        return SLICE;
    }

    @Override
    public void spendRounds(int rounds) {
        spendInstructions(rounds);
    }

    @Override
    public AccessPort port() {
        throw new UnsupportedOperationException("A bare program has no process");
    }

    // Memory

    @Override
    public long load(long address, int lengthBytes) {
        retired++;
        BareMemory.Pages pages = memory.reach(address, lengthBytes, false);
        return Words.load(pages.bytes(), address - pages.range().from(), lengthBytes);
    }

    @Override
    public void store(long address, int lengthBytes, long value) {
        retired++;
        latest.note(Kind.STORE, address, lengthBytes);
        BareMemory.Pages pages = memory.reach(address, lengthBytes, true);
        Words.store(pages.bytes(), address - pages.range().from(), lengthBytes, value);
    }

    @Override
    public long atomic(
            AtomicOp op, long address, int lengthBytes, long operand, AtomicOrder order) {
        retired++;
        latest.note(Kind.ATOMIC, address, lengthBytes);
        BareMemory.Pages pages = memory.reach(address, lengthBytes, true);
        long offset = address - pages.range().from();
        long old = Words.load(pages.bytes(), offset, lengthBytes);
        Words.store(pages.bytes(), offset, lengthBytes, op.apply(old, operand, lengthBytes));
        return old;
    }

    @Override
    public long loadReserved(long address, int lengthBytes, AtomicOrder order) {
        memory.reach(address, lengthBytes, true);
        reserved = address & GRANULE;
        return load(address, lengthBytes);
    }

    @Override
    public boolean storeConditional(long address, int lengthBytes, long value, AtomicOrder order) {
        memory.reach(address, lengthBytes, true);
        boolean holds = reserved == (address & GRANULE);
        reserved = NOTHING;
        if (holds) {
            store(address, lengthBytes, value);
        }
        return holds;
    }

    @Override
    public void fence(Space space, Op before, Op after) {
        retired++;
    }

    @Override
    public void memoryWriteback() {
        retired++;
    }

    @Override
    public void windowWriteback() {
        retired++;
    }

    @Override
    public void windowReadInv() {
        retired++;
    }

    @Override
    public void spinLock(long lock) {
        while (!spinTryLock(lock)) {
            spendInstructions(1);
        }
    }

    @Override
    public void spinUnlock(long lock) {
        store(lock, Integer.BYTES, 0);
    }

    // Itself

    @Override
    public int number() {
        return 0;
    }

    @Override
    public int unit() {
        return 0;
    }

    @Override
    public long argument() {
        return 0;
    }

    @Override
    public long localStorage() {
        return 0;
    }

    @Override
    public long allocateStack(long lengthBytes) {
        throw new UnsupportedOperationException("A bare program has its stack for itself");
    }

    @Override
    public long cycles() {
        return ++retired;
    }

    @Override
    public long time() {
        return ++retired / INSTRUCTIONS_A_TICK;
    }

    @Override
    public long instRet() {
        return ++retired;
    }

    @Override
    public int fxpLog2(int operand) {
        retired++;
        return DpaFxp.log2(operand);
    }

    @Override
    public int fxpRcp(int operand) {
        retired++;
        return DpaFxp.rcp(operand);
    }

    @Override
    public int fxpPow2(int operand) {
        retired++;
        return DpaFxp.pow2(operand);
    }

    // A process, which it does not have

    @Override
    public boolean configureWindow(int key) {
        return false;
    }

    @Override
    public boolean configureWindow(int window, int key) {
        return false;
    }

    @Override
    public boolean configureOutbox(int outbox) {
        return false;
    }

    @Override
    public boolean configureOutbox(int outbox, int uar) {
        return false;
    }

    @Override
    public void configureOutboxFast(int outbox) {
        // Nobody hears its doorbells.
    }

    @Override
    public int errno() {
        return 0;
    }

    @Override
    public void resetErrno() {
        // It is 0 anyway.
    }

    @Override
    public boolean fencesCalls() {
        return false;
    }

    @Override
    public void message(int stream, Messages.Level level, String format, long... arguments) {
        // Nobody reads them.
    }

    @Override
    public void yieldUnit() {
        // Nobody waits for it.
    }

    @Override
    public void reschedule() {
        throw EndSignal.of(Ending.FINISH);
    }

    @Override
    public void retrigger() {
        throw EndSignal.of(Ending.FINISH);
    }

    @Override
    public void finish() {
        throw EndSignal.of(Ending.FINISH);
    }

    @Override
    public void finishProcess() {
        throw EndSignal.of(Ending.FINISH);
    }

    @Override
    public void error(int code) {
        throw EndSignal.of(Ending.FINISH);
    }
}
