package dev.outboard.naa.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.RpcResult;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RpcClockTest {
    private final RpcClock clock = new RpcClock();

    private List<Long> parts() {
        return List.of(clock.sendNanos(), clock.computeNanos(), clock.receiveNanos());
    }

    /// The origin of the time is arbitrary.
    @ParameterizedTest
    @ValueSource(longs = {0, 1000, Long.MAX_VALUE - 100, Long.MIN_VALUE})
    void dividesTheTimeInThree(long origin) {
        clock.start(origin);
        clock.sent(origin + 50);
        clock.began(origin + 300);
        clock.answered(origin + 370);
        assertThat(parts()).containsExactly(50L, 250L, 70L);
        assertThat(clock.result(0, 1, 2, 3)).isEqualTo(new RpcResult(0, 1, 2, 3, 50, 250, 70));
    }

    @Test
    void anAnswerOfWhichNothingWasSeenBeganWhenItEnded() {
        clock.start(0);
        clock.began(10);
        clock.start(1000);
        clock.sent(1050);
        clock.answered(1370);
        assertThat(parts()).containsExactly(50L, 320L, 0L);
    }

    @Test
    void theFirstBytesCount() {
        clock.start(0);
        clock.sent(50);
        clock.began(60);
        clock.began(100);
        clock.answered(100);
        assertThat(parts()).containsExactly(50L, 10L, 40L);
    }

    @Test
    void anAnswerThatIsSeenBeforeTheInputsAreKnownToHaveArrivedHasNoTimeOfItsOwn() {
        clock.start(0);
        clock.answered(100);
        clock.sent(101);
        assertThat(parts()).containsExactly(100L, 0L, 0L);
        // Nor one whose bytes came before.
        clock.start(0);
        clock.began(40);
        clock.sent(50);
        clock.answered(100);
        assertThat(parts()).containsExactly(50L, 50L, 0L);
    }

    @Test
    void partsMayTakeNoTime() {
        clock.start(7);
        clock.sent(50);
        clock.began(50);
        clock.answered(100);
        assertThat(parts()).containsExactly(43L, 0L, 50L);
        clock.start(7);
        clock.sent(100);
        clock.began(100);
        clock.answered(100);
        assertThat(parts()).containsExactly(93L, 0L, 0L);
    }
}
