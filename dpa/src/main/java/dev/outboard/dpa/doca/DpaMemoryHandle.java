package dev.outboard.dpa.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.spi.MemoryHandle;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioObject;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.machine.ExternalKind;
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

    private final FlexioProcess process;
    private final FlexioMkey key;
    private final long address;

    /// If it is memory of the host.
    private final Optional<FlexioBuffer> buffer;

    /// Where that is in this process.
    private final MemorySegment memory;

    private DpaMemoryHandle(
            FlexioProcess process,
            FlexioMkey key,
            DpaAddr address,
            Optional<FlexioBuffer> buffer,
            MemorySegment memory) {
        this.buffer = buffer;
        this.memory = memory;
        this.process = process;
        this.key = key;
        this.address = address.value();
    }

    /// That of memory of the host.
    static DpaMemoryHandle ofHost(
            Loaded loaded, MemorySegment memory, Set<AccessFlag> permissions) {
        FlexioProcess process = loaded.process();
        FlexioBuffer buffer = FlexioBuffer.of(process, "mmap", ExternalKind.HOST, memory);
        try {
            FlexioMkey key =
                    FlexioMkey.create(
                            loaded.domain(), buffer, 0, buffer.lengthBytes(), access(permissions));
            return new DpaMemoryHandle(process, key, buffer.address(), Optional.of(buffer), memory);
        } catch (FlexioException e) {
            DocaErrors.giveBack(buffer::close);
            throw e;
        }
    }

    /// That of bytes of the heap.
    static DpaMemoryHandle ofHeap(
            Loaded loaded, DpaAddr address, int lengthBytes, Set<AccessFlag> permissions) {
        FlexioProcess process = loaded.process();
        FlexioMkey key =
                FlexioMkey.create(
                        process, loaded.domain(), address, lengthBytes, access(permissions));
        return new DpaMemoryHandle(process, key, address, Optional.empty(), MemorySegment.NULL);
    }

    private static Access[] access(Set<AccessFlag> permissions) {
        return Arrays.stream(AccessFlag.rights(permissions))
                .map(right -> Access.valueOf(right.name()))
                .toArray(Access[]::new);
    }

    /// DPA-DM-3: whether memory of the host begins at a line, so that there are external pointers
    /// to it.
    boolean isAligned() {
        return memory.address() % LINE == 0;
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
            process.settle();
            DocaErrors.giveBack(() -> buffer.ifPresent(FlexioBuffer::close));
        }
    }
}
