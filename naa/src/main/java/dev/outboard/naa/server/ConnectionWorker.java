package dev.outboard.naa.server;

import dev.outboard.naa.NaaState;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.protocol.ServerCounter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Serves one client of a [NaaServer] until it disconnects: regions first, then RPC after RPC. Has
/// a thread of its own; should a short routine hang on that, [#rescue] goes on with another.
final class ConnectionWorker {
    private static final long SLICE_NANOS = 50_000_000;

    /// What a cancelled routine gets to end before its thread counts as lost.
    private static final long GRACE_NANOS = 50_000_000;

    private final NaaServerContext context;
    private final ServerRoutines routines;
    private final ServerOptions options;
    private final Consumer<ConnectionWorker> ended;

    /// The latest run; it may outlive its RPC, but no other RPC of this connection begins before it
    /// has ended.
    private volatile @Nullable RoutineRun run;

    private volatile boolean stopping;
    private volatile boolean late;

    /// @param ended told when everything is released
    ConnectionWorker(
            NaaServerContext context,
            ServerRoutines routines,
            ServerOptions options,
            Consumer<ConnectionWorker> ended) {
        this.context = context;
        this.routines = routines;
        this.options = options;
        this.ended = ended;
    }

    /// Serves the client on a thread of its own, then releases everything.
    void start() {
        start(context::runMrsp);
    }

    Map<String, Long> counters() {
        return context.counters();
    }

    /// Whether an RPC is being computed or answered.
    boolean isBusy() {
        NaaState state = context.state();
        return state == NaaState.CALCULATING || state == NaaState.DATA_SENDING;
    }

    /// Ends the connection: at once if no RPC is pending or it is late, else after the RPC.
    void stop(boolean isLate) {
        stopping = true;
        late = isLate;
        if (late || !isBusy()) {
            context.breakOff();
        }
    }

    /// If a short routine has not ended in time, leaves its thread to it, answers the RPC and goes
    /// on with another thread. Called now and then.
    void rescue() {
        RoutineRun hanging = run;
        if (hanging != null
                && hanging.isPolling()
                && (late || hanging.rpc().remaining().isZero())
                && hanging.abandon(() -> {})) {
            hanging.cancel();
            start(() -> reply(hanging.rpc(), failed(hanging.rpc(), hung(hanging))));
        }
    }

    private void start(Runnable beginning) {
        Thread.ofPlatform()
                .daemon()
                .name("naa-client-" + context.peer())
                .start(() -> serve(beginning));
    }

    /// NAA-SCOPE-4: what happens next is begun by the client.
    ///
    /// NAA-ROB-2: whatever fails here ends this connection only.
    private void serve(Runnable beginning) {
        boolean ours = true;
        try {
            beginning.run();
            while (ours && !stopping && context.state() != NaaState.FINISHED) {
                Optional<RpcContext> rpc = context.receive(Duration.ZERO);
                ours = rpc.isEmpty() || answer(rpc.get());
            }
            if (ours && context.state() == NaaState.FINISHED) {
                options.observer().disconnected(context);
            }
        } catch (RuntimeException e) {
            options.observer().failed(context.peer(), e);
        }
        if (ours) {
            release();
        }
    }

    // ---- one RPC --------------------------------------------------------------------------------

    /// @return false if another thread has taken over
    private boolean answer(RpcContext rpc) {
        int code;
        try {
            OptionalInt computed =
                    compute(new RoutineRun(admit(rpc), rpc, context.place().origin()));
            if (computed.isEmpty()) {
                return false;
            }
            code = computed.getAsInt();
        } catch (RoutineException e) {
            code = failed(rpc, e);
        }
        reply(rpc, code);
        return true;
    }

    private void reply(RpcContext rpc, int code) {
        long nanos = rpc.elapsedNanos();
        context.reply(code);
        options.observer().answered(context, rpc, code, nanos);
    }

    private int failed(RpcContext rpc, RoutineException failure) {
        options.observer().routineFailed(context, rpc, failure);
        return failure.returnCode();
    }

