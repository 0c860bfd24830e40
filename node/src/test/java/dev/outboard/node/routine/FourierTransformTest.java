package dev.outboard.node.routine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.outboard.naa.ReturnCode;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FourierTransformTest {
    private static final int FFT = 14;

    @Test
    void transformsAsByHand() throws Exception {
        MemorySegment result = Rpc.zeros(64);

        int code = Rpc.call(FFT, Rpc.doubles(1, 0, 0, 1, 2, 0, 0, 0), result);

        // x = (1, i, 2, 0): X = (3 + i, -1 + 1, 3 - i, -1 - 1)
        assertThat(code).isEqualTo(ReturnCode.SUCCESS);
        assertThat(Rpc.toDoubles(result))
                .containsExactly(new double[] {3, 1, 0, 0, 3, -1, -2, 0}, within(1e-15));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 64, 1024})
    void agreesWithTheDefinition(int n) throws Exception {
        double[] x = new SplittableRandom(n).doubles(2L * n, -1, 1).toArray();
        MemorySegment result = Rpc.zeros(16L * n);

        Rpc.call(FFT, Rpc.doubles(x), result);

        double[] transformed = Rpc.toDoubles(result);
        for (int k = 0; k < n; k++) {
            double[] expected = definition(x, n, k);
            assertThat(transformed[2 * k]).isCloseTo(expected[0], within(1e-11));
            assertThat(transformed[2 * k + 1]).isCloseTo(expected[1], within(1e-11));
        }
    }

    /// Sizes of one block, two, and many: a sample of the spectrum, since the definition is slow.
    @ParameterizedTest
    @ValueSource(ints = {4096, 8192, 131_072})
    void agreesWithTheDefinitionBeyondOneBlock(int n) throws Exception {
        SplittableRandom random = new SplittableRandom(n);
        double[] x = random.doubles(2L * n, -1, 1).toArray();
        MemorySegment result = Rpc.zeros(16L * n);

        Rpc.call(FFT, Rpc.doubles(x), result);

        double[] transformed = Rpc.toDoubles(result);
        for (int sample = 0; sample < 12; sample++) {
            int k = random.nextInt(n);
            double[] expected = definition(x, n, k);
            assertThat(transformed[2 * k]).isCloseTo(expected[0], within(1e-8));
            assertThat(transformed[2 * k + 1]).isCloseTo(expected[1], within(1e-8));
        }
    }

    @Test
    void refusesSizesThatAreNoPowerOfTwo() throws Exception {
        int refused = RoutineError.TRANSFORM_SIZE.code();

        assertThat(Rpc.call(FFT, Rpc.zeros(48), Rpc.zeros(48))).isEqualTo(refused);
        assertThat(Rpc.call(FFT, Rpc.zeros(0), Rpc.zeros(0))).isEqualTo(refused);
        assertThat(Rpc.call(FFT, Rpc.zeros(8), Rpc.zeros(8))).isEqualTo(refused);
        assertThat(Rpc.call(FFT, Rpc.zeros(32), Rpc.zeros(64))).isEqualTo(refused);
    }

    private static double[] definition(double[] x, int n, int k) {
        double real = 0;
        double imaginary = 0;
        for (int j = 0; j < n; j++) {
            double angle = -2 * Math.PI * ((long) j * k % n) / n;
            double cosine = Math.cos(angle);
            double sine = Math.sin(angle);
            real += x[2 * j] * cosine - x[2 * j + 1] * sine;
            imaginary += x[2 * j] * sine + x[2 * j + 1] * cosine;
        }
        return new double[] {real, imaginary};
    }
}
