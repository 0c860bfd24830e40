package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PsnTest {
    @Test
    void wrapsAtTwentyFourBits() {
        assertThat(Psn.next(0xFFFFFF)).isZero();
        assertThat(Psn.next(0xFFFFFE)).isEqualTo(0xFFFFFF);
        assertThat(Psn.add(0xFFFFFE, 3)).isEqualTo(1);
        assertThat(Psn.add(1, -3)).isEqualTo(0xFFFFFE);
        assertThat(Psn.add(5, Psn.MODULUS)).isEqualTo(5);
    }

    @Test
    void comparesAcrossTheWrap() {
        assertThat(Psn.difference(1, 0xFFFFFE)).isEqualTo(3);
        assertThat(Psn.difference(0xFFFFFE, 1)).isEqualTo(-3);
        assertThat(Psn.difference(7, 7)).isZero();
    }

    @Test
    void callsTheFartherHalfEarlier() {
        assertThat(Psn.difference(0x7FFFFF, 0)).isEqualTo(0x7FFFFF);
        assertThat(Psn.difference(0x800000, 0)).isEqualTo(-0x800000);
        assertThat(Psn.difference(0, 0x800000)).isEqualTo(-0x800000);
    }

    @Test
    void differenceUndoesAddition() {
        var random = new SplittableRandom(1);
        for (int i = 0; i < 10_000; i++) {
            int psn = random.nextInt(Psn.MODULUS);
            int count = random.nextInt(-Psn.MODULUS / 2, Psn.MODULUS / 2);
            int sum = Psn.add(psn, count);

            assertThat(sum).isBetween(0, Psn.MASK);
            assertThat(Psn.difference(sum, psn)).isEqualTo(count);
        }
    }
}
