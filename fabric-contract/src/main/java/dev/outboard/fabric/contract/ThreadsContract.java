package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.NotificationHandle;
import dev.outboard.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What several threads do with a device at the same time. A provider passes it whose devices move
/// packets while the application does not call them.
public abstract class ThreadsContract {
    private static final long PATIENCE = Duration.ofSeconds(30).toNanos();

    private ChannelFixture fixture;

    /// Opens a device that reaches itself.
    protected abstract Device open();

    @BeforeEach
    void create() {
        fixture = new ChannelFixture(open());
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aWakeUpEndsTheWaitOfTheThreadThatSleepsOnTheSocket() throws Exception {
        try (var executor = Executors.newSingleThreadExecutor()) {
            var waiting = new CompletableFuture<Thread>();
            var woken =
                    executor.submit(() -> {
                        waiting.complete(Thread.currentThread());
                        return fixture.channel.await(PATIENCE);
                    });
            waiting.get();
            fixture.channel.wake();
            assertThat(woken.get()).isTrue();
        }
    }

    /// While nobody drives: the device serves itself.
    @Test
    void aNotificationMakesAnAttachedHandleReadable() throws Exception {
        try (NotificationHandle handle = fixture.device.createNotificationHandle()) {
            CompletionQueue queue = fixture.connectedQueue();
            fixture.channel.attach(handle);
            queue.requestNotification(false);
            assertThat(ChannelFixture.isReadable(handle)).isFalse();

            fixture.sender.post(fixture.sender.message(1));
            Eventually.until(() -> ChannelFixture.isReadable(handle));
            handle.clear();

            assertThat(ChannelFixture.isReadable(handle)).isFalse();
            assertThat(Completions.await(queue).id()).isEqualTo(1);
        }
    }

    /// The polling thread takes the packets from the socket on which the other one sleeps.
    @Test
    void aThreadThatPollsElsewhereDoesNotSwallowTheNotification() throws Exception {
        CompletionQueue queue = fixture.connectedQueue();
        try (var executor = Executors.newSingleThreadExecutor()) {
            for (int id = 2; id < 200; id++) {
                queue.requestNotification(false);
                var woken = executor.submit(() -> fixture.channel.await(PATIENCE));
                fixture.sender.post(fixture.sender.message(id % 16));
                assertThat(fixture.sender.completion().status())
                        .isEqualTo(CompletionStatus.SUCCESS);
                while (!woken.isDone()) {
                    fixture.sender.completions().poll(new Completion());
                }
                assertThat(woken.get()).as("woken by message " + id).isTrue();
                assertThat(Completions.await(queue).status()).isEqualTo(CompletionStatus.SUCCESS);
                fixture.receiver.postReceive(id % 16);
            }
        }
    }

    @Test
    void aVirtualThreadIsParkedUntilACompletionArrives() throws Exception {
        CompletionQueue queue = fixture.connectedQueue();
        queue.requestNotification(false);
        FutureTask<Boolean> woken = new FutureTask<>(() -> fixture.channel.await(PATIENCE));
        Thread waiting = Thread.ofVirtual().start(woken);
        Eventually.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        fixture.sender.post(fixture.sender.message(1));

        assertThat(woken.get()).isTrue();
        assertThat(Completions.await(queue).id()).isEqualTo(1);
    }

    @Test
    void closingEndsTheWait() throws Exception {
        try (var executor = Executors.newSingleThreadExecutor()) {
            var woken = executor.submit(() -> fixture.channel.await(PATIENCE));
            fixture.channel.close();
            assertThat(woken.get()).isFalse();
        }
    }

    @Test
    void closingAQueueEndsTheWaitForIt() throws Exception {
        CompletionQueue queue = fixture.device.createCompletionQueue(1);
        FutureTask<Boolean> woken =
                new FutureTask<>(() -> queue.await(Duration.ofDays(1).toNanos()));
        Thread.ofVirtual().start(woken);
        queue.close();
        assertThat(woken.get(PATIENCE, TimeUnit.NANOSECONDS)).isFalse();
    }

    /// For a thread that calls and waits while another looks after the channel.
    @Test
    void itIsNotToldOfAQueueThatIsAwaitedByItself() throws Exception {
        CompletionQueue queue = fixture.connectedQueue();
        for (int id = 1; id <= 8; id++) {
            queue.requestNotification(false);
            FutureTask<Boolean> woken = new FutureTask<>(() -> queue.await(PATIENCE));
            Thread waiting = Thread.ofVirtual().start(woken);
            Eventually.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

            fixture.sender.post(fixture.sender.message(id));

            assertThat(woken.get()).isTrue();
            assertThat(Completions.await(queue).id()).isEqualTo(id);
        }
        assertThat(fixture.channel.await(1)).isFalse();
        fixture.channel.takeNotified(told -> {
            throw new AssertionError("told of " + told);
        });
    }

    @Test
    void closingAQueuePairWaitsForTheSink() throws Exception {
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayLeave = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        CompletionQueue queue =
                fixture.device.createCompletionQueue(completion -> {
                    isInside.countDown();
                    awaitQuietly(mayLeave);
                    ended.incrementAndGet();
                });
        fixture.receiver.create(attributes -> attributes.withReceiveQueue(queue));
        VerbsEnd.connect(fixture.sender, fixture.receiver);
        fixture.receiver.postReceive(1);
        CompletableFuture<String> driving =
                CompletableFuture.supplyAsync(() -> {
                    fixture.sender.post(fixture.sender.message(1));
                    return fixture.sender.status();
                });
        isInside.await();
        CompletableFuture<Integer> closing =
                CompletableFuture.supplyAsync(() -> {
                    fixture.receiver.queuePair().close();
                    queue.close();
                    return ended.get();
                });
        assertThat(closing).isNotDone();
        mayLeave.countDown();
        assertThat(closing.get(1, TimeUnit.MINUTES)).isEqualTo(1);
        assertThat(driving.get(1, TimeUnit.MINUTES)).startsWith("1 ");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
