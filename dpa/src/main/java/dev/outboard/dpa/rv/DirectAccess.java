package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.machine.fast.FastThread;
import dev.outboard.dpa.machine.memory.Words;
import java.lang.foreign.MemorySegment;

/// Loads and stores of the interpreter for a thread under FAST: in the order and with the effect
/// that those of [RvCompiler] have.
final class DirectAccess implements MemoryAccess {
    private static final long OPERATION = (1L << RvHart.OPERATIONS_SHIFT) + 1;

    private final RvHart hart;
    private final FastThread thread;
    private final RvMemory memory;
    private final MemorySegment all;

    DirectAccess(RvHart hart, FastThread thread, RvMemory memory) {
        this.hart = hart;
        this.thread = thread;
        this.memory = memory;
        all = memory.all();
    }

    private long find(long address, int shift) {
        hart.count += OPERATION;
        return memory.find(hart, address, shift);
    }

    /// Nowhere also if somebody has to learn of a store.
    private long findWritable(long address, int shift) {
        hart.count += OPERATION;
        return memory.reservations().any()
                ? RvMemory.NOWHERE
                : memory.findWritable(hart, address, shift);
    }

    private void storeElsewhere(long address, int lengthBytes, long value) {
        thread.noteStore(address, lengthBytes);
        thread.storeElsewhere(address, lengthBytes, value);
    }

    @Override
    public byte load8(long address) {
        long offset = find(address, 0);
        return offset < 0
                ? (byte) thread.loadElsewhere(address, Byte.BYTES)
                : (byte) Words.BYTE.getAcquire(all, offset);
    }

    @Override
    public short load16(long address) {
        long offset = find(address, 1);
        return offset < 0
                ? (short) thread.loadElsewhere(address, Short.BYTES)
                : (short) Words.SHORT.getAcquire(all, offset);
    }

    @Override
    public int load32(long address) {
        long offset = find(address, 2);
        return offset < 0
                ? (int) thread.loadElsewhere(address, Integer.BYTES)
                : (int) Words.INT.getAcquire(all, offset);
    }

    @Override
    public long load64(long address) {
        long offset = find(address, 3);
        return offset < 0
                ? thread.loadElsewhere(address, Long.BYTES)
                : (long) Words.LONG.getAcquire(all, offset);
    }

    @Override
    public void store8(long address, int value) {
        long offset = findWritable(address, 0);
        if (offset < 0) {
            storeElsewhere(address, Byte.BYTES, value);
        } else {
            Words.BYTE.setOpaque(all, offset, (byte) value);
        }
    }

    @Override
    public void store16(long address, int value) {
        long offset = findWritable(address, 1);
        if (offset < 0) {
            storeElsewhere(address, Short.BYTES, value);
        } else {
            Words.SHORT.setOpaque(all, offset, (short) value);
        }
    }

    @Override
    public void store32(long address, int value) {
        long offset = findWritable(address, 2);
        if (offset < 0) {
            storeElsewhere(address, Integer.BYTES, value);
        } else {
            Words.INT.setOpaque(all, offset, value);
        }
    }

    @Override
    public void store64(long address, long value) {
        long offset = findWritable(address, 3);
        if (offset < 0) {
            storeElsewhere(address, Long.BYTES, value);
        } else {
            Words.LONG.setOpaque(all, offset, value);
        }
    }
}
