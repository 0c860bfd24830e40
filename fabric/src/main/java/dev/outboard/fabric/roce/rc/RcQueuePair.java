package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.memory.RegionTable;
import dev.outboard.fabric.roce.queue.CompletionRing;
import dev.outboard.fabric.roce.queue.Counters;
import dev.outboard.fabric.roce.queue.ReceiveQueue;
import dev.outboard.fabric.roce.queue.SendEntry;
import dev.outboard.fabric.roce.queue.SendQueue;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PacketSink;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A reliable-connected queue pair as a pure state machine (roce.md 3): requests and packets go in,
/// packets and completions come out, time is a parameter.
///
/// Posting is for the application's threads, one per queue; everything else is for the thread that
/// drives the device.
public final class RcQueuePair {
    private final int number;
    private final int domain;
    private final RegionTable regions;
    private final CompletionRing sendCompletions;
    private final CompletionRing receiveCompletions;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Counters<QueuePairCounter> counters = new Counters<>(QueuePairCounter.class);

    private volatile QueuePairState state = QueuePairState.INIT;
    private @Nullable Requester requester;
    private @Nullable Responder responder;
    private @Nullable RcConnection connection;

    /// A queue pair in state INIT.
    public RcQueuePair(
            int number,
            int domain,
            RegionTable regions,
            CompletionRing sendCompletions,
            CompletionRing receiveCompletions,
            QueueSizes sizes) {
        this.number = number;
        this.domain = domain;
        this.regions = regions;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
        sends = new SendQueue(regions, sizes.sends(), sizes.pieces(), sizes.inlineBytes());
        receives = new ReceiveQueue(regions, sizes.receives(), sizes.pieces());
    }

    /// How much a queue pair holds.
    ///
    /// @param sends send requests outstanding
    /// @param receives receive requests outstanding
    /// @param pieces memory pieces of a request
    /// @param inlineBytes payload of an inline request
    public record QueueSizes(int sends, int receives, int pieces, int inlineBytes) {}

    public int number() {
        return number;
    }

    /// The protection domain.
    public int domain() {
        return domain;
    }

    /// Any thread.
    public QueuePairState state() {
        return state;
    }

    public Counters<QueuePairCounter> counters() {
        return counters;
    }

    /// The peer, once connected.
    public @Nullable RcConnection connection() {
        return connection;
    }

