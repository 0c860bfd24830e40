package dev.outboard.dpa.doca;

import dev.outboard.doca.spi.ArrayHandle;
import dev.outboard.doca.spi.RemoteMemory;
import dev.outboard.dpa.doca.dev.ArrayDescriptor;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;

/// DPA-DM-3: an array of buffers as the DPA knows it: a descriptor in DPA memory, whose address is
/// the handle.
final class DpaArrayHandle implements ArrayHandle {
    private final FlexioProcess process;
    private final DpaAddr descriptor;
    private boolean closed;

    /// @param flag what the array is: one of the words of the descriptor, or none
    private DpaArrayHandle(
            Loaded loaded, RemoteMemory first, long elementBytes, int count, OptionalInt flag) {
        process = loaded.process();
        ByteBuffer words =
                ByteBuffer.allocate(ArrayDescriptor.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        words.putLong(ArrayDescriptor.ADDRESS, first.address());
        words.putLong(ArrayDescriptor.KEY, first.key());
        words.putLong(ArrayDescriptor.ELEMENT_BYTES, elementBytes);
        words.putLong(ArrayDescriptor.COUNT, count);
        words.putLong(ArrayDescriptor.FUNCTION, loaded.handle());
        flag.ifPresent(at -> words.putLong(at, 1));
        descriptor = process.heap().copyFromHost(words.array());
    }

    /// An array in memory of this process.
    static DpaArrayHandle of(
            Loaded loaded, DpaMemoryHandle memory, long startOffset, long elementBytes, int count) {
        return new DpaArrayHandle(
                loaded,
                new RemoteMemory(memory.key(), memory.address() + startOffset),
                elementBytes,
                count,
                memory.isAligned() ? OptionalInt.of(ArrayDescriptor.ALIGNED) : OptionalInt.empty());
    }

    /// An array in memory of a peer.
    static DpaArrayHandle ofPeer(
            Loaded loaded, RemoteMemory memory, long startOffset, long elementBytes, int count) {
        return new DpaArrayHandle(
                loaded,
                new RemoteMemory(memory.key(), memory.address() + startOffset),
                elementBytes,
                count,
                OptionalInt.of(ArrayDescriptor.REMOTE));
    }

    @Override
    public long handle() {
        return descriptor.value();
    }

    /// Who uses the array after that finds no element in it.
    @Override
    public synchronized void close() {
        if (!closed) {
            DocaErrors.giveBack(() -> {
                process.heap().fill(descriptor, ArrayDescriptor.BYTES, (byte) 0);
                process.heap().free(descriptor);
            });
        }
        closed = true;
    }
}
