package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;

/// A thread with one operation of each kind for all sizes.
public interface SizedThread extends DpaThread, SizedAccess {
    /// Changes a word of 4 or 8 bytes and gives the old one.
    long atomic(AtomicOp op, long address, int lengthBytes, long operand, AtomicOrder order);

    /// Loads a word of 4 or 8 bytes and reserves its granule.
    long loadReserved(long address, int lengthBytes, AtomicOrder order);

    /// Stores the low bytes of the value if the reservation holds.
    ///
    /// @return whether it did
    boolean storeConditional(long address, int lengthBytes, long value, AtomicOrder order);

    @Override
    default int atomic32(AtomicOp op, long address, int operand, AtomicOrder order) {
        return (int) atomic(op, address, Integer.BYTES, operand, order);
    }

    @Override
    default long atomic64(AtomicOp op, long address, long operand, AtomicOrder order) {
        return atomic(op, address, Long.BYTES, operand, order);
    }

    @Override
    default int loadReserved32(long address, AtomicOrder order) {
        return (int) loadReserved(address, Integer.BYTES, order);
    }

    @Override
    default long loadReserved64(long address, AtomicOrder order) {
        return loadReserved(address, Long.BYTES, order);
    }

    @Override
    default boolean storeConditional32(long address, int value, AtomicOrder order) {
        return storeConditional(address, Integer.BYTES, value, order);
    }

    @Override
    default boolean storeConditional64(long address, long value, AtomicOrder order) {
        return storeConditional(address, Long.BYTES, value, order);
    }

    @Override
    default void spinInit(long lock) {
        store(lock, Integer.BYTES, 0);
    }

    @Override
    default boolean spinTryLock(long lock) {
        return atomic(AtomicOp.SWAP, lock, Integer.BYTES, 1, AtomicOrder.ACQUIRE) == 0;
    }
}
