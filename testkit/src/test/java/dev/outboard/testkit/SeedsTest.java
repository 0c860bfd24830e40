package dev.outboard.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

    @Test
    void inParallelItTriesEverySeedOnceToo() {
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        AtomicInteger count = new AtomicInteger();

        Seeds.parallelCampaign(
                1_000,
                seed -> {
                    seen.add(seed);
                    count.incrementAndGet();
                });

        assertThat(seen).hasSize(1_000).contains(0L, 999L);
        assertThat(count).hasValue(1_000);
    }

    /// Two trials that wait for each other are done by two threads only.
    @Test
    void inParallelItUsesMoreThanOneProcessor() {
        assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
        CountDownLatch both = new CountDownLatch(2);

        Seeds.parallelCampaign(
                2,
                seed -> {
                    both.countDown();
                    assertThat(both.await(30, TimeUnit.SECONDS)).isTrue();
                });
    }

    @Test
    void inParallelItTellsTheLowestSeedThatFails() {
        assertThatThrownBy(this::parallelCampaignThatFailsFrom17On)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed 17 fails: broken")
                .hasMessageContaining("#parallelCampaignThatFailsFrom17On")
                .hasMessageEndingWith("-Dseed=17");
    }

    private void parallelCampaignThatFailsFrom17On() {
        Seeds.parallelCampaign(
                100,
                seed -> {
                    if (seed >= 17) {
                        throw new IllegalStateException("broken");
                    }
                });
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
