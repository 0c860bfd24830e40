package dev.outboard.dpa.cc;

import static dev.outboard.dpa.cc.Clang.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// What every program in C can rely on, against the arithmetic of Java.
class CRuntimeTest extends CProcessFixture {
    private static final BigInteger WHOLE = BigInteger.ONE.shiftLeft(128);
    private static final int RESULTS = 13;

    CRuntimeTest() {
        super("runtime");
    }

    private static List<BigInteger> numbers() {
        List<BigInteger> numbers = new ArrayList<>();
        for (int bits : new int[] {0, 1, 31, 32, 33, 62, 63, 64, 65, 95, 96, 126, 127}) {
            BigInteger power = BigInteger.ONE.shiftLeft(bits);
            numbers.addAll(
                    List.of(power, power.subtract(BigInteger.ONE), power.negate().mod(WHOLE)));
        }
        Random random = new Random(11);
        for (int i = 0; i < 20; i++) {
            numbers.add(new BigInteger(1 + random.nextInt(128), random));
        }
        return numbers;
    }

    @Test
    void integersOf128BitsAreThoseOfJava() {
        DpaAddr to = heap.zeros(16 * RESULTS);
        List<BigInteger> numbers = numbers();
        for (BigInteger left : numbers) {
            for (BigInteger right : numbers) {
                call(
                        process,
                        app,
                        "arithmetic",
                        left.longValue(),
                        left.shiftRight(64).longValue(),
                        right.longValue(),
                        right.shiftRight(64).longValue(),
                        to.value());
                assertThat(results(to))
                        .as("%s and %s", left, right)
                        .containsExactly(expected(left, right));
            }
        }
    }

    private BigInteger[] results(DpaAddr from) {
        ByteBuffer bytes =
                ByteBuffer.wrap(heap.copyOut(from, 16 * RESULTS)).order(ByteOrder.LITTLE_ENDIAN);
        BigInteger[] results = new BigInteger[RESULTS];
        for (int i = 0; i < RESULTS; i++) {
            BigInteger low = unsigned(bytes.getLong());
            results[i] = unsigned(bytes.getLong()).shiftLeft(64).or(low);
        }
        return results;
    }

    private static BigInteger unsigned(long word) {
        return new BigInteger(Long.toUnsignedString(word));
    }

    private static BigInteger signed(BigInteger number) {
        return number.testBit(127) ? number.subtract(WHOLE) : number;
    }

    private static BigInteger[] expected(BigInteger left, BigInteger right) {
        BigInteger a = signed(left);
        BigInteger b = signed(right);
        BigInteger product = a.multiply(b);
        boolean overflows = product.bitLength() > 127;
        boolean none = right.signum() == 0;
        BigInteger divisor = none ? BigInteger.ONE : right;
        int count = right.intValue() & 127;
        long word = left.longValue();
        BigInteger[] results = {
            product,
            product,
            product,
            BigInteger.valueOf(overflows ? 1 : 0),
            none ? BigInteger.ZERO : a.divide(b),
            none ? BigInteger.ZERO : a.remainder(b),
            none ? BigInteger.ZERO : left.divide(divisor),
            none ? BigInteger.ZERO : left.mod(divisor),
            left.shiftLeft(count),
            a.shiftRight(count),
            left.shiftRight(count),
            left.shiftLeft(count),
            BigInteger.valueOf(
                    Long.numberOfLeadingZeros(word)
                            + 100L * Long.numberOfTrailingZeros(word)
                            + 10_000L * Long.bitCount(word))
        };
        for (int i = 0; i < results.length; i++) {
            results[i] = results[i].mod(WHOLE);
        }
        return results;
    }

    /// The other bytes of the word stay as they are.
    @Test
    void atomicsOfOneAndTwoBytesChangeNoOther() {
        DpaAddr word = heap.zeros(16);
        int[] values = {0, 1, 0x7F, 0x80, 0xFF, 0x1234, 0x7FFF, 0x8000, 0xFFFF};
        for (int bytes = 1; bytes <= 2; bytes++) {
            int mask = (1 << (8 * bytes)) - 1;
            for (int at = 4; at < 8; at += bytes) {
                for (int step = 0; step < 11; step++) {
                    for (int former : values) {
                        for (int operand : values) {
                            check(word, bytes, at, step, former & mask, operand & mask);
                        }
                    }
                }
            }
        }
    }