    /// The routine of an RPC, if it may begin.
    ///
    /// NAA-RET-13: 0x01 for a function code that nobody has.
    private ServedRoutine admit(RpcContext rpc) throws RoutineException {
        if (routines.isDraining()) {
            throw refusal(
                    ServerCounter.ROUTINE_SHUTTING_DOWN,
                    ReturnCode.SHUTTING_DOWN,
                    "the server is shutting down");
        }
        Optional<ServedRoutine> found = routines.find(rpc.functionCode());
        if (found.isEmpty()) {
            throw refusal(
                    ServerCounter.ROUTINE_UNKNOWN,
                    ReturnCode.NOT_AVAILABLE,
                    "no routine has this function code");
        }
        RoutineSpec spec = found.get().spec();
        Optional<String> mismatch =
                spec.mismatch(rpc.parameters(), context.dialect().orElseThrow());
        if (mismatch.isPresent()) {
            throw refusal(
                    ServerCounter.ROUTINE_ARGUMENTS,
                    ReturnCode.WRONG_ARGUMENTS,
                    spec.name() + ": " + mismatch.get());
        }
        rpc.limit(spec.limit());
        RoutineRun last = run;
        if (last != null && !awaitEnd(last, rpc)) {
            throw refusal(
                    ServerCounter.ROUTINE_TIME,
                    ReturnCode.TIMEOUT,
                    spec.name() + ": the last call of this connection still runs");
        }
        return found.get();
    }

    private RoutineException refusal(ServerCounter counter, int code, String why) {
        routines.counters().add(counter);
        return RoutineException.ofServer(code, why);
    }

    /// @return the code, or nothing if another thread has taken over
    private OptionalInt compute(RoutineRun next) throws RoutineException {
        run = next;
        if (next.isPolling()) {
            runHere(next);
            if (next.isAbandoned()) {
                return OptionalInt.empty();
            }
        } else {
            runOnWorker(next);
        }
        RpcContext rpc = next.rpc();
        if (rpc.remaining().isZero() || context.place().hasEnded()) {
            throw over(next, "");
        }
        Throwable failure = next.failure();
        if (failure != null) {
            routines.counters().add(ServerCounter.ROUTINES_FAILED);
            options.observer().routineFailed(context, rpc, failure);
        }
        next.routine().ran(rpc.elapsedNanos(), next.returnCode() == ReturnCode.SUCCESS);
        return OptionalInt.of(next.returnCode());
    }

    private void runHere(RoutineRun next) {
        long start = System.nanoTime();
        next.run();
        long nanos = System.nanoTime() - start;
        ServedRoutine routine = next.routine();
        if (nanos <= options.shortLimit().toNanos()) {
            routine.keptShort();
        } else if (!next.isAbandoned()) {
            routines.counters().add(ServerCounter.ROUTINES_OVERRUN);
            boolean moved = routine.overran();
            if (moved) {
                routines.counters().add(ServerCounter.ROUTINES_MOVED);
            }
            options.observer().routineOverran(routine.spec(), nanos, moved);
        }
    }

    /// NAA-RET-13: 0x02 when the time of the routine is over.
    private void runOnWorker(RoutineRun next) throws RoutineException {
        RoutineWorkers workers = routines.workers();
        if (!workers.execute(next)) {
            run = null;
            throw refusal(
                    ServerCounter.ROUTINE_BUSY,
                    ReturnCode.BUSY,
                    "%s: all workers are busy and %d calls wait already"
                            .formatted(next.routine().spec().name(), options.maxQueuedRpcs()));
        }
        if (awaitEnd(next, next.rpc())) {
            return;
        }
        next.cancel();
        if (workers.withdraw(next)) {
            run = null;
            throw over(next, " before a worker was free");
        }
        boolean hangs = !next.await(GRACE_NANOS) && workers.replace(next);
        throw hangs ? hung(next) : over(next, "");
    }

    private RoutineException hung(RoutineRun hanging) {
        routines.counters().add(ServerCounter.ROUTINES_HUNG);
        if (hanging.isPolling() && hanging.routine().move()) {
            routines.counters().add(ServerCounter.ROUTINES_MOVED);
        }
        return over(hanging, " and it goes on though it was interrupted");
    }

    /// Nobody waits for the result any more.
    private RoutineException over(RoutineRun late, String how) {
        late.routine().ran(late.rpc().elapsedNanos(), false);
        boolean abandoned = context.place().hasEnded() || !late.rpc().remaining().isZero();
        return refusal(
                abandoned ? ServerCounter.ROUTINE_ABANDONED : ServerCounter.ROUTINE_TIME,
                ReturnCode.TIMEOUT,
                "%s: its %s%s"
                        .formatted(
                                late.routine().spec().name(),
                                abandoned ? "client has left" : "time was over",
                                how));
    }

    /// Waits until nobody waits for the RPC any more or the server cannot wait any longer.
    ///
    /// NAA-MULTI-4: a client that dies meanwhile is noticed.
    private boolean awaitEnd(RoutineRun running, RpcContext rpc) {
        boolean ended = false;
        while (!ended && !late && !rpc.isCancelled()) {
            ended = running.await(Math.min(SLICE_NANOS, rpc.remaining().toNanos()));
            if (!ended) {
                context.attend();
            }
        }
        return ended || running.await(0);
    }

    // ---- end ------------------------------------------------------------------------------------

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
        } finally {
            ended.accept(this);
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
