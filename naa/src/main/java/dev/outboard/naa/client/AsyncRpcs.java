package dev.outboard.naa.client;

import dev.outboard.naa.RpcResult;
import dev.outboard.naa.link.Link;
import dev.outboard.naa.link.Turn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The asynchronous RPCs of the clients that share a queue, and the one thread that follows them
/// all. It starts with the first such RPC, sleeps while there is none, and ends with the queue.
///
/// What depends on a future runs on a virtual thread: it may block, call or close any client.
///
/// NAA-MW-20: the threads of the callers are free.
final class AsyncRpcs implements Runnable, AutoCloseable {
    private static final Executor DEPENDENTS = Thread::startVirtualThread;

    private final SharedQueue queue;
    private final Sleeper sleeper = new Sleeper();
    private final Queue<AsyncRpc> started = new ConcurrentLinkedQueue<>();
    private final List<AsyncRpc> running = new ArrayList<>();
    private long nextLook;
    private @Nullable Thread thread;
    private volatile boolean closed;

    /// An RPC that was started, and the turn of its client, which is given back when it has ended.
    private record AsyncRpc(ClientEnd client, Turn turn, CompletableFuture<RpcResult> future) {}

    AsyncRpcs(SharedQueue queue) {
        this.queue = queue;
    }

    /// Starts an RPC and follows it.
    ///
    /// @param turn of the client; it is given back before the future completes, so that who waits
    ///   may call again
    /// @throws RuntimeException if the RPC cannot be started; the turn is still taken then
    CompletableFuture<RpcResult> start(ClientEnd client, Turn turn, Duration limit) {
        // From its first completion on.
        client.share().hand(sleeper);
        try {
            client.startRpc(limit);
        } catch (RuntimeException e) {
            client.share().takeBack();
            throw e;
        }
        CompletableFuture<RpcResult> future = new CompletableFuture<>();
        started.add(new AsyncRpc(client, turn, future));
        begin();
        sleeper.wake();
        return future;
    }

    private synchronized void begin() {
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("naa-rpcs").start(this);
        }
    }

    @Override
    public void run() {
        while (!closed) {
            sleeper.reset();
            boolean isNew = takeStarted();
            long now = System.nanoTime();
            boolean looks = isNew || now - nextLook >= 0;
            running.removeIf(rpc -> advance(rpc, looks));
            if (running.isEmpty()) {
                sleeper.sleep(Long.MAX_VALUE, () -> closed);
            } else {
                if (looks) {
                    nextLook = now + nanosUntilLook();
                }
                queue.await(sleeper, nextLook - System.nanoTime());
            }
        }
    }

    private boolean takeStarted() {
        int before = running.size();
        for (AsyncRpc rpc = started.poll(); rpc != null; rpc = started.poll()) {
            running.add(rpc);
        }
        return running.size() > before;
    }

    /// When to look at what no completion tells: time limits, and whether a large answer began.
    private long nanosUntilLook() {
        long nanos = Link.SLICE_NANOS;
        for (AsyncRpc rpc : running) {
            nanos = Math.min(nanos, rpc.client().nanosUntilLook());
        }
        return nanos;
    }

    /// Handles what has come for an RPC.
    ///
    /// @param looks handle what no completion tells, too
    /// @return whether it has ended
    private static boolean advance(AsyncRpc rpc, boolean looks) {
        ClientEnd client = rpc.client();
        if (!looks && client.share().isEmpty()) {
            return false;
        }
        try {
            client.await(0);
            if (client.isRpcRunning()) {
                return false;
            }
            RpcResult result = client.rpcOutcome();
            giveBack(rpc);
            rpc.future().completeAsync(() -> result, DEPENDENTS);
        } catch (RuntimeException | Error e) {
            giveBack(rpc);
            DEPENDENTS.execute(() -> rpc.future().completeExceptionally(e));
        }
        return true;
    }

    private static void giveBack(AsyncRpc rpc) {
        rpc.client().share().takeBack();
        rpc.turn().close();
    }

    @Override
    public void close() {
        closed = true;
        sleeper.wake();
    }
}
