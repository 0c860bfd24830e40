package dev.outboard.fabric.roce.cm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CaGuidTest {
    private final SplittableRandom random = new SplittableRandom(1);

    @ParameterizedTest
    @CsvSource({"8388608,8388608", "425984,262144", "212992,131072", "2147483647,268435456"})
    @Requirement("ROCE-CC-3")
    void declaresNoMoreThanTheReceiveBufferHolds(int bytes, int declared) {
        long guid = CaGuid.random(random, bytes);

        assertThat(CaGuid.receiveBufferBytes(guid)).isEqualTo(declared);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 0x505400FFFE123456L, 0x024F4300_12345678L, 0x024F4200_12345678L})
    void readsNothingIntoTheGuidOfAnother(long guid) {
        assertThat(CaGuid.receiveBufferBytes(guid)).isZero();
    }

    @Test
    void isLocallyAdministeredAndNobodyElseHasIt() {
        long one = CaGuid.random(random, 1 << 20);
        long other = CaGuid.random(random, 1 << 20);

        assertThat(one).isNotEqualTo(other);
        assertThat(one >>> 56 & 3).isEqualTo(2);
    }
}
