package dev.outboard.naa.server;

import dev.outboard.naa.ReturnCode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One execution of a routine: its code, or why it failed. Runs on one thread, is awaited,
/// cancelled and, if it does not even react to that, abandoned by another.
final class RoutineRun implements Runnable {
    private final ServedRoutine routine;
    private final RpcContext rpc;
    private final Origin origin;
    private final boolean polling;
    private final CountDownLatch ended = new CountDownLatch(1);
    private int returnCode = ReturnCode.TIMEOUT;
    private @Nullable Throwable failure;
    private @Nullable Thread runner;
    private @Nullable Runnable whenItReturns;

    /// @param routine that the call has entered; it is left at the end, or by [#giveUp]
    /// @param origin where the client comes from
    /// @param polling whether it runs on the thread that polls
    RoutineRun(ServedRoutine routine, RpcContext rpc, Origin origin, boolean polling) {
        this.routine = routine;
        this.rpc = rpc;
        this.origin = origin;
        this.polling = polling;
    }

    /// Runs the routine, unless it was cancelled before it began.
    ///
    /// NAA-RET-13: one that throws ends with 0x10, unless it chose a code.
    @Override
    public void run() {
        begin();
        try {
            if (!rpc.isCancelled()) {
                returnCode = checked(routine.spec().routine().run(rpc));
            }
        } catch (RoutineException e) {
            failure = e;
            returnCode = e.returnCode();
        } catch (Throwable e) {
            /// NAA-MULTI-5: whatever a routine throws ends its RPC and nothing else.
            failure = e;
            returnCode = ReturnCode.FIRST_APPLICATION;
        } finally {
            end();
        }
    }

    /// It will not begin: nobody executes it, or it was withdrawn.
    void giveUp() {
        routine.leave();
    }

    /// What runs.
    ServedRoutine routine() {
        return routine;
    }

    /// Whether it runs on the thread that polls.
    boolean isPolling() {
        return polling;
    }

    /// Where the client comes from.
    Origin origin() {
        return origin;
    }

    /// The RPC it computes.
    RpcContext rpc() {
        return rpc;
    }

    /// Waits until it has ended, at most `nanos`.
    boolean await(long nanos) {
        try {
            return ended.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// Tells the routine that nobody waits any more, and interrupts it.
    synchronized void cancel() {
        rpc.cancel();
        if (runner != null) {
            runner.interrupt();
        }
    }

    /// Gives up the thread that it runs on.
    ///
    /// @param afterwards what that thread does should it return one day
    /// @return false if it has ended before
    synchronized boolean abandon(Runnable afterwards) {
        if (ended.getCount() == 0) {
            return false;
        }
        whenItReturns = afterwards;
        return true;
    }

    /// Whether its thread was given up.
    synchronized boolean isAbandoned() {
        return whenItReturns != null;
    }

    /// The return code, once it has ended.
    int returnCode() {
        return returnCode;
    }

    /// What it threw, once it has ended.
    @Nullable Throwable failure() {
        return failure;
    }

    private synchronized void begin() {
        runner = Thread.currentThread();
        rpc.begun();
    }

    /// No interrupt may reach the thread's next routine.
    private void end() {
        Runnable afterwards;
        synchronized (this) {
            runner = null;
            Thread.interrupted();
            ended.countDown();
            afterwards = whenItReturns;
        }
        if (afterwards != null) {
            afterwards.run();
        }
        routine.leave();
    }

    private static int checked(int code) {
        if (code < 0 || code > ReturnCode.LAST_APPLICATION) {
            throw new IllegalStateException(
                    "the routine returned %d; valid: 0x00 to 0x7f".formatted(code));
        }
        return code;
    }
}
