package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadsInFlightTest {
    private final ReadsInFlight reads = new ReadsInFlight(3);

    @Test
    void aReadIsDoneWithItsLastResponse() {
        reads.add(10);
        reads.add(20);

        reads.answeredBefore(9);
        assertThat(reads.count()).isEqualTo(2);
        reads.answeredBefore(10);
        assertThat(reads.count()).isEqualTo(1);
        reads.answeredBefore(20);
        assertThat(reads.isEmpty()).isTrue();
    }

    @Test
    void oneAnswerEndsAllReadsBeforeIt() {
        reads.add(10);
        reads.add(20);
        reads.add(30);

        reads.answeredBefore(25);

        assertThat(reads.count()).isEqualTo(1);
    }

    @Test
    void goingBackForgetsTheReadsWhoseResponsesAreAskedForAgain() {
        reads.add(10);
        reads.add(20);
        reads.add(30);

        reads.goBackTo(20);
        assertThat(reads.count()).isEqualTo(2);
        reads.goBackTo(19);
        assertThat(reads.count()).isEqualTo(1);
        reads.goBackTo(0);
        assertThat(reads.isEmpty()).isTrue();
    }

    @Test
    void aLargerLimitKeepsWhatIsUnderWayInItsOrder() {
        reads.add(10);
        reads.add(20);
        reads.answeredBefore(20);
        reads.add(30);
        reads.add(40);
        reads.add(50);

        reads.limit(5);
        reads.add(60);
        reads.add(70);

        reads.goBackTo(60);
        assertThat(reads.count()).isEqualTo(4);
        reads.answeredBefore(30);
        assertThat(reads.count()).isEqualTo(3);
        reads.answeredBefore(40);
        assertThat(reads.count()).isEqualTo(2);
        reads.answeredBefore(50);
        assertThat(reads.count()).isEqualTo(1);
        reads.answeredBefore(60);
        assertThat(reads.isEmpty()).isTrue();
    }

    @Test
    void aSmallerLimitForgetsNothing() {
        reads.add(10);
        reads.add(20);

        reads.limit(1);

        assertThat(reads.count()).isEqualTo(2);
        reads.answeredBefore(10);
        assertThat(reads.count()).isEqualTo(1);
    }
}
