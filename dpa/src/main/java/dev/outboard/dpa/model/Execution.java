package dev.outboard.dpa.model;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import java.util.BitSet;

/// An execution at some moment: the memory, and what each actor has still to do. [#steps] tells
/// what may happen next, [#apply] lets it happen. Not thread-safe; [#copy()] is cheap.
public final class Execution {
    /// How many actions a loop may have before it is not looked at any more whether it changes
    /// anything.
    private static final int MOST_ACTIONS_OF_A_LOOP = 256;

    private static final int CHOICE_BITS = 10;

    private final MemoryState memory;
    private final Code[] codes;
    private final boolean reduced;
    private final BitSet nicObserved;
    private final Visibility visibility = new Visibility();

    private Execution(MemoryState memory, Code[] codes, boolean reduced, BitSet nicObserved) {
        this.memory = memory;
        this.codes = codes.clone();
        this.reduced = reduced;
        this.nicObserved = nicObserved;
    }

    /// An execution that begins, with all steps one by one.
    public static Execution stepwise(MemoryState memory, Code[] codes) {
        return new Execution(memory, codes, false, new BitSet());
    }

    /// An execution that begins, in which steps that commute with everything that others do are
    /// taken at once, which leaves out interleavings but no outcome.
    ///
    /// @param nicObserved the granules of DPA memory of which the view of the NIC is looked at in
    ///   the end
    public static Execution reduced(MemoryState memory, Code[] codes, BitSet nicObserved) {
        Execution execution = new Execution(memory, codes, true, nicObserved);
        execution.settle();
        return execution;
    }

    private Execution(Execution original) {
        memory = original.memory.copy();
        codes = original.codes.clone();
        reduced = original.reduced;
        nicObserved = original.nicObserved;
    }

    /// Another execution like this one.
    public Execution copy() {
        return new Execution(this);
    }

    /// The memory.
    public MemoryState memory() {
        return memory;
    }

    /// What an actor has still to do.
    public Code code(int actor) {
        return codes[actor];
    }

    /// The doorbells that the result of [Action.ArrivalOrder] tells, in their order.
    public static int[] arrivals(long result) {
        return Arrivals.of(result);
    }

    // Steps

    /// All steps that may be taken now.
    public void steps(Steps steps) {
        steps.clear();
        for (int actor = 0; actor < codes.length; actor++) {
            if (!codes[actor].isEnded() && isEnabled(actor)) {
                int alternatives = alternatives(actor);
                for (int i = 0; i < alternatives; i++) {
                    steps.add(Steps.Kind.RUN, actor, i);
                }
            }
        }
        memorySteps(steps);
        Posted[] posted = memory.posted();
        for (int i = 0; i < posted.length; i++) {
            if (Posted.isFirst(posted, i)) {
                for (int choice = 0; choice < posted[i].choices(); choice++) {
                    steps.add(Steps.Kind.POSTED, 0, (i << CHOICE_BITS) | choice);
                }
            }
        }
    }

    private void memorySteps(Steps steps) {
        visibility.look(memory);
        for (int thread = 0; thread < memory.threads(); thread++) {
            memorySteps(thread, steps);
        }
    }

    private void memorySteps(int thread, Steps steps) {
        ThreadMemory own = memory.thread(thread);
        for (int i = 0; i < own.pending().length; i++) {
            if (memory.isPerformable(thread, i)) {
                steps.add(Steps.Kind.PERFORM, thread, i);
            }
        }
        for (Unseen one : own.unseen()) {
            if (visibility.hasStep(memory, thread, one)) {
                steps.add(Steps.Kind.SHOW, 0, one.granule());
            }
        }
        for (int i = 0; i < own.copies().length; i++) {
            steps.add(Steps.Kind.VANISH, thread, i);
        }
    }

    private int alternatives(int actor) {
        Code code = codes[actor];
        int thread = code.thread();
        if (thread < 0) {
            return code.alternatives();
        }
        boolean two =
                switch (code.action(0)) {
                    case Action.LoadWindow load ->
                            memory.canCapture(thread, load.address(), load.sizeBytes());
                    case Action.StoreWindow store -> memory.canRewriteLine(store.address());
                    default -> false;
                };
        return two ? 2 : 1;
    }

    /// Takes a step.
    public void apply(long step) {
        int first = Steps.first(step);
        int second = Steps.second(step);
        switch (Steps.kind(step)) {
            case RUN -> run(first, second);
            case PERFORM -> memory.perform(first, second);
            case POSTED ->
                    memory.performPosted(second >>> CHOICE_BITS, second & ((1 << CHOICE_BITS) - 1));
            case SHOW -> memory.show(second);
            case VANISH -> memory.vanish(first, second);
        }
        settle();
    }

    private void run(int actor, int alternative) {
        Code code = codes[actor];
        if (code.thread() < 0) {
            Action.OfOutside action = (Action.OfOutside) code.action(alternative);
            codes[actor] = code.resume(alternative, execute(action));
        } else {
            Action.OfThread action = (Action.OfThread) code.action(0);
            codes[actor] = code.resume(0, execute(code.thread(), action, alternative == 1));
        }
    }

