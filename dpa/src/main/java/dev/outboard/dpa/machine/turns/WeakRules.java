package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.DoorbellBoard;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.run.Registers;
import dev.outboard.dpa.model.Code;
import dev.outboard.dpa.model.Execution;
import dev.outboard.dpa.model.Kind;
import dev.outboard.dpa.model.MemoryState;
import dev.outboard.dpa.model.Steps;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;

/// DPA-OPM-16: the rules of section 9 of the catalog, for programs in Java: the state of the
/// operational model, whose own steps a seed chooses. Seeds differ in how likely each kind of step
/// is, and often it is not likely at all, so that stores stay pending and copies stale for long.
final class WeakRules implements MemoryRules {
    /// How likely it is that something happens by itself before an operation, out of 64.
    private static final int[] RATES = {0, 2, 8, 32};

    private static final int CERTAIN = 64;

    /// The weights of kinds of steps.
    private static final int[] WEIGHTS = {0, 1, 4};

    private final SplittableRandom random;
    private final WeakMemory memory;
    private final MemoryState state;

    /// Knows which steps may happen; it has no programs of its own.
    private final Execution execution;

    private final Steps steps = new Steps();
    private final PendingDoorbells doorbells;
    private final OutsideStores outside;
    private final int rate;
    private final int[] weights = new int[Steps.Kind.values().length];

    /// Runs after each step: others may wait for it.
    private final Runnable happened;

    /// @param failed is told of faults of stores that their thread has issued long before
    WeakRules(
            ProcessState process,
            Profile profile,
            SplittableRandom random,
            DoorbellBoard board,
            Runnable happened,
            ObjIntConsumer<FaultSignal> failed) {
        this.random = random;
        this.happened = happened;
        memory = new WeakMemory(process, profile, failed);
        state = memory.state();
        execution = Execution.stepwise(state, new Code[0]);
        doorbells = new PendingDoorbells(state, memory.threads(), board);
        outside = new OutsideStores(memory, process.actors().size());
        rate = RATES[random.nextInt(RATES.length)];
        Arrays.setAll(weights, kind -> WEIGHTS[random.nextInt(WEIGHTS.length)]);
    }

    // Steps that happen by themselves

    @Override
    public void drift() {
        while (random.nextInt(CERTAIN) < rate) {
            likelyStep();
        }
    }

    @Override
    public boolean step() {
        return outsideStep() || (state.hasMandatory() ? anyStep() : likelyStep());
    }

    @Override
    public void complete(int thread) {
        state.memoryWriteback(thread);
        until(() -> !state.isReturnBlocked(thread));
    }

    @Override
    public void add(ActorPlan plan) {
        outside.add();
        if (plan instanceof ThreadPlan) {
            state.addThread(PendingDoorbells.count(1));
            doorbells.addThread();
        }
    }

