package dev.outboard.node.routine;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Single-precision general matrix multiplication, C = alpha A B + beta C, on row-major matrices: A
/// is m × k, B is k × n, C is m × n.
///
/// Blocked like the BLAS: a panel of B that fits the second-level cache is copied to rows on the
/// heap, then four rows of C at a time are updated with four rows of the panel at a time.
final class Sgemm {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final int HEADER_BYTES = 20;
    private static final int PANEL_DEPTH = 128;
    private static final int PANEL_WIDTH = 512;
    private static final int ROWS = 4;

    private final int m;
    private final int n;
    private final int k;
    private final float alpha;
    private final float beta;

    // The rows beyond the depth of a panel stay zero, so that depths need not be multiples of four.
    private final float[][] panel = new float[PANEL_DEPTH][PANEL_WIDTH];
    private final float[][] rowsOfA = new float[ROWS][PANEL_DEPTH];
    private final float[][] rowsOfC = new float[ROWS][PANEL_WIDTH];

    private Sgemm(int m, int n, int k, float alpha, float beta) {
        this.m = m;
        this.n = n;
        this.k = k;
        this.alpha = alpha;
        this.beta = beta;
    }

    /// Regions parameters, A, B and C.
    static int run(RpcContext context) throws RoutineException {
        MemorySegment header = context.parameter(0).memory();
        int m = header.get(INT, 0);
        int n = header.get(INT, 4);
        int k = header.get(INT, 8);
        float alpha = header.get(FLOAT, 12);
        float beta = header.get(FLOAT, 16);
        RoutineError.SGEMM_DIMENSIONS.unless(m > 0 && n > 0 && k > 0);
        MemorySegment a = context.parameter(1).memory();
        MemorySegment b = context.parameter(2).memory();
        MemorySegment c = context.parameter(3).memory();
        RoutineError.SGEMM_SIZE.unless(isMatrix(a, m, k) && isMatrix(b, k, n) && isMatrix(c, m, n));
        new Sgemm(m, n, k, alpha, beta).multiply(context, a, b, c);
        return ReturnCode.SUCCESS;
    }

    private static boolean isMatrix(MemorySegment segment, int rows, int columns) {
        long size = segment.byteSize();
        return size % Float.BYTES == 0 && size / Float.BYTES == (long) rows * columns;
    }

    private void multiply(RpcContext context, MemorySegment a, MemorySegment b, MemorySegment c)
            throws RoutineException {
        for (int column = 0; column < n; column += PANEL_WIDTH) {
            int width = Math.min(PANEL_WIDTH, n - column);
            for (int depthAt = 0; depthAt < k; depthAt += PANEL_DEPTH) {
                int depth = Math.min(PANEL_DEPTH, k - depthAt);
                loadPanel(b, depthAt, depth, column, width);
                for (int row = 0; row < m; row += ROWS) {
                    context.throwIfCancelled();
                    int rows = Math.min(ROWS, m - row);
                    loadA(a, row, rows, depthAt, depth);
                    loadC(c, row, rows, column, width, depthAt == 0 ? beta : 1);
                    multiplyPanel(depth, width);
                    storeC(c, row, rows, column, width);
                }
            }
        }
    }

    private void loadPanel(MemorySegment b, int depthAt, int depth, int column, int width) {
        for (int i = 0; i < PANEL_DEPTH; i++) {
            if (i < depth) {
                long at = ((long) (depthAt + i) * n + column) * Float.BYTES;
                MemorySegment.copy(b, FLOAT, at, panel[i], 0, width);
            } else {
                Arrays.fill(panel[i], 0);
            }
        }
    }

    /// Takes alpha into A: one multiplication per element of A instead of one per product.
    private void loadA(MemorySegment a, int row, int rows, int depthAt, int depth) {
        for (int i = 0; i < ROWS; i++) {
            float[] target = rowsOfA[i];
            Arrays.fill(target, 0);
            if (i < rows) {
                long at = ((long) (row + i) * k + depthAt) * Float.BYTES;
                MemorySegment.copy(a, FLOAT, at, target, 0, depth);
                for (int j = 0; j < depth; j++) {
                    target[j] *= alpha;
                }
            }
        }
    }

    /// With beta 0, C is not read: it may hold anything, as in the BLAS.
    private void loadC(MemorySegment c, int row, int rows, int column, int width, float scale) {
        for (int i = 0; i < rows; i++) {
            float[] target = rowsOfC[i];
            if (scale == 0) {
                Arrays.fill(target, 0);
                continue;
            }
            MemorySegment.copy(c, FLOAT, offsetInC(row + i, column), target, 0, width);
            for (int j = 0; j < width; j++) {
                target[j] *= scale;
            }
        }
    }

    private void storeC(MemorySegment c, int row, int rows, int column, int width) {
        for (int i = 0; i < rows; i++) {
            MemorySegment.copy(rowsOfC[i], 0, c, FLOAT, offsetInC(row + i, column), width);
        }
    }

    private long offsetInC(int row, int column) {
        return ((long) row * n + column) * Float.BYTES;
    }

    private void multiplyPanel(int depth, int width) {
        for (int i = 0; i < depth; i += 4) {
            addProducts(rowsOfC[0], rowsOfC[1], i, rowsOfA[0], rowsOfA[1], width);
            addProducts(rowsOfC[2], rowsOfC[3], i, rowsOfA[2], rowsOfA[3], width);
        }
    }

    /// Two rows of C and four of B. One array per row, all indexed alike: only then does the
    /// compiler know that a store to C does not change B, and use vector instructions.
    private void addProducts(float[] c0, float[] c1, int i, float[] a0, float[] a1, int width) {
        float[] b0 = panel[i];
        float[] b1 = panel[i + 1];
        float[] b2 = panel[i + 2];
        float[] b3 = panel[i + 3];
        float a00 = a0[i];
        float a01 = a0[i + 1];
        float a02 = a0[i + 2];
        float a03 = a0[i + 3];
        float a10 = a1[i];
        float a11 = a1[i + 1];
        float a12 = a1[i + 2];
        float a13 = a1[i + 3];
        for (int j = 0; j < width; j++) {
            c0[j] += a00 * b0[j] + a01 * b1[j] + a02 * b2[j] + a03 * b3[j];
            c1[j] += a10 * b0[j] + a11 * b1[j] + a12 * b2[j] + a13 * b3[j];
        }
    }
}
