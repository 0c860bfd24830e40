package dev.outboard.dpa.machine.memory;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.Heap;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MemoryRegion;
import dev.outboard.dpa.machine.ProgramImage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// DPA-MEM-5, DPA-HW-10, DPA-HW-11: the memory of a process: code and constants, globals, heap and
/// stacks. It is shared by all threads of the process and keeps its content for its lifetime. No
/// rule of order is here, only bytes and who may touch them.
///
/// All of it but the stacks of threads beyond the first few lies in one segment, so that compiled
/// device code has only that to look into.
public final class DpaMemory {
    /// How much of the one segment stacks take, unless one alone takes more.
    private static final long FIRST_STACKS_BYTES = 512 << 10;

    private static final int ALIGNMENT = 64;

    private final Arena arena;
    private final MemorySegment all;
    private final long globalsAt;
    private final long codeAt;
    private final long stacksAt;
    private final MemorySegment code;
    private final MemorySegment globals;
    private final MemorySegment heap;
    private final int stackBytes;

    /// With the guard page of each, which holds no bytes that anybody uses.
    private final List<MemorySegment> stacks = new CopyOnWriteArrayList<>();

    /// A process starts from its image, with an empty heap.
    public DpaMemory(Arena arena, MachineOptions.Storage storage, ProgramImage image) {
        this.arena = arena;
        stackBytes = storage.stackBytes();
        long globalBytes = (long) image.data().length + image.zeroBytes();
        globalsAt = storage.heapBytes();
        codeAt = aligned(globalsAt + globalBytes);
        stacksAt = aligned(codeAt + image.code().length);
        long firstStacks = Math.max(1, FIRST_STACKS_BYTES / strideBytes());
        all = arena.allocate(stacksAt + firstStacks * strideBytes(), ALIGNMENT);
        heap = all.asSlice(0, storage.heapBytes());
        globals = all.asSlice(globalsAt, globalBytes);
        code = all.asSlice(codeAt, image.code().length);
        copy(image.data(), globals);
        copy(image.code(), code);
    }

