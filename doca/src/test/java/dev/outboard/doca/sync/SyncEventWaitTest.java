package dev.outboard.doca.sync;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.TestDevices;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SyncEventWaitTest {
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final long ALL = -1;

    private DocaDev dev;
    private SyncEvent event;

    @BeforeEach
    void start() {
        dev = TestDevices.open();
        event = new SyncEvent(dev).publisher(Location.CPU).subscriber(Location.CPU).start();
    }

    @AfterEach
    void close() {
        event.close();
        dev.close();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DSE-WAIT-1", "DSE-WAIT-3"})
    void everyFormWaitsForEveryCondition(Spin spin) throws Exception {
        Waiter greater = waiting(() -> event.waitGt(5, 0xFF, spin));
        Waiter equal = waiting(() -> event.waitEq(0x600, 0xFF00, spin));
        Waiter different = waiting(() -> event.waitNeq(0, 0xFF0000, spin));

        event.updateSet(5);
        assertThat(greater.isWaiting()).isTrue();
        event.updateSet(0x0106);
        assertThat(greater.result()).isEqualTo(0x0106);
        assertThat(equal.isWaiting()).isTrue();
        event.updateSet(0x06FF);
        assertThat(equal.result()).isEqualTo(0x06FF);
        assertThat(different.isWaiting()).isTrue();
        event.updateAdd(0x40000);
        assertThat(different.result()).isEqualTo(0x406FF);
    }

    @Test
    @Requirement({"DSE-WAIT-2", "DJAVA-RDMA-3c"})
    void comparesUnsigned() throws Exception {
        Waiter waiter = waiting(() -> event.waitGt(-2, ALL, Spin.PARK));
        event.updateSet(Long.MAX_VALUE);
        assertTimesOut(() -> event.waitGt(-2, ALL, Spin.PARK, SHORT));
        event.updateSet(-2);
        assertTimesOut(() -> event.waitGt(-2, ALL, Spin.PARK, SHORT));
        event.updateSet(-1);
        assertThat(waiter.result()).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("DSE-WAIT-4")
    void aSatisfiedConditionNeedsNoTime(Spin spin) throws Exception {
        event.updateSet(7);
        assertThat(event.waitGt(6, ALL, spin, Duration.ZERO)).isEqualTo(7);
        assertThat(event.waitEq(7, ALL, spin, Duration.ZERO)).isEqualTo(7);
        assertThat(event.waitNeq(8, ALL, spin, Duration.ZERO)).isEqualTo(7);
        assertThat(event.waitEq(0, 0, spin, Duration.ZERO)).isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource({
        "GT, 0, 0",
        "GT, 255, 255",
        "GT, -1, -1",
        "EQ, 1, 0",
        "EQ, 256, 255",
        "EQ, -1, 1",
        "NEQ, 0, 0",
    })
    @Requirement("DSE-WAIT-5")
    void aConditionThatNoValueSatisfiesIsInvalid(Condition condition, long threshold, long mask) {
        event.updateSet(-1);
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> {
                    switch (condition) {
                        case GT -> event.waitGt(threshold, mask, Spin.PARK);
                        case EQ -> event.waitEq(threshold, mask, Spin.PARK);
                        case NEQ -> event.waitNeq(threshold, mask, Spin.PARK);
                    }
                },
                "for ever");
    }

    @ParameterizedTest
    @CsvSource({
        "GT, 254, 255",
        "GT, -2, -1",
        "GT, 9223372036854775807, -1",
        "EQ, 255, 255",
        "EQ, 0, 0",
        "NEQ, 1, 0"
    })
    @Requirement({"DSE-WAIT-5", "DJAVA-RDMA-3c"})
    void aConditionThatOneValueSatisfiesIsNot(Condition condition, long threshold, long mask)
            throws Exception {
        event.updateSet(-1);
        long value =
                switch (condition) {
                    case GT -> event.waitGt(threshold, mask, Spin.PARK);
                    case EQ -> event.waitEq(threshold, mask, Spin.PARK);
                    case NEQ -> event.waitNeq(threshold, mask, Spin.PARK);
                };
        assertThat(value).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("DSE-WAIT-6")
    void givesUpWhenItsTimeIsOver(Spin spin) {
        assertTimesOut(() -> event.waitGt(0, ALL, spin, SHORT));
        assertTimesOut(() -> event.waitEq(1, ALL, spin, SHORT));
        assertTimesOut(() -> event.waitNeq(0, ALL, spin, SHORT));
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("DSE-WAIT-6")
    void endsWhenItsThreadIsInterrupted(Spin spin) throws Exception {
        Waiter waiter = waiting(() -> event.waitGt(0, ALL, spin));
        waiter.thread.interrupt();
        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
    }

    @Test
    @Requirement("DSE-WAIT-7")
    void oneUpdateReleasesEveryoneItSatisfies() throws Exception {
        LongFunction<Waiter> above = n -> waiting(() -> event.waitGt(n, ALL, Spin.PARK));
        List<Waiter> waiters = LongStream.rangeClosed(1, 8).mapToObj(above).toList();
        event.updateAdd(8);
        for (Waiter waiter : waiters.subList(0, 7)) {
            assertThat(waiter.result()).isEqualTo(8);
        }
        assertThat(waiters.getLast().isWaiting()).isTrue();
        event.updateAdd(1);
        assertThat(waiters.getLast().result()).isEqualTo(9);
    }

    @Test
    @Requirement("DSE-WAIT-8")
    void aValueThatIsGoneReleasesNobody() {
        event.updateSet(5);
        event.updateSet(6);
        assertTimesOut(() -> event.waitEq(5, ALL, Spin.YIELD, SHORT));
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DSE-OBJ-8", "DFLT-59"})
    void stoppingTheEventReleasesWhoWaits(Spin spin) throws Exception {
        Waiter greater = waiting(() -> event.waitGt(9, ALL, spin));
        Waiter equal = waiting(() -> event.waitEq(9, ALL, spin, LONG));
        event.stop();
        event.start();
        assertThat(error(greater.failure())).isEqualTo(DocaError.SHUTDOWN);
        assertThat(error(equal.failure())).isEqualTo(DocaError.SHUTDOWN);
    }

    @Test
    @Requirement({"DSE-OBJ-8", "DFLT-59"})
    void closingTheEventReleasesWhoWaits() throws Exception {
        Waiter waiter = waiting(() -> event.waitGt(9, ALL, Spin.PARK));
        event.close();
        assertThat(error(waiter.failure())).isEqualTo(DocaError.SHUTDOWN);
    }

    @Test
    @Requirement({"DJAVA-SE-1", "DSE-WAIT-3"})
    void aParkedThreadUsesNextToNoProcessor() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long wall = System.nanoTime();
        long used = threads.getCurrentThreadCpuTime();
        assertTimesOut(() -> event.waitGt(0, ALL, Spin.PARK, Duration.ofMillis(500)));
        used = threads.getCurrentThreadCpuTime() - used;
        wall = System.nanoTime() - wall;
        assertThat(used).as("CPU nanoseconds in %d", wall).isLessThan(wall / 4);
    }

    @Test
    @Requirement({"DJAVA-SE-1", "DJAVA-SE-2"})
    void parkedVirtualThreadsLeaveTheProcessorsToTheOneThatReleasesThem() throws Exception {
        int count = 10 * Runtime.getRuntime().availableProcessors();
        List<Waiter> waiters =
                LongStream.range(0, count)
                        .mapToObj(_ -> new Waiter(() -> event.waitGt(0, ALL, Spin.PARK)))
                        .toList();
        waiters.forEach(waiter -> waiter.start(Thread.ofVirtual()));
        Eventually.until(() -> waiters.stream().allMatch(Waiter::isWaiting));
        Waiter releaser = new Waiter(() -> event.updateAdd(1));
        releaser.start(Thread.ofVirtual());
        for (Waiter waiter : waiters) {
            assertThat(waiter.result()).isEqualTo(1);
        }
    }

    @Test
    @Requirement({"DSE-OP-1", "DSE-OP-2"})
    void whoeverSeesAValueSeesWhatWasWrittenBefore() throws Exception {
        int rounds = 2_000;
        long[] data = new long[rounds + 1];
        Waiter reader =
                new Waiter(() -> {
                    for (int i = 1; i <= rounds; i++) {
                        event.waitGt(i - 1, ALL, Spin.YIELD);
                        assertThat(data[i]).isEqualTo(~i);
                    }
                    return (long) rounds;
                });
        reader.start(Thread.ofPlatform());
        for (int i = 1; i <= rounds; i++) {
            data[i] = ~i;
            event.updateSet(i);
        }
        assertThat(reader.result()).isEqualTo(rounds);
    }

    private static void assertTimesOut(Wait wait) {
        assertRefused(DocaError.TIME_OUT, wait::call, "was not");
    }

    private static DocaError error(Throwable failure) {
        return ((DocaException) failure).error();
    }

    private static Waiter waiting(Callable<Long> wait) {
        Waiter waiter = new Waiter(wait);
        waiter.start(Thread.ofPlatform());
        Eventually.until(waiter::isWaiting);
        return waiter;
    }

    private interface Wait {
        long call() throws InterruptedException;
    }

    /// A thread that waits.
    private static final class Waiter {
        private final FutureTask<Long> wait;
        private Thread thread;

        Waiter(Callable<Long> wait) {
            this.wait = new FutureTask<>(wait);
        }

        void start(Thread.Builder builder) {
            thread = builder.start(wait);
        }

        /// Whether it is inside the loop of the wait, and not finished.
        boolean isWaiting() {
            return !wait.isDone()
                    && Arrays.stream(thread.getStackTrace())
                            .anyMatch(frame -> frame.getMethodName().equals("await"));
        }

        long result() throws Exception {
            return wait.get(LONG.toSeconds(), TimeUnit.SECONDS);
        }

        Throwable failure() {
            return catchThrowable(this::result).getCause();
        }
    }
}