    // Actions

    /// Whether an actor may do its next action. For one whose actions may come in any order all of
    /// them may be done.
    private boolean isEnabled(int actor) {
        int thread = codes[actor].thread();
        return switch (codes[actor].action(0)) {
            case Action.Load load -> !memory.isLoadBlocked(thread, false, load.address());
            case Action.LoadWindow load -> !memory.isLoadBlocked(thread, true, load.address());
            case Action.Atomic atomic ->
                    !isAtomicBlocked(thread, atomic.address(), atomic.sizeBytes(), atomic.order());
            case Action.StoreConditional store ->
                    !isAtomicBlocked(thread, store.address(), store.sizeBytes(), store.order());
            case Action.LoadReserved load ->
                    !memory.isLoadBlocked(thread, false, load.address())
                            && !(load.order().releases()
                                    && memory.thread(thread).hasPendingMemory());
            case Action.Lock lock ->
                    !isAtomicBlocked(thread, lock.address(), Integer.BYTES, AtomicOrder.ACQUIRE)
                            && memory.load(thread, lock.address(), Integer.BYTES) == 0;
            case Action.Await await ->
                    await.condition()
                            .test(read(await.external(), await.address(), await.sizeBytes()));
            case Action.OnDoorbell on -> memory.arrivals().counts()[on.doorbell()] >= on.times();
            default -> true;
        };
    }

    private boolean isAtomicBlocked(int thread, int address, int sizeBytes, AtomicOrder order) {
        return memory.isAtomicBlocked(thread, address, sizeBytes, order.releases());
    }

    private long read(boolean external, int address, int sizeBytes) {
        return external
                ? memory.externalRead(address, sizeBytes)
                : memory.nicRead(address, sizeBytes);
    }

    private long write(boolean external, int address, int sizeBytes, long value) {
        if (external) {
            memory.externalWrite(address, sizeBytes, value);
        } else {
            memory.nicWrite(address, sizeBytes, value);
        }
        return 0;
    }

    private long execute(int thread, Action.OfThread action, boolean second) {
        switch (action) {
            case Action.Load load -> {
                return memory.load(thread, load.address(), load.sizeBytes());
            }
            case Action.LoadWindow load -> {
                return memory.loadWindow(thread, load.address(), load.sizeBytes(), second);
            }
            case Action.Atomic atomic -> {
                return memory.atomic(
                        thread,
                        atomic.op(),
                        atomic.address(),
                        atomic.sizeBytes(),
                        atomic.operand());
            }
            case Action.LoadReserved load -> {
                return memory.loadReserved(thread, load.address(), load.sizeBytes());
            }
            case Action.StoreConditional store -> {
                boolean stored =
                        memory.storeConditional(
                                thread, store.address(), store.sizeBytes(), store.value());
                return stored ? 0 : 1;
            }
            case Action.Lock lock ->
                    memory.atomic(thread, AtomicOp.SWAP, lock.address(), Integer.BYTES, 1);
            case Action.Store store ->
                    memory.store(thread, store.address(), store.sizeBytes(), store.value());
            case Action.StoreRelease store ->
                    memory.storeRelease(thread, store.address(), store.sizeBytes(), store.value());
            case Action.StoreWindow store ->
                    memory.storeWindow(
                            thread, store.address(), store.sizeBytes(), store.value(), second);
            case Action.Fence fence ->
                    memory.fence(thread, fence.space(), fence.predecessors(), fence.successors());
            case Action.MemoryWriteback writeback -> memory.memoryWriteback(thread);
            case Action.WindowWriteback writeback -> memory.windowWriteback(thread);
            case Action.WindowReadInv invalidate -> memory.windowReadInv(thread);
            case Action.Ring ring -> memory.ring(thread, ring.register(), ring.doorbell());
        }
        return 0;
    }

    private long execute(Action.OfOutside action) {
        return switch (action) {
            case Action.Read read -> read(read.external(), read.address(), read.sizeBytes());
            case Action.Write write ->
                    write(write.external(), write.address(), write.sizeBytes(), write.value());
            case Action.Post post -> {
                memory.post(post.operation());
                yield 0;
            }
            case Action.FetchAdd add -> {
                long old = read(add.external(), add.address(), Long.BYTES);
                write(add.external(), add.address(), Long.BYTES, old + add.addend());
                yield old;
            }
            case Action.CompareSwap swap -> {
                long old = read(swap.external(), swap.address(), Long.BYTES);
                if (old == swap.compare()) {
                    write(swap.external(), swap.address(), Long.BYTES, swap.swap());
                }
                yield old;
            }
            case Action.Await await -> read(await.external(), await.address(), await.sizeBytes());
            case Action.OnDoorbell on -> 0;
            case Action.ArrivalOrder order -> memory.arrivals().asNumber();
        };
    }

    // Reduction

