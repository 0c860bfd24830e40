package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.machine.run.ActorPlan;
import java.lang.foreign.MemorySegment;

/// What accesses do, and when stores become visible. Only the actor whose turn it is calls it, with
/// accesses that are no faults. A place in memory is told twice: as address, and as the bytes there
/// and where they begin.
interface MemoryRules {

    /// A thread loads.
    long load(int thread, long address, int lengthBytes, MemorySegment bytes, long offset);

    /// A thread stores.
    void store(
            int thread,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value);

    /// DPA-FXW-11: a thread loads registers of a device through its window.
    long loadRegister(int thread, long address, int lengthBytes, ExternalRegion registers);

    /// DPA-FXW-11: a thread stores to registers of a device through its window.
    void storeRegister(
            int thread, long address, int lengthBytes, ExternalRegion registers, long value);

    /// A thread stores after all that it has stored to DPA memory before.
    void storeRelease(
            int thread,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value);

    /// A thread rings a doorbell. It arrives at the board when these rules say so.
    void ring(int thread, int register, long value, int uar, long token);

    /// A thread changes a word of 8 or 4 bytes in one step.
    ///
    /// @return the former value
    long atomic(
            int thread,
            AtomicOp op,
            AtomicOrder order,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long operand);

    /// A thread loads and reserves.
    long loadReserved(
            int thread,
            AtomicOrder order,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset);

    /// A thread stores if its reservation holds.
    boolean storeConditional(
            int thread,
            AtomicOrder order,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value);

    /// A thread fences.
    void fence(int thread, Space space, Op before, Op after);

    /// A thread writes its stores to DPA memory back.
    void memoryWriteback(int thread);

    /// A thread writes its window stores back.
    void windowWriteback(int thread);

    /// A thread drops its cached reads.
    void windowReadInv(int thread);

    /// DPA-FXW-6: before a thread changes its window, its window stores are performed and its
    /// cached reads are dropped.
    void leaveWindow(int thread);

    /// An activation begins: nobody knows what is on the stack of the thread.
    void begin(int thread);

    /// An actor outside loads, after what it has stored.
    long loadOutside(int actor, long address, int lengthBytes, MemorySegment bytes, long offset);

    /// An actor outside stores; in which order, the next [#order] of it bounds.
    void storeOutside(
            int actor, long address, int lengthBytes, MemorySegment bytes, long offset, long value);

    /// What an actor outside has stored comes before all that it does from now on.
    void order(int actor);

    /// Some steps that nobody asks for, or none, as the seed of the run has it: a store is
    /// performed, becomes visible, or a cached copy goes. Comes before each operation of anybody.
    void drift();

    /// Does one such step for certain, if there is one.
    ///
    /// @return false if none is left that has to happen, or that this run lets happen
    boolean step();

    /// DPA-FXR-3: a thread is about to return to its host: what it has stored to DPA memory is
    /// visible to everybody then, and of what it has stored through its window what it has written
    /// back.
    void complete(int thread);

    /// There is one actor more.
    void add(ActorPlan plan);

    /// What the NIC sees in DPA memory.
    byte[] seenByNic(long address, int lengthBytes);

    /// Puts what DPA memory holds where whoever looks at the process finds it. Stores that have not
    /// been performed are missing there.
    void reveal();

    /// Does all that has to happen in the end.
    void settle();
}
