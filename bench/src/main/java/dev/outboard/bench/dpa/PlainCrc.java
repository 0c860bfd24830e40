package dev.outboard.bench.dpa;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/// What [CrcKernel] does.
final class PlainCrc extends PlainLoop {
    PlainCrc() {
        super(CrcKernel.content(), CrcKernel.DATA_BYTES);
    }

    @Override
    void round(MemorySegment heap) {
        int crc = -1;
        for (int i = 0; i < CrcKernel.DATA_BYTES; i++) {
            int entry = (crc ^ heap.get(JAVA_BYTE, CrcKernel.DATA + (long) i)) & 0xFF;
            crc = (crc >>> 8) ^ heap.get(JAVA_INT, entry * (long) Integer.BYTES);
        }
        heap.set(JAVA_INT, CrcKernel.RESULT, ~crc);
    }
}