    private void check(DpaAddr word, int bytes, int at, int step, int former, int operand) {
        int mask = (1 << (8 * bytes)) - 1;
        byte[] before = "abcdefghijklmnop".getBytes(StandardCharsets.US_ASCII);
        put(before, at, bytes, former);
        heap.copyIn(word, before);
        boolean fails = step == 10;
        int expectedValue = fails ? former ^ 1 : former;
        long result =
                call(
                        process,
                        app,
                        "atomic_" + bytes,
                        word.value() + at,
                        Math.min(step, 9),
                        operand,
                        expectedValue);
        int next =
                switch (step) {
                    case 0, 8, 9 -> operand;
                    case 1 -> former + operand;
                    case 2 -> former - operand;
                    case 3 -> former & operand;
                    case 4 -> former | operand;
                    case 5 -> former ^ operand;
                    case 6 -> ~(former & operand);
                    default -> former;
                };
        long given = step == 8 ? 0 : step == 9 ? 0x1_0000 : former;
        put(before, at, bytes, next & mask);
        assertThat(result).as("step %d of %d bytes", step, bytes).isEqualTo(given);
        assertThat(heap.copyOut(word, 16)).as("step %d", step).isEqualTo(before);
    }

    private static void put(byte[] to, int at, int bytes, int value) {
        for (int i = 0; i < bytes; i++) {
            to[at + i] = (byte) (value >> (8 * i));
        }
    }

    @Test
    void memoryIsMovedAndFilledAsStringDotHSays() {
        byte[] before = new byte[96];
        for (int i = 0; i < before.length; i++) {
            before[i] = (byte) (i + 1);
        }
        DpaAddr block = heap.copyFromHost(before);
        Random random = new Random(3);
        for (int round = 0; round < 400; round++) {
            int from = random.nextInt(40);
            int to = random.nextInt(40);
            int bytes = random.nextInt(50);
            byte[] expected = heap.copyOut(block, before.length);
            System.arraycopy(expected, from, expected, to, bytes);
            assertThat(call(process, app, "move", block.value() + to, block.value() + from, bytes))
                    .isOne();
            assertThat(heap.copyOut(block, before.length)).isEqualTo(expected);
            int value = random.nextInt(512) - 256;
            Arrays.fill(expected, to, to + bytes, (byte) value);
            assertThat(call(process, app, "fill", block.value() + to, value, bytes)).isOne();
            assertThat(heap.copyOut(block, before.length)).isEqualTo(expected);
        }
    }

    @Test
    void textsAreComparedByTheirUnsignedBytes() {
        String[][] pairs = {
            {"abc", "abc", "222"},
            {"abd", "abc", "333"},
            {"ab", "abc", "111"},
            {"a\u00FF", "a\u0001", "333"},
            {"abcX", "abcY", "212"},
        };
        for (String[] pair : pairs) {
            // All three over three bytes; the second over the whole text.
            DpaAddr left = text(pair[0]);
            DpaAddr right = text(pair[1]);
            assertThat(call(process, app, "compare", left.value(), right.value(), 3))
                    .as(pair[0])
                    .isEqualTo(Long.parseLong(pair[2]));
        }
        DpaAddr to = heap.copyFromHost("zzzzzzzz".getBytes(StandardCharsets.US_ASCII));
        assertThat(call(process, app, "copyText", to.value(), text("abc").value(), 6)).isEqualTo(3);
        assertThat(heap.copyOut(to, 8))
                .isEqualTo("abc\0\0\0zz".getBytes(StandardCharsets.US_ASCII));
        call(process, app, "copyText", to.value(), text("12345678").value(), 4);
        assertThat(heap.copyOut(to, 8)).isEqualTo("1234\0\0zz".getBytes(StandardCharsets.US_ASCII));
    }

    private DpaAddr text(String text) {
        return heap.copyFromHost((text + "\0").getBytes(StandardCharsets.ISO_8859_1));
    }

    /// The source stops the compiler where a macro is missing.
    @Test
    @Requirement("DPA-CC-14")
    void deviceCodeCanTellWhatItIsCompiledFor() {
        assertThat(app.functions()).isNotEmpty();
    }
}
