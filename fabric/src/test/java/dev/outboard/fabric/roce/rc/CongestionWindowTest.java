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

    @Test
    void growsByEveryPacketAcknowledgedUntilTheFirstLoss() {
        var window = new CongestionWindow(128);

        window.acknowledged(10, 32);
        assertThat(window.packets()).isEqualTo(42);
        window.acknowledged(1, 21);
        assertThat(window.packets()).as("half of it is in use").isEqualTo(43);
    }

    @Test
    void afterALossAWindowOfSixteenGrowsByTwoPerRoundTrip() {
        var window = new CongestionWindow(32);
        window.gapReported(true);
        assertThat(window.packets()).isEqualTo(16);

        acknowledgeOneByOne(window, 7);
        assertThat(window.packets()).isEqualTo(16);
        acknowledgeOneByOne(window, 1);
        assertThat(window.packets()).isEqualTo(17);
        acknowledgeOneByOne(window, 8);
        assertThat(window.packets()).isEqualTo(17);
        acknowledgeOneByOne(window, 1);
        assertThat(window.packets()).isEqualTo(18);
    }

    @Test
    void aLargerWindowGrowsFaster() {
        var window = new CongestionWindow(128);
        acknowledgeMuch(window);
        window.gapReported(true);

        window.acknowledged(64, 64);

        assertThat(window.packets()).isEqualTo(64 + 5);
    }

    @Test
    void aLossTakesBackWhatWasGainedTowardsTheNextPacket() {
        var window = new CongestionWindow(32);
        window.gapReported(true);
        acknowledgeOneByOne(window, 7);

        window.gapReported(true);
        acknowledgeOneByOne(window, 7);
        assertThat(window.packets()).isEqualTo(8);
        acknowledgeOneByOne(window, 1);
        assertThat(window.packets()).isEqualTo(9);
    }

    @Test
    void aTimeoutStartsAnewAndDoublesUpToHalfOfWhatItWas() {
        var window = new CongestionWindow(128);
        acknowledgeMuch(window);

        window.timedOut();

        for (int packets = 2; packets < 64; packets *= 2) {
            assertThat(window.packets()).isEqualTo(packets);
            window.acknowledged(packets, packets);
        }
        assertThat(window.packets()).isEqualTo(64);
        window.acknowledged(64, 64);
        assertThat(window.packets()).isLessThan(70);
    }

    /// Each window counts for a quarter.
    @Test
    void aGapTakesHalfOfTheShareOfWindowsWithGaps() {
        var window = new CongestionWindow(128);
        acknowledgeMuch(window);

        window.gapReported(false);
        assertThat(window.packets()).as("1/4 of them").isEqualTo(128 - 128 / 8);
        window.gapReported(false);
        assertThat(window.packets()).as("7/16 of them").isEqualTo(112 - 112 * 7 / 32);
    }

    @Test
    void aWindowWithoutAGapMakesTheNextGapCheaper() {
        var window = new CongestionWindow(128);
        acknowledgeMuch(window);
        window.gapReported(false);

        window.acknowledged(111, 0);
        window.acknowledged(1, 0);
        window.gapReported(false);

        assertThat(window.packets()).as("25/64 of them").isEqualTo(112 - 112 * 25 / 128);
    }

    @Test
    void aWindowThatHasNotPassedYetDoesNotCount() {
        var window = new CongestionWindow(128);
        acknowledgeMuch(window);
        window.gapReported(false);

        window.acknowledged(111, 0);
        window.gapReported(false);

        assertThat(window.packets()).as("7/16 of them").isEqualTo(112 - 112 * 7 / 32);
    }

    @Test
    void aGapTakesAtLeastOnePacketAndLeavesTwo() {
        var window = new CongestionWindow(4);

        window.gapReported(false);
        assertThat(window.packets()).isEqualTo(3);
        window.gapReported(false);
        assertThat(window.packets()).isEqualTo(2);
        window.gapReported(true);
        assertThat(window.packets()).isEqualTo(2);
    }

    private static void acknowledgeOneByOne(CongestionWindow window, int count) {
        for (int i = 0; i < count; i++) {
            window.acknowledged(1, window.packets());
        }
    }

    private static void acknowledgeMuch(CongestionWindow window) {
        for (int i = 0; i < 1_000; i++) {
            window.acknowledged(window.packets(), window.packets());
        }
    }
}
