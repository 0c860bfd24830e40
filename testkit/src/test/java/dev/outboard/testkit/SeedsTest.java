package dev.outboard.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SeedsTest {
    private String given = "";
    private final List<Long> tried = new ArrayList<>();

    /// This test itself may run under `-Dseed`.
    @BeforeEach
    void forgetTheSeed() {
        given = System.getProperty("seed", "");
        System.clearProperty("seed");
    }

    @AfterEach
    void restoreTheSeed() {
        if (given.isEmpty()) {
            System.clearProperty("seed");
        } else {
            System.setProperty("seed", given);
        }
    }

    @Test
    void triesEverySeedOnce() {
        Seeds.campaign(100, tried::add);

        assertThat(tried).containsExactlyElementsOf(LongStream.range(0, 100).boxed().toList());
    }

    @Test
    void triesExactlyTheSeedThatIsAskedFor() {
        System.setProperty("seed", "123456789012");

        Seeds.campaign(100, tried::add);

        assertThat(tried).containsExactly(123_456_789_012L);
    }

    @Test
    void stopsAtTheFirstFailureAndSaysHowToRepeatIt() {
        var cause = new IllegalStateException("broken");

        assertThatThrownBy(() -> campaignThatFailsAt(17, cause))
                .isInstanceOf(AssertionError.class)
                .hasCause(cause)
                .hasMessage(
                        """
                        seed 17 fails: broken
                        To replay it:
                        ./outboard test -pl testkit -am -Dtest=SeedsTest#campaignThatFailsAt \
                        -Dsurefire.failIfNoSpecifiedTests=false -Dseed=17\
                        """);
        assertThat(tried).hasSize(18);
    }

    private void campaignThatFailsAt(long failing, Exception cause) {
        Seeds.campaign(
                100,
                seed -> {
                    tried.add(seed);
                    if (seed == failing) {
                        throw cause;
                    }
                });
    }
}
