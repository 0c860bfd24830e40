package dev.outboard.fabric.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.NotificationHandle;
import dev.outboard.testkit.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WaitPointTest {
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    private final List<String> log = new ArrayList<>();
    private final WaitPoint point = new WaitPoint(new LoggingDrivers());

    private final class LoggingDrivers implements Drivers {
        @Override
        public void add(WaitPoint added) {
            log.add("added");
        }

        @Override
        public void remove(WaitPoint removed) {
            assertThat(removed).isSameAs(point);
            log.add("removed");
        }

        @Override
        public void notified(WaitPoint told) {
            assertThat(told).isSameAs(point);
            log.add("notified");
        }

        @Override
        public boolean drive() {
            throw new AssertionError("a wait point does not drive");
        }

        @Override
        public boolean await(WaitPoint where, long timeoutNanos) {
            throw new AssertionError("a wait point does not await");
        }

        @Override
        public <T> @Nullable T take(BlockingQueue<T> queue, long timeoutNanos) {
            throw new AssertionError("a wait point does not take");
        }

        @Override
        public void close() {
            throw new AssertionError("a wait point does not close its device");
        }
    }

    private final class LoggingHandle implements NotificationHandle {
        @Override
        public int fileDescriptor() {
            return 0;
        }

        @Override
        public void signal() {
            log.add("signalled, notified: " + point.isNotified());
        }

        @Override
        public void clear() {
            log.add("cleared");
        }

        @Override
        public void close() {
            log.add("closed");
        }
    }

    private Thread parked(Thread.Builder builder) {
        Thread thread = builder.start(() -> point.park(LONG, () -> true));
        Eventually.until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return thread;
    }

    @Test
    void aNotificationStaysUntilItIsTakenOrForgotten() {
        assertThat(point.isNotified()).isFalse();
        assertThat(point.takeNotified()).isFalse();

        point.wake();
        assertThat(point.isNotified()).isTrue();
        assertThat(point.isNotified()).isTrue();
        assertThat(point.takeNotified()).isTrue();
        assertThat(point.takeNotified()).isFalse();

        point.wake();
        point.forget();
        assertThat(point.isNotified()).isFalse();
        assertThat(log).as("nobody sleeps here").containsExactly("added", "notified", "notified");
    }

    @Test
    void eachNotificationSignalsTheHandle() {
        point.attach(new LoggingHandle());
        point.wake();
        assertThat(log).containsExactly("added", "signalled, notified: true", "notified");
        log.clear();

        point.attach(new LoggingHandle());
        assertThat(log).as("at once").containsExactly("signalled, notified: true");
    }

    @Test
    void aNotificationWakesTheSleeper() throws InterruptedException {
        Thread sleeper = parked(Thread.ofPlatform().daemon());
        point.wake();
        sleeper.join();
        assertThat(log).as("whoever drives need not know").containsExactly("added");

        point.park(LONG, () -> true);
        point.forget();
        point.park(1, () -> true);
        assertThat(point.unparkToLead()).as("nobody sleeps any more").isFalse();
    }

    /// Who leaves the lead in that moment wakes it.
    @Test
    void aSleeperIsFoundBeforeItAsksWhetherItMaySleep() {
        point.park(LONG, point::unparkToLead);
        point.park(LONG, () -> false);
    }

    @Test
    void onlyAPlatformThreadIsWokenToLead() throws InterruptedException {
        Thread sleeper = parked(Thread.ofPlatform().daemon());
        assertThat(point.unparkToLead()).isTrue();
        sleeper.join();

        Thread virtual = parked(Thread.ofVirtual());
        assertThat(point.unparkToLead()).isFalse();
        assertThat(virtual.isAlive()).isTrue();
        point.wake();
        virtual.join();
    }

    @Test
    void closingEndsTheWaitForGood() throws InterruptedException {
        Thread sleeper = parked(Thread.ofPlatform().daemon());
        assertThat(point.isClosed()).isFalse();
        point.close();
        sleeper.join();
        assertThat(point.isClosed()).isTrue();
        assertThat(point.isNotified()).isFalse();
        assertThat(log).containsExactly("added", "removed");
        point.park(LONG, () -> true);
    }

    @Test
    void whoeverDrivesIsToldOfAWaitThatIsAbandoned() {
        point.abandon();
        assertThat(point.isClosed()).isTrue();
        assertThat(log).containsExactly("added", "notified");
    }
}
