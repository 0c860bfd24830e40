package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NotificationHandle;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Completion channels on every provider.
public abstract class CompletionChannelContract {
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
    void anyOfItsQueuesEndsTheWait() {
        CompletionQueue idle = fixture.device.createCompletionQueue(4, fixture.channel);
        CompletionQueue busy = fixture.connectedQueue();
        idle.requestNotification(false);
        busy.requestNotification(false);
        fixture.sender.post(fixture.sender.message(1));

        assertThat(fixture.channel.await(PATIENCE)).isTrue();

        assertThat(Completions.await(busy).id()).isEqualTo(1);
        assertThat(idle.poll(new Completion())).isFalse();
    }

    @Test
    void whatIsThereIsTakenWithoutAnotherLook() {
        CompletionQueue busy = fixture.connectedQueue();
        busy.requestNotification(false);
        Completion completion = new Completion();
        assertThat(busy.take(completion)).as("before anything came").isFalse();
        fixture.sender.post(fixture.sender.message(1));

        assertThat(fixture.channel.await(PATIENCE)).isTrue();

        assertThat(busy.take(completion)).isTrue();
        assertThat(completion.id()).isEqualTo(1);
        assertThat(busy.take(completion)).as("after all was taken").isFalse();
    }

    @Test
    void withoutNotificationTheTimeEndsTheWait() {
        CompletionQueue busy = fixture.connectedQueue();
        fixture.sender.post(fixture.sender.message(1));

        assertThat(fixture.channel.await(1_000_000)).isFalse();

        assertThat(Completions.await(busy).id()).isEqualTo(1);
    }

    @Test
    void aWakeUpIsKeptForTheNextWait() {
        fixture.channel.wake();
        assertThat(fixture.channel.await(PATIENCE)).isTrue();
        assertThat(fixture.channel.await(1_000)).isFalse();
    }

    @Test
    void aNotificationOfBeforeMakesItReadableAtOnce() {
        try (NotificationHandle handle = fixture.device.createNotificationHandle()) {
            fixture.channel.wake();
            fixture.channel.attach(handle);
            assertThat(ChannelFixture.isReadable(handle)).isTrue();
        }
    }

    @Test
    void aClosedHandleIsLeftAlone() {
        NotificationHandle handle = fixture.device.createNotificationHandle();
        fixture.channel.attach(handle);
        handle.close();
        handle.close();

        fixture.channel.wake();
        handle.clear();

        assertThat(fixture.channel.await(PATIENCE)).isTrue();
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
            CompletionQueue queue = fixture.connectedQueue();
            fixture.channel.attach(waited);
            assertThat(waited.await(1)).isFalse();
            queue.requestNotification(false);
            fixture.sender.post(fixture.sender.message(1));
            assertThat(waited.await(PATIENCE)).isTrue();
            assertThat(Completions.await(queue).id()).isEqualTo(1);

            assertThat(waited.await(1)).as("taken").isFalse();
            fixture.channel.wake();
            assertThat(waited.await(PATIENCE)).isTrue();
        }
    }

    @Test
    void aNotificationOfBeforeWakesAnAttachedChannelAtOnce() {
        try (Device other = open();
                CompletionChannel waited = other.createCompletionChannel()) {
            fixture.channel.wake();
            fixture.channel.attach(waited);
            assertThat(waited.await(PATIENCE)).isTrue();
        }
    }

    @Test
    void aConnectionEventMakesTheHandleOfItsChannelReadable() {
        try (NotificationHandle handle = fixture.device.createNotificationHandle();
                NotificationHandle other = fixture.device.createNotificationHandle();
                ConnectionChannel events = fixture.device.createConnectionChannel()) {
            events.attach(handle);
            assertThat(ChannelFixture.isReadable(handle)).isFalse();
            var self = new InetSocketAddress(fixture.device.address(), 1);

            events.createId().resolveAddress(self, Duration.ofSeconds(1));
            events.attach(other);

            assertThat(ChannelFixture.isReadable(handle)).isTrue();
            assertThat(ChannelFixture.isReadable(other))
                    .as("attached while an event waits")
                    .isTrue();
        }
    }

    @Test
    void itIsClosedAfterItsQueues() {
        CompletionQueue queue = fixture.device.createCompletionQueue(4, fixture.channel);
        assertThatThrownBy(fixture.channel::close)
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.IN_USE));
        queue.close();
        fixture.channel.close();
    }

    @Test
    void itTellsWhichQueuesWereNotified() {
        CompletionQueue idle = fixture.device.createCompletionQueue(4, fixture.channel);
        CompletionQueue busy = fixture.connectedQueue();
        idle.requestNotification(false);
        List<CompletionQueue> told = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            busy.requestNotification(false);
            fixture.sender.post(fixture.sender.message(id));
            assertThat(fixture.channel.await(PATIENCE)).isTrue();
            fixture.channel.takeNotified(told::add);
            assertThat(Completions.await(busy).id()).isEqualTo(id);
        }
        assertThat(told).containsExactly(busy, busy, busy);

        fixture.channel.wake();
        assertThat(fixture.channel.await(PATIENCE)).isTrue();
        fixture.channel.takeNotified(told::add);
        assertThat(told).as("nobody by a wake-up").hasSize(3);
    }

    @Test
    void itTellsOnceOfAQueueThatWasNotifiedTwice() {
        CompletionQueue queue = fixture.connectedQueue();
        for (int id = 1; id <= 2; id++) {
            queue.requestNotification(false);
            fixture.sender.post(fixture.sender.message(id));
            assertThat(fixture.channel.await(PATIENCE)).isTrue();
        }
        List<CompletionQueue> told = new ArrayList<>();
        fixture.channel.takeNotified(told::add);
        assertThat(told).containsExactly(queue);
    }

    @Test
    void itDoesNotTellOfAClosedQueue() {
        CompletionQueue queue = fixture.connectedQueue();
        queue.requestNotification(false);
        fixture.sender.post(fixture.sender.message(1));
        assertThat(fixture.channel.await(PATIENCE)).isTrue();
        fixture.receiver.queuePair().close();
        queue.close();
        fixture.channel.takeNotified(closed -> {
            throw new AssertionError(closed + " is closed");
        });
    }

    /// Whoever waits for one queue and whoever waits for all take turns with it.
    @Test
    void aQueueIsAwaitedByItselfOrThroughItsChannelInTurns() {
        CompletionQueue queue = fixture.connectedQueue();
        for (int id = 1; id <= 8; id++) {
            queue.requestNotification(false);
            fixture.sender.post(fixture.sender.message(id));
            boolean isAlone = id % 2 == 0;
            assertThat(isAlone ? queue.await(PATIENCE) : fixture.channel.await(PATIENCE)).isTrue();
            assertThat(Completions.await(queue).id()).isEqualTo(id);
        }
    }

    @Test
    void itServesOneDeviceOnly() {
        try (Device other = open()) {
            assertThatThrownBy(() -> other.createCompletionQueue(4, fixture.channel))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT));
        }
    }
}
