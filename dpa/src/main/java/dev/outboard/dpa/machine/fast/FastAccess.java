package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.memory.Reservations;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.Fuel;
import dev.outboard.dpa.machine.run.ProcessState;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/// Loads and stores of rewritten programs. Each process has a class of this name of its own,
/// defined by its loader, so that the heap is a constant to the compiler: an access has nothing to
/// look up but its own bounds. The class that the machine itself sees is only the original of
/// those.
///
/// Operations are counted by the program and told now and then by [#spend].
public final class FastAccess {
    private static final ProcessState PROCESS = process();
    private static final MemorySegment HEAP = PROCESS.memory().heap();
    private static final Reservations RESERVATIONS = PROCESS.reservations();

    /// 0 if every access has to be looked at.
    private static final long HEAP_BYTES =
            PROCESS.options().storage().strictHeap() ? 0 : HEAP.byteSize();

    private FastAccess() {}

    private static ProcessState process() {
        ClassLoader loader = FastAccess.class.getClassLoader();
        if (loader instanceof Supplier<?> supplier
                && supplier.get() instanceof ProcessState process) {
            return process;
        }
        throw new IllegalStateException("Not defined by the loader of a process");
    }

    /// [DpaThread#load8].
    public static byte load8(DpaThread thread, long address) {
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, HEAP_BYTES) < 0) {
            return (byte) Words.BYTE.getVolatile(HEAP, offset);
        }
        return (byte) ((FastThread) thread).loadElsewhere(address, Byte.BYTES);
    }

    /// [DpaThread#load16].
    public static short load16(DpaThread thread, long address) {
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, HEAP_BYTES) < 0 && (offset & 1) == 0) {
            return (short) Words.SHORT.getVolatile(HEAP, offset);
        }
        return (short) ((FastThread) thread).loadElsewhere(address, Short.BYTES);
    }

    /// [DpaThread#load32].
    public static int load32(DpaThread thread, long address) {
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, HEAP_BYTES) < 0 && (offset & 3) == 0) {
            return (int) Words.INT.getVolatile(HEAP, offset);
        }
        return (int) ((FastThread) thread).loadElsewhere(address, Integer.BYTES);
    }

    /// [DpaThread#load64].
    public static long load64(DpaThread thread, long address) {
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, HEAP_BYTES) < 0 && (offset & 7) == 0) {
            return (long) Words.LONG.getVolatile(HEAP, offset);
        }
        return ((FastThread) thread).loadElsewhere(address, Long.BYTES);
    }

    /// [DpaThread#store8].
    public static void store8(DpaThread thread, long address, int value) {
        FastThread fast = (FastThread) thread;
        fast.noteStore(address, Byte.BYTES);
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, HEAP_BYTES) < 0 && !RESERVATIONS.any()) {
            Words.BYTE.setVolatile(HEAP, offset, (byte) value);
        } else {
            fast.storeElsewhere(address, Byte.BYTES, value);
        }
    }

    /// [DpaThread#store16].
    public static void store16(DpaThread thread, long address, int value) {
        FastThread fast = (FastThread) thread;
        fast.noteStore(address, Short.BYTES);
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, HEAP_BYTES) < 0
                && (offset & 1) == 0
                && !RESERVATIONS.any()) {
            Words.SHORT.setVolatile(HEAP, offset, (short) value);
        } else {
            fast.storeElsewhere(address, Short.BYTES, value);
        }
    }

    /// [DpaThread#store32].
    public static void store32(DpaThread thread, long address, int value) {
        FastThread fast = (FastThread) thread;
        fast.noteStore(address, Integer.BYTES);
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, HEAP_BYTES) < 0
                && (offset & 3) == 0
                && !RESERVATIONS.any()) {
            Words.INT.setVolatile(HEAP, offset, value);
        } else {
            fast.storeElsewhere(address, Integer.BYTES, value);
        }
    }

    /// [DpaThread#store64].
    public static void store64(DpaThread thread, long address, long value) {
        FastThread fast = (FastThread) thread;
        fast.noteStore(address, Long.BYTES);
        long offset = address - AddressMap.HEAP;
        if (Long.compareUnsigned(offset, HEAP_BYTES) < 0
                && (offset & 7) == 0
                && !RESERVATIONS.any()) {
            Words.LONG.setVolatile(HEAP, offset, value);
        } else {
            fast.storeElsewhere(address, Long.BYTES, value);
        }
    }

    /// The program has retired so many operations.
    public static void spend(DpaThread thread, int operations) {
        ((FastThread) thread).spend(operations);
    }

    /// The same, of the thread that the caller belongs to. Code that no thread runs, such as the
    /// set-up of the program, spends nothing.
    public static void spend(int operations) {
        spend(operations, 0);
    }

    /// The program has retired so many operations, and gone round its loops so often.
    public static void spend(DpaThread thread, int operations, int rounds) {
        ((FastThread) thread).spend(operations, rounds);
    }

    /// The same, of the thread that the caller belongs to, if it belongs to any.
    public static void spend(int operations, int rounds) {
        if (Fuel.current() instanceof FastThread thread) {
            thread.spend(operations, rounds);
        }
    }

    /// The program has polled in vain for a while.
    public static void giveWay(DpaThread thread) {
        ((FastThread) thread).giveWay();
    }
}
