package dev.outboard.bench.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class WarmUpTest {
    @Test
    void goesOnUntilTheCompilerIsQuietButNotForEver() {
        AtomicInteger rounds = new AtomicInteger();
        WarmUp.with(() -> {
            rounds.incrementAndGet();
            LockSupport.parkNanos(10_000_000);
        });

        assertThat(rounds.get()).isBetween(3, 24);
    }

    @Test
    void asksTheCompilerOfAnotherMachine() {
        AtomicLong compilerMillis = new AtomicLong();
        AtomicInteger rounds = new AtomicInteger();
        WarmUp.with(
                () -> {
                    LockSupport.parkNanos(10_000_000);
                    compilerMillis.addAndGet(rounds.incrementAndGet() < 6 ? 1_000 : 0);
                },
                compilerMillis::get);

        assertThat(rounds).hasValue(6);
    }
}
