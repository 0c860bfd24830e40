package dev.outboard.naa.server;

import dev.outboard.fabric.CompletionQueue;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.protocol.ServerCounter;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Serves one client of a [NaaServer] until it disconnects: regions first, then RPC after RPC. The
/// server's [ServingLoop] visits it when something has come. What makes it wait (the regions, a
/// routine that is not short, the end) it does on a thread of its own, and nobody visits it
/// meanwhile.
final class ConnectionWorker {
    private static final long SLICE_NANOS = 50_000_000;

    /// What a cancelled routine gets to end before its thread counts as lost.
    private static final long GRACE_NANOS = 50_000_000;

    private final NaaServerContext context;
    private final ServerRoutines routines;
    private final ServerOptions options;
    private final ServingLoop loop;
    private final Consumer<ConnectionWorker> ended;

    /// The latest run; it may outlive its RPC, but no other RPC of this connection begins before it
    /// has ended.
    private volatile @Nullable RoutineRun run;

    /// What was sent and has not arrived yet.
    private @Nullable Answer answer;

    private volatile boolean stopping;
    private volatile boolean late;

    /// What came of a visit.
    enum Visit {
        /// There was nothing to do.
        IN_VAIN,
        SERVED,
        /// It is not to be visited any more, unless it comes back to the loop.
        LEAVES
    }

    private record Answer(RpcContext rpc, int code, long nanos) {}

    /// @param loop that visits it
    /// @param ended told when everything is released
    ConnectionWorker(
            NaaServerContext context,
            ServerRoutines routines,
            ServerOptions options,
            ServingLoop loop,
            Consumer<ConnectionWorker> ended) {
        this.context = context;
        this.routines = routines;
        this.options = options;
        this.loop = loop;
        this.ended = ended;
    }

    /// Sets up the regions; then it can be visited, unless its RPCs are answered elsewhere.
    void start() {
        goOnAlone(context.isElsewhere() ? context::attendElsewhere : context::runMrsp);
    }

    /// The queue that tells of the client.
    CompletionQueue queue() {
        return context.queue();
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
    /// on with another. Called now and then.
    void rescue() {
        RoutineRun hanging = run;
        if (hanging != null
                && hanging.isPolling()
                && (late || hanging.rpc().remaining().isZero())
                && hanging.abandon(() -> {})) {
            hanging.cancel();
            goOnAlone(() -> reply(hanging.rpc(), failed(hanging.rpc(), hung(hanging))));
        }
    }

    // ---- on whose thread ------------------------------------------------------------------------

    /// Handles what has come. The loop's thread.
    ///
    /// NAA-SCOPE-4: what happens next is begun by the client.
    Visit visit() {
        try {
            int handled = context.handleArrived();
            tellAnswered();
            Optional<RpcContext> rpc = context.nextRpc();
            if (rpc.isPresent()) {
                return serve(rpc.get());
            }
            if (hasEnded()) {
                goOnAlone(() -> {});
                return Visit.LEAVES;
            }
            return handled > 0 ? Visit.SERVED : Visit.IN_VAIN;
        } catch (RuntimeException | Error e) {
            giveUp(e);
            return Visit.LEAVES;
        }
    }

    /// Sees to what no completion tells. The loop's thread.
    ///
    /// @return false if it is not to be visited any more
    boolean look() {
        try {
            context.checkTime();
            tellAnswered();
            if (!hasEnded()) {
                return true;
            }
            goOnAlone(() -> {});
        } catch (RuntimeException | Error e) {
            giveUp(e);
        }
        return false;
    }

    /// The nanoseconds until [#look] has something to do; huge if nothing is set.
    long nanosUntilDue() {
        return context.nanosUntilDue();
    }

    private boolean hasEnded() {
        return context.state() == NaaState.FINISHED || (stopping && !isBusy());
    }

    /// Does `work`, which may wait, on a thread of its own. Then it goes back to the loop, or
    /// releases everything if the connection has ended.
    ///
    /// NAA-ROB-2: whatever fails here ends this connection only.
    private void goOnAlone(Runnable work) {
        alone(() -> {
            try {
                work.run();
                if (!hasEnded()) {
                    loop.add(this);
                    return;
                }
                if (context.state() == NaaState.FINISHED) {
                    options.observer().disconnected(context);
                }
            } catch (RuntimeException | Error e) {
                tellFailed(e);
            }
            release();
        });
    }

    private void giveUp(Throwable failure) {
        alone(() -> {
            tellFailed(failure);
            release();
        });
    }

    private void alone(Runnable work) {
        Thread.ofVirtual().name("naa-client-" + context.peer()).start(work);
    }

    private void tellFailed(Throwable failure) {
        options.observer()
                .failed(
                        context.peer(),
                        failure instanceof RuntimeException known
                                ? known
                                : new IllegalStateException(
                                        "the server failed: " + failure, failure));
    }

    // ---- one RPC --------------------------------------------------------------------------------

    /// Computes and answers here what is short, everything else elsewhere.
    private Visit serve(RpcContext rpc) {
        ServedRoutine routine;
        try {
            routine = admit(rpc);
        } catch (RoutineException e) {
            send(rpc, failed(rpc, e));
            return Visit.SERVED;
        }
        RoutineRun last = run;
        boolean isFirst = last == null || last.await(0);
        RoutineRun next =
                new RoutineRun(
                        routine, rpc, context.place().origin(), isFirst && routine.isShort());
        if (!next.isPolling()) {
            goOnAlone(() -> reply(rpc, compute(next, last)));
            return Visit.LEAVES;
        }
        run = next;
        runHere(next);
        if (next.isAbandoned()) {
            return Visit.LEAVES;
        }
        send(rpc, outcome(next));
        return Visit.SERVED;
    }

    private void send(RpcContext rpc, int code) {
        answer = new Answer(rpc, code, rpc.elapsedNanos());
        context.writeResult(code);
        tellAnswered();
    }

    private void tellAnswered() {
        Answer sent = answer;
        if (sent != null && context.state() != NaaState.DATA_SENDING) {
            answer = null;
            options.observer().answered(context, sent.rpc(), sent.code(), sent.nanos());
        }
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
            found.get().leave();
            throw refusal(
                    ServerCounter.ROUTINE_ARGUMENTS,
                    ReturnCode.WRONG_ARGUMENTS,
                    spec.name() + ": " + mismatch.get());
        }
        rpc.limit(spec.limit());
        return found.get();
    }

