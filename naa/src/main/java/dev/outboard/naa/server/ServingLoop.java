package dev.outboard.naa.server;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.naa.link.Polling;
import dev.outboard.naa.server.ConnectionWorker.Visit;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Serves all clients of a [NaaServer] from one thread, which visits whoever's completion queue
/// tells of something. What may take long a client does elsewhere, and comes back.
///
/// Should a visit take long all the same, because a routine hangs that was to be short, its thread
/// is left to it and the loop goes on with another.
final class ServingLoop implements AutoCloseable {
    private static final long LONGEST_VISIT_NANOS = 50_000_000;
    private static final long END_RETRY_NANOS = 1_000_000;

    private final CompletionChannel channel;
    private final long spinNanos;
    private final Queue<ConnectionWorker> arriving = new ConcurrentLinkedQueue<>();
    private volatile Shift shift = new Shift();
    private volatile String name = "";
    private volatile boolean closed;

    // What follows belongs to the thread whose shift it is.

    private final Map<CompletionQueue, ConnectionWorker> clients = new HashMap<>();

    /// Whose queues tell of something.
    private final Queue<CompletionQueue> notified = new ArrayDeque<>();

    private long servedNanos = System.nanoTime();
    private final Lookout lookout = new Lookout(servedNanos);

    /// A loop without clients.
    ///
    /// @param spin how long it polls before it sleeps
    ServingLoop(Device device, Duration spin) {
        this.channel = device.createCompletionChannel();
        this.spinNanos = Polling.nanos(spin);
    }

    /// Where the queues of its clients report to.
    CompletionChannel channel() {
        return channel;
    }

    /// Serves its clients from now on.
    ///
    /// @param threadName of its thread
    void start(String threadName) {
        name = threadName;
        shift.start();
    }

    /// Serves `client` from now on, until a visit tells that it leaves. Any thread.
    void add(ConnectionWorker client) {
        arriving.add(client);
        channel.wake();
    }

    /// Goes on with another thread if a visit takes too long. Called now and then, by one thread at
    /// a time.
    void rescue() {
        ConnectionWorker client = shift.takeOver();
        if (client != null) {
            clients.remove(client.queue());
            shift = new Shift();
            shift.start();
        }
    }

    /// Ends the loop, which has no clients any more. A visit that goes on is left to its thread.
    @Override
    public void close() {
        closed = true;
        channel.wake();
        while (!shift.awaitEnd()) {
            rescue();
        }
        channel.close();
    }

    /// What one thread does of the loop's work: everything, until a visit takes too long.
    private final class Shift {
        private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::work);
        private final AtomicReference<@Nullable ConnectionWorker> visited = new AtomicReference<>();
        private volatile long visitedSinceNanos;

        void start() {
            thread.setName(name);
            thread.start();
        }

        /// Waits a moment for its end, which comes when the loop is closed.
        boolean awaitEnd() {
            LockSupport.parkNanos(this, END_RETRY_NANOS);
            return !thread.isAlive();
        }

        /// Takes the loop's work from the thread if a visit takes too long.
        ///
        /// @return whom it visits; null if it goes on
        @Nullable ConnectionWorker takeOver() {
            ConnectionWorker client = visited.get();
            boolean isLate =
                    client != null && System.nanoTime() - visitedSinceNanos > LONGEST_VISIT_NANOS;
            return isLate && visited.compareAndSet(client, null) ? client : null;
        }

        private void work() {
            boolean goesOn = true;
            while (goesOn && !closed) {
                welcome();
                channel.takeNotified(notified::add);
                if (notified.isEmpty()) {
                    idle();
                } else {
                    goesOn = visitNotified();
                }
                if (goesOn && lookout.nanosLeft(System.nanoTime()) <= 0) {
                    lookAfterAll();
                }
            }
        }

        /// What came for them before is not told again.
        private void welcome() {
            ConnectionWorker client = arriving.poll();
            while (client != null) {
                clients.put(client.queue(), client);
                notified.add(client.queue());
                client = arriving.poll();
            }
        }

        private boolean visitNotified() {
            boolean goesOn = true;
            while (goesOn && !notified.isEmpty()) {
                CompletionQueue queue = notified.remove();
                ConnectionWorker client = clients.get(queue);
                if (client != null) {
                    queue.requestNotification(false);
                    goesOn = visit(client);
                }
            }
            return goesOn;
        }

        /// NAA-POLL-6: polls for a while, then sleeps.
        private void idle() {
            long now = System.nanoTime();
            if (now - servedNanos < spinNanos) {
                Thread.onSpinWait();
                channel.await(0);
            } else {
                channel.await(lookout.nanosLeft(now));
            }
        }

        /// @return false if another thread has taken over meanwhile
        private boolean visit(ConnectionWorker client) {
            visitedSinceNanos = System.nanoTime();
            visited.set(client);
            Visit visit = client.visit();
            if (!visited.compareAndSet(client, null)) {
                if (visit != Visit.LEAVES) {
                    add(client);
                }
                return false;
            }
            if (visit == Visit.LEAVES) {
                clients.remove(client.queue());
                return true;
            }
            long now = System.nanoTime();
            if (visit == Visit.SERVED) {
                servedNanos = now;
            }
            lookout.due(now, client.nanosUntilDue());
            return true;
        }

        /// Sees to what no completion tells.
        private void lookAfterAll() {
            long first = Long.MAX_VALUE;
            long start = System.nanoTime();
            for (ConnectionWorker client : List.copyOf(clients.values())) {
                if (client.look()) {
                    first = Math.min(first, client.nanosUntilDue());
                } else {
                    clients.remove(client.queue());
                }
            }
            lookout.looked(start, System.nanoTime(), first);
        }
    }
}
