package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.GoldenRows;
import dev.outboard.ccip.wire.GoldenRows.Field;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.io.IOException;
import java.math.BigInteger;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The two packed structures of the port, bit by bit, as an AFU in SystemVerilog has them that
/// looks at no member of theirs but those it answers with.
class PortImageTest {
    private static final int RX_BITS = 574;
    private static final int TX_BITS = 742;
    private static final int DATA_BITS = 512;

    /// In AP0 it answers with the image of t_if_ccip_Rx: the low bits as the data of C1, the others
    /// as those of C2; and with the widths of both on C0. In AP1 it keeps the data of C0; in AP2
    /// the next ones stand above those, and both are the image of t_if_ccip_Tx that it drives.
    private static final String IMAGES =
            """
            logic [573:0] rx;
            assign rx = pck_cp2af_sRx;
            logic [511:0] low;
            always_ff @(posedge pClk) begin
                pck_af2cp_sTx <= '0;
                case (pck_cp2af_pwrState)
                    0: begin
                        pck_af2cp_sTx.c0.valid <= 1;
                        pck_af2cp_sTx.c0.hdr <= 74'({$bits(t_if_ccip_Tx), $bits(t_if_ccip_Rx)});
                        pck_af2cp_sTx.c1.valid <= 1;
                        pck_af2cp_sTx.c1.data <= rx[511:0];
                        pck_af2cp_sTx.c2.mmioRdValid <= 1;
                        pck_af2cp_sTx.c2.data <= 64'(rx[573:512]);
                    end
                    1: low <= pck_cp2af_sRx.c0.data;
                    default: pck_af2cp_sTx <= {pck_cp2af_sRx.c0.data[229:0], low};
                endcase
            end
            """;

    private static VerilatedAfu afu;

    private final Rx rx = new Rx();
    private final Tx tx = new Tx();

    @BeforeAll
    static void build() throws IOException {
        VerilatedDesign design =
                Verilator.build().compile(Verilator.afu(PortImageTest.class, IMAGES));
        afu = design.open(Profile.PAC_A10, 1);
    }

    @AfterAll
    static void close() {
        if (afu != null) {
            afu.close();
        }
    }

    static List<Field> inputs() {
        return signals("Rx");
    }

    private static List<Field> signals(String structure) {
        return GoldenRows.images().stream().filter(f -> f.within().equals(structure)).toList();
    }

    @Test
    @Requirement("CCIP-SIG-10")
    void theSignalsCoverTheStructuresOnce() {
        drive(BigInteger.ZERO);
        assertThat(sum("Rx")).isEqualTo(ones((int) tx.c0.hdrLow));
        assertThat(sum("Tx")).isEqualTo(ones((int) (tx.c0.hdrLow >>> Integer.SIZE)));
    }

    private static BigInteger sum(String structure) {
        return signals(structure).stream()
                .map(Field::bits)
                .reduce(BigInteger.ZERO, BigInteger::add);
    }

    @ParameterizedTest
    @MethodSource("inputs")
    @Requirement({"CCIP-SIG-10", "CCIP-SIG-15a"})
    void anInputLiesInItsBitsAndInNoOther(Field input) {
        drive(input.bits());
        assertThat(seen()).isEqualTo(input.bits());
    }

    @Test
    @Requirement("CCIP-SIG-20")
    void everyBitOfTheInputsArrives() {
        Seeds.campaign(
                200,
                seed -> {
                    BigInteger image = randomBits(new SplittableRandom(seed), RX_BITS);
                    drive(image);
                    assertThat(seen()).isEqualTo(image);
                });
    }

    @Test
    @Requirement("CCIP-SIG-20")
    void bitsBeyondTheWidthOfAnInputAreCut() {
        rx.idle();
        rx.c0.hdr = -1;
        rx.c1.hdr = -1;
        afu.clock(rx, tx);
        assertThat(seen()).isEqualTo(field("Rx", "c0.hdr").bits().or(field("Rx", "c1.hdr").bits()));
    }

