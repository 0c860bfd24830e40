package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;

/// A queue pair whose peer is one of the same NIC: the NIC itself carries what they send, by the
/// rules of the machine's memory.
final class SimulatedPair extends QueuePair {
    private final int number;
    private final SendQueue sendQueue;
    private final ReceiveQueue receiveQueue;

    SimulatedPair(
            int number, int receiveNumber, Send send, Receive receive, User user, Shared shared) {
        super(send, user, shared);
        this.number = number;
        WorkRequest request = new WorkRequest(send, shared, shared.maxMessageBytes());
        sendQueue = new SendQueue(this, send, user, request, shared);
        receiveQueue = new ReceiveQueue(this, receiveNumber, receive, user, shared);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public void connect(QueuePair peer) {
        if (peer instanceof SimulatedPair other) {
            sendQueue.connect(other.receiveQueue::receive);
            other.sendQueue.connect(receiveQueue::receive);
        } else {
            throw new IllegalArgumentException(
                    "Queue pairs of two NICs are not connected like this");
        }
    }

    @Override
    SendIndex index() {
        return sendQueue.index();
    }

    @Override
    Step step(Nic nic) {
        return sendQueue.step(nic);
    }

    /// Both queues are flushed from now on.
    @Override
    void fail(Nic nic) {
        if (failed()) {
            receiveQueue.flush(nic);
        }
    }

    @Override
    void flushReceives(Nic nic) {
        receiveQueue.flush(nic);
    }
}
