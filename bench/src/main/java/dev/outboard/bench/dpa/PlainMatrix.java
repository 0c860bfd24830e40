package dev.outboard.bench.dpa;

import static dev.outboard.bench.dpa.MatrixKernel.BYTES;
import static dev.outboard.bench.dpa.MatrixKernel.ROW;
import static dev.outboard.bench.dpa.MatrixKernel.SIZE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/// What [MatrixKernel] does.
final class PlainMatrix extends PlainLoop {
    private int row;

    PlainMatrix() {
        super(MatrixKernel.content(), MatrixKernel.MULTIPLICATIONS);
    }

    @Override
    void round(MemorySegment heap) {
        for (int j = 0; j < SIZE; j++) {
            heap.set(JAVA_INT, 2L * BYTES + row * ROW + j * 4L, cell(heap, row, j));
        }
        row = (row + 1) % SIZE;
    }

    private static int cell(MemorySegment heap, int i, int j) {
        int sum = 0;
        for (int k = 0; k < SIZE; k++) {
            long left = heap.get(JAVA_INT, i * ROW + k * 4L);
            sum += (int) ((left * heap.get(JAVA_INT, BYTES + k * ROW + j * 4L)) >> 16);
        }
        return sum;
    }
}
