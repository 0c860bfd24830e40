package dev.outboard.naa.client;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.link.Link;
import dev.outboard.naa.link.Turn;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/// The asynchronous RPCs of the clients of a device, and the one thread that follows them all. It
/// starts with the first such RPC, sleeps while there is none, and ends with the device.
///
/// The completion queues of the clients report to one channel, which the thread waits for. A client
/// that calls and waits does so on its queue alone, without this thread.
///
/// What depends on a future runs on a virtual thread: it may block, call or close any client.
///
/// NAA-MW-20: the threads of the callers are free.
final class AsyncRpcs implements AutoCloseable {
    private static final Executor DEPENDENTS = Thread::startVirtualThread;

    private final Device device;
    private final CompletionChannel channel;
    private final BlockingQueue<AsyncRpc> started = new LinkedBlockingQueue<>();
    private @Nullable Thread thread;
    private volatile boolean closed;

    // What follows belongs to the thread.
    private final Map<CompletionQueue, AsyncRpc> running = new HashMap<>();
    private long nextLook;

    /// An RPC that was started, and the turn of its client, which is given back when it has ended.
    private record AsyncRpc(
            ClientEnd client,
            CompletionQueue queue,
            Turn turn,
            CompletableFuture<RpcResult> future) {}

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
        client.startRpc(limit);
        CompletableFuture<RpcResult> future = new CompletableFuture<>();
        started.add(new AsyncRpc(client, queue, turn, future));
        begin();
        channel.wake();
        return future;
    }

    private synchronized void begin() {
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("naa-rpcs").start(this::run);
        }
    }

    private void run() {
        try {
            while (!closed) {
                if (running.isEmpty()) {
                    follow(started.take());
                }
                for (AsyncRpc rpc = started.poll(); rpc != null; rpc = started.poll()) {
                    follow(rpc);
                }
                if (System.nanoTime() - nextLook >= 0) {
                    lookAtAll();
                }
                if (!running.isEmpty()) {
                    channel.await(nextLook - System.nanoTime());
                    channel.takeNotified(this::handle);
                }
            }
        } catch (InterruptedException e) {
            // It was closed while there was no RPC.
        }
    }

    private void follow(AsyncRpc rpc) {
        if (running.isEmpty()) {
            nextLook = System.nanoTime() + Link.SLICE_NANOS;
        }
        running.put(rpc.queue(), rpc);
        handle(rpc.queue());
    }

    /// Handles what has come into a queue that was notified.
    private void handle(CompletionQueue queue) {
        AsyncRpc rpc = running.get(queue);
        // A client that waits by itself may have requested the notification.
        if (rpc == null) {
            return;
        }
        if (advance(rpc)) {
            running.remove(queue);
        } else {
            lookWithin(rpc.client().nanosUntilLook());
        }
    }

    /// Looks at what no completion tells: time limits, and whether a large answer began.
    private void lookAtAll() {
        running.values().removeIf(AsyncRpcs::advance);
        nextLook = System.nanoTime() + Link.SLICE_NANOS;
        running.values().forEach(rpc -> lookWithin(rpc.client().nanosUntilLook()));
    }

    private void lookWithin(long nanos) {
        long now = System.nanoTime();
        nextLook = now + Math.min(nanos, nextLook - now);
    }

    /// Handles what has come for an RPC.
    ///
    /// @return whether it has ended
    private static boolean advance(AsyncRpc rpc) {
        ClientEnd client = rpc.client();
        try {
            /// NAA-POLL-4: a completion may have come before the queue was armed.
            rpc.queue().requestNotification(false);
            client.await(0);
            if (client.isRpcRunning()) {
                return false;
            }
            RpcResult result = client.rpcOutcome();
            rpc.turn().close();
            rpc.future().completeAsync(() -> result, DEPENDENTS);
        } catch (RuntimeException | Error e) {
            rpc.turn().close();
            DEPENDENTS.execute(() -> rpc.future().completeExceptionally(e));
        }
        return true;
    }

    /// Ends the thread, once no client has a queue.
    @Override
    public synchronized void close() {
        closed = true;
        if (thread != null) {
            thread.interrupt();
        }
        channel.close();
    }
}
