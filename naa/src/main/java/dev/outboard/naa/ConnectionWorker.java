package dev.outboard.naa;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Serves one client of a [NaaServer] until it disconnects: regions first, then RPC after RPC.
final class ConnectionWorker {
    private static final long SLICE_NANOS = 50_000_000;

    private final NaaServerContext context;
    private final Map<Integer, Routine> routines;
    private final ServerOptions options;
    private final Executor workers;

    /// The run of a routine that is not short; it may outlive its RPC, but no other RPC of this
    /// connection begins before it has ended.
    private volatile @Nullable RoutineRun run;

    private volatile boolean stopping;
    private volatile boolean late;

    ConnectionWorker(
            NaaServerContext context,
            Map<Integer, Routine> routines,
            ServerOptions options,
            Executor workers) {
        this.context = context;
        this.routines = routines;
        this.options = options;
        this.workers = workers;
    }

    /// Serves the client, then releases everything.
    void run() {
        try {
            serve();
        } catch (RuntimeException e) {
            options.observer().failed(context.peer(), e);
        } finally {
            release();
        }
    }

    Map<String, Long> counters() {
        return context.counters();
    }

    /// Ends the connection: at once if no RPC is pending or it is late, else after the RPC.
    void stop(boolean isLate) {
        stopping = true;
        late = isLate;
        NaaState state = context.state();
        boolean pending = state == NaaState.CALCULATING || state == NaaState.DATA_SENDING;
        if (late || !pending) {
            context.breakOff();
        }
    }

    private void serve() {
        context.runMrsp();
        while (!stopping && context.state() != NaaState.FINISHED) {
            Optional<RpcContext> rpc = context.receive(Duration.ZERO);
            rpc.ifPresent(this::answer);
        }
        if (context.state() == NaaState.FINISHED) {
            options.observer().disconnected(context);
        }
    }

    private void answer(RpcContext rpc) {
        long start = System.nanoTime();
        int code = compute(rpc);
        long nanos = System.nanoTime() - start;
        context.reply(code);
        options.observer().answered(context, rpc, code, nanos);
    }

    private int compute(RpcContext rpc) {
        Routine routine = routines.get(rpc.functionCode());
        if (routine == null) {
            return ReturnCode.NOT_AVAILABLE;
        }
        RoutineRun last = run;
        if (last != null && !awaitEnd(last, rpc)) {
            return ReturnCode.TIMEOUT;
        }
        RoutineRun next = new RoutineRun(routine, rpc);
        run = next;
        if (routine.isShort()) {
            next.run();
        } else {
            workers.execute(next);
        }
        return outcome(rpc, next);
    }

    /// Waits until the RPC's time is over or the server cannot wait any longer.
    private boolean awaitEnd(RoutineRun running, RpcContext rpc) {
        boolean ended = false;
        while (!ended && !late && !rpc.remaining().isZero()) {
            ended = running.await(Math.min(SLICE_NANOS, rpc.remaining().toNanos()));
        }
        return ended || running.await(0);
    }

    private int outcome(RpcContext rpc, RoutineRun running) {
        if (!awaitEnd(running, rpc)) {
            running.cancel();
            return ReturnCode.TIMEOUT;
        }
        Throwable failure = running.failure();
        if (failure != null) {
            options.observer().routineFailed(context, rpc, failure);
        }
        return rpc.remaining().isZero() ? ReturnCode.TIMEOUT : running.returnCode();
    }

    /// A routine that still runs has its time limit to end; then its memory goes away under it.
    private void release() {
        RoutineRun last = run;
        try {
            context.close(() -> {
                if (last != null) {
                    last.cancel();
                    awaitForLongest(last);
                }
            });
        } catch (RuntimeException e) {
            options.observer().failed(context.peer(), e);
        }
    }

    /// Without a time limit, a routine that outlives its client is waited for until it ends.
    private void awaitForLongest(RoutineRun last) {
        long limit =
                options.routineLimit().isZero() ? Long.MAX_VALUE : options.routineLimit().toNanos();
        long start = System.nanoTime();
        boolean ended = last.await(0);
        while (!ended && !late && System.nanoTime() - start < limit) {
            ended = last.await(SLICE_NANOS);
        }
    }
}
