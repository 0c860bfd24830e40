package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SharedReceiveQueue;
import dev.outboard.fabric.verbs.ReceiveQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// A receive queue that several queue pairs of a domain take from.
final class RoceSharedReceiveQueue implements SharedReceiveQueue {
    private final RoceDevice device;
    private final RoceProtectionDomain domain;
    private final ReceiveQueue receives;
    private final AtomicInteger queuePairs = new AtomicInteger();
    private volatile boolean closed;

    RoceSharedReceiveQueue(RoceDevice device, RoceProtectionDomain domain, ReceiveQueue receives) {
        this.device = device;
        this.domain = domain;
        this.receives = receives;
    }

    RoceProtectionDomain domain() {
        return domain;
    }

    ReceiveQueue receives() {
        return receives;
    }

    void joined() {
        queuePairs.incrementAndGet();
    }

    void left() {
        queuePairs.decrementAndGet();
    }

    @Override
    public boolean post(ReceiveRequest request) {
        requireOpen();
        return receives.offer(request);
    }

    @Override
    public void arm(int limit) {
        requireOpen();
        if (limit < 0 || limit > capacity()) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "limit of a shared receive queue is " + limit + "; valid: 0 to " + capacity());
        }
        device.engine()
                .exclusively(() ->
                        receives.onLimit(
                                limit,
                                () ->
                                        device.events()
                                                .add(AsyncEvent.Type.SRQ_LIMIT_REACHED, this)));
    }

    @Override
    public int capacity() {
        return receives.capacity();
    }

    @Override
    public void close() {
        if (queuePairs.get() > 0) {
            throw new FabricException(
                    Reason.IN_USE,
                    "shared receive queue of "
                            + device.name()
                            + " still serves "
                            + queuePairs.get()
                            + " queue pairs; close them first");
        }
        closed = true;
        domain.left(this);
    }

    void requireOpen() {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED, "shared receive queue of " + device.name() + " is closed");
        }
    }
}
