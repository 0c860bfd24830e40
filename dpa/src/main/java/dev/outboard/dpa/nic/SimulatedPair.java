package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.fabric.QueuePairState;

/// A queue pair whose peer is one of the same NIC: the NIC itself carries what they send, by the
/// rules of the machine's memory.
final class SimulatedPair extends QueuePair {
    private final int number;
    private final SendQueue sendQueue;
    private final ReceiveQueue receiveQueue;
    private volatile boolean connected;

    SimulatedPair(
            int number,
            Send send,
            ReceivePool pool,
            CompletionQueue receives,
            User user,
            Shared shared) {
        super(send, user, shared);
        this.number = number;
        WorkRequest request = new WorkRequest(send, shared, shared.maxMessageBytes());
        sendQueue = new SendQueue(this, send, user, request, shared);
        receiveQueue = new ReceiveQueue(this, pool, receives, user, shared);
    }

    @Override
    public int number() {
        return number;
    }

    /// The NIC takes a pair from its first state to its last one in one step.
    @Override
    public QueuePairState state() {
        if (isInError()) {
            return QueuePairState.ERROR;
        }
        return connected ? QueuePairState.READY_TO_SEND : QueuePairState.RESET;
    }

    @Override
    public void connect(QueuePair peer) {
        if (peer instanceof SimulatedPair other) {
            sendQueue.connect(other.receiveQueue::receive);
            other.sendQueue.connect(receiveQueue::receive);
            connected = true;
            other.connected = true;
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

    @Override
    void remove(Nic nic) {
        super.remove(nic);
        sendQueue.remove(nic);
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
