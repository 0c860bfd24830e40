package dev.outboard.dpa.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.spi.MemoryHandle;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioObject;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpacc.DpaAddr;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/// DPA-HW-15: memory of an mmap as the DPA knows it: a key, for windows as far as it is memory of
/// the host, and for queue entries.
final class DpaMemoryHandle implements MemoryHandle {
    private static final int LINE = 64;

    private final Loaded loaded;
    private final FlexioMkey key;
    private final long address;

    /// If it is memory of the host: where that is in this process.
    private final Optional<MemorySegment> memory;

    private DpaMemoryHandle(
            Loaded loaded, FlexioMkey key, DpaAddr address, Optional<MemorySegment> memory) {
        this.loaded = loaded;
        this.key = key;
        this.address = address.value();
        this.memory = memory;
    }

    /// That of memory of the host.
    static DpaMemoryHandle ofHost(
            Loaded loaded, MemorySegment memory, Set<AccessFlag> permissions) {
        FlexioBuffer buffer = loaded.functions().map(memory);
        try {
            FlexioMkey key =
                    FlexioMkey.create(
                            loaded.domain(), buffer, 0, buffer.lengthBytes(), access(permissions));
            return new DpaMemoryHandle(loaded, key, buffer.address(), Optional.of(memory));
        } catch (FlexioException e) {
            loaded.functions().unmap(memory);
            throw e;
        }
    }

    /// That of bytes of the heap.
    static DpaMemoryHandle ofHeap(
            Loaded loaded, DpaAddr address, int lengthBytes, Set<AccessFlag> permissions) {
        FlexioMkey key =
                FlexioMkey.create(
                        loaded.process(),
                        loaded.domain(),
                        address,
                        lengthBytes,
                        access(permissions));
        return new DpaMemoryHandle(loaded, key, address, Optional.empty());
    }

    private static Access[] access(Set<AccessFlag> permissions) {
        return Arrays.stream(AccessFlag.rights(permissions))
                .map(right -> Access.valueOf(right.name()))
                .toArray(Access[]::new);
    }

    /// DPA-DM-3: whether memory of the host begins at a line, so that there are external pointers
    /// to it.
    boolean isAligned() {
        return memory.map(MemorySegment::address).orElse(0L) % LINE == 0;
    }

    @Override
    public int key() {
        return key.number();
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public boolean isOpen() {
        return key.number() != FlexioObject.NO_NUMBER;
    }

    /// The NIC uses the memory no more when the call returns, and what the DPA has stored there is
    /// in the memory of this process.
    @Override
    public void close() {
        if (isOpen()) {
            key.close();
            loaded.process().settle();
            memory.ifPresent(loaded.functions()::unmap);
        }
    }
}
