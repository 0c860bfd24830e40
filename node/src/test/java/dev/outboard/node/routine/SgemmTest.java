package dev.outboard.node.routine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.outboard.naa.ReturnCode;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SgemmTest {
    private static final int SGEMM = 11;

    @Test
    void multipliesAsByHand() throws Exception {
        MemorySegment a = Rpc.floats(1, 2, 3, 4, 5, 6);
        MemorySegment b = Rpc.floats(7, 8, 9, 10, 11, 12);
        MemorySegment c = Rpc.floats(1, 1, 1, 1);

        assertThat(Rpc.call(SGEMM, header(2, 2, 3, 2, 100), a, b, c)).isEqualTo(ReturnCode.SUCCESS);

        // A B = (58 64; 139 154)
        assertThat(Rpc.toFloats(c)).containsExactly(216, 228, 378, 408);
    }

    @Test
    void doesNotReadCWhenBetaIsZero() throws Exception {
        MemorySegment c = Rpc.floats(Float.NaN);

        Rpc.call(SGEMM, header(1, 1, 1, 1, 0), Rpc.floats(3), Rpc.floats(4), c);

        assertThat(Rpc.toFloats(c)).containsExactly(12);
    }

    /// Sizes around those of the blocks: 4 rows, 128 deep, 512 wide.
    @ParameterizedTest
    @CsvSource({"1,1,1", "3,5,7", "4,512,128", "5,513,129", "9,1025,257", "64,31,300", "1,700,2"})
    void agreesWithTheDefinition(int m, int n, int k) throws Exception {
        SplittableRandom random = new SplittableRandom(m * 31L + n * 17L + k);
        float[] a = matrix(random, m * k);
        float[] b = matrix(random, k * n);
        float[] before = matrix(random, m * n);
        MemorySegment c = Rpc.floats(before);

        int code = Rpc.call(SGEMM, header(m, n, k, 1.5f, -0.5f), Rpc.floats(a), Rpc.floats(b), c);

        assertThat(code).isEqualTo(ReturnCode.SUCCESS);
        float[] result = Rpc.toFloats(c);
        for (int row = 0; row < m; row++) {
            for (int column = 0; column < n; column++) {
                double sum = 0;
                for (int i = 0; i < k; i++) {
                    sum += (double) a[row * k + i] * b[i * n + column];
                }
                int at = row * n + column;
                assertThat((double) result[at])
                        .isCloseTo(1.5 * sum - 0.5 * before[at], within(1e-5 * (k + 1)));
            }
        }
    }

    @Test
    void refusesWrongArguments() throws Exception {
        MemorySegment one = Rpc.zeros(4);

        assertThat(Rpc.call(SGEMM, Rpc.zeros(19), one, one, one))
                .isEqualTo(ReturnCode.WRONG_ARGUMENTS);
        for (MemorySegment header :
                new MemorySegment[] {
                    header(0, 1, 1, 1, 0), header(1, -1, 1, 1, 0), header(1, 1, 0, 1, 0)
                }) {
            assertThat(Rpc.call(SGEMM, header, one, one, one))
                    .isEqualTo(RoutineError.SGEMM_DIMENSIONS.code());
        }
        for (MemorySegment header :
                new MemorySegment[] {
                    header(2, 1, 1, 1, 0), header(1, 2, 1, 1, 0), header(1, 1, 2, 1, 0)
                }) {
            assertThat(Rpc.call(SGEMM, header, one, one, one))
                    .isEqualTo(RoutineError.SGEMM_SIZE.code());
        }
        assertThat(Rpc.call(SGEMM, header(1 << 30, 1 << 30, 1, 1, 0), one, one, one))
                .isEqualTo(RoutineError.SGEMM_SIZE.code());
    }

    private static MemorySegment header(int m, int n, int k, float alpha, float beta) {
        ByteBuffer header = ByteBuffer.allocateDirect(20).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(m).putInt(n).putInt(k).putFloat(alpha).putFloat(beta);
        return MemorySegment.ofBuffer(header.flip());
    }

    private static float[] matrix(SplittableRandom random, int count) {
        float[] elements = new float[count];
        for (int i = 0; i < count; i++) {
            elements[i] = (float) random.nextDouble(-1, 1);
        }
        return elements;
    }
}