    @Test
    @Requirement({"CCIP-SIG-10", "CCIP-SIG-20"})
    void everyBitOfTheOutputsArrives() {
        Seeds.campaign(
                200,
                seed -> {
                    BigInteger image = randomBits(new SplittableRandom(seed), TX_BITS);
                    answer(image);
                    assertThat(tx.c0.valid).isEqualTo(isSet(image, "c0.valid"));
                    if (tx.c0.valid) {
                        assertThat(number(tx.c0.hdrHigh, tx.c0.hdrLow))
                                .isEqualTo(output(image, "c0.hdr"));
                    }
                    assertThat(tx.c1.valid).isEqualTo(isSet(image, "c1.valid"));
                    if (tx.c1.valid) {
                        assertThat(number(tx.c1.hdrHigh, tx.c1.hdrLow))
                                .isEqualTo(output(image, "c1.hdr"));
                        assertThat(line(tx.c1.data)).isEqualTo(output(image, "c1.data"));
                    }
                    assertThat(tx.c2.mmioRdValid).isEqualTo(isSet(image, "c2.mmioRdValid"));
                    if (tx.c2.mmioRdValid) {
                        assertThat(number(0, tx.c2.tid)).isEqualTo(output(image, "c2.hdr"));
                        assertThat(number(0, tx.c2.data)).isEqualTo(output(image, "c2.data"));
                    }
                });
    }

    /// Clocks the AFU with this image of t_if_ccip_Rx.
    private void drive(BigInteger image) {
        rx.idle();
        rx.c0TxAlmFull = input(image, "c0TxAlmFull").testBit(0);
        rx.c1TxAlmFull = input(image, "c1TxAlmFull").testBit(0);
        rx.c0.hdr = input(image, "c0.hdr").intValueExact();
        setLine(rx.c0.data, input(image, "c0.data"));
        rx.c0.rspValid = input(image, "c0.rspValid").testBit(0);
        rx.c0.mmioRdValid = input(image, "c0.mmioRdValid").testBit(0);
        rx.c0.mmioWrValid = input(image, "c0.mmioWrValid").testBit(0);
        rx.c1.hdr = input(image, "c1.hdr").intValueExact();
        rx.c1.rspValid = input(image, "c1.rspValid").testBit(0);
        tx.idle();
        afu.clock(rx, tx);
    }

    /// The image of t_if_ccip_Rx that the AFU answers with.
    private BigInteger seen() {
        assertThat(tx.c1.valid && tx.c2.mmioRdValid).isTrue();
        return number(0, tx.c2.data).shiftLeft(DATA_BITS).or(line(tx.c1.data));
    }

    /// Has the AFU drive this image of t_if_ccip_Tx.
    private void answer(BigInteger image) {
        rx.idle();
        rx.powerState = PowerState.AP1;
        setLine(rx.c0.data, image.and(ones(DATA_BITS)));
        tx.idle();
        afu.clock(rx, tx);
        rx.powerState = PowerState.AP2;
        setLine(rx.c0.data, image.shiftRight(DATA_BITS));
        afu.clock(rx, tx);
        rx.powerState = PowerState.AP0;
    }

    private static BigInteger input(BigInteger image, String name) {
        return part(image, field("Rx", name));
    }

    private static BigInteger output(BigInteger image, String name) {
        return part(image, field("Tx", name));
    }

    private static boolean isSet(BigInteger image, String output) {
        return output(image, output).testBit(0);
    }

    private static BigInteger part(BigInteger image, Field field) {
        return image.and(field.bits()).shiftRight(field.low());
    }

    private static Field field(String structure, String name) {
        return signals(structure).stream()
                .filter(f -> f.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static void setLine(long[] data, BigInteger line) {
        for (int i = 0; i < Line.LONGS; i++) {
            data[i] = line.shiftRight(Long.SIZE * i).longValue();
        }
    }

    private static BigInteger line(long[] data) {
        BigInteger line = BigInteger.ZERO;
        for (int i = Line.LONGS - 1; i >= 0; i--) {
            line = line.shiftLeft(Long.SIZE).or(number(0, data[i]));
        }
        return line;
    }

    private static BigInteger number(int high, long low) {
        return BigInteger.valueOf(high)
                .shiftLeft(Long.SIZE)
                .or(BigInteger.valueOf(low).and(ones(Long.SIZE)));
    }

    private static BigInteger ones(int bits) {
        return BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
    }

    private static BigInteger randomBits(SplittableRandom random, int width) {
        byte[] bytes = new byte[TX_BITS / Byte.SIZE + 1];
        random.nextBytes(bytes);
        return new BigInteger(1, bytes).and(ones(width));
    }
}
