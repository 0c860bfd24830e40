package dev.outboard.bench.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/// Kernels and plain loops do the same, and it is what they are called.
class KernelsTest {
    private static byte[] result(KernelProcess kernel, int bytes) {
        try (KernelProcess process = kernel) {
            assertThat(process.run(1)).isPositive();
            return process.heap(bytes);
        }
    }

    private static byte[] result(PlainLoop loop, int bytes) {
        loop.run(1);
        return loop.heap(bytes);
    }

    @Test
    void computesACrc() {
        byte[] heap = result(KernelProcess.fast(CrcKernel.class, 1), CrcKernel.HEAP_BYTES);
        CRC32 crc = new CRC32();
        crc.update(heap, CrcKernel.DATA, CrcKernel.DATA_BYTES);
        ByteBuffer words = ByteBuffer.wrap(heap).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(words.getInt(CrcKernel.RESULT)).isEqualTo((int) crc.getValue());
        assertThat(result(new PlainCrc(), CrcKernel.HEAP_BYTES)).isEqualTo(heap);
        assertThat(result(KernelProcess.checked(CrcKernel.class, 1), CrcKernel.HEAP_BYTES))
                .isEqualTo(heap);
    }

    /// A round is the first row.
    @Test
    void multipliesMatrices() {
        byte[] heap = result(KernelProcess.fast(MatrixKernel.class, 1), MatrixKernel.HEAP_BYTES);
        ByteBuffer words = ByteBuffer.wrap(heap).order(ByteOrder.LITTLE_ENDIAN);
        double cell = 0;
        for (int k = 0; k < MatrixKernel.SIZE; k++) {
            double left = words.getInt(4 * k);
            cell += left * words.getInt(MatrixKernel.BYTES + 4 * (k * MatrixKernel.SIZE + 5));
        }
        int result = words.getInt(2 * MatrixKernel.BYTES + 4 * 5);
        // Each product is rounded down.
        assertThat(cell / (1 << 16)).isBetween((double) result, (double) result + 256);
        assertThat(result(new PlainMatrix(), MatrixKernel.HEAP_BYTES)).isEqualTo(heap);
    }
}
