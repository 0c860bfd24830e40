package dev.outboard.naa.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.link.Link;
import org.junit.jupiter.api.Test;

class LookoutTest {
    private static final long START = 7_000_000_000L;
    private static final long MICRO = 1_000;
    private static final long NOTHING = Long.MAX_VALUE;

    private final Lookout lookout = new Lookout(START);

    @Test
    void theFirstLookIsDueAtOnce() {
        assertThat(lookout.nanosLeft(START)).isZero();
    }

    @Test
    void looksWhenTheFirstHasSomethingDue() {
        lookout.looked(START, START + MICRO, 400 * MICRO);

        assertThat(lookout.nanosLeft(START + MICRO)).isEqualTo(400 * MICRO);
    }

    @Test
    void looksAfterASliceAtTheLatest() {
        lookout.looked(START, START + MICRO, NOTHING);

        assertThat(lookout.nanosLeft(START + MICRO)).isEqualTo(Link.SLICE_NANOS);
    }

    @Test
    void aVisitCanOnlyBringTheLookForward() {
        lookout.looked(START, START, 400 * MICRO);

        lookout.due(START, 300 * MICRO);
        assertThat(lookout.nanosLeft(START)).isEqualTo(300 * MICRO);

        lookout.due(START, 500 * MICRO);
        assertThat(lookout.nanosLeft(START)).isEqualTo(300 * MICRO);
    }

    /// Many clients: somebody always has something due.
    @Test
    void looksTakeAHundredthOfAProcessorAtMost() {
        long end = START + 200 * MICRO;
        lookout.looked(START, end, 10 * MICRO);
        lookout.due(end, 5 * MICRO);

        assertThat(lookout.nanosLeft(end)).isEqualTo(100 * 200 * MICRO);
    }

    /// What a look takes when its thread has to wait for a processor, say.
    @Test
    void aLongLookPutsTheNextOffByASlice() {
        long end = START + 50 * Link.SLICE_NANOS;
        lookout.looked(START, end, 0);

        assertThat(lookout.nanosLeft(end)).isEqualTo(Link.SLICE_NANOS);
    }
}
