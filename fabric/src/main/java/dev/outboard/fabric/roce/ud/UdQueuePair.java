package dev.outboard.fabric.roce.ud;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.GatherList;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.queue.CompletionRing;
import dev.outboard.fabric.roce.queue.Counters;
import dev.outboard.fabric.roce.queue.ReceiveEntry;
import dev.outboard.fabric.roce.queue.ReceiveQueue;
import dev.outboard.fabric.roce.queue.SendEntry;
import dev.outboard.fabric.roce.queue.SendQueue;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Discard;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Immediate;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PacketSink;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Psn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// An unreliable-datagram queue pair as a pure state machine (roce.md 4): requests and packets go
/// in, packets and completions come out. Every message is one packet; nobody acknowledges or
/// repeats anything, so it needs no time.
///
/// A send completes when the sink has handed it to the socket. That happens between two calls of
/// [#transmit], so whatever one call gave to the sink, the next one completes.
///
/// Posting is for the application's threads, one per queue; everything else is for the thread that
/// drives the device.
public final class UdQueuePair {
    /// Packets of one [#transmit]: the share of a queue pair in a turn of the device.
    static final int PACKETS_PER_TURN = 60;

    private static final long ROUTE_HEADER_ALIGNMENT = 8;

    private final int number;
    private final int domain;
    private final Gid localGid;
    private final int maxPayloadBytes;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final CompletionRing sendCompletions;
    private final CompletionRing receiveCompletions;
    private final Counters<UdCounter> counters = new Counters<>(UdCounter.class);
    private final MemorySegment routeHeader =
            Arena.ofAuto().allocate(RouteHeader.LENGTH, ROUTE_HEADER_ALIGNMENT);

    private volatile QueuePairState state = QueuePairState.RESET;
    private int queueKey;
    private int psn;

    /// The position of the first request that was not given to the sink yet.
    private long next;

    /// A queue pair in state RESET.
    ///
    /// @param maxPayloadBytes of a message: the MTU of the port
    public UdQueuePair(
            int number,
            int domain,
            Gid localGid,
            int maxPayloadBytes,
            SendQueue sends,
            ReceiveQueue receives,
            CompletionRing sendCompletions,
            CompletionRing receiveCompletions) {
        this.number = number;
        this.domain = domain;
        this.localGid = localGid;
        this.maxPayloadBytes = maxPayloadBytes;
        this.sends = sends;
        this.receives = receives;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
    }

    public int number() {
        return number;
    }

    /// Any thread.
    public QueuePairState state() {
        return state;
    }

    public Counters<UdCounter> counters() {
        return counters;
    }

    /// Enters a state that is neither RESET nor ERROR; that the transition is legal is checked
    /// already.
    public void enter(QueuePairState newState) {
        state = newState;
    }

    /// What datagrams to this queue pair must carry from now on.
    public void queueKey(int newQueueKey) {
        queueKey = newQueueKey;
    }

    /// The sequence number of the next datagram.
    public void sendPsn(int newPsn) {
        psn = newPsn;
    }

