package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.math.BigInteger;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/// The fixed-point functions against the catalog's golden values and against exact arithmetic on
/// big integers, which shares nothing with them.
class DpaFxpTest {
    /// Set this to true to go through all 2^32 operands, which takes minutes.
    private static final String EXHAUSTIVE = "dpa.fxp.exhaustive";

    private static final int ONE = 1 << 16;
    private static final int PRECISION = 256;

    @Test
    @Requirement("DPA-INT-7")
    void logarithmsAreTheGoldenOnes() {
        int[][] golden = {
            {1, 0},
            {2, 65536},
            {3, 103872},
            {5, 152170},
            {7, 183983},
            {8, 196608},
            {10, 217706},
            {100, 435412},
            {255, 523918},
            {256, 524288},
            {65535, 1048575},
            {65536, 1048576},
            {65537, 1048577},
            {1 << 31, 2031616},
            {-1, 2097152},
            {0, 0x80000000}
        };
        for (int[] pair : golden) {
            assertThat(DpaFxp.log2(pair[0])).as("log2 of %d", pair[0]).isEqualTo(pair[1]);
        }
    }

    @Test
    @Requirement("DPA-INT-8")
    void theOtherReadingOfTheLogarithmIsSmallerBySixteen() {
        SplittableRandom random = new SplittableRandom(8);
        for (int i = 0; i < 10_000; i++) {
            int operand = random.nextInt() | 1;
            assertThat(DpaFxp.log2OfQ16(operand)).isEqualTo(DpaFxp.log2(operand) - 0x100000);
        }
        assertThat(DpaFxp.log2OfQ16(ONE)).as("log2 of 1.0").isZero();
        assertThat(DpaFxp.log2OfQ16(0)).isEqualTo(0x80000000);
    }

    @Test
    @Requirement("DPA-INT-9")
    void reciprocalsAreTheGoldenOnes() {
        int[][] golden = {
            {1, 2147483647},
            {-1, -2147483648},
            {2, 2147483647},
            {-2, -2147483648},
            {3, 1431655765},
            {-3, -1431655765},
            {32768, 131072},
            {65535, 65537},
            {65536, 65536},
            {65537, 65535},
            {131072, 32768},
            {196608, 21845},
            {458752, 9362},
            {Integer.MAX_VALUE, 2},
            {Integer.MIN_VALUE, -2},
            {0, 0x7FFFFFFF}
        };
        for (int[] pair : golden) {
            assertThat(DpaFxp.rcp(pair[0])).as("1 / %d", pair[0]).isEqualTo(pair[1]);
        }
    }

    @Test
    @Requirement("DPA-INT-10")
    void powersAreTheGoldenOnes() {
        int[][] golden = {
            {0, 65536},
            {1, 65537},
            {-1, 65535},
            {32768, 92682},
            {-32768, 46341},
            {65536, 131072},
            {-65536, 32768},
            {103872, 196608},
            {917504, 1073741824},
            {983039, 2147460935},
            {983040, 2147483647},
            {-1048576, 1},
            {-1114111, 1},
            {-1114112, 0},
            {Integer.MIN_VALUE, 0},
            {Integer.MAX_VALUE, 2147483647}
        };
        for (int[] pair : golden) {
            assertThat(DpaFxp.pow2(pair[0])).as("2 to the %d", pair[0]).isEqualTo(pair[1]);
        }
    }

    /// All 2.1 million operands whose result is neither 0 nor saturated, and thousands of the
    /// others.
    @Test
    @Requirement({"DPA-INT-10", "DPA-INT-11a", "DPA-INT-12"})
    void everyPowerIsTheNearestNumberTiesToEven() {
        BigInteger[] powers = powersBetweenOneAndTwo(ONE);
        for (int operand = -17 * ONE; operand < 15 * ONE; operand++) {
            // The exact power, with 256 bits after the point beyond those of Q16.16.
            BigInteger exact = powers[operand & 0xFFFF].shiftLeft(17 + (operand >> 16) + 16);
            BigInteger whole = exact.shiftRight(PRECISION + 17);
            BigInteger rest = exact.subtract(whole.shiftLeft(PRECISION + 17));
            int order = rest.compareTo(BigInteger.ONE.shiftLeft(PRECISION + 16));
            boolean up = order > 0 || (order == 0 && whole.testBit(0));
            if (DpaFxp.pow2(operand) != whole.intValueExact() + (up ? 1 : 0)) {
                assertThat(DpaFxp.pow2(operand))
                        .as("2 to the %d", operand)
                        .isEqualTo(whole.intValueExact() + (up ? 1 : 0));
            }
        }
        SplittableRandom random = new SplittableRandom(10);
        for (int i = 0; i < 10_000; i++) {
            assertThat(DpaFxp.pow2(random.nextInt(15 * ONE, Integer.MAX_VALUE)))
                    .isEqualTo(Integer.MAX_VALUE);
            assertThat(DpaFxp.pow2(random.nextInt(Integer.MIN_VALUE, -17 * ONE))).isZero();
        }
    }

