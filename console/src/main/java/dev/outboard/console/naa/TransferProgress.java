package dev.outboard.console.naa;

import dev.outboard.fabric.Device;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.terminal.Progress;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Runs RPCs and shows how far the bytes of a large one are. A small one runs without: looking
/// would cost more than the RPC.
public final class TransferProgress {
    private static final long LARGE_BYTES = 4L << 20;
    private static final long LOOK_MILLIS = 50;

    private final NaaClient client;
    private final Device device;
    private final PrintWriter out;
    private final CallTrace trace;
    private final long total;
    private long sent;

    /// Shows on `out` what `client` moves through `device`.
    ///
    /// @param trace is told of each RPC
    public TransferProgress(NaaClient client, Device device, PrintWriter out, CallTrace trace) {
        this.trace = trace;
        this.client = client;
        this.device = device;
        this.out = out;
        total = bytes(client, true) + bytes(client, false);
    }

    /// The bytes of all regions that are sent, or of all that are returned.
    public static long bytes(NaaClient client, boolean sent) {
        return client.regions().stream()
                .filter(region -> sent ? region.input() : region.output())
                .mapToLong(region -> region.memory().byteSize())
                .sum();
    }

    /// The bytes that the last RPC has sent.
    public long sent() {
        return sent;
    }

    /// One RPC; fails as [NaaClient#invoke] does.
    public RpcResult invoke() {
        long before = bytesSent();
        long start = System.nanoTime();
        try {
            RpcResult result = run();
            trace.called(client, start, result);
            return result;
        } finally {
            sent = bytesSent() - before;
        }
    }

    private long bytesSent() {
        return client.counters().getOrDefault("bytes.sent", 0L);
    }

    private RpcResult run() {
        if (total < LARGE_BYTES) {
            return client.invoke();
        }
        long before = moved();
        CompletableFuture<RpcResult> rpc = client.invokeAsync();
        try (Progress progress = Progress.of("transfer", total, out)) {
            while (!rpc.isDone()) {
                progress.update(Math.min(moved() - before, total - 1));
                awaitSomeTime(rpc);
            }
            if (!rpc.isCompletedExceptionally()) {
                progress.update(total);
            }
        }
        try {
            return rpc.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof NaaException failure ? failure : e;
        }
    }

    /// Bytes on the wire, headers and repetitions included: good enough to look at.
    private long moved() {
        Map<String, Long> counters = device.counters();
        return counters.getOrDefault("sent.bytes", 0L)
                + counters.getOrDefault("received.bytes", 0L);
    }

    private static void awaitSomeTime(CompletableFuture<RpcResult> rpc) {
        try {
            rpc.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException _) {
            // The caller looks again, and finds out how it ended.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
