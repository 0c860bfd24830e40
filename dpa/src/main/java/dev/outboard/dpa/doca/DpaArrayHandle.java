package dev.outboard.dpa.doca;

import dev.outboard.doca.spi.ArrayHandle;
import dev.outboard.dpa.doca.dev.ArrayDescriptor;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// DPA-DM-3: an array of buffers as the DPA knows it: a descriptor in DPA memory, whose address is
/// the handle.
final class DpaArrayHandle implements ArrayHandle {
    private final FlexioProcess process;
    private final DpaAddr descriptor;
    private boolean closed;

    DpaArrayHandle(
            FlexioProcess process,
            DpaMemoryHandle memory,
            long startOffset,
            long elementBytes,
            int count) {
        this.process = process;
        descriptor =
                process.heap()
                        .copyFromHost(
                                ByteBuffer.allocate(ArrayDescriptor.BYTES)
                                        .order(ByteOrder.LITTLE_ENDIAN)
                                        .putLong(
                                                ArrayDescriptor.ADDRESS,
                                                memory.address() + startOffset)
                                        .putLong(ArrayDescriptor.KEY, memory.key())
                                        .putLong(ArrayDescriptor.ELEMENT_BYTES, elementBytes)
                                        .putLong(ArrayDescriptor.COUNT, count)
                                        .putLong(
                                                ArrayDescriptor.ALIGNED, memory.isAligned() ? 1 : 0)
                                        .array());
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
