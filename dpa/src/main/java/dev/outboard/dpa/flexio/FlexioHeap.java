package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.flexio.FlexioException.Status;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Heap;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpacc.DpaAddr;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// DPA-FXH-1: the heap of a process of the DPA, as its host uses it. Device code gets addresses of
/// it as arguments. Any thread of the host may use it.
public final class FlexioHeap {
    private static final DpaAddr NOTHING = new DpaAddr(0);

    private final FlexioProcess owner;
    private final DpaProcess process;

    FlexioHeap(FlexioProcess owner, DpaProcess process) {
        this.owner = owner;
        this.process = process;
    }

    /// What a heap has.
    ///
    /// @param base its lowest address
    /// @param sizeBytes all of it
    /// @param requestedBytes what live blocks were asked for with
    /// @param allocatedBytes what they take, in multiples of 64
    public record Usage(DpaAddr base, long sizeBytes, long requestedBytes, long allocatedBytes) {}

    /// DPA-FXP-3: what it has now.
    public Usage usage() {
        owner.check();
        Heap heap = process.heap();
        return new Usage(
                new DpaAddr(AddressMap.HEAP),
                process.heapBytes(),
                heap.allocatedBytes(),
                heap.takenBytes());
    }

    /// Takes a block, aligned to 64 bytes. Its content is arbitrary.
    ///
    /// @throws FlexioException if there is no room for it, or the process has ended
    public DpaAddr allocate(long lengthBytes) {
        owner.check();
        if (lengthBytes < 1) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "A block has at least 1 byte, not %d".formatted(lengthBytes));
        }
        long address = owner.act(host -> process.heap().allocate(lengthBytes));
        if (address == 0) {
            throw new FlexioException(
                    Status.FAILED,
                    Reason.NO_MEMORY,
                    "The heap has no room for %d bytes: %d of its %d bytes are taken"
                            .formatted(
                                    lengthBytes, process.heap().takenBytes(), process.heapBytes()));
        }
        return new DpaAddr(address);
    }

    /// Takes a block and fills it: `flexio_copy_from_host`.
    public DpaAddr copyFromHost(byte... bytes) {
        DpaAddr block = allocate(bytes.length);
        copyIn(block, bytes);
        return block;
    }

    /// Takes a block of zeros.
    public DpaAddr zeros(int lengthBytes) {
        return copyFromHost(new byte[lengthBytes]);
    }

    /// DPA-FXH-3: gives a block back; address 0 is none.
    ///
    /// @throws FlexioException if the address is not the start of a live block; nothing has changed
    public void free(DpaAddr block) {
        owner.check();
        if (block.equals(NOTHING)) {
            return;
        }
        if (!owner.act(host -> process.heap().free(block.value()))) {
            throw FlexioException.refuse(
                    Reason.NOT_A_BLOCK,
                    "%s is not the start of a live block of the heap".formatted(block));
        }
    }

    /// Fills a part of a block: `flexio_host2dev_memcpy`.
    ///
    /// DPA-FXH-4: it is complete when the call returns.
    ///
    /// @throws FlexioException if the bytes do not lie in one live block; nothing is written
    public void copyIn(DpaAddr to, byte... bytes) {
        checkBlock(to, bytes.length);
        owner.perform(host -> host.copyTo(to.value(), bytes));
    }

    /// The same with words of 64 bits.
    public void copyWordsIn(DpaAddr to, long... words) {
        ByteBuffer bytes =
                ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(words);
        copyIn(to, bytes.array());
    }

    /// Fills a part of a block with one value: `flexio_buf_dev_memset`.
    public void fill(DpaAddr to, int lengthBytes, byte value) {
        byte[] bytes = new byte[lengthBytes];
        Arrays.fill(bytes, value);
        copyIn(to, bytes);
    }

    /// DPA-FXH-5: copies a part of a block to the host, as the NIC sees it: what a running thread
    /// has not written back may be missing.
    public byte[] copyOut(DpaAddr from, int lengthBytes) {
        checkBlock(from, lengthBytes);
        return owner.act(host -> host.copyFrom(from.value(), lengthBytes));
    }

    /// The same with words of 64 bits.
    public long[] copyWordsOut(DpaAddr from, int count) {
        long[] words = new long[count];
        ByteBuffer.wrap(copyOut(from, count * Long.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(words);
        return words;
    }

    /// The memory of a block itself, for a device of the host that works on it under FAST; valid as
    /// long as the process.
    public MemorySegment bytes(DpaAddr from, long lengthBytes) {
        owner.check();
        return process.bytes(from.value(), lengthBytes);
    }

    /// What words of 64 bits held when a fault ended the process.
    public long[] wordsAfterFault(DpaAddr from, int count) {
        long[] words = new long[count];
        process.look((_, memory) ->
                memory.stream()
                        .filter(region -> region.name().equals("heap"))
                        .forEach(heap ->
                                MemorySegment.copy(
                                        heap.bytes(),
                                        ValueLayout.JAVA_LONG_UNALIGNED,
                                        from.value() - heap.address(),
                                        words,
                                        0,
                                        count)));
        return words;
    }

    void checkBlock(DpaAddr address, int lengthBytes) {
        owner.check();
        if (!process.heap().isLive(address.value(), lengthBytes)) {
            throw FlexioException.refuse(
                    Reason.OUTSIDE_BLOCK,
                    "%d bytes at %s do not lie in one live block of the heap"
                            .formatted(lengthBytes, address));
        }
    }
}
