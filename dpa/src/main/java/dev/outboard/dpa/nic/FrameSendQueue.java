package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import java.util.function.Consumer;

/// DPA-FXQ-12: a send queue of raw Ethernet frames: each entry is a frame, which leaves through a
/// port. Made by a [NicEngine]; in the run only its actor touches it.
public final class FrameSendQueue extends SendingQueue {
    private final int number;
    private final int uar;
    private final NicPort port;
    private final SendQueue sendQueue;
    private final Consumer<AsyncEvent> events;
    private final int logBlocks;
    private volatile boolean error;

    FrameSendQueue(
            int number, NicPort port, QueuePair.Send send, QueuePair.User user, Shared shared) {
        this.number = number;
        this.port = port;
        uar = user.uar();
        logBlocks = send.logBlocks();
        events = shared.events();
        sendQueue = new SendQueue(this, send, user, WorkRequest.ofFrames(send, shared), shared);
        sendQueue.connect(this::transmit);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int uar() {
        return uar;
    }

    @Override
    public boolean isInError() {
        return error;
    }

    @Override
    boolean ring(int index) {
        return sendQueue.ring(index);
    }

    @Override
    Step step(Nic nic) {
        return sendQueue.step(nic);
    }

    /// Nothing is left of it.
    @Override
    void remove() {
        error = true;
    }

    @Override
    QueueStatus status() {
        return new QueueStatus(
                QueueStatus.Kind.SEND_QUEUE,
                number,
                1 << logBlocks,
                sendQueue.done(),
                false,
                error);
    }

    @Override
    void fail(Nic nic) {
        if (!error) {
            error = true;
            events.accept(new AsyncEvent(AsyncEvent.Kind.FRAME_QUEUE_ERROR, number));
        }
    }

    private Acknowledge transmit(Message frame) {
        port.send(frame.payload(), frame.byteCount());
        return Acknowledge.DONE;
    }
}
