package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NotificationHandle;
import dev.outboard.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Completion channels on every provider.
public abstract class CompletionChannelContract {
    private static final long PATIENCE = Duration.ofSeconds(30).toNanos();

    private Device device;
    private CompletionChannel channel;
    private VerbsEnd sender;
    private VerbsEnd receiver;

    /// Opens a device that reaches itself.
    protected abstract Device open();

    @BeforeEach
    void create() {
        device = open();
        channel = device.createCompletionChannel();
        sender = new VerbsEnd(device).create();
        receiver = new VerbsEnd(device);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        device.close();
    }

    @Test
    void anyOfItsQueuesEndsTheWait() {
        CompletionQueue idle = device.createCompletionQueue(4, channel);
        CompletionQueue busy = connectedQueue();
        idle.requestNotification(false);
        busy.requestNotification(false);
        sender.post(sender.message(1));

        assertThat(channel.await(PATIENCE)).isTrue();

        assertThat(Completions.await(busy).id()).isEqualTo(1);
        assertThat(idle.poll(new Completion())).isFalse();
    }

    @Test
    void withoutNotificationTheTimeEndsTheWait() {
        CompletionQueue busy = connectedQueue();
        sender.post(sender.message(1));

        assertThat(channel.await(1_000_000)).isFalse();

        assertThat(Completions.await(busy).id()).isEqualTo(1);
    }

    @Test
    void aWakeUpIsKeptForTheNextWait() {
        channel.wake();
        assertThat(channel.await(PATIENCE)).isTrue();
        assertThat(channel.await(1_000)).isFalse();
    }

    @Test
    void aWakeUpEndsTheWaitOfTheThreadThatSleepsOnTheSocket() throws Exception {
        try (var executor = Executors.newSingleThreadExecutor()) {
            var waiting = new CompletableFuture<Thread>();
            var woken =
                    executor.submit(() -> {
                        waiting.complete(Thread.currentThread());
                        return channel.await(PATIENCE);
                    });
            waiting.get();
            channel.wake();
            assertThat(woken.get()).isTrue();
        }
    }

    /// While nobody drives: the device serves itself.
    @Test
    void aNotificationMakesAnAttachedHandleReadable() throws Exception {
        try (NotificationHandle handle = device.createNotificationHandle()) {
            CompletionQueue queue = connectedQueue();
            channel.attach(handle);
            queue.requestNotification(false);
            assertThat(isReadable(handle)).isFalse();

            sender.post(sender.message(1));
            Eventually.until(() -> isReadable(handle));
            handle.clear();

            assertThat(isReadable(handle)).isFalse();
            assertThat(Completions.await(queue).id()).isEqualTo(1);
        }
    }

    @Test
    void aNotificationOfBeforeMakesItReadableAtOnce() {
        try (NotificationHandle handle = device.createNotificationHandle()) {
            channel.wake();
            channel.attach(handle);
            assertThat(isReadable(handle)).isTrue();
        }
    }

