package dev.outboard.bench.dpa;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.process.DpaProcess;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/// The CRC-32 of bytes in DPA memory. At the beginning of the heap lie the table, the data and the
/// result.
final class CrcKernel extends RepeatedKernel {
    static final int DATA_BYTES = 64 << 10;
    static final int DATA = 256 * Integer.BYTES;
    static final int RESULT = DATA + DATA_BYTES;
    static final int HEAP_BYTES = RESULT + Integer.BYTES;

    private static final int POLYNOMIAL = 0xEDB88320;
    private static final long HEAP = AddressMap.HEAP;

    /// The heap before the first round.
    static byte[] content() {
        byte[] data = new byte[DATA_BYTES];
        new SplittableRandom(1).nextBytes(data);
        ByteBuffer heap = ByteBuffer.allocate(HEAP_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 256; i++) {
            int entry = i;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                entry = (entry >>> 1) ^ ((entry & 1) == 0 ? 0 : POLYNOMIAL);
            }
            heap.putInt(entry);
        }
        return heap.put(data).array();
    }

    @Override
    public void setUp(DpaProcess process) {
        process.write(process.heap().allocate(HEAP_BYTES), content());
    }

    @Override
    void round(DpaThread thread) {
        int crc = -1;
        for (int i = 0; i < DATA_BYTES; i++) {
            int entry = (crc ^ thread.load8(HEAP + DATA + i)) & 0xFF;
            crc = (crc >>> 8) ^ thread.load32(HEAP + entry * (long) Integer.BYTES);
        }
        thread.store32(HEAP + RESULT, ~crc);
    }
}