    @Override
    public byte[] seenByNic(long address, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            bytes[i] = (byte) state.nicRead(memory.at(address + i), 1);
        }
        return bytes;
    }

    @Override
    public void reveal() {
        memory.reveal();
    }

    @Override
    public void settle() {
        while (outsideStep() || (state.hasMandatory() && anyStep())) {
            // One after the other.
        }
        while (likelyStep() && random.nextBoolean()) {
            // What need not happen may happen.
        }
        memory.writeBack();
    }

    private boolean anyStep() {
        execution.steps(steps);
        if (steps.size() == 0) {
            return false;
        }
        apply(steps.get(random.nextInt(steps.size())));
        return true;
    }

    /// A step by the weights of the run, or a store of an actor outside.
    private boolean likelyStep() {
        if (random.nextBoolean() && outsideStep()) {
            return true;
        }
        execution.steps(steps);
        int sum = 0;
        for (int i = 0; i < steps.size(); i++) {
            sum += weight(steps.get(i));
        }
        if (sum == 0) {
            return false;
        }
        int drawn = random.nextInt(sum);
        int i = 0;
        while (drawn >= weight(steps.get(i))) {
            drawn -= weight(steps.get(i));
            i++;
        }
        apply(steps.get(i));
        return true;
    }

    private int weight(long step) {
        return weights[Steps.kind(step).ordinal()];
    }

    /// A copy that vanishes and is what memory holds changes nothing that anybody waits for: a
    /// thread that polls through its window would else never come to rest.
    private void apply(long step) {
        boolean isVain =
                Steps.kind(step) == Steps.Kind.VANISH
                        && state.isFresh(Steps.first(step), Steps.second(step));
        execution.apply(step);
        doorbells.deliver();
        if (!isVain) {
            happened.run();
        }
    }

    /// A store of an actor outside.
    ///
    /// @return whether there was one
    private boolean outsideStep() {
        boolean any = outside.step(random);
        if (any) {
            happened.run();
        }
        return any;
    }

    /// Lets things happen until the thread may go on.
    private void until(BooleanSupplier free) {
        while (!free.getAsBoolean()) {
            if (!anyStep()) {
                throw new AssertionError("A thread waits for its own writes for ever");
            }
        }
    }

    // Threads

    @Override
    public void begin(int thread) {
        memory.poisonStack(thread);
    }

    @Override
    public long load(int thread, long address, int lengthBytes, MemorySegment bytes, long offset) {
        boolean window = AddressMap.isWindow(address);
        int at = memory.at(address);
        until(() -> !state.isLoadBlocked(thread, window, at));
        if (!window) {
            return state.load(thread, at, lengthBytes);
        }
        boolean capture = state.canCapture(thread, at, lengthBytes) && random.nextBoolean();
        return state.loadWindow(thread, at, lengthBytes, capture);
    }

    @Override
    public void store(
            int thread,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value) {
        int at = memory.at(address);
        if (AddressMap.isWindow(address)) {
            boolean line = state.canRewriteLine(at) && random.nextBoolean();
            state.storeWindow(thread, at, lengthBytes, value, line);
        } else {
            state.store(thread, at, lengthBytes, value);
        }
    }

    @Override
    public long loadRegister(int thread, long address, int lengthBytes, ExternalRegion registers) {
        int at = memory.at(registers, address);
        until(() -> !state.isLoadBlocked(thread, true, at));
        if (!state.asksDevice(thread, at, lengthBytes)) {
            return state.loadWindow(thread, at, lengthBytes, false);
        }
        long answer = Registers.read(registers, address, lengthBytes);
        return state.loadRegister(thread, at, lengthBytes, answer);
    }

    @Override
    public void storeRegister(
            int thread, long address, int lengthBytes, ExternalRegion registers, long value) {
        int at = memory.at(registers, address);
        state.storeWindow(thread, at, lengthBytes, value, false);
    }

    @Override
    public void storeRelease(
            int thread,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value) {
        state.storeRelease(thread, memory.at(address), lengthBytes, value);
    }

    @Override
    public void ring(int thread, int register, long value, int uar, long token) {
        doorbells.ring(thread, register, value, uar, token);
    }

    @Override
    public long atomic(
            int thread,
            AtomicOp op,
            AtomicOrder order,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long operand) {
        int at = memory.at(address);
        until(() -> !state.isAtomicBlocked(thread, at, lengthBytes, order.releases()));
        return state.atomic(thread, op, at, lengthBytes, operand);
    }

    @Override
    public long loadReserved(
            int thread,
            AtomicOrder order,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset) {
        int at = memory.at(address);
        until(() ->
                !state.isLoadBlocked(thread, false, at)
                        && !(order.releases() && hasPendingMemory(thread)));
        return state.loadReserved(thread, at, lengthBytes);
    }

    private boolean hasPendingMemory(int thread) {
        return state.hasPending(thread, Kind.HEAP) || state.hasPending(thread, Kind.MEMORY);
    }

    @Override
    public boolean storeConditional(
            int thread,
            AtomicOrder order,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value) {
        int at = memory.at(address);
        until(() -> !state.isAtomicBlocked(thread, at, lengthBytes, order.releases()));
        return state.storeConditional(thread, at, lengthBytes, value);
    }

    @Override
    public void fence(int thread, Space space, Op before, Op after) {
        state.fence(thread, space, before, after);
    }

    @Override
    public void memoryWriteback(int thread) {
        state.memoryWriteback(thread);
    }

    @Override
    public void windowWriteback(int thread) {
        state.windowWriteback(thread);
    }

    @Override
    public void windowReadInv(int thread) {
        state.windowReadInv(thread);
    }

    @Override
    public void leaveWindow(int thread) {
        until(() -> !state.hasPending(thread, Kind.WINDOW));
        state.windowReadInv(thread);
    }

    // Actors outside

    @Override
    public long loadOutside(
            int actor, long address, int lengthBytes, MemorySegment bytes, long offset) {
        outside.order(actor, random);
        return memory.loadOutside(address, lengthBytes);
    }

    @Override
    public void storeOutside(
            int actor,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value) {
        outside.store(actor, address, lengthBytes, value);
    }

    @Override
    public void order(int actor) {
        outside.order(actor, random);
    }
}
