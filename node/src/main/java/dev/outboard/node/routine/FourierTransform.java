package dev.outboard.node.routine;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.stream.IntStream;

/// The forward discrete Fourier transform of 2^p complex numbers, X[k] = Σ x[j] e^(-2πi jk / n), by
/// Cooley and Tukey's radix-2 algorithm, decimation in time. A complex number is two 64-bit
/// floating-point numbers, the real part first.
///
/// The stages within blocks of 4,096 numbers run block by block, so that a block stays in the
/// cache; the others run over everything. Beside the output it needs some 200 KB, whatever the
/// size. StrictMath makes the result the same on every machine.
final class FourierTransform {
    private static final int COMPLEX_BYTES = 2 * Double.BYTES;

    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int BLOCK = 4096;

    /// The roots of the stages within a block; those of stage i are 2^i in number.
    private static final Roots[] WITHIN_BLOCK =
            IntStream.range(0, Integer.numberOfTrailingZeros(BLOCK))
                    .mapToObj(i -> Roots.first(1 << i, 1 << i))
                    .toArray(Roots[]::new);

    private final long n;
    private final MemorySegment x;
    private final RpcContext context;

    private FourierTransform(long n, MemorySegment x, RpcContext context) {
        this.n = n;
        this.x = x;
        this.context = context;
    }

    /// Regions x and X.
    static int run(RpcContext context) throws RoutineException {
        MemorySegment input = context.parameter(0).memory();
        MemorySegment output = context.parameter(1).memory();
        long size = input.byteSize();
        boolean isPowerOfTwo = size >= COMPLEX_BYTES && Long.bitCount(size) == 1;
        RoutineError.TRANSFORM_SIZE.unless(isPowerOfTwo && output.byteSize() == size);
        new FourierTransform(size / COMPLEX_BYTES, output, context).forward(input);
        return ReturnCode.SUCCESS;
    }

    private void forward(MemorySegment input) throws RoutineException {
        for (long from = 0; from < n; from += BLOCK) {
            context.throwIfCancelled();
            reorder(input, from, Math.min(n, from + BLOCK));
        }
        stagesWithinBlocks();
        for (long half = BLOCK; half < n; half *= 2) {
            stage(half);
        }
    }

    /// Puts element i where the reversed bits of i say.
    private void reorder(MemorySegment input, long first, long end) {
        int unusedBits = Long.numberOfLeadingZeros(n) + 1;
        for (long i = first; i < end; i++) {
            long from = i * COMPLEX_BYTES;
            long to = (Long.reverse(i) >>> unusedBits) * COMPLEX_BYTES;
            x.set(DOUBLE, to, input.get(DOUBLE, from));
            x.set(DOUBLE, to + Double.BYTES, input.get(DOUBLE, from + Double.BYTES));
        }
    }

    private void stagesWithinBlocks() throws RoutineException {
        int block = (int) Math.min(n, BLOCK);
        for (long start = 0; start < n; start += block) {
            context.throwIfCancelled();
            for (int half = 1; half < block; half *= 2) {
                Roots roots = WITHIN_BLOCK[Integer.numberOfTrailingZeros(half)];
                for (long at = start; at < start + block; at += 2L * half) {
                    butterflies(at, half, roots, half);
                }
            }
        }
    }

    /// One stage over everything: the roots of one piece serve all its pairs of halves.
    private void stage(long half) throws RoutineException {
        Roots first = Roots.first(half, BLOCK);
        Roots roots = Roots.first(half, BLOCK);
        for (long piece = 0; piece < half; piece += BLOCK) {
            roots.turn(first, piece, half);
            for (long at = piece; at < n; at += 2L * half) {
                context.throwIfCancelled();
                butterflies(at, half, roots, BLOCK);
            }
        }
    }

    /// Combines `count` numbers from index `start` with those `half` further on.
    private void butterflies(long start, long half, Roots roots, int count) {
        long distance = half * COMPLEX_BYTES;
        for (int i = 0; i < count; i++) {
            long upper = (start + i) * COMPLEX_BYTES;
            long lower = upper + distance;
            double real = x.get(DOUBLE, lower);
            double imaginary = x.get(DOUBLE, lower + Double.BYTES);
            double turnedReal = real * roots.cosines[i] - imaginary * roots.sines[i];
            double turnedImaginary = real * roots.sines[i] + imaginary * roots.cosines[i];
            double upperReal = x.get(DOUBLE, upper);
            double upperImaginary = x.get(DOUBLE, upper + Double.BYTES);
            x.set(DOUBLE, upper, upperReal + turnedReal);
            x.set(DOUBLE, upper + Double.BYTES, upperImaginary + turnedImaginary);
            x.set(DOUBLE, lower, upperReal - turnedReal);
            x.set(DOUBLE, lower + Double.BYTES, upperImaginary - turnedImaginary);
        }
    }

    /// Neighbouring roots of unity, e^(-πi j / half) for consecutive j.
    private record Roots(double[] cosines, double[] sines) {
        /// Those from j = 0 on.
        static Roots first(long half, int count) {
            Roots roots = new Roots(new double[count], new double[count]);
            for (int j = 0; j < count; j++) {
                double angle = -Math.PI * j / half;
                roots.cosines[j] = StrictMath.cos(angle);
                roots.sines[j] = StrictMath.sin(angle);
            }
            return roots;
        }

        /// Becomes those from `j` on: `first`, each multiplied by the root number `j`.
        void turn(Roots first, long j, long half) {
            double cosine = StrictMath.cos(-Math.PI * j / half);
            double sine = StrictMath.sin(-Math.PI * j / half);
            for (int i = 0; i < cosines.length; i++) {
                cosines[i] = first.cosines[i] * cosine - first.sines[i] * sine;
                sines[i] = first.cosines[i] * sine + first.sines[i] * cosine;
            }
        }
    }
}
