package dev.outboard.node.datapath;

import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.naa.server.RegionAllocator;
import dev.outboard.naa.server.RoutineRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// The regions of a client whose calls a handler serves: in the heap of the DPA as long as there is
/// room, where device code loads and stores them, else in memory of the host, which it reaches
/// through its window. One thread.
final class ClientMemory implements RegionAllocator {
    private final FlexioProcess process;
    private final boolean inHeap;
    private final List<Block> blocks = new ArrayList<>();
    private final AtomicLong heapBytes = new AtomicLong();

    /// Regions that overlap, or a single one.
    private record Block(MemorySegment bytes, DpaAddr address, int key, boolean isWindowed) {
        boolean holds(MemorySegment region) {
            long offset = offset(region);
            return offset >= 0 && offset + region.byteSize() <= bytes.byteSize();
        }

        long offset(MemorySegment region) {
            return region.address() - bytes.address();
        }
    }

    /// Where device code finds a region.
    ///
    /// @param key for the NIC, and for windows
    /// @param address of the DPA, or behind the window
    /// @param block all that lies in one piece with it
    /// @param offset of the region in that
    record Place(int key, long address, boolean isWindowed, MemorySegment block, long offset) {}

    /// @param inHeap whether regions may be in the heap: nothing but the DPA reaches that
    ClientMemory(FlexioProcess process, boolean inHeap) {
        this.process = process;
        this.inHeap = inHeap;
    }

    @Override
    public MemorySegment allocate(Arena arena, long naaAddress, long bytes) {
        if (inHeap && bytes > 0) {
            try {
                DpaAddr address = process.heap().allocate(bytes);
                MemorySegment made = process.heap().bytes(address, bytes).fill((byte) 0);
                int key =
                        FlexioMkey.create(
                                        process,
                                        process.domain(),
                                        address,
                                        Math.toIntExact(bytes),
                                        Access.LOCAL_WRITE)
                                .number();
                blocks.add(new Block(made, address, key, false));
                heapBytes.addAndGet(bytes);
                return made;
            } catch (FlexioException full) {
                // The host has room.
            }
        }
        MemorySegment made = ON_HOST.allocate(arena, naaAddress, bytes);
        if (bytes > 0) {
            blocks.add(windowed(made));
        }
        return made;
    }

    private Block windowed(MemorySegment bytes) {
        FlexioBuffer buffer =
                FlexioBuffer.of(process, "regions " + blocks.size(), ExternalKind.HOST, bytes);
        int key =
                FlexioMkey.create(process.domain(), buffer, 0, bytes.byteSize(), Access.LOCAL_WRITE)
                        .number();
        return new Block(bytes, buffer.address(), key, true);
    }

    /// Where a region that has bytes is.
    ///
    /// @throws IllegalStateException if it shares memory with another one, and does not begin at a
    ///   word
    Place place(RoutineRegion region) {
        Block block =
                blocks.stream().filter(one -> one.holds(region.memory())).findFirst().orElseThrow();
        long offset = block.offset(region.memory());
        if (offset % Long.BYTES != 0) {
            throw new IllegalStateException(
                    "region %d of the client begins %d bytes behind one it shares memory with; valid for a handler of the DPA: multiples of 8"
                            .formatted(region.index(), offset));
        }
        return new Place(
                block.key,
                block.address.plus(offset).value(),
                block.isWindowed,
                block.bytes,
                offset);
    }

    /// How many bytes are in the heap of the DPA. Any thread.
    long heapBytes() {
        return heapBytes.get();
    }
}
