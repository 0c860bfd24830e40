package dev.outboard.dpa.model;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import java.util.function.LongPredicate;

/// What an actor does next. Addresses are those of the model. Each gives a number, which is 0 where
/// nothing is read.
public sealed interface Action {
    /// What a DPA thread does.
    sealed interface OfThread extends Action {}

    /// What NIC or host does.
    sealed interface OfOutside extends Action {}

    /// A load of DPA memory.
    record Load(int address, int sizeBytes) implements OfThread {}

    /// A load through the window.
    record LoadWindow(int address, int sizeBytes) implements OfThread {}

    /// A store to DPA memory.
    record Store(int address, int sizeBytes, long value) implements OfThread {}

    /// A store to DPA memory that comes after all earlier ones.
    record StoreRelease(int address, int sizeBytes, long value) implements OfThread {}

    /// A store through the window.
    record StoreWindow(int address, int sizeBytes, long value) implements OfThread {}

    /// A fence.
    record Fence(Space space, Op predecessors, Op successors) implements OfThread {}

    /// DPA-CCH-3: shows stores to DPA memory to the NIC.
    record MemoryWriteback() implements OfThread {}

    /// DPA-CCH-2: performs window stores.
    record WindowWriteback() implements OfThread {}

    /// DPA-CCH-1: drops cached reads.
    record WindowReadInv() implements OfThread {}

    /// A doorbell.
    record Ring(int register, int doorbell) implements OfThread {}

    /// A read-modify-write; gives the former value.
    record Atomic(AtomicOp op, AtomicOrder order, int address, int sizeBytes, long operand)
            implements OfThread {}

    /// Loads and reserves.
    record LoadReserved(AtomicOrder order, int address, int sizeBytes) implements OfThread {}

    /// Stores if reserved; gives 0 if it stored, and 1 if not.
    record StoreConditional(AtomicOrder order, int address, int sizeBytes, long value)
            implements OfThread {}

    /// Waits until a word of 4 bytes is 0, and makes it 1.
    record Lock(int address) implements OfThread {}

    /// Reads what NIC or host see.
    record Read(boolean external, int address, int sizeBytes) implements OfOutside {}

    /// Writes as NIC or host.
    record Write(boolean external, int address, int sizeBytes, long value) implements OfOutside {}

    /// Posts writes to a queue of the NIC.
    record Post(Posted operation) implements OfOutside {}

    /// Adds to what the NIC sees; gives the former value.
    record FetchAdd(boolean external, int address, long addend) implements OfOutside {}

    /// Replaces a value that the NIC sees by another; gives the former value.
    record CompareSwap(boolean external, int address, long compare, long swap)
            implements OfOutside {}

    /// Waits until what it reads is such a value; gives it.
    record Await(boolean external, int address, int sizeBytes, LongPredicate condition)
            implements OfOutside {}

    /// Waits until a doorbell has arrived so many times.
    record OnDoorbell(int doorbell, int times) implements OfOutside {}

    /// Gives the doorbells that have arrived, as [Execution#arrivals(long)] reads them.
    record ArrivalOrder() implements OfOutside {}
}
