package dev.outboard.naa.link;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.protocol.Machine;
import java.time.Duration;

/// Connects a state machine to its queue pair: posts what the machine emits, feeds it completions
/// and the time, and waits. One thread at a time.
public final class Link {
    /// No wait lasts longer, so that what no completion tells is noticed too.
    public static final long SLICE_NANOS = 100_000_000;

    private static final int RNR_RETRIES = 6;

    private final QueuePair pair;
    private final CompletionQueue queue;
    private final Machine machine;
    private final long spinNanos;
    private final Completion completion = new Completion();
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();

    /// @param spin how long to poll before sleeping, unless the thread is virtual or enough others
    ///   poll
    public Link(QueuePair pair, CompletionQueue queue, Machine machine, Duration spin) {
        this.pair = pair;
        this.queue = queue;
        this.machine = machine;
        this.spinNanos = Polling.nanos(spin);
    }

    /// What either side proposes when connecting (`spec/naaice.md`, section 2.3). No READs are
    /// used; the 1 is what the reference implementation proposes.
    ///
    /// NAA-CONN-4, NAA-CONN-6: one READ at a time, 6 RNR retries, no private data.
    public static ConnectionParameters parameters(int retryCount) {
        return new ConnectionParameters(1, 1, retryCount, RNR_RETRIES, new byte[0]);
    }

    /// Posts what the machine emits.
    public void post() {
        try {
            while (machine.nextReceive(receive)) {
                if (!pair.post(receive)) {
                    machine.refused("a receive");
                }
            }
            while (machine.nextSend(send)) {
                if (!pair.post(send)) {
                    machine.refused("a send");
                }
            }
        } catch (FabricException e) {
            machine.fail(new NaaException(machine.where(), "cannot post: " + e.getMessage(), e));
        }
    }

    /// Handles all completions that are there already, for a thread that has the device driven
    /// otherwise.
    ///
    /// @return how many
    public int handleArrived() {
        int handled = 0;
        while (queue.take(completion)) {
            handle();
            handled++;
        }
        return handled;
    }

    /// Handles all completions there are, without waiting.
    ///
    /// @return how many
    int poll() {
        int handled = 0;
        while (queue.poll(completion)) {
            handle();
            handled++;
        }
        return handled;
    }

    private void handle() {
        machine.completed(completion, System.nanoTime());
        post();
    }

    /// Tells the machine the time, now that nothing is left to poll.
    public void checkTime() {
        machine.timePassed(System.nanoTime());
        post();
    }

    /// Waits until something was handled, the machine has something to do or the time is over,
    /// first polling, then sleeping.
    ///
    /// NAA-POLL-6: whoever has nothing to do sleeps.
    ///
    /// @param limitNanos how long at most; slices of [#SLICE_NANOS] are
    /// @return how many completions were handled
    public int await(long limitNanos) {
        if (limitNanos <= 0) {
            return poll();
        }
        int handled = poll();
        if (handled > 0) {
            return handled;
        }
        Polling.waiting();
        try {
            long start = System.nanoTime();
            return await(
                    start,
                    Math.min(Math.min(limitNanos, SLICE_NANOS), machine.nanosUntilDue(start)));
        } finally {
            Polling.waited();
        }
    }

    private int await(long start, long due) {
        int handled = 0;
        long spins = 0;
        if (spinNanos > 0 && Polling.begin()) {
            spins = spinNanos;
            try {
                handled = spin(start, Math.min(due, spins));
            } finally {
                Polling.end();
            }
        }
        if (handled > 0 || due <= spins) {
            return handled;
        }
        return sleep(start, due);
    }

    private int spin(long start, long nanos) {
        int handled = 0;
        while (handled == 0 && System.nanoTime() - start < nanos) {
            Thread.onSpinWait();
            handled = poll();
        }
        return handled;
    }

    private int sleep(long start, long nanos) {
        queue.requestNotification(false);
        /// NAA-POLL-4: a completion may have come before the queue was armed.
        int handled = poll();
        long left = nanos - (System.nanoTime() - start);
        if (handled == 0 && left > 0) {
            queue.await(left);
            handled = poll();
        }
        return handled;
    }
}