    /// The logarithm grows with its operand, so it is right everywhere if it is right on both sides
    /// of each of the two million operands at which the rounded value changes.
    @Test
    @Requirement({"DPA-INT-7", "DPA-INT-11a", "DPA-INT-12"})
    void everyLogarithmIsTheNearestNumber() {
        BigInteger[] powers = powersBetweenOneAndTwo(2 * ONE);
        for (int result = 0; result < 32 * ONE; result++) {
            // From the smallest operand above 2^(result + 1/2) on, the result is one more.
            int half = 2 * result + 1;
            BigInteger exact = powers[half % (2 * ONE)].shiftLeft(half / (2 * ONE));
            long above = exact.shiftRight(PRECISION).longValueExact() + 1;
            boolean right = DpaFxp.log2((int) (above - 1)) <= result;
            right &= above >= 1L << 32 || DpaFxp.log2((int) above) > result;
            if (!right) {
                assertThat(DpaFxp.log2((int) above)).as("log2 of %d", above).isEqualTo(result + 1);
                assertThat(DpaFxp.log2((int) (above - 1)))
                        .as("log2 of %d", above - 1)
                        .isEqualTo(result);
            }
        }
    }

    @Test
    void theLogarithmGrowsWithItsOperand() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 1_000_000; i++) {
            int operand = random.nextInt() >>> random.nextInt(1, 32);
            assertThat(DpaFxp.log2(operand + 1)).isGreaterThanOrEqualTo(DpaFxp.log2(operand));
        }
    }

    @Test
    @Requirement({"DPA-INT-9", "DPA-INT-11a"})
    void manyReciprocalsAreTheNearestNumber() {
        for (int operand = 1; operand < 1 << 20; operand++) {
            checkReciprocal(operand);
            checkReciprocal(-operand);
        }
        SplittableRandom random = new SplittableRandom(9);
        for (int i = 0; i < 2_000_000; i++) {
            checkReciprocal(random.nextInt());
        }
    }

    @Test
    @EnabledIfSystemProperty(named = EXHAUSTIVE, matches = "true")
    void everyReciprocalIsTheNearestNumber() {
        IntStream.rangeClosed(Integer.MIN_VALUE, Integer.MAX_VALUE)
                .parallel()
                .forEach(DpaFxpTest::checkReciprocal);
    }

    @Test
    @EnabledIfSystemProperty(named = EXHAUSTIVE, matches = "true")
    void theLogarithmGrowsEverywhere() {
        IntStream.rangeClosed(Integer.MIN_VALUE, Integer.MAX_VALUE)
                .parallel()
                .filter(operand -> operand != -1 && DpaFxp.log2(operand + 1) < DpaFxp.log2(operand))
                .findAny()
                .ifPresent(operand -> assertThat(operand).as("operand").isNull());
    }

    /// No number is nearer to 2^32 over the operand, unless the result is saturated.
    private static void checkReciprocal(int operand) {
        int result = DpaFxp.rcp(operand);
        boolean right;
        if (operand >= -2 && operand <= 2) {
            right = result == (operand < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE);
        } else {
            long twiceTheError = 2 * Math.abs((long) result * operand - (1L << 32));
            right = twiceTheError < Math.abs((long) operand) || twiceTheError == 0;
        }
        if (!right) {
            assertThat(result).as("1 / %d", operand).isNull();
        }
    }

    /// Two to the power of i over the count, for each i below it, with 256 bits after the point,
    /// the last of which may be wrong by the count.
    private static BigInteger[] powersBetweenOneAndTwo(int count) {
        int guard = 64;
        BigInteger step = BigInteger.TWO.shiftLeft(PRECISION + guard);
        for (int i = 1; i < count; i *= 2) {
            step = step.shiftLeft(PRECISION + guard).sqrt();
        }
        BigInteger[] powers = new BigInteger[count];
        BigInteger power = BigInteger.ONE.shiftLeft(PRECISION + guard);
        for (int i = 0; i < count; i++) {
            powers[i] = power.shiftRight(guard);
            power = power.multiply(step).shiftRight(PRECISION + guard);
        }
        return powers;
    }
}
