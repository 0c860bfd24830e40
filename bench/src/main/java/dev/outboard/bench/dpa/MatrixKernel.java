package dev.outboard.bench.dpa;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.process.DpaProcess;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/// The product of two square matrices in Q16.16. At the beginning of the heap lie the left one, the
/// right one and the result, row by row.
final class MatrixKernel extends RepeatedKernel {
    static final int SIZE = 256;
    static final int BYTES = SIZE * SIZE * Integer.BYTES;
    static final int HEAP_BYTES = 3 * BYTES;

    /// Of a round, which is one row of the result.
    static final int MULTIPLICATIONS = SIZE * SIZE;

    /// From a number to the one below it.
    static final long ROW = (long) SIZE * Integer.BYTES;

    private static final long LEFT = AddressMap.HEAP;
    private static final long RIGHT = LEFT + BYTES;
    private static final long RESULT = RIGHT + BYTES;

    private int row;

    /// The heap before the first round: numbers between -1 and 1.
    static byte[] content() {
        SplittableRandom random = new SplittableRandom(1);
        ByteBuffer heap = ByteBuffer.allocate(HEAP_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        while (heap.position() < 2 * BYTES) {
            heap.putInt(random.nextInt(-1 << 16, 1 << 16));
        }
        return heap.array();
    }

    @Override
    public void setUp(DpaProcess process) {
        process.write(process.heap().allocate(HEAP_BYTES), content());
    }

    @Override
    void round(DpaThread thread) {
        for (int j = 0; j < SIZE; j++) {
            thread.store32(RESULT + row * ROW + j * 4L, cell(thread, row, j));
        }
        row = (row + 1) % SIZE;
    }

    private static int cell(DpaThread thread, int i, int j) {
        int sum = 0;
        for (int k = 0; k < SIZE; k++) {
            long left = thread.load32(LEFT + i * ROW + k * 4L);
            sum += (int) ((left * thread.load32(RIGHT + k * ROW + j * 4L)) >> 16);
        }
        return sum;
    }
}
