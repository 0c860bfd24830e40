package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.memory.Words;
import java.lang.foreign.MemorySegment;

/// Read-modify-writes in one step, sequentially consistent whatever order is asked for.
final class FastAtomics {
    private FastAtomics() {}

    static int update32(AtomicOp op, MemorySegment bytes, long offset, int operand) {
        if (op == AtomicOp.ADD) {
            return (int) Words.INT.getAndAdd(bytes, offset, operand);
        }
        if (op == AtomicOp.SWAP) {
            return (int) Words.INT.getAndSet(bytes, offset, operand);
        }
        while (true) {
            int old = (int) Words.INT.getVolatile(bytes, offset);
            if (Words.INT.compareAndSet(bytes, offset, old, op.apply(old, operand))) {
                return old;
            }
        }
    }

    static long update64(AtomicOp op, MemorySegment bytes, long offset, long operand) {
        if (op == AtomicOp.ADD) {
            return (long) Words.LONG.getAndAdd(bytes, offset, operand);
        }
        if (op == AtomicOp.SWAP) {
            return (long) Words.LONG.getAndSet(bytes, offset, operand);
        }
        while (true) {
            long old = (long) Words.LONG.getVolatile(bytes, offset);
            if (Words.LONG.compareAndSet(bytes, offset, old, op.apply(old, operand))) {
                return old;
            }
        }
    }

    /// Replaces the old value, if it is still there.
    static boolean replace(
            MemorySegment bytes, long offset, int lengthBytes, long old, long value) {
        return lengthBytes == Integer.BYTES
                ? Words.INT.compareAndSet(bytes, offset, (int) old, (int) value)
                : Words.LONG.compareAndSet(bytes, offset, old, value);
    }
}