    /// Posts a send; false if the queue is full. The caller then has the device driven.
    public boolean post(SendRequest request) {
        QueuePairState now = state;
        switch (now) {
            case READY_TO_SEND, SEND_QUEUE_DRAIN, SEND_QUEUE_ERROR, ERROR -> check(request);
            case RESET, INIT, READY_TO_RECEIVE ->
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
        if (state == QueuePairState.RESET) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "queue pair " + number + " is in state RESET; receives are possible from INIT");
        }
        boolean posted = receives.offer(request);
        // A failing queue pair first changes its state, then flushes: either it sees this request
        // or we see the state.
        VarHandle.fullFence();
        return posted;
    }

    /// A datagram for this queue pair arrived.
    ///
    /// @return why it was dropped, or null
    public @Nullable Discard receive(Packet packet) {
        switch (state) {
            case READY_TO_RECEIVE, READY_TO_SEND, SEND_QUEUE_DRAIN, SEND_QUEUE_ERROR -> {}
            case RESET, INIT, ERROR -> {
                return drop(UdCounter.WRONG_STATE_DROPPED, Discard.WRONG_STATE);
            }
        }
        if (packet.queueKey() != queueKey) {
            return drop(UdCounter.BAD_QUEUE_KEY_DROPPED, Discard.BAD_QUEUE_KEY);
        }
        if (receives.isEmpty()) {
            return drop(UdCounter.NO_RECEIVE_DROPPED, Discard.NO_RECEIVE);
        }
        ReceiveEntry receive = receives.head();
        int length = RouteHeader.LENGTH + packet.payloadLength();
        if (length > receive.length) {
            // The receive is lost, the queue pair goes on: a peer must not be able to stop it.
            completeReceive(CompletionStatus.LOCAL_LENGTH_ERROR);
            return drop(UdCounter.TOO_LONG_DROPPED, Discard.RECEIVE_TOO_SMALL);
        }
        if (!store(receive, packet)) {
            completeReceive(CompletionStatus.LOCAL_PROTECTION_ERROR);
            fail();
            return null;
        }
        counters.increment(UdCounter.DATAGRAMS_RECEIVED);
        counters.add(UdCounter.BYTES_RECEIVED, packet.payloadLength());
        completeReceive(length, packet);
        return null;
    }

    /// Completes what the sink has sent since the last call, then gives it further datagrams.
    ///
    /// @return whether to be called again, because something waits to be completed or to be sent
    public boolean transmit(PacketSink sink) {
        completeSent(next);
        switch (state) {
            case READY_TO_SEND -> send(sink);
            case SEND_QUEUE_ERROR -> flushSends();
            case ERROR -> flush();
            case RESET, INIT, READY_TO_RECEIVE, SEND_QUEUE_DRAIN -> {}
        }
        return next > sends.head()
                || (state == QueuePairState.READY_TO_SEND && next < sends.posted());
    }

    /// Whether every datagram given to the sink is complete: SEND_QUEUE_DRAIN is reached.
    public boolean isDrained() {
        return next == sends.head();
    }

    /// A datagram that took `path` was too long for it and got lost, since the last [#transmit].
    public void failPath(Path path) {
        for (long position = sends.head(); position < next; position++) {
            if (handleOf(sends.at(position)).path() == path) {
                completeSent(position);
                failSend(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
                return;
            }
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

    /// Goes to RESET: everything outstanding is forgotten.
    public void reset() {
        state = QueuePairState.RESET;
        while (sends.head() < sends.posted()) {
            sends.removeHead();
        }
        next = sends.head();
        while (!receives.isEmpty()) {
            receives.removeHead();
        }
    }

    private void send(PacketSink sink) {
        for (int share = PACKETS_PER_TURN; share > 0 && next < sends.posted(); share--) {
            SendEntry entry = sends.at(next);
            if (!entry.isAccessible(domain)) {
                // Its turn to fail comes when those before it are complete.
                if (isDrained()) {
                    failSend(CompletionStatus.LOCAL_PROTECTION_ERROR);
                }
                return;
            }
            if (!sink.hasRoom()) {
                return;
            }
            emit(entry, sink);
            next++;
        }
    }

    private void emit(SendEntry entry, PacketSink sink) {
        MemorySegment headers = sink.headerMemory();
        long at = sink.headerOffset();
        int length = (int) entry.length;
        Opcode opcode = entry.hasImmediate() ? Opcode.UD_SEND_ONLY_IMM : Opcode.UD_SEND_ONLY;
        Bth.write(
                headers,
                at,
                opcode,
                entry.solicited,
                Bth.padCount(length),
                Bth.DEFAULT_PARTITION_KEY,
                entry.destinationQpn,
                false,
                psn);
        // A key with the top bit set stands for the queue pair's own (InfiniBand Architecture,
        // volume 1, 10.2.5): so only privileged code can send privileged keys.
        Deth.write(
                headers, at + Bth.LENGTH, entry.queueKey < 0 ? queueKey : entry.queueKey, number);
        if (entry.hasImmediate()) {
            Immediate.write(headers, at + Bth.LENGTH + Deth.LENGTH, entry.immediate);
        }
        entry.appendPayload(sink, 0, length);
        sink.finish(handleOf(entry).path(), opcode.headerLength());
        psn = Psn.next(psn);
        counters.increment(UdCounter.DATAGRAMS_SENT);
        counters.add(UdCounter.BYTES_SENT, length);
    }

    private boolean store(ReceiveEntry receive, Packet packet) {
        if (!receive.isWritable(domain)) {
            return false;
        }
        RouteHeader.write(routeHeader, packet, localGid);
        try {
            receive.store(0, routeHeader, 0, RouteHeader.LENGTH);
            receive.store(
                    RouteHeader.LENGTH,
                    packet.segment(),
                    packet.payloadOffset(),
                    packet.payloadLength());
            return true;
        } catch (IllegalStateException arenaClosed) {
            return false;
        }
    }

    /// The requests before `position` succeeded.
    private void completeSent(long position) {
        while (sends.head() < position) {
            if (sends.at(sends.head()).signaled) {
                completeSend(CompletionStatus.SUCCESS);
            } else {
                sends.removeHead();
            }
        }
    }

    /// The oldest send failed with `status`; the rest is flushed, receiving goes on (roce.md 3.10).
    private void failSend(CompletionStatus status) {
        state = QueuePairState.SEND_QUEUE_ERROR;
        completeSend(status);
        flushSends();
    }

    private void flushSends() {
        while (sends.head() < sends.posted()) {
            completeSend(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
        next = sends.head();
    }

    private void flush() {
        flushSends();
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
        publish(sendCompletions, completion, status != CompletionStatus.SUCCESS);
    }

    private void completeReceive(CompletionStatus status) {
        Completion completion = receiveCompletions.free();
        if (completion != null) {
            completion.set(receives.head().id, status, CompletionOpcode.RECEIVE, number, 0);
        }
        receives.removeHead();
        publish(receiveCompletions, completion, true);
    }

    private void completeReceive(int byteCount, Packet packet) {
        Completion completion = receiveCompletions.free();
        if (completion != null) {
            completion.set(
                    receives.head().id,
                    CompletionStatus.SUCCESS,
                    CompletionOpcode.RECEIVE,
                    number,
                    byteCount);
            completion.setDatagramSource(packet.sourceQpn());
            if (packet.opcode().hasImmediate()) {
                completion.setImmediate(packet.immediate());
            }
        }
        receives.removeHead();
        publish(receiveCompletions, completion, packet.solicited());
    }

    private void publish(CompletionRing ring, @Nullable Completion completion, boolean solicited) {
        if (completion == null) {
            // The application let the completion queue run full: the queue pair cannot go on.
            counters.increment(UdCounter.COMPLETION_QUEUE_OVERRUNS);
            fail();
        } else {
            ring.publish(solicited);
        }
    }

    private Discard drop(UdCounter counter, Discard reason) {
        counters.increment(counter);
        return reason;
    }

    private void check(SendRequest request) {
        switch (request.operation()) {
            case SEND, SEND_WITH_IMMEDIATE -> {}
            default ->
                    throw invalid(
                            request.operation()
                                    + " is not possible; valid: SEND with or without"
                                    + " immediate data");
        }
        if (!request.hasAddressHandle()
                || !(request.addressHandle() instanceof UdAddressHandle handle)
                || !handle.isUsableIn(domain)) {
            throw invalid(
                    "a datagram needs an open address handle of the queue pair's own protection"
                            + " domain; see SendRequest.to");
        }
        int destination = request.destinationNumber();
        if (destination <= 0 || destination > Psn.MODULUS - 1) {
            throw invalid(
                    "the destination is queue pair " + destination + "; valid: 1 to 0xffffff");
        }
        GatherList gather = request.gather();
        long length = 0;
        for (int i = 0; i < gather.count() && length <= maxPayloadBytes; i++) {
            length += gather.length(i);
        }
        if (length > maxPayloadBytes) {
            throw invalid(
                    "a datagram of "
                            + length
                            + " bytes does not fit one packet; valid: at most "
                            + maxPayloadBytes
                            + ", the MTU of the port");
        }
    }

    private FabricException invalid(String why) {
        return new FabricException(Reason.INVALID_ARGUMENT, "queue pair " + number + ": " + why);
    }

    private static UdAddressHandle handleOf(SendEntry entry) {
        if (entry.addressHandle instanceof UdAddressHandle handle) {
            return handle;
        }
        throw new IllegalStateException("a posted datagram without address handle: " + entry);
    }
}