    @Test
    void aClosedHandleIsLeftAlone() {
        NotificationHandle handle = device.createNotificationHandle();
        channel.attach(handle);
        handle.close();
        handle.close();

        channel.wake();
        handle.clear();

        assertThat(channel.await(PATIENCE)).isTrue();
        assertThatThrownBy(handle::fileDescriptor)
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED));
    }

    /// For a thread that waits for several devices: it waits on the channel of one.
    @Test
    void aNotificationWakesAnAttachedChannelOfAnotherDevice() {
        try (Device other = open();
                CompletionChannel waited = other.createCompletionChannel()) {
            CompletionQueue queue = connectedQueue();
            channel.attach(waited);
            assertThat(waited.await(1)).isFalse();
            queue.requestNotification(false);
            sender.post(sender.message(1));
            assertThat(waited.await(PATIENCE)).isTrue();
            assertThat(Completions.await(queue).id()).isEqualTo(1);

            assertThat(waited.await(1)).as("taken").isFalse();
            channel.wake();
            assertThat(waited.await(PATIENCE)).isTrue();
        }
    }

    @Test
    void aNotificationOfBeforeWakesAnAttachedChannelAtOnce() {
        try (Device other = open();
                CompletionChannel waited = other.createCompletionChannel()) {
            channel.wake();
            channel.attach(waited);
            assertThat(waited.await(PATIENCE)).isTrue();
        }
    }

    @Test
    void aConnectionEventMakesTheHandleOfItsChannelReadable() {
        try (NotificationHandle handle = device.createNotificationHandle();
                NotificationHandle other = device.createNotificationHandle();
                ConnectionChannel events = device.createConnectionChannel()) {
            events.attach(handle);
            assertThat(isReadable(handle)).isFalse();
            var self = new InetSocketAddress(device.address(), 1);

            events.createId().resolveAddress(self, Duration.ofSeconds(1));
            events.attach(other);

            assertThat(isReadable(handle)).isTrue();
            assertThat(isReadable(other)).as("attached while an event waits").isTrue();
        }
    }

    /// As `poll` would say: the kernel shows the counter of an eventfd.
    private static boolean isReadable(NotificationHandle handle) {
        Path shown = Path.of("/proc/self/fdinfo/" + handle.fileDescriptor());
        try {
            return Files.readString(shown)
                    .lines()
                    .anyMatch(l -> l.matches("eventfd-count:.*[1-9].*"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The polling thread takes the packets from the socket on which the other one sleeps.
    @Test
    void aThreadThatPollsElsewhereDoesNotSwallowTheNotification() throws Exception {
        CompletionQueue queue = connectedQueue();
        try (var executor = Executors.newSingleThreadExecutor()) {
            for (int id = 2; id < 200; id++) {
                queue.requestNotification(false);
                var woken = executor.submit(() -> channel.await(PATIENCE));
                sender.post(sender.message(id % 16));
                assertThat(sender.completion().status()).isEqualTo(CompletionStatus.SUCCESS);
                while (!woken.isDone()) {
                    sender.completions().poll(new Completion());
                }
                assertThat(woken.get()).as("woken by message " + id).isTrue();
                assertThat(Completions.await(queue).status()).isEqualTo(CompletionStatus.SUCCESS);
                receiver.postReceive(id % 16);
            }
        }
    }

    @Test
    void aVirtualThreadIsParkedUntilACompletionArrives() throws Exception {
        CompletionQueue queue = connectedQueue();
        queue.requestNotification(false);
        FutureTask<Boolean> woken = new FutureTask<>(() -> channel.await(PATIENCE));
        Thread waiting = Thread.ofVirtual().start(woken);
        Eventually.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        sender.post(sender.message(1));

        assertThat(woken.get()).isTrue();
        assertThat(Completions.await(queue).id()).isEqualTo(1);
    }

    @Test
    void closingEndsTheWait() throws Exception {
        try (var executor = Executors.newSingleThreadExecutor()) {
            var woken = executor.submit(() -> channel.await(PATIENCE));
            channel.close();
            assertThat(woken.get()).isFalse();
        }
    }

    @Test
    void itIsClosedAfterItsQueues() {
        CompletionQueue queue = device.createCompletionQueue(4, channel);
        assertThatThrownBy(channel::close)
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.IN_USE));
        queue.close();
        channel.close();
    }

    @Test
    void itTellsWhichQueuesWereNotified() {
        CompletionQueue idle = device.createCompletionQueue(4, channel);
        CompletionQueue busy = connectedQueue();
        idle.requestNotification(false);
        List<CompletionQueue> told = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            busy.requestNotification(false);
            sender.post(sender.message(id));
            assertThat(channel.await(PATIENCE)).isTrue();
            channel.takeNotified(told::add);
            assertThat(Completions.await(busy).id()).isEqualTo(id);
        }
        assertThat(told).containsExactly(busy, busy, busy);

        channel.wake();
        assertThat(channel.await(PATIENCE)).isTrue();
        channel.takeNotified(told::add);
        assertThat(told).as("nobody by a wake-up").hasSize(3);
    }

    @Test
    void itTellsOnceOfAQueueThatWasNotifiedTwice() {
        CompletionQueue queue = connectedQueue();
        for (int id = 1; id <= 2; id++) {
            queue.requestNotification(false);
            sender.post(sender.message(id));
            assertThat(channel.await(PATIENCE)).isTrue();
        }
        List<CompletionQueue> told = new ArrayList<>();
        channel.takeNotified(told::add);
        assertThat(told).containsExactly(queue);
    }

    @Test
    void itDoesNotTellOfAClosedQueue() {
        CompletionQueue queue = connectedQueue();
        queue.requestNotification(false);
        sender.post(sender.message(1));
        assertThat(channel.await(PATIENCE)).isTrue();
        receiver.queuePair().close();
        queue.close();
        channel.takeNotified(closed -> {
            throw new AssertionError(closed + " is closed");
        });
    }

    /// For a thread that calls and waits while another looks after the channel.
    @Test
    void itIsNotToldOfAQueueThatIsAwaitedByItself() throws Exception {
        CompletionQueue queue = connectedQueue();
        for (int id = 1; id <= 8; id++) {
            queue.requestNotification(false);
            FutureTask<Boolean> woken = new FutureTask<>(() -> queue.await(PATIENCE));
            Thread waiting = Thread.ofVirtual().start(woken);
            Eventually.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

            sender.post(sender.message(id));

            assertThat(woken.get()).isTrue();
            assertThat(Completions.await(queue).id()).isEqualTo(id);
        }
        assertThat(channel.await(1)).isFalse();
        channel.takeNotified(told -> {
            throw new AssertionError("told of " + told);
        });
    }

    /// Whoever waits for one queue and whoever waits for all take turns with it.
    @Test
    void aQueueIsAwaitedByItselfOrThroughItsChannelInTurns() {
        CompletionQueue queue = connectedQueue();
        for (int id = 1; id <= 8; id++) {
            queue.requestNotification(false);
            sender.post(sender.message(id));
            boolean isAlone = id % 2 == 0;
            assertThat(isAlone ? queue.await(PATIENCE) : channel.await(PATIENCE)).isTrue();
            assertThat(Completions.await(queue).id()).isEqualTo(id);
        }
    }

    @Test
    void itServesOneDeviceOnly() {
        try (Device other = open()) {
            assertThatThrownBy(() -> other.createCompletionQueue(4, channel))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT));
        }
    }

    /// A queue of the channel, into which the receiver's queue pair completes 16 receives.
    private CompletionQueue connectedQueue() {
        CompletionQueue queue = device.createCompletionQueue(4 * VerbsEnd.DEPTH, channel);
        receiver.create(attributes -> attributes.withReceiveQueue(queue));
        VerbsEnd.connect(sender, receiver);
        for (int id = 1; id <= VerbsEnd.DEPTH; id++) {
            receiver.postReceive(id);
        }
        return queue;
    }
}
