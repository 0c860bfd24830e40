package dev.outboard.naa;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One execution of a routine: its code, or why it failed. Runs on one thread, is awaited and
/// cancelled by another.
final class RoutineRun implements Runnable {
    private final Routine routine;
    private final RpcContext rpc;
    private final CountDownLatch ended = new CountDownLatch(1);
    private int returnCode = ReturnCode.TIMEOUT;
    private @Nullable Throwable failure;
    private @Nullable Thread runner;

    RoutineRun(Routine routine, RpcContext rpc) {
        this.routine = routine;
        this.rpc = rpc;
    }

    /// Runs the routine, unless it was cancelled before it began.
    @Override
    public void run() {
        runsOn(Thread.currentThread());
        try {
            if (!rpc.isCancelled()) {
                returnCode = checked(routine.run(rpc));
            }
        } catch (RoutineException e) {
            failure = e;
            returnCode = e.returnCode();
        } catch (Throwable e) {
            // Whatever a routine throws ends its RPC and nothing else (NAA-MULTI-5).
            failure = e;
            returnCode = ReturnCode.FIRST_APPLICATION;
        } finally {
            runsOn(null);
            ended.countDown();
        }
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

    /// The return code, once it has ended.
    int returnCode() {
        return returnCode;
    }

    /// What it threw, once it has ended.
    @Nullable Throwable failure() {
        return failure;
    }

    /// No interrupt may reach the thread's next routine.
    private synchronized void runsOn(@Nullable Thread thread) {
        runner = thread;
        if (thread == null) {
            Thread.interrupted();
        }
    }

    private static int checked(int code) {
        if (code < 0 || code > ReturnCode.LAST_APPLICATION) {
            throw new IllegalStateException(
                    "the routine returned %d; valid: 0x00 to 0x7f".formatted(code));
        }
        return code;
    }
}
