package dev.outboard.fabric.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.testkit.Eventually;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThreadDriversTest {
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    /// A service thread that is not needed, but does not know, would look some forty times.
    private static final long WHILE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final ScriptedMachine machine = new ScriptedMachine();
    private final Bedroom site = new Bedroom();
    private final Engine engine = new Engine(machine, site);
    private final ThreadDrivers drivers = ThreadDrivers.start(engine, "under test");
    private final WaitPoint point = new WaitPoint(drivers);

    /// A world where nothing happens but sleeping, and that tells who sleeps.
    private static final class Bedroom implements Site {
        private final Semaphore wakeUps = new Semaphore(0);
        private volatile @Nullable Thread sleeper;

        /// Who woke whoever slept or is the next to sleep.
        final List<Thread> wakers = new CopyOnWriteArrayList<>();

        @Override
        public long nowNanos() {
            return System.nanoTime();
        }

        @Override
        public void await(long nanos) {
            sleeper = Thread.currentThread();
            try {
                if (wakeUps.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                    wakeUps.drainPermits();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                sleeper = null;
            }
        }

        @Override
        public void wake() {
            wakers.add(Thread.currentThread());
            wakeUps.release();
        }

        boolean isEmpty() {
            return sleeper == null;
        }

        boolean isSleptInBy(Thread thread) {
            return thread.equals(sleeper) && thread.getState() == Thread.State.TIMED_WAITING;
        }
    }

    private record Waiting(Thread thread, FutureTask<Boolean> result) {
        boolean get() throws Exception {
            return result.get();
        }

        boolean isParkedAt(WaitPoint where) {
            return where.equals(LockSupport.getBlocker(thread))
                    && thread.getState() == Thread.State.TIMED_WAITING;
        }
    }

    @AfterEach
    void close() {
        engine.exclusively(engine::close);
        drivers.close();
    }

    /// The service thread, once it sleeps on the socket.
    private Thread service() {
        Eventually.until(() -> {
            Thread thread = site.sleeper;
            return thread != null && thread.getName().equals("outboard under test");
        });
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("outboard under test"))
                .findFirst()
                .orElseThrow();
    }

    private Waiting await(Thread.Builder builder, WaitPoint where, long timeoutNanos) {
        FutureTask<Boolean> result = new FutureTask<>(() -> drivers.await(where, timeoutNanos));
        return new Waiting(builder.start(result), result);
    }

    /// A thread that awaits and leads. If the service thread comes back in the moment between the
    /// two, it goes on leading and the other one sleeps: then the next one tries.
    private Waiting leader() {
        AtomicReference<Waiting> last = new AtomicReference<>();
        Eventually.until(() -> {
            Waiting waiting = await(Thread.ofPlatform().daemon(), point, LONG);
            last.set(waiting);
            Eventually.until(() -> site.isSleptInBy(waiting.thread()) || waiting.isParkedAt(point));
            if (site.isSleptInBy(waiting.thread())) {
                return true;
            }
            point.wake();
            Eventually.until(waiting.result()::isDone);
            point.forget();
            return false;
        });
        return last.get();
    }

    private Waiting parkedAt(WaitPoint where, Thread.Builder builder) {
        Waiting waiting = await(builder, where, LONG);
        Eventually.until(() -> waiting.isParkedAt(where));
        return waiting;
    }

    @Test
    void theServiceThreadDrivesWhileNobodyElseDoes() {
        Thread service = service();
        assertThat(service.isDaemon()).isTrue();
        for (int i = 0; i < 3; i++) {
            Eventually.until(() -> site.isSleptInBy(service));
            long before = machine.turnsOf(service);
            engine.wake();
            Eventually.until(() -> machine.turnsOf(service) > before);
        }
        assertThat(machine.turns).allSatisfy(turn -> assertThat(turn.receives()).isTrue());
    }

    @Test
    void whileAnApplicationPollsTheServiceThreadStaysOffTheSocket() {
        Thread service = service();
        machine.works = true;
        assertThat(drivers.drive()).isTrue();
        assertThat(machine.turns)
                .anySatisfy(turn -> {
                    assertThat(turn.thread()).isEqualTo(Thread.currentThread());
                    assertThat(turn.receives()).isTrue();
                });
        machine.works = false;
        Eventually.until(() -> {
            engine.wake();
            drivers.drive();
            return site.isEmpty();
        });
        Eventually.until(() -> site.isSleptInBy(service));
    }

    @Test
    void oneThatAwaitsLeadsAndTheServiceThreadFollows() throws Exception {
        Thread service = service();
        Waiting leader = leader();
        assertThat(machine.turnsOf(leader.thread())).isPositive();
        point.wake();
        assertThat(leader.get()).isTrue();
        Eventually.until(() -> site.isSleptInBy(service));
    }

    /// As long as there is a leader nobody needs it: it would only take a processor again and
    /// again.
    @Test
    void whileALeaderSleepsTheServiceThreadDoes() throws Exception {
        Thread service = service();
        Waiting leader = leader();
        Eventually.until(() -> {
            long before = sleepsOf(service);
            LockSupport.parkNanos(WHILE_NANOS);
            return sleepsOf(service) - before <= 1;
        });
        assertThat(site.isSleptInBy(leader.thread())).isTrue();
        point.wake();
        assertThat(leader.get()).isTrue();
    }

    /// How often `thread` went to sleep.
    private static long sleepsOf(Thread thread) {
        return ManagementFactory.getThreadMXBean()
                .getThreadInfo(thread.threadId())
                .getWaitedCount();
    }

    @Test
    void oneOfThoseThatAwaitFollowsTheLeader() throws Exception {
        Waiting leader = leader();
        WaitPoint first = new WaitPoint(drivers);
        WaitPoint second = new WaitPoint(drivers);
        Waiting one = parkedAt(first, Thread.ofPlatform().daemon());
        Waiting two = parkedAt(second, Thread.ofPlatform().daemon());
        assertThat(site.isSleptInBy(leader.thread())).isTrue();
        long turnsOfOne = machine.turnsOf(one.thread());
        long turnsOfTwo = machine.turnsOf(two.thread());

        point.wake();
        assertThat(leader.get()).isTrue();
        Eventually.until(() -> site.isSleptInBy(one.thread()) || site.isSleptInBy(two.thread()));
        boolean isOne = site.isSleptInBy(one.thread());
        assertThat(machine.turnsOf(isOne ? two.thread() : one.thread()))
                .as("the other one sleeps on")
                .isEqualTo(isOne ? turnsOfTwo : turnsOfOne);
        first.wake();
        second.wake();
        assertThat(one.get()).isTrue();
        assertThat(two.get()).isTrue();
    }

    @Test
    void aLeaderWhoseTurnFailsLeadsNoMore() {
        Waiting leader = leader();
        WaitPoint other = new WaitPoint(drivers);
        Waiting follower = parkedAt(other, Thread.ofPlatform().daemon());

        machine.next =
                () -> {
                    throw new IllegalStateException("broken");
                };
        engine.wake();
        assertThatThrownBy(leader::get).hasRootCauseMessage("broken");
        Eventually.until(() -> site.isSleptInBy(follower.thread()));
    }

    @Test
    void aFollowerThatHasItsOwnBeforeItLeadsPassesOn() throws Exception {
        Waiting leader = leader();
        WaitPoint first = new WaitPoint(drivers);
        WaitPoint second = new WaitPoint(drivers);
        Waiting one = parkedAt(first, Thread.ofPlatform().daemon());
        Waiting two = parkedAt(second, Thread.ofPlatform().daemon());

        machine.next =
                () -> {
                    point.wake();
                    machine.next =
                            () ->
                                    (Thread.currentThread().equals(one.thread()) ? first : second)
                                            .wake();
                };
        engine.wake();
        assertThat(leader.get()).isTrue();
        Eventually.until(() -> one.result().isDone() || two.result().isDone());
        Waiting last = one.result().isDone() ? two : one;
        Eventually.until(() -> site.isSleptInBy(last.thread()));
        assertThat(last.result().isDone()).isFalse();
        (last.equals(one) ? first : second).wake();
        assertThat(last.get()).isTrue();
    }

    @Test
    void aFollowerIsWokenWithoutTheLeader() throws Exception {
        Waiting leader = leader();
        WaitPoint other = new WaitPoint(drivers);
        Waiting follower = parkedAt(other, Thread.ofPlatform().daemon());
        site.wakers.clear();

        other.wake();
        assertThat(follower.get()).isTrue();
        other.wake();
        assertThat(site.wakers).isEmpty();
        assertThat(site.isSleptInBy(leader.thread())).isTrue();
        point.wake();
        assertThat(leader.get()).isTrue();
        assertThat(site.wakers).isNotEmpty();
    }

    @Test
    void aLeaderNeedNotWakeItself() throws Exception {
        Waiting leader = leader();
        site.wakers.clear();
        machine.next = point::wake;
        engine.wake();
        assertThat(leader.get()).isTrue();
        assertThat(site.wakers).containsExactly(Thread.currentThread());
    }

    /// It must not hold on to its carrier.
    @Test
    void aVirtualThreadDoesNotLead() throws Exception {
        Thread service = service();
        Waiting virtual = parkedAt(point, Thread.ofVirtual());
        Eventually.until(() -> site.isSleptInBy(service));
        assertThat(virtual.result().isDone()).isFalse();
        point.wake();
        assertThat(virtual.get()).isTrue();
    }

    @Test
    void aWaitEndsWhenTheTimeIsOver() {
        assertThat(drivers.await(point, 0)).isFalse();
        assertThat(drivers.await(point, TimeUnit.MILLISECONDS.toNanos(1))).isFalse();
        point.wake();
        machine.turns.clear();
        assertThat(drivers.await(point, LONG)).isTrue();
        assertThat(machine.turnsOf(Thread.currentThread())).isZero();
    }

    @Test
    void aWaitEndsAlthoughTheWorkNeverDoes() {
        machine.works = true;
        assertThat(drivers.await(point, TimeUnit.MILLISECONDS.toNanos(1))).isFalse();
        assertThat(machine.turnsOf(Thread.currentThread())).isPositive();
        machine.works = false;
    }

    @Test
    void whatOthersAddWhileTheyDriveIsTaken() throws Exception {
        BlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
        assertThat(drivers.take(queue, 1)).isNull();
        FutureTask<@Nullable String> taken = new FutureTask<>(() -> drivers.take(queue, LONG));
        Thread.ofPlatform().daemon().start(taken);
        queue.put("event");
        assertThat(taken.get()).isEqualTo("event");

        Thread.currentThread().interrupt();
        assertThat(drivers.take(queue, LONG)).isNull();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void afterClosingNobodyWaitsOrDrives() throws Exception {
        Thread service = service();
        Waiting leader = leader();
        WaitPoint other = new WaitPoint(drivers);
        Waiting follower = parkedAt(other, Thread.ofPlatform().daemon());
        WaitPoint gone = new WaitPoint(drivers);
        drivers.remove(gone);

        drivers.close();
        assertThat(site.isEmpty()).isTrue();
        assertThat(service.isAlive()).isFalse();
        assertThat(leader.get()).isFalse();
        assertThat(follower.get()).isFalse();
        assertThat(gone.isClosed()).isFalse();
    }

    @Test
    void aDefectInATurnDoesNotEndTheDevice() {
        Thread service = service();
        Errors errors = new Errors();
        Logger logger = Logger.getLogger(ThreadDrivers.class.getName());
        logger.addHandler(errors);
        logger.setUseParentHandlers(false);
        try {
            machine.next =
                    () -> {
                        throw new IllegalStateException("broken");
                    };
            engine.wake();
            Eventually.until(() -> !errors.seen.isEmpty());
            Eventually.until(() -> site.isSleptInBy(service));
            assertThat(errors.seen).containsExactly("outboard under test: the engine failed");
        } finally {
            logger.setUseParentHandlers(true);
            logger.removeHandler(errors);
        }
    }

    private static final class Errors extends Handler {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord logged) {
            assertThat(logged.getLevel()).isEqualTo(Level.SEVERE);
            seen.add(logged.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
