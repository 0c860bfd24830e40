package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;
import dev.outboard.bench.fabric.VerbsPair.End;
import dev.outboard.fabric.CompletionQueue;
import java.util.concurrent.TimeUnit;

/// Round trips through the verbs: what goes there comes back, or is read.
public final class VerbsLatency implements Ours.Subject {
    /// What goes there and back.
    public enum Operation {
        SEND,
        WRITE_WITH_IMMEDIATE,
        READ
    }

    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Operation operation;
    private final int bytes;
    private final boolean blocking;
    private final VerbsPair pair;
    private final Thread echo;
    private final RoundTripTimes times = new RoundTripTimes();
    private volatile boolean stopping;

    /// @param blocking whether both sides sleep until something comes
    public VerbsLatency(Operation operation, int bytes, boolean blocking) {
        this.operation = operation;
        this.bytes = bytes;
        this.blocking = blocking;
        pair = new VerbsPair(bytes);
        pair.near.postReceive(receiveBytes());
        pair.far.postReceive(receiveBytes());
        echo = Thread.ofPlatform().daemon().name("echo").start(this::echo);
    }

    @Override
    public double run(long nanos) {
        return operation == Operation.READ
                ? times.median(nanos, this::read)
                : times.median(nanos, this::call);
    }

    private void call() {
        request(pair.near, pair.far);
        await(pair.near);
    }

    private void read() {
        pair.near
                .send
                .read(pair.far.region.address(), pair.far.region.remoteKey())
                .payload(pair.near.region, 0, bytes);
        pair.near.post();
        while (!pair.near.poll(pair.near.sends)) {
            Thread.onSpinWait();
        }
    }

    private void request(End from, End to) {
        if (operation == Operation.SEND) {
            from.send.send();
        } else {
            from.send.writeWithImmediate(to.region.address(), to.region.remoteKey(), 1);
        }
        from.send.payload(from.region, 0, bytes);
        from.post();
    }

    /// Waits for what the other end sent, and prepares for the next.
    private void await(End end) {
        boolean arrived = end.poll(end.receives);
        while (!arrived && !stopping) {
            if (blocking) {
                arrived = sleep(end, end.receives);
            } else {
                Thread.onSpinWait();
            }
            arrived = arrived || end.poll(end.receives);
        }
        end.postReceive(receiveBytes());
        while (end.poll(end.sends)) {
            // Nothing waits for it, but the queue must not run full.
        }
    }

    private static boolean sleep(End end, CompletionQueue queue) {
        queue.requestNotification(false);
        if (end.poll(queue)) {
            return true;
        }
        queue.await(SLICE_NANOS);
        return false;
    }

    private void echo() {
        while (!stopping) {
            await(pair.far);
            if (!stopping) {
                request(pair.far, pair.near);
            }
        }
    }

    private long receiveBytes() {
        return operation == Operation.SEND ? bytes : 0;
    }

    @Override
    public void close() {
        stopping = true;
        Ours.join(echo);
        pair.close();
    }
}
