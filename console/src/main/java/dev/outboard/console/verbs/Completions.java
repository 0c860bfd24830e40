package dev.outboard.console.verbs;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.terminal.CommandException;
import java.time.Duration;

/// Waits for the completions of a queue, spinning or sleeping as the user wants it, and never
/// longer than the limit. One thread.
final class Completions {
    private static final int POLLS_PER_YIELD = 256;

    private final CompletionQueue queue;
    private final boolean sleeping;
    private final Duration limit;
    private final Completion completion = new Completion();

    /// @param sleeping whether to sleep on events instead of polling
    Completions(CompletionQueue queue, boolean sleeping, Duration limit) {
        this.queue = queue;
        this.sleeping = sleeping;
        this.limit = limit;
    }

    /// The next completion, successful or not. It is the same object every time.
    ///
    /// @throws CommandException if nothing completes in time
    Completion next() {
        if (queue.poll(completion)) {
            return completion;
        }
        long deadline = System.nanoTime() + limit.toNanos();
        int polls = 0;
        while (!queue.poll(completion)) {
            if (System.nanoTime() - deadline > 0) {
                throw new CommandException(
                        "nothing came from the peer within " + limit.toMillis() + " ms");
            }
            if (!sleeping) {
                spin(++polls);
                continue;
            }
            queue.requestNotification(false);
            if (queue.poll(completion)) {
                return completion;
            }
            queue.await(deadline - System.nanoTime());
        }
        return completion;
    }

    /// Passes the time between two polls. A peer on the same processor cannot answer while this
    /// side spins, so every now and then it gets its turn.
    @SuppressWarnings("ThreadPriorityCheck")
    static void spin(int polls) {
        if (polls % POLLS_PER_YIELD == 0) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    /// The next completion.
    ///
    /// @throws CommandException if it is a failure, or nothing completes in time
    Completion nextSuccess() {
        return requireSuccess(next());
    }

    /// The completion taken last.
    Completion last() {
        return completion;
    }

    /// Drives the device.
    ///
    /// @return whether there was a completion
    /// @throws CommandException if it is a failure
    boolean pollSuccess() {
        if (!queue.poll(completion)) {
            return false;
        }
        requireSuccess(completion);
        return true;
    }

    /// The failure of a work request that ended with `status`.
    static CommandException failed(CompletionStatus status) {
        return new CommandException("a work request failed: " + status.explanation());
    }

    private static Completion requireSuccess(Completion completion) {
        if (completion.status() != CompletionStatus.SUCCESS) {
            throw failed(completion.status());
        }
        return completion;
    }
}