    /// Does at once what commutes with every step of others and has to be done anyway: the issue of
    /// stores and doorbells, fences and cache operations touch nothing but what the memory knows of
    /// the thread. Forgets cached copies that will not be read. Lets the NIC see what nobody will
    /// look at any more as it does: the sooner it sees it, the sooner other things may happen.
    private void settle() {
        if (!reduced) {
            return;
        }
        for (int actor = 0; actor < codes.length; actor++) {
            if (codes[actor].thread() < 0) {
                continue;
            }
            while (!codes[actor].isEnded() && !codes[actor].isOptional() && isLocal(actor)) {
                run(actor, 0);
            }
            forget(actor);
        }
        for (int thread = 0; thread < memory.threads(); thread++) {
            showUnwatched(thread);
        }
    }

    private void showUnwatched(int thread) {
        Unseen[] unseen = memory.thread(thread).unseen();
        for (int i = 0; i < unseen.length; i++) {
            BitSet together =
                    isWatched(unseen[i].granule())
                            ? null
                            : Visibility.together(memory, unseen[i].granule());
            if (together != null && together.stream().noneMatch(this::isWatched)) {
                memory.show(unseen[i].granule());
                unseen = memory.thread(thread).unseen();
                // Others may have waited for this one.
                i = -1;
            }
        }
    }

    private boolean isWatched(int granule) {
        if (nicObserved.get(granule)) {
            return true;
        }
        for (Code code : codes) {
            if (code.mayReadAsNic(granule)) {
                return true;
            }
        }
        return false;
    }

    private void forget(int actor) {
        int thread = codes[actor].thread();
        Copy[] copies = memory.thread(thread).copies();
        for (int i = copies.length - 1; i >= 0; i--) {
            if (!codes[actor].mayLoadWindow(copies[i].granule())) {
                memory.vanish(thread, i);
            }
        }
    }

    private boolean isLocal(int actor) {
        int thread = codes[actor].thread();
        return switch (codes[actor].action(0)) {
            case Action.Store store -> true;
            case Action.StoreRelease store -> true;
            case Action.StoreWindow store -> !memory.canRewriteLine(store.address());
            case Action.Ring ring -> true;
            case Action.MemoryWriteback writeback -> true;
            case Action.WindowWriteback writeback -> true;
            case Action.WindowReadInv invalidate -> true;
            // Which copies are the newest depends on whether a window store has been performed.
            case Action.Fence fence ->
                    memory.thread(thread).copies().length == 0
                            || memory.thread(thread).pending().length == 0
                            || fence.space() == Space.MEMORY
                            || fence.space() == Space.HEAP
                            || fence.successors() == Op.W;
            default -> false;
        };
    }

    // Ends

    /// DPA-OPM-14: whether all programs have ended and nothing has to happen any more.
    public boolean isFinal() {
        for (Code code : codes) {
            if (!code.isEnded() && !code.isOptional()) {
                return false;
            }
        }
        return !memory.hasMandatory();
    }

    /// DPA-OPM-14: whether this may go on for ever: some actor waits, or spins without changing
    /// anything, no other can move, and nothing has to happen by itself.
    public boolean isHang() {
        boolean waits = false;
        for (int actor = 0; actor < codes.length; actor++) {
            Code code = codes[actor];
            if (code.isEnded() || code.isOptional()) {
                continue;
            }
            if (isEnabled(actor) ? !code.isPoll() : !waitsForOthers(actor)) {
                return false;
            }
            waits = true;
        }
        if (!waits || memory.hasMandatory()) {
            return false;
        }
        for (int actor = 0; actor < codes.length; actor++) {
            Code code = codes[actor];
            if (!code.isEnded() && !code.isOptional() && isEnabled(actor) && !spins(actor)) {
                return false;
            }
        }
        return true;
    }

    /// Whether an actor that cannot move waits for another one, and not for its own writes.
    private boolean waitsForOthers(int actor) {
        return switch (codes[actor].action(0)) {
            case Action.Lock lock ->
                    memory.load(codes[actor].thread(), lock.address(), Integer.BYTES) != 0;
            case Action.OfOutside outside -> true;
            case Action.OfThread other -> false;
        };
    }

    /// Whether the loop of an actor, run alone, comes back to where it was.
    private boolean spins(int actor) {
        Digest digest = new Digest();
        Digest scratch = new Digest();
        digest(digest.clear(), scratch);
        long high = digest.high();
        long low = digest.low();
        Execution probe = copy();
        Steps steps = new Steps();
        for (int i = 0; i < MOST_ACTIONS_OF_A_LOOP; i++) {
            if (probe.codes[actor].isEnded() || !probe.isEnabled(actor)) {
                return false;
            }
            probe.run(actor, 0);
            probe.settle();
            probe.drain(steps);
            probe.digest(digest.clear(), scratch);
            if (digest.high() == high && digest.low() == low) {
                return true;
            }
        }
        return false;
    }

    /// Lets happen by itself all that has to.
    private void drain(Steps steps) {
        while (memory.hasMandatory()) {
            steps.clear();
            memorySteps(steps);
            if (steps.size() == 0 || Steps.kind(steps.get(0)) == Steps.Kind.VANISH) {
                return;
            }
            apply(steps.get(0));
        }
    }

    // Digest

    /// Adds all that can matter from now on.
    public void digest(Digest digest, Digest scratch) {
        memory.digest(digest, scratch);
        for (Code code : codes) {
            code.digest(digest);
        }
    }
}
