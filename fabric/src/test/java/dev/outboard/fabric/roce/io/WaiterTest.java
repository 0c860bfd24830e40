package dev.outboard.fabric.roce.io;

import static dev.outboard.fabric.roce.io.Traffic.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.roce.wire.IcrcVerifier.Policy;
import dev.outboard.testkit.Eventually;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaiterTest {
    private static final long LONG = TimeUnit.SECONDS.toNanos(30);
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(1);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final UdpSocket socket = Loopback.bind();
    private final Waiter waiter = new Waiter(socket);
    private final String name = "waits" + NUMBER.incrementAndGet();
    private final ExecutorService other =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().name(name).factory());

    @AfterEach
    void close() {
        other.shutdownNow();
        waiter.close();
        socket.close();
    }

    @Test
    void endsWhenTheTimeHasPassed() {
        assertThat(waiter.await(SHORT)).isFalse();
        assertThat(waiter.await(0)).isFalse();
        assertThat(waiter.await(-1)).isFalse();
    }

    @Test
    void endsWhenAPacketIsThere() {
        try (UdpSocket sender = Loopback.bind()) {
            Transmitter transmitter = Transmitter.open(sender, new Traffic.Listener());
            Traffic.send(transmitter, Loopback.path(sender, socket), 0, payload(8));
            transmitter.flush(0);

            assertThat(waiter.await(LONG)).isTrue();
            assertThat(Traffic.receive(socket, new Receiver(socket, Policy.STRICT), 1)).hasSize(1);
            assertThat(waiter.await(SHORT)).isFalse();
        }
    }

    @Test
    void aWakeUpWhileNobodyWaitsEndsTheNextWaitOnly() {
        waiter.wake();
        waiter.wake();

        assertThat(waiter.await(LONG)).isTrue();
        assertThat(waiter.await(SHORT)).isFalse();
        waiter.wake();
        assertThat(waiter.await(0)).isTrue();
        assertThat(waiter.await(0)).isFalse();
    }

    @Test
    void everyWakeUpFromAnotherThreadArrives() throws Exception {
        int rounds = 20_000;
        AtomicInteger published = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        Waiter back = new Waiter();
        Future<?> waking =
                other.submit(() -> {
                    for (int i = 1; i <= rounds; i++) {
                        published.set(i);
                        waiter.wake();
                        while (seen.get() < i) {
                            back.await(LONG);
                        }
                    }
                });
        for (int i = 1; i <= rounds; i++) {
            while (published.get() < i) {
                assertThat(waiter.await(LONG)).as("wake-up %d", i).isTrue();
            }
            seen.set(i);
            back.wake();
        }
        waking.get();
        back.close();
    }

    @Test
    void closingEndsAWaitAndForbidsTheNext() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        Future<?> ended =
                other.submit(() -> {
                    waiting.countDown();
                    while (waiter.await(LONG)) {}
                });
        waiting.await();
        Eventually.until(this::isOtherAsleep);
        waiter.close();
        waiter.close();

        // Whether it was in the wait already or just before it: it hears of the end.
        assertThatThrownBy(() -> ended.get(20, TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> waiter.await(LONG)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> waiter.await(0)).isInstanceOf(IllegalStateException.class);
        waiter.wake();
    }

    @Test
    void aWakeUpEndsTheWaitThatIsGoingOnAndNoOther() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        Future<Boolean> ended =
                other.submit(() -> {
                    waiting.countDown();
                    return waiter.await(LONG);
                });
        waiting.await();
        Eventually.until(this::isOtherAsleep);
        waiter.wake();

        assertThat(ended.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(waiter.await(SHORT)).isFalse();
    }

    @Test
    void holdsNoDescriptorAfterAWait() {
        OpenFiles files = new OpenFiles();
        UdpSocket another = Loopback.bind();
        Waiter ofBoth = new Waiter(socket, another);
        assertThat(files.opened()).hasSize(2);
        ofBoth.await(SHORT);
        another.close();
        ofBoth.close();

        assertThat(files.opened()).isEmpty();
    }

    @Test
    void aClosedSocketIsNotWaitedFor() {
        socket.close();

        assertThatThrownBy(() -> waiter.await(LONG))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(socket.localAddress().getHostAddress());
    }

    /// The other thread sleeps in its wait, if not for a moment elsewhere, which does no harm.
    private boolean isOtherAsleep() {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                if (Files.readString(task.resolve("stat")).contains("(" + name + ") S")) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false; // a thread has ended meanwhile
        }
    }
}
