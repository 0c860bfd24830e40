package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.memory.DpaMemory;
import dev.outboard.dpa.machine.memory.Reservations;
import dev.outboard.dpa.machine.run.ProcessState;
import java.lang.foreign.MemorySegment;

/// What compiled code of a process accesses directly: its heap, its globals, its constants and the
/// stack of the thread. As it is a constant there, and a record, its components are so too.
///
/// @param all what [DpaMemory#all] says, and so on
/// @param heapBytes 0 if every access to the heap has to be looked at
record RvMemory(
        MemorySegment all,
        long heapBytes,
        long globalsAt,
        long globalBytes,
        long codeAt,
        long codeBytes,
        Reservations reservations) {
    /// What is found nowhere.
    static final long NOWHERE = -1;

    static RvMemory of(ProcessState process) {
        DpaMemory memory = process.memory();
        return new RvMemory(
                memory.all(),
                process.options().storage().strictHeap() ? 0 : memory.heap().byteSize(),
                memory.globalsAt(),
                memory.globalBytes(),
                memory.codeAt(),
                memory.codeBytes(),
                process.reservations());
    }

    /// Memory whose addresses follow each other.
    ///
    /// @param from the first address
    /// @param at where that is among [#all]
    record Space(long from, long bytes, long at) {
        boolean holds(long address) {
            return Long.compareUnsigned(address - from, bytes) < 0;
        }
    }

    /// Where an access of that address is looked for first; the heap if it is nowhere.
    Space space(long address, boolean isLoad) {
        Space globals = new Space(AddressMap.GLOBALS, globalBytes, globalsAt);
        Space constants = new Space(AddressMap.CODE, codeBytes, codeAt);
        if (globals.holds(address)) {
            return globals;
        }
        return isLoad && constants.holds(address)
                ? constants
                : new Space(AddressMap.HEAP, heapBytes, 0);
    }

    /// Where the bytes of a load are among [#all], or [#NOWHERE].
    ///
    /// @param shift the logarithm of its size
    long find(RvHart hart, long address, int shift) {
        long offset = findWritable(hart, address, shift);
        if (offset == NOWHERE && isIn(address - AddressMap.CODE, codeBytes, shift)) {
            return address - AddressMap.CODE + codeAt;
        }
        return offset;
    }

    /// The same of a store.
    long findWritable(RvHart hart, long address, int shift) {
        long offset = address - AddressMap.GLOBALS;
        if (isIn(offset, globalBytes, shift)) {
            return offset + globalsAt;
        }
        offset = address - hart.stackLow;
        if (isIn(offset, hart.stackBytes, shift)) {
            return offset + hart.stackAt;
        }
        offset = address - AddressMap.HEAP;
        return isIn(offset, heapBytes, shift) ? offset : NOWHERE;
    }

    /// A misaligned offset is a very large one, as its lowest bits come to the top.
    private static boolean isIn(long offset, long bytes, int shift) {
        return Long.compareUnsigned(Long.rotateRight(offset, shift), bytes >>> shift) < 0;
    }
}