    private static long aligned(long bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    private static void copy(byte[] bytes, MemorySegment to) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, to, 0, bytes.length);
    }

    /// A stack with its guard page, in the one segment.
    private long strideBytes() {
        return aligned(AddressMap.PAGE_BYTES + stackBytes);
    }

    /// The bytes of the heap, which is at their begin, of the globals, the code and the first
    /// stacks.
    public MemorySegment all() {
        return all;
    }

    /// Where the globals are among [#all].
    public long globalsAt() {
        return globalsAt;
    }

    /// How many they are.
    public long globalBytes() {
        return globals.byteSize();
    }

    /// Where code and constants are among [#all].
    public long codeAt() {
        return codeAt;
    }

    /// How many they are.
    public long codeBytes() {
        return code.byteSize();
    }

    /// Where the lowest byte of the stack of a thread is among [#all], or -1 if it is none of the
    /// first.
    public long stackAt(int thread) {
        long at = stacksAt + thread * strideBytes();
        return at + strideBytes() <= all.byteSize() ? at + AddressMap.PAGE_BYTES : -1;
    }

    /// The bytes of the heap.
    public MemorySegment heap() {
        return heap;
    }

    /// Globals, heap and stacks, for whoever looks at them.
    public List<MemoryRegion> regions() {
        List<MemoryRegion> regions = new ArrayList<>();
        regions.add(new MemoryRegion("globals", AddressMap.GLOBALS, globals.asReadOnly()));
        regions.add(new MemoryRegion("heap", AddressMap.HEAP, heap.asReadOnly()));
        for (MemorySegment stack : stacks) {
            int thread = regions.size() - 2;
            regions.add(
                    new MemoryRegion(
                            "stack " + thread,
                            AddressMap.stack(thread),
                            stack.asSlice(AddressMap.PAGE_BYTES).asReadOnly()));
        }
        return regions;
    }

    /// DPA-HW-9: adds the stack of the next thread, with a guard page below it.
    public void addStack() {
        long at = stackAt(stacks.size());
        long bytes = AddressMap.PAGE_BYTES + stackBytes;
        stacks.add(
                at < 0
                        ? arena.allocate(bytes, ALIGNMENT)
                        : all.asSlice(at - AddressMap.PAGE_BYTES, bytes));
    }

    /// DPA-HW-9: what an earlier activation left on the stack of a thread is gone.
    public void poisonStack(int thread) {
        stacks.get(thread).fill(Heap.POISON);
    }

    /// The bytes of each stack.
    public int stackBytes() {
        return stackBytes;
    }

    /// The bytes that a thread reaches at an address of DPA memory.
    ///
    /// @throws FaultSignal if it may not reach them
    public MemorySegment reach(long address, int lengthBytes, boolean store) {
        MemorySegment bytes = segment(address);
        long offset = offset(address);
        if (bytes == null || offset < 0 || offset > bytes.byteSize() - lengthBytes) {
            throw new FaultSignal(
                    store ? Fault.BAD_STORE : Fault.BAD_LOAD, address, lengthBytes, "");
        }
        if (store && address < AddressMap.GLOBALS) {
            throw new FaultSignal(Fault.READ_ONLY, address, lengthBytes, "");
        }
        if (address >= AddressMap.STACKS && offset < AddressMap.PAGE_BYTES) {
            throw new FaultSignal(
                    Fault.STACK_OVERFLOW, address, lengthBytes, "in the guard page of a stack");
        }
        return bytes;
    }

    /// Whether somebody who is not bound to aligned words, such as a NIC, can reach the bytes.
    public boolean holds(long address, long lengthBytes) {
        MemorySegment bytes = segment(address);
        long offset = offset(address);
        return bytes != null
                && lengthBytes >= 0
                && offset >= (address >= AddressMap.STACKS ? AddressMap.PAGE_BYTES : 0)
                && lengthBytes <= bytes.byteSize()
                && offset <= bytes.byteSize() - lengthBytes;
    }

    /// The segment of an address for which [#reach] or [#holds] has answered.
    ///
    /// @throws IndexOutOfBoundsException if the address lies in none
    public MemorySegment bytes(long address) {
        MemorySegment bytes = segment(address);
        if (bytes == null) {
            throw new IndexOutOfBoundsException(
                    "The process has no memory at 0x%x".formatted(address));
        }
        return bytes;
    }

    /// Where the address lies in its segment.
    public static long offset(long address) {
        if (address >= AddressMap.STACKS) {
            return (address - AddressMap.STACKS) % AddressMap.STACK_STRIDE;
        }
        if (address >= AddressMap.HEAP) {
            return address - AddressMap.HEAP;
        }
        return address - (address >= AddressMap.GLOBALS ? AddressMap.GLOBALS : AddressMap.CODE);
    }

    private @Nullable MemorySegment segment(long address) {
        if (address < AddressMap.CODE || address >= AddressMap.OUTBOX) {
            return null;
        }
        if (address < AddressMap.GLOBALS) {
            return code;
        }
        if (address < AddressMap.HEAP) {
            return globals;
        }
        if (address < AddressMap.STACKS) {
            return heap;
        }
        long stack = (address - AddressMap.STACKS) / AddressMap.STACK_STRIDE;
        return stack < stacks.size() ? stacks.get((int) stack) : null;
    }

    /// DPA-MEM-4: the address of an access is divisible by its size.
    ///
    /// @throws FaultSignal if it is not
    public static void checkAligned(long address, int lengthBytes, boolean store) {
        if ((address & (lengthBytes - 1)) != 0) {
            throw new FaultSignal(
                    store ? Fault.MISALIGNED_STORE : Fault.MISALIGNED_LOAD,
                    address,
                    lengthBytes,
                    "");
        }
    }
}
