package dev.outboard.fabric.roce;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.verbs.CompletionRing;
import java.util.concurrent.atomic.AtomicInteger;

/// A completion queue whose consumer drives the engine when it finds nothing, and can sleep.
final class RoceCompletionQueue implements CompletionQueue, CompletionRing.Notification {
    private final RoceDevice device;
    private final RoceCompletionChannel channel;
    private final boolean hasOwnChannel;
    private final CompletionRing ring;
    private final AtomicInteger queuePairs = new AtomicInteger();
    private boolean closed;

    /// A queue that is waited for by itself.
    RoceCompletionQueue(RoceDevice device, int capacity) {
        this(device, capacity, device.createCompletionChannel(), true);
    }

    /// A queue that is waited for with others.
    RoceCompletionQueue(RoceDevice device, int capacity, RoceCompletionChannel channel) {
        this(device, capacity, channel, false);
        channel.joined();
    }

    private RoceCompletionQueue(
            RoceDevice device, int capacity, RoceCompletionChannel channel, boolean hasOwnChannel) {
        this.device = device;
        this.channel = channel;
        this.hasOwnChannel = hasOwnChannel;
        this.ring = new CompletionRing(capacity, this);
    }

    CompletionRing ring() {
        return ring;
    }

    boolean isOf(RoceDevice other) {
        return device.equals(other);
    }

    void joined() {
        queuePairs.incrementAndGet();
    }

    void left() {
        queuePairs.decrementAndGet();
    }

    @Override
    public boolean poll(Completion into) {
        if (ring.poll(into)) {
            return true;
        }
        device.drivers().drive(ring);
        return ring.poll(into);
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        if (hasOwnChannel) {
            channel.forget();
        }
        ring.arm(solicitedOnly);
    }

    @Override
    public boolean await(long timeoutNanos) {
        if (!hasOwnChannel) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "a completion queue of "
                            + device.name()
                            + " reports to a completion channel; wait on the channel");
        }
        return device.drivers().await(channel, ring, timeoutNanos);
    }

    @Override
    public int capacity() {
        return ring.capacity();
    }

    @Override
    public void completionAdded(CompletionRing from) {
        channel.wake();
    }

    @Override
    public void overrun() {
        device.events().add(AsyncEvent.Type.CQ_ERROR, this);
    }

    @Override
    public synchronized void close() {
        if (queuePairs.get() > 0) {
            throw new FabricException(
                    Reason.IN_USE,
                    "completion queue of "
                            + device.name()
                            + " still serves "
                            + queuePairs.get()
                            + " queue pair ends; close the queue pairs first");
        }
        if (closed) {
            return;
        }
        closed = true;
        if (hasOwnChannel) {
            channel.close();
        } else {
            channel.left();
        }
    }
}
