package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.fabric.VerbsPair.End;
import dev.outboard.fabric.SendRequest;
import java.util.Collections;
import java.util.List;

/// Messages in one direction as fast as they go, or READs of them. The far end only drives its
/// device, and posts receives where the operation takes any.
public final class VerbsStream implements Ours.Subject {
    /// How the bytes move.
    public enum Operation {
        SEND,
        WRITE,
        READ
    }

    private static final double NANOS_PER_SECOND = 1e9;

    /// Bytes on their way at a time, if one message has fewer.
    private static final long OUTSTANDING_BYTES = 4 << 20;

    private final Operation operation;
    private final long bytes;
    private final int outstanding;
    private final boolean countsBytes;
    private final VerbsPair pair;
    private final Thread target;
    private volatile boolean stopping;

    /// Bytes per second, with as many messages on their way as the size of one allows.
    VerbsStream(Operation operation, long bytes) {
        this(operation, bytes, Math.clamp(OUTSTANDING_BYTES / bytes, 2, VerbsPair.DEPTH), true);
    }

    /// @param outstanding messages on their way at a time
    /// @param countsBytes whether the result is bytes per second, not messages
    public VerbsStream(Operation operation, long bytes, int outstanding, boolean countsBytes) {
        this.operation = operation;
        this.bytes = bytes;
        this.countsBytes = countsBytes;
        this.outstanding = outstanding;
        pair = new VerbsPair(bytes);
        if (operation == Operation.SEND) {
            for (int i = 0; i < VerbsPair.DEPTH; i++) {
                pair.far.postReceive(bytes);
            }
        }
        target = Thread.ofPlatform().daemon().name("target").start(this::drive);
    }

    @Override
    public double run(long nanos) {
        List<SendRequest> requests = requests();
        long start = System.nanoTime();
        long posted = 0;
        long done = 0;
        long end = start;
        while (end - start < nanos) {
            posted += pair.near.post(requests.subList(0, (int) (outstanding - posted + done)));
            done += take();
            end = System.nanoTime();
        }
        while (done < posted) {
            done += take();
        }
        double messages = posted * NANOS_PER_SECOND / (System.nanoTime() - start);
        return countsBytes ? messages * bytes : messages;
    }

    private int take() {
        int taken = 0;
        while (pair.near.poll(pair.near.sends)) {
            taken++;
        }
        return taken;
    }

    /// What is posted again and again, as often as may be on its way.
    private List<SendRequest> requests() {
        long address = pair.far.region.address();
        int key = pair.far.region.remoteKey();
        switch (operation) {
            case SEND -> pair.near.send.send();
            case WRITE -> pair.near.send.write(address, key);
            case READ -> pair.near.send.read(address, key);
        }
        pair.near.send.payload(pair.near.region, 0, bytes);
        return Collections.nCopies(outstanding, pair.near.send);
    }

    private void drive() {
        End far = pair.far;
        while (!stopping) {
            if (far.poll(far.receives)) {
                far.postReceive(bytes);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void close() {
        stopping = true;
        Ours.join(target);
        pair.close();
    }
}
