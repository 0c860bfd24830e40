package dev.outboard.naa.client;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.link.Link;
import dev.outboard.naa.link.Polling;
import dev.outboard.naa.link.Turn;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The asynchronous RPCs of the clients of a device, and the one thread that follows them all. It
/// starts with the first such RPC, sleeps while there is none, and ends with the device.
///
/// The completion queues of the clients report to one channel, which the thread waits for: the
/// first completion of an RPC tells it of that. A client that calls and waits does so on its queue
/// alone, without this thread.
///
/// What depends on a future runs on a virtual thread: it may block, call or close any client.
///
/// NAA-MW-20: the threads of the callers are free.
final class AsyncRpcs implements AutoCloseable {
    private static final Executor DEPENDENTS = Thread::startVirtualThread;

    private static final long SPIN_NANOS = Polling.nanos(Duration.ofNanos(20_000));

    private final Device device;
    private final CompletionChannel channel;
    private final Map<CompletionQueue, AsyncRpc> running = new ConcurrentHashMap<>();

    /// Those of which a completion was told before they were the thread's.
    private final Queue<AsyncRpc> told = new ConcurrentLinkedQueue<>();

    private volatile @Nullable Thread thread;

    /// There is no RPC, and the thread sleeps until it is woken.
    private volatile boolean isIdle;

    private volatile boolean closed;

    /// When the thread looks at all RPCs; its own.
    private long nextLook = System.nanoTime();

    /// Whose an RPC is.
    private enum Owner {
        CALLER,
        /// The caller's, and a completion has come.
        CALLER_TOLD,
        THREAD
    }

    /// An RPC, and the turn of its client, which is given back when it has ended.
    private record AsyncRpc(
            ClientEnd client,
            CompletionQueue queue,
            Turn turn,
            CompletableFuture<RpcResult> future,
            AtomicReference<Owner> owner) {

        /// The caller has started it.
        ///
        /// @return whether a completion was told meanwhile
        boolean handOver() {
            return owner.getAndSet(Owner.THREAD) == Owner.CALLER_TOLD;
        }

        /// Whether the thread may handle what it was told; otherwise the caller learns of it.
        boolean isHandedOver() {
            return owner.compareAndExchange(Owner.CALLER, Owner.CALLER_TOLD) == Owner.THREAD;
        }
    }

    AsyncRpcs(Device device) {
        this.device = device;
        this.channel = device.createCompletionChannel();
    }

    /// A completion queue for a client whose RPCs may be followed here.
    CompletionQueue createQueue(int capacity) {
        return device.createCompletionQueue(capacity, channel);
    }

    /// Starts an RPC and follows it.
    ///
    /// @param turn of the client; it is given back before the future completes, so that who waits
    ///   may call again
    /// @param queue of the client, which [#createQueue] made
    /// @throws RuntimeException if the RPC cannot be started; the turn is still taken then
    CompletableFuture<RpcResult> start(
            ClientEnd client, CompletionQueue queue, Turn turn, Duration limit) {
        AsyncRpc rpc =
                new AsyncRpc(
                        client,
                        queue,
                        turn,
                        new CompletableFuture<>(),
                        new AtomicReference<>(Owner.CALLER));
        running.put(queue, rpc);
        queue.requestNotification(false);
        try {
            client.startRpc(limit);
        } catch (RuntimeException e) {
            running.remove(queue);
            throw e;
        }
        boolean wasTold = rpc.handOver();
        if (wasTold) {
            told.add(rpc);
        }
        if (thread == null) {
            begin();
        } else if (isIdle) {
            LockSupport.unpark(thread);
        }
        // Also a thread that looks idle, but has seen this RPC already, waits for the channel.
        if (wasTold) {
            channel.wake();
        }
        return rpc.future();
    }

    private synchronized void begin() {
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("naa-rpcs").start(this::run);
        }
    }

    private void run() {
        while (!closed) {
            channel.takeNotified(this::handle);
            for (AsyncRpc rpc = told.poll(); rpc != null; rpc = told.poll()) {
                handle(rpc.queue());
            }
            if (System.nanoTime() - nextLook >= 0) {
                lookAtAll();
            }
            await();
        }
    }

    /// Waits for a completion, the next look or, if there is no RPC, for one to start.
    private void await() {
        isIdle = true;
        // One that starts from here on wakes the thread.
        boolean isAlone = running.isEmpty() && !closed;
        if (isAlone) {
            LockSupport.park(this);
        }
        isIdle = false;
        long now = System.nanoTime();
        if (!isAlone && !poll(now)) {
            channel.await(nextLook - now);
        }
    }

    /// The next completion may be near.
    ///
    /// @return whether there is one
    private boolean poll(long start) {
        if (!Polling.begin()) {
            return false;
        }
        try {
            boolean hasCome = channel.await(0);
            while (!hasCome && System.nanoTime() - start < SPIN_NANOS) {
                Thread.onSpinWait();
                hasCome = channel.await(0);
            }
            return hasCome;
        } finally {
            Polling.end();
        }
    }

    /// Handles what has come into a queue that was notified.
    private void handle(CompletionQueue queue) {
        AsyncRpc rpc = running.get(queue);
        // A client that waits by itself may have requested the notification.
        if (rpc != null && rpc.isHandedOver()) {
            advance(rpc);
        }
    }

    /// Looks at what no completion tells: time limits, and whether a large answer began.
    private void lookAtAll() {
        nextLook = System.nanoTime() + Link.SLICE_NANOS;
        for (AsyncRpc rpc : running.values()) {
            if (rpc.owner().get() == Owner.THREAD) {
                advance(rpc);
            }
        }
    }

    /// Handles what has come for an RPC, and looks again when it wants.
    private void advance(AsyncRpc rpc) {
        ClientEnd client = rpc.client();
        try {
            /// NAA-POLL-4: a completion may have come before the queue was armed.
            rpc.queue().requestNotification(false);
            client.handleArrived();
            if (client.isRpcRunning()) {
                long now = System.nanoTime();
                nextLook = now + Math.min(client.nanosUntilLook(), nextLook - now);
                return;
            }
            RpcResult result = client.rpcOutcome();
            end(rpc);
            rpc.future().completeAsync(() -> result, DEPENDENTS);
        } catch (RuntimeException | Error e) {
            end(rpc);
            DEPENDENTS.execute(() -> rpc.future().completeExceptionally(e));
        }
    }

    private void end(AsyncRpc rpc) {
        running.remove(rpc.queue());
        rpc.turn().close();
    }

    /// Ends the thread, once no client has a queue.
    @Override
    public synchronized void close() {
        closed = true;
        LockSupport.unpark(thread);
        channel.close();
    }
}