    /// Posts a send; false if the queue is full. The caller then has the device driven.
    public boolean post(SendRequest request) {
        QueuePairState now = state;
        if (now != QueuePairState.READY_TO_SEND && now != QueuePairState.ERROR) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "queue pair "
                            + number
                            + " is in state "
                            + now
                            + "; sends are possible in READY_TO_SEND");
        }
        return sends.offer(request);
    }

    /// Posts a receive; false if the queue is full. If this returns true and the state is ERROR,
    /// the caller has the device driven, so that it is flushed.
    public boolean post(ReceiveRequest request) {
        boolean posted = receives.offer(request);
        // A failing queue pair first changes its state, then flushes: either it sees this request
        // or we see the state.
        VarHandle.fullFence();
        return posted;
    }

    /// INIT → READY_TO_RECEIVE → READY_TO_SEND.
    public void connect(RcConnection newConnection) {
        if (state != QueuePairState.INIT) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "queue pair " + number + " is in state " + state + "; connecting needs INIT");
        }
        connection = newConnection;
        responder = new Responder(this, receives, regions, newConnection, counters);
        requester = new Requester(this, sends, newConnection, counters);
        state = QueuePairState.READY_TO_SEND;
    }

    /// A packet for this queue pair arrived; its source address is checked already.
    public void receive(Packet packet, long nowNanos) {
        Requester sending = requester;
        Responder receiving = responder;
        if (state != QueuePairState.READY_TO_SEND || sending == null || receiving == null) {
            counters.increment(QueuePairCounter.WRONG_STATE_DROPPED);
            return;
        }
        switch (packet.opcode().operation()) {
            case ACKNOWLEDGE -> sending.acknowledge(packet, nowNanos);
            case READ_RESPONSE, ATOMIC_ACK ->
                    counters.increment(QueuePairCounter.STALE_RESPONSES_DROPPED);
            default -> receiving.receive(packet);
        }
    }

    /// Sends what is due: first what is owed to the peer, then requests.
    ///
    /// @return whether more could be sent at once
    public boolean transmit(PacketSink sink, long nowNanos) {
        Responder receiving = responder;
        if (receiving != null && !receiving.transmit(sink)) {
            return true;
        }
        if (state == QueuePairState.ERROR) {
            flush();
            return false;
        }
        Requester sending = requester;
        return sending != null && sending.transmit(sink, nowNanos);
    }

    /// When [#onTimer] wants to be called at the latest; [Long#MAX_VALUE] for never.
    public long deadlineNanos() {
        Requester sending = requester;
        return state == QueuePairState.READY_TO_SEND && sending != null
                ? sending.deadlineNanos()
                : RetransmitTimer.NONE;
    }

    /// The deadline may have passed; [#transmit] follows.
    public void onTimer(long nowNanos) {
        Requester sending = requester;
        if (state == QueuePairState.READY_TO_SEND && sending != null) {
            sending.onTimer(nowNanos);
        }
    }

    /// Goes to ERROR: everything outstanding is flushed in order (roce.md 3.10).
    public void fail() {
        if (state != QueuePairState.ERROR) {
            state = QueuePairState.ERROR;
            VarHandle.fullFence();
            flush();
        }
    }

    /// Goes to ERROR because the oldest send request failed with `status`; the rest is flushed.
    public void failSend(CompletionStatus status) {
        if (state == QueuePairState.READY_TO_SEND && sends.head() < sends.posted()) {
            completeSend(status);
        }
        fail();
    }

    /// The oldest receive failed with `status`; the rest is flushed.
    void failReceive(CompletionStatus status) {
        completeReceive(status);
        fail();
    }

    /// The oldest send request succeeded.
    void completeSend() {
        if (sends.at(sends.head()).signaled) {
            completeSend(CompletionStatus.SUCCESS);
        } else {
            sends.removeHead();
        }
    }

    /// The oldest receive succeeded; false if the application cannot be told because its completion
    /// queue is full.
    boolean completeReceive(CompletionOpcode opcode, long byteCount, Packet packet) {
        Completion completion = receiveCompletions.free();
        long id = receives.head().id;
        receives.removeHead();
        if (completion == null) {
            overrun();
            return false;
        }
        completion.set(id, CompletionStatus.SUCCESS, opcode, number, byteCount);
        if (packet.opcode().hasImmediate()) {
            completion.setImmediate(packet.immediate());
        }
        receiveCompletions.publish(packet.solicited());
        return true;
    }

    private void flush() {
        while (sends.head() < sends.posted()) {
            completeSend(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
        while (!receives.isEmpty()) {
            completeReceive(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
    }

    private void completeSend(CompletionStatus status) {
        SendEntry entry = sends.at(sends.head());
        Completion completion = sendCompletions.free();
        if (completion != null) {
            completion.set(entry.id, status, entry.completionOpcode(), number, entry.length);
        }
        sends.removeHead();
        publish(sendCompletions, completion, status);
    }

    private void completeReceive(CompletionStatus status) {
        Completion completion = receiveCompletions.free();
        if (completion != null) {
            completion.set(receives.head().id, status, CompletionOpcode.RECEIVE, number, 0);
        }
        receives.removeHead();
        publish(receiveCompletions, completion, status);
    }

    /// An error counts as solicited (roce.md 3.9).
    private void publish(
            CompletionRing ring, @Nullable Completion completion, CompletionStatus status) {
        if (completion == null) {
            overrun();
        } else {
            ring.publish(status != CompletionStatus.SUCCESS);
        }
    }

    /// The application let the completion queue run full: a completion is lost, so the queue pair
    /// cannot go on.
    private void overrun() {
        counters.increment(QueuePairCounter.COMPLETION_QUEUE_OVERRUNS);
        fail();
    }
}