    private RoutineException refusal(ServerCounter counter, int code, String why) {
        routines.counters().add(counter);
        return RoutineException.ofServer(code, why);
    }

    /// Computes on a worker, after the run before.
    ///
    /// @return the code
    private int compute(RoutineRun next, @Nullable RoutineRun last) {
        RpcContext rpc = next.rpc();
        boolean begins = false;
        try {
            if (last != null && !awaitEnd(last, rpc)) {
                throw refusal(
                        ServerCounter.ROUTINE_TIME,
                        ReturnCode.TIMEOUT,
                        next.routine().spec().name()
                                + ": the last call of this connection still runs");
            }
            begins = true;
            run = next;
            runOnWorker(next);
        } catch (RoutineException e) {
            return failed(rpc, e);
        } finally {
            if (!begins) {
                next.giveUp();
            }
        }
        return outcome(next);
    }

    /// What a run that has ended has come to.
    private int outcome(RoutineRun past) {
        RpcContext rpc = past.rpc();
        if (rpc.remaining().isZero() || context.place().hasEnded()) {
            return failed(rpc, over(past, ""));
        }
        Throwable failure = past.failure();
        if (failure != null) {
            routines.counters().add(ServerCounter.ROUTINES_FAILED);
            options.observer().routineFailed(context, rpc, failure);
        }
        past.routine().ran(rpc.elapsedNanos(), past.returnCode() == ReturnCode.SUCCESS);
        return past.returnCode();
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
        boolean isWaiting = next.routine().spec().isWaiting();
        if (isWaiting) {
            Thread.ofVirtual().name("naa-waits-" + context.peer()).start(next);
        } else if (!workers.execute(next)) {
            run = null;
            next.giveUp();
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
        if (!isWaiting && workers.withdraw(next)) {
            run = null;
            next.giveUp();
            throw over(next, " before a worker was free");
        }
        boolean hangs =
                !next.await(GRACE_NANOS)
                        && (isWaiting ? next.abandon(() -> {}) : workers.replace(next));
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
