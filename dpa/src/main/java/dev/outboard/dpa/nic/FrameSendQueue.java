package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.nic.layout.SendEntry;

/// DPA-FXQ-12: a send queue of raw Ethernet frames: each entry is a frame, or what becomes several
/// of them, which leave through a port. Made by a [NicEngine]; in the run only its actor touches
/// it.
public final class FrameSendQueue extends SendingQueue {
    private final int number;
    private final NicPort port;
    private final SendQueue sendQueue;
    private final FrameChecksums checksums = new FrameChecksums();
    private final LargeSend largeSend;

    FrameSendQueue(
            int number, NicPort port, QueuePair.Send send, QueuePair.User user, Shared shared) {
        super(QueueStatus.Kind.SEND_QUEUE, AsyncEvent.Kind.FRAME_QUEUE_ERROR, send, user, shared);
        this.number = number;
        this.port = port;
        largeSend = new LargeSend(port);
        sendQueue = new SendQueue(this, send, user, WorkRequest.ofFrames(send, shared), shared);
        sendQueue.connect(this::transmit);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    SendIndex index() {
        return sendQueue.index();
    }

    @Override
    Step step(Nic nic) {
        return sendQueue.step(nic);
    }

    @Override
    void fail(Nic nic) {
        failed();
    }

    private Acknowledge transmit(Message frame) {
        if (frame.opcode() == SendEntry.LSO) {
            return largeSend.send(frame);
        }
        checksums.insert(frame.payload(), frame.byteCount(), frame.flags());
        port.send(frame.payload(), frame.byteCount());
        return Acknowledge.DONE;
    }
}
