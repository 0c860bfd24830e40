package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CongestionWindowTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 32, 128})
    void neverExceedsItsMaximum(int maxPackets) {
        var window = new CongestionWindow(maxPackets);
        for (int i = 0; i < 1_000; i++) {
            assertThat(window.packets()).isBetween(1, maxPackets);
            switch (i % 7) {
                case 3 -> window.gapReported(false);
                case 5 -> window.timedOut();
                default -> window.acknowledged(window.packets(), window.packets());
            }
        }
    }

    @Test
    void growsToItsMaximumWithoutLossAndRecoversAfterATimeout() {
        var window = new CongestionWindow(128);
        acknowledgeMuch(window);
        assertThat(window.packets()).isEqualTo(128);
        window.timedOut();
        assertThat(window.packets()).isLessThan(8);
        acknowledgeMuch(window);
        assertThat(window.packets()).isEqualTo(128);
    }

    @Test
    void aRareGapCostsLittleAndGapsInQuickSuccessionHalve() {
        var window = new CongestionWindow(128);
        acknowledgeMuch(window);
        window.gapReported(false);
        assertThat(window.packets()).isBetween(108, 120);

        for (int i = 0; i < 20; i++) {
            window.gapReported(false);
            window.acknowledged(window.packets() / 2, window.packets());
        }
        int before = window.packets();
        window.gapReported(false);

        assertThat(before).isLessThan(16);
        assertThat(window.packets()).isLessThanOrEqualTo(before / 2 + 1);
    }

    @Test
    void aGapHalvesWhenPacketsQueue() {
        var window = new CongestionWindow(128);
        acknowledgeMuch(window);

        window.gapReported(true);

        assertThat(window.packets()).isEqualTo(64);
    }

    @Test
    void doesNotGrowUnused() {
        var window = new CongestionWindow(128);
        int before = window.packets();

        for (int i = 0; i < 1_000; i++) {
            window.acknowledged(1, before / 2 - 1);
        }

        assertThat(window.packets()).isEqualTo(before);
    }

    private static void acknowledgeMuch(CongestionWindow window) {
        for (int i = 0; i < 1_000; i++) {
            window.acknowledged(window.packets(), window.packets());
        }
    }
}
