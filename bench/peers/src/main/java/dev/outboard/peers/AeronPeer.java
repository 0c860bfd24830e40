package dev.outboard.peers;

import io.aeron.Aeron;
import io.aeron.ConcurrentPublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/// Messages over UDP with Aeron: two media drivers on loopback, each driven by the thread that uses
/// it, both spinning: the least that two processors can do. Between measurements another thread
/// drives both now and then, or their connections would time out.
final class AeronPeer implements Measured {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final int STREAM = 1;
    private static final int TERM_BYTES = 16 << 20;
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int FRAGMENTS = 16;

    /// The most that Aeron takes. Fewer bytes per datagram are more system calls.
    private static final int MTU = 65_504;

    private static final long KEEP_ALIVE_NANOS = 100_000_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final RoundTrips trips = new RoundTrips();
    private final boolean echoes;
    private final UnsafeBuffer message;
    private final Side near;
    private final Side far;
    private volatile boolean stopping;
    private boolean closed;

    AeronPeer(int bytes, boolean echoes) {
        this.echoes = echoes;
        message = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes));
        int port = 20_000 + (int) (ProcessHandle.current().pid() % 20_000);
        near = new Side(port, port + 1);
        far = new Side(port + 1, port);
        Thread.ofPlatform().daemon().start(this::keepAlive);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::close));
    }

    /// Its files take 180 MB of memory until they are deleted.
    private synchronized void close() {
        closed = true;
        near.close();
        far.close();
    }

    private void keepAlive() {
        while (true) {
            LockSupport.parkNanos(KEEP_ALIVE_NANOS);
            synchronized (this) {
                if (closed) {
                    return;
                }
                near.drive();
                far.drive();
                far.poll();
            }
        }
    }

    @Override
    public synchronized double measure(long nanos) throws Exception {
        stopping = false;
        Thread thread = Thread.ofPlatform().daemon().start(far::serve);
        while (!near.publication.isConnected() || !far.publication.isConnected()) {
            near.drive();
        }
        double result = echoes ? trips.median(nanos, this::call) : stream(nanos);
        stopping = true;
        thread.join();
        return result;
    }

    private void call() {
        near.send(message, message.capacity());
        near.received = 0;
        while (near.received == 0) {
            near.drive();
            near.poll();
        }
    }

    private double stream(long nanos) {
        long before = far.received;
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            near.send(message, message.capacity());
        }
        long arrived = far.received - before;
        return arrived * NANOS_PER_SECOND / (System.nanoTime() - start);
    }

    private final class Side {
        private final MediaDriver driver;
        private final Aeron aeron;
        private final ConcurrentPublication publication;
        private final Subscription subscription;
        private final FragmentHandler handler;
        private volatile long received;

        Side(int local, int remote) {
            driver =
                    MediaDriver.launchEmbedded(
                            new MediaDriver.Context()
                                    .aeronDirectoryName(
                                            "/dev/shm/aeron-outboard-%d-%d"
                                                    .formatted(
                                                            ProcessHandle.current().pid(),
                                                            NUMBER.incrementAndGet()))
                                    .threadingMode(ThreadingMode.INVOKER)
                                    .publicationTermBufferLength(TERM_BYTES)
                                    .initialWindowLength(WINDOW_BYTES)
                                    .socketRcvbufLength(2 * WINDOW_BYTES)
                                    .socketSndbufLength(2 * WINDOW_BYTES)
                                    .mtuLength(MTU)
                                    // Its thread would wake up all the time.
                                    .asyncExecutorEnabled(false)
                                    .dirDeleteOnStart(true)
                                    .dirDeleteOnShutdown(true));
            aeron =
                    Aeron.connect(
                            new Aeron.Context()
                                    .aeronDirectoryName(driver.aeronDirectoryName())
                                    .driverAgentInvoker(driver.sharedAgentInvoker())
                                    .useConductorAgentInvoker(true));
            subscription = aeron.addSubscription(channel(local), STREAM);
            publication = aeron.addPublication(channel(remote), STREAM);
            handler =
                    (buffer, offset, length, header) -> {
                        if (echoes && this == far) {
                            message.putBytes(0, buffer, offset, length);
                            send(message, length);
                        }
                        count(length);
                    };
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // one thread counts
        private void count(int length) {
            received += length;
        }

        private static String channel(int port) {
            return "aeron:udp?endpoint=127.0.0.1:" + port;
        }

        void drive() {
            driver.sharedAgentInvoker().invoke();
            aeron.conductorAgentInvoker().invoke();
        }

        void poll() {
            subscription.poll(handler, FRAGMENTS);
        }

        void send(UnsafeBuffer from, int length) {
            while (publication.offer(from, 0, length) < 0) {
                drive();
                Thread.onSpinWait();
            }
            drive();
        }

        void close() {
            aeron.close();
            driver.close();
        }

        void serve() {
            while (!stopping) {
                drive();
                poll();
            }
        }
    }
}
