package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A peer that does not answer (roce.md 3.8).
class TimeoutTest {
    private static final long UNIT_NANOS = 4_096;

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 8, 14, 19, 31})
    @Requirement("ROCE-RC-17")
    void resendsFromTheOldestPacketWhenTheTimeoutHasPassed(int code) {
        var bench = new QueuePairBench().retries(code, 7).connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 300));
        bench.transmit();
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        bench.sendCompletions();
        long startedAt = bench.now;

        List<TestPacket> resent = runToTimeout(bench, 1);

        assertThat(bench.now - startedAt).isEqualTo(UNIT_NANOS << code);
        assertThat(resent)
                .extracting(packet -> packet.psn)
                .containsExactly(bench.sendPsn(1), bench.sendPsn(2));
        assertThat(bench.sendCompletions()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    @Requirement("ROCE-RC-17")
    void givesUpAfterThatManyRetries(int retryCount) {
        int code = 10;
        var bench = new QueuePairBench().retries(code, retryCount).connect();
        bench.post(bench.send(1, 0).signaled(false));
        bench.post(bench.send(2, 0));
        bench.transmit();
        long startedAt = bench.now;

        for (int timeout = 1; timeout <= retryCount; timeout++) {
            assertThat(runToTimeout(bench, timeout)).hasSize(2);
            assertThat(bench.sendCompletions()).isEmpty();
        }
        assertThat(runToTimeout(bench, retryCount + 1)).isEmpty();

        assertThat(bench.now - startedAt).isEqualTo((retryCount + 1) * (UNIT_NANOS << code));
        assertThat(bench.sendCompletions()).containsExactly("1 RETRY_EXCEEDED", flushed(2));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(bench.queuePair.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Requirement("ROCE-RC-17")
    void neverGivesUpWithoutATimeout() {
        var bench = new QueuePairBench().retries(0, 0).connect();
        bench.post(bench.send(1, 0));
        bench.transmit();

        for (int i = 0; i < 10_000; i++) {
            bench.runTimer();
        }

        assertThat(bench.counter(QueuePairCounter.TIMEOUTS)).isZero();
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        assertThat(bench.sendCompletions()).containsExactly(success(1));
    }

    @Test
    @Requirement("ROCE-RC-17")
    void hasAllRetriesAgainAfterProgress() {
        var bench = new QueuePairBench().retries(8, 1).connect();
        for (int i = 0; i < 5; i++) {
            bench.post(bench.send(i, 0));
        }
        bench.transmit();

        for (int i = 0; i < 5; i++) {
            assertThat(runToTimeout(bench, i + 1)).hasSizeLessThanOrEqualTo(5 - i).isNotEmpty();
            bench.deliver(TestPacket.ack(bench.sendPsn(i)));
            bench.transmit();
        }

        assertThat(bench.sendCompletions()).hasSize(5).allMatch(each -> each.endsWith("SUCCESS"));
    }

    @Test
    void tellsWhoRunsItsTimerOfTimeoutsOnly() {
        var bench = new QueuePairBench().retries(18, 7).connect();
        bench.post(bench.send(1, 0));
        bench.transmit();

        long probe = bench.queuePair.deadlineNanos();
        assertThat(probe).isLessThan(bench.now + (UNIT_NANOS << 18));
        assertThat(bench.queuePair.onTimer(probe)).isFalse();
        assertThat(bench.queuePair.onTimer(bench.now + (UNIT_NANOS << 18))).isTrue();
        bench.queuePair.fail();
        assertThat(bench.queuePair.onTimer(bench.now + (UNIT_NANOS << 20))).isFalse();
    }

    @Test
    void onlyTwoPacketsLeaveAfterATimeout() {
        var bench = new QueuePairBench().retries(8, 7).connect();
        bench.post(bench.send(1, 20 * 256));
        assertThat(bench.transmit()).hasSize(20);

        assertThat(runToTimeout(bench, 1)).hasSize(2);
    }

    /// An acknowledgement of a later packet says that the response is lost; it goes again anyway.
    @Test
    void anAnswerThatComesAfterTheTimeoutCostsNoRetry() {
        var bench = new QueuePairBench().retries(8, 1).connect();
        bench.post(new SendRequest().id(1).read(0x1000, 0x5EED).payload(bench.region, 0, 10));
        bench.post(bench.send(2, 0));
        bench.transmit();
        while (bench.counter(QueuePairCounter.TIMEOUTS) == 0) {
            bench.elapse(bench.queuePair.deadlineNanos() - bench.now);
        }

        bench.deliver(TestPacket.ack(bench.sendPsn(1)));

        assertThat(bench.sendCompletions()).isEmpty();
        assertThat(bench.transmit()).hasSize(2);
    }

    @Test
    void theTimeoutStartsAgainWithProgress() {
        int code = 8;
        var bench = new QueuePairBench().retries(code, 7).connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.transmit();

        bench.elapse((UNIT_NANOS << code) - 1);
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        bench.elapse((UNIT_NANOS << code) - 1);

        assertThat(bench.counter(QueuePairCounter.TIMEOUTS)).isZero();
        bench.elapse(1);
        assertThat(bench.counter(QueuePairCounter.TIMEOUTS)).isEqualTo(1);
    }

    @Test
    void noTimerRunsWhileNothingIsOutstanding() {
        var bench = new QueuePairBench().connect();
        assertThat(bench.queuePair.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        bench.post(bench.send(1, 300));
        bench.transmit();
        assertThat(bench.queuePair.deadlineNanos()).isLessThan(Long.MAX_VALUE);

        bench.deliver(TestPacket.ack(bench.sendPsn(1)));

        assertThat(bench.queuePair.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /// Probes are for finding losses early; they get rarer, so that a dead peer costs little.
    @Test
    void probesGetRarer() {
        var bench = new QueuePairBench().retries(0, 7).connect();
        bench.post(bench.send(1, 0));
        bench.transmit();
        long startedAt = bench.now;

        while (bench.now - startedAt < 60_000_000_000L) {
            bench.runTimer();
        }

        assertThat(bench.counter(QueuePairCounter.PROBES)).isBetween(10L, 500L);
    }

    /// Runs timers, probes included, until that many timeouts were counted.
    private static List<TestPacket> runToTimeout(QueuePairBench bench, int count) {
        List<TestPacket> sent = List.of();
        while (bench.counter(QueuePairCounter.TIMEOUTS) < count) {
            sent = bench.runTimer();
        }
        return sent;
    }
}
