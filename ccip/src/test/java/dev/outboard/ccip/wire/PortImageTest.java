package dev.outboard.ccip.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.wire.GoldenRows.Field;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Requirement("CCIP-SIG-20")
class PortImageTest {
    private static final int MMIO_HDR = 0xABCDEF5;

    private final Rx rx = new Rx();
    private final Tx tx = new Tx();
    private final MemorySegment rxImage = MemorySegment.ofArray(new byte[PortImage.RX_BYTES]);
    private final MemorySegment txImage = MemorySegment.ofArray(new byte[PortImage.TX_BYTES]);

    static List<Field> signals() {
        return GoldenRows.images();
    }

    @ParameterizedTest
    @MethodSource("signals")
    @Requirement({"CCIP-SIG-10", "CCIP-SIG-15a"})
    void aSignalLiesInItsBitsAndInNoOther(Field signal) {
        set(rxImage, signal.within().equals("Rx") ? signal.bits() : BigInteger.ZERO);
        set(txImage, signal.within().equals("Tx") ? signal.bits() : BigInteger.ZERO);
        PortImage.unpack(rxImage, rx);
        PortImage.unpack(txImage, tx);
        for (Field other : signals()) {
            BigInteger expected =
                    other.equals(signal) ? signal.bits().shiftRight(signal.low()) : BigInteger.ZERO;
            assertThat(read(other)).as(other.toString()).isEqualTo(expected);
        }
    }

    @Test
    @Requirement("CCIP-SIG-10")
    void theSignalsCoverTheStructuresOnce() {
        Map<String, BigInteger> sums =
                signals().stream()
                        .collect(Collectors.toMap(Field::within, Field::bits, BigInteger::add));
        assertThat(sums.get("Rx")).isEqualTo(ones(574)).isEqualTo(ones(PortImage.RX_BITS));
        assertThat(sums.get("Tx")).isEqualTo(ones(742)).isEqualTo(ones(PortImage.TX_BITS));
    }

    @Test
    void everyBitOfAnImageSurvives() {
        Seeds.campaign(
                200,
                seed -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    BigInteger rxBits = randomBits(random, PortImage.RX_BITS);
                    BigInteger txBits = randomBits(random, PortImage.TX_BITS);
                    set(rxImage, rxBits);
                    set(txImage, txBits);
                    PortImage.unpack(rxImage, rx);
                    PortImage.unpack(txImage, tx);
                    rxImage.fill((byte) -1);
                    txImage.fill((byte) -1);
                    PortImage.pack(rx, rxImage);
                    PortImage.pack(tx, txImage);
                    assertThat(bits(rxImage)).isEqualTo(rxBits);
                    assertThat(bits(txImage)).isEqualTo(txBits);
                });
    }

    @Test
    void bitsBeyondTheWidthOfAFieldAreCut() {
        rx.c0.hdr = -1;
        rx.c1.hdr = -1;
        PortImage.pack(rx, rxImage);
        assertThat(bits(rxImage)).isEqualTo(bitsOf("Rx", "c0.hdr").or(bitsOf("Rx", "c1.hdr")));
        tx.c0.hdrHigh = -1;
        tx.c1.hdrHigh = -1;
        tx.c2.tid = -1;
        PortImage.pack(tx, txImage);
        BigInteger high = ones(10).shiftLeft(732).or(ones(16).shiftLeft(651));
        assertThat(bits(txImage)).isEqualTo(high.or(bitsOf("Tx", "c2.hdr")));
    }

    @Test
    void theWiresBesideTheStructuresAreLeftAlone() {
        rx.softReset = true;
        rx.error = true;
        rx.powerState = PowerState.AP2;
        rx.c0.hdr = MMIO_HDR;
        PortImage.unpack(rxImage, rx);
        assertThat(rx.c0.hdr).isZero();
        assertThat(rx.softReset).isTrue();
        assertThat(rx.error).isTrue();
        assertThat(rx.powerState).isEqualTo(PowerState.AP2);
    }

    private static BigInteger bitsOf(String structure, String name) {
        return signals().stream()
                .filter(f -> f.within().equals(structure) && f.name().equals(name))
                .findFirst()
                .orElseThrow()
                .bits();
    }

    private BigInteger read(Field signal) {
        return switch (signal.within() + " " + signal.name()) {
            case "Rx c0TxAlmFull" -> bit(rx.c0TxAlmFull);
            case "Rx c1TxAlmFull" -> bit(rx.c1TxAlmFull);
            case "Rx c0.hdr" -> BigInteger.valueOf(rx.c0.hdr);
            case "Rx c0.data" -> line(rx.c0.data);
            case "Rx c0.rspValid" -> bit(rx.c0.rspValid);
            case "Rx c0.mmioRdValid" -> bit(rx.c0.mmioRdValid);
            case "Rx c0.mmioWrValid" -> bit(rx.c0.mmioWrValid);
            case "Rx c1.hdr" -> BigInteger.valueOf(rx.c1.hdr);
            case "Rx c1.rspValid" -> bit(rx.c1.rspValid);
            case "Tx c0.hdr" -> Headers.of(tx.c0.hdrHigh, tx.c0.hdrLow);
            case "Tx c0.valid" -> bit(tx.c0.valid);
            case "Tx c1.hdr" -> Headers.of(tx.c1.hdrHigh, tx.c1.hdrLow);
            case "Tx c1.data" -> line(tx.c1.data);
            case "Tx c1.valid" -> bit(tx.c1.valid);
            case "Tx c2.hdr" -> BigInteger.valueOf(tx.c2.tid);
            case "Tx c2.mmioRdValid" -> bit(tx.c2.mmioRdValid);
            case "Tx c2.data" -> Headers.of(0, tx.c2.data);
            default -> throw new IllegalStateException(signal.toString());
        };
    }

    private static BigInteger bit(boolean value) {
        return value ? BigInteger.ONE : BigInteger.ZERO;
    }

    private static BigInteger line(long[] data) {
        BigInteger line = BigInteger.ZERO;
        for (int i = Line.LONGS - 1; i >= 0; i--) {
            line = line.shiftLeft(Long.SIZE).or(Headers.of(0, data[i]));
        }
        return line;
    }

    private static BigInteger ones(int bits) {
        return BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
    }

    private static BigInteger randomBits(SplittableRandom random, int width) {
        byte[] bytes = new byte[PortImage.TX_BYTES];
        random.nextBytes(bytes);
        return new BigInteger(1, bytes).and(ones(width));
    }

    /// Bit 0 is bit 0 of the first byte.
    private static void set(MemorySegment image, BigInteger bits) {
        for (int i = 0; i < image.byteSize(); i++) {
            image.set(ValueLayout.JAVA_BYTE, i, bits.shiftRight(8 * i).byteValue());
        }
    }

    private static BigInteger bits(MemorySegment image) {
        BigInteger bits = BigInteger.ZERO;
        for (int i = 0; i < image.byteSize(); i++) {
            long octet = image.get(ValueLayout.JAVA_BYTE, i) & 0xFF;
            bits = bits.or(BigInteger.valueOf(octet).shiftLeft(8 * i));
        }
        return bits;
    }
}
