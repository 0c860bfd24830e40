package dev.outboard.naa.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/// When a peer is probed, and when it counts as gone.
class PeerProbeTest {
    private static final long INTERVAL = 1000;
    private static final long LIMIT = 300;

    private final PeerProbe probe =
            new PeerProbe(Duration.ofNanos(INTERVAL), Duration.ofNanos(LIMIT));

    @Test
    void oneThatAnswersIsAskedOnceInEachInterval() {
        probe.waiting(0);
        assertThat(probe.begins(INTERVAL - 1)).isFalse();
        assertThat(probe.takeToSend()).isFalse();
        for (long now = INTERVAL; now < 5 * INTERVAL; now += INTERVAL) {
            assertThat(probe.begins(now)).isTrue();
            assertThat(probe.takeToSend()).isTrue();
            assertThat(probe.takeToSend()).isFalse();
            probe.answered();
            assertThat(probe.begins(now)).isFalse();
            assertThat(probe.nanosLeft(now)).isEqualTo(INTERVAL);
            assertThat(probe.begins(now + INTERVAL - 1)).isFalse();
        }
    }

    @Test
    void oneThatDoesNotAnswerIsAskedOnceAndGivenUpAtTheLimit() {
        PeerProbe patient =
                new PeerProbe(Duration.ofNanos(INTERVAL), Duration.ofNanos(3 * INTERVAL));
        patient.waiting(0);
        assertThat(patient.begins(INTERVAL)).isTrue();
        assertThat(patient.takeToSend()).isTrue();
        assertThat(patient.begins(2 * INTERVAL)).isFalse();
        assertThat(patient.takeToSend()).isFalse();
        assertThat(patient.isUnanswered(4 * INTERVAL - 1)).isFalse();
        assertThat(patient.isUnanswered(4 * INTERVAL)).isTrue();
    }

    @Test
    void oneThatIsSentSomethingIsNotAskedButMustHaveAnswered() {
        probe.waiting(0);
        assertThat(probe.begins(INTERVAL)).isTrue();
        probe.pause();
        assertThat(probe.begins(2 * INTERVAL)).isFalse();
        assertThat(probe.isUnanswered(INTERVAL + LIMIT)).isTrue();
    }

    @Test
    void whoHasLeftIsNotMissed() {
        probe.waiting(0);
        assertThat(probe.begins(INTERVAL)).isTrue();
        probe.stop();
        assertThat(probe.isUnanswered(INTERVAL + LIMIT)).isFalse();
        assertThat(probe.nanosLeft(INTERVAL)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void withoutALimitTheTransportDecides() {
        PeerProbe client = new PeerProbe(Duration.ofNanos(INTERVAL), Duration.ZERO);
        assertThat(client.begin(0)).isTrue();
        assertThat(client.isPending()).isTrue();
        assertThat(client.begin(1)).isFalse();
        assertThat(client.isUnanswered(1L << 60)).isFalse();
        client.answered();
        assertThat(client.isPending()).isFalse();
    }

    @Test
    void whoCannotBeHeardIsExcused() {
        PeerProbe probe = new PeerProbe(Duration.ofNanos(INTERVAL), Duration.ofNanos(LIMIT));
        assertThat(probe.begin(0)).isTrue();
        probe.excuse(LIMIT);
        assertThat(probe.isUnanswered(LIMIT)).isFalse();
        assertThat(probe.isUnanswered(2 * LIMIT - 1)).isFalse();
        assertThat(probe.isUnanswered(2 * LIMIT)).isTrue();
    }

    @Test
    void whoIsNotAskedNeedsNoExcuse() {
        PeerProbe probe = new PeerProbe(Duration.ofNanos(INTERVAL), Duration.ofNanos(LIMIT));
        probe.excuse(0);
        assertThat(probe.isUnanswered(INTERVAL + LIMIT)).isFalse();
        assertThat(probe.begins(INTERVAL - 1)).isFalse();
        assertThat(probe.begins(INTERVAL)).isTrue();
    }
}
