package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.memory.MemoryFault;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.verbs.Counters;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.ReceiveEntry;
import dev.outboard.fabric.verbs.SendQueue;
import java.lang.foreign.MemorySegment;

/// The receiving half of a reliable connection: executes requests in sequence, answers them, and
/// reports gaps and errors (roce.md 3.4 to 3.7).
final class Responder {
    private static final int NOTHING = -1;

    /// Responses of one queue pair in one turn, so that the others get theirs: as much as one
    /// system call takes.
    private static final int RESPONSE_BYTES_PER_TURN = 1 << 16;

    private static final int MAX_RESPONSES_PER_TURN = 60;

    /// The message whose packets arrive at present.
    private enum Message {
        NONE,
        SEND,
        WRITE
    }

    private final QueuePairCore core;
    private final RemoteMemory memory;
    private final ResponderResources resources;
    private final RcQueuePair owner;
    private RcConnection connection;
    private final SendBudget budget;
    private final Counters<QueuePairCounter> counters;
    private final ReceiverWait receiverWait = new ReceiverWait();
    private long nowNanos;
    private int expectedPsn;
    private int msn;
    private Message message = Message.NONE;

    /// Bytes of the SEND stored so far.
    private long position;

    private final IncomingWrite write;

    /// A gap or a missing receive was reported; silent until the expected packet comes (roce.md
    /// 3.6).
    private boolean isGapReported;

    /// The packet being executed is the one that a report asked for. It is acknowledged at once:
    /// soft-RoCE heeds no second report before it has seen progress (roce.md 3.6).
    private boolean isAskedFor;

    private int ackPsn = NOTHING;

    /// The packet that came last ended a message that took a receive; the peer has not asked
    /// before.
    private boolean hasCompletedReceive;

    private int nakSyndrome = NOTHING;
    private int nakPsn;

    Responder(
            RcQueuePair owner,
            QueuePairCore core,
            RcConnection connection,
            SendBudget budget,
            Counters<QueuePairCounter> counters) {
        this.owner = owner;
        this.core = core;
        memory = new RemoteMemory(core);
        write = new IncomingWrite(memory);
        resources = new ResponderResources(connection, memory);
        this.connection = connection;
        this.budget = budget;
        this.counters = counters;
        expectedPsn = connection.receivePsn();
    }

    /// The connection has other attributes from now on.
    void adopt(RcConnection changed) {
        connection = changed;
        resources.adopt(changed);
    }

    /// A request packet arrived.
    void receive(Packet packet, long now) {
        nowNanos = now;
        int ahead = Psn.difference(packet.psn(), expectedPsn);
        if (ahead > 0) {
            gap();
        } else if (ahead < 0) {
            duplicate(packet);
        } else {
            isAskedFor = isGapReported;
            isGapReported = false;
            // A report about this very packet that has not left yet is out of date.
            nakSyndrome = NOTHING;
            execute(packet);
        }
    }

    /// Sends what is owed to the peer, in the order of sequence numbers: responses, then the
    /// acknowledgement of what came behind them, then a report.
    ///
    /// ROCE-RC-7: an acknowledgement is cumulative, and waits for the responses before it.
    ///
    /// @return false if more is owed: the sink ran full or this turn's share is used up
    boolean transmit(PacketSink sink) {
        if (!respond(sink)) {
            return false;
        }
        if (ackPsn != NOTHING) {
            if (!sink.hasRoom()) {
                return false;
            }
            counters.increment(QueuePairCounter.ACKS_SENT);
            emit(sink, Aeth.ACK, ackPsn);
            ackPsn = NOTHING;
        }
        if (nakSyndrome != NOTHING) {
            if (!sink.hasRoom()) {
                return false;
            }
            emit(sink, nakSyndrome, nakPsn);
            nakSyndrome = NOTHING;
        }
        return true;
    }

    /// Whether an acknowledgement is owed, and nothing else.
    boolean owesAcknowledgementOnly() {
        return ackPsn != NOTHING && nakSyndrome == NOTHING && !resources.isPending();
    }

    /// Whether nothing is owed but the acknowledgement of what the application has just been told
    /// of.
    boolean awaitsAnswer() {
        return hasCompletedReceive && owesAcknowledgementOnly();
    }

    private boolean respond(PacketSink sink) {
        int share =
                Math.min(
                        MAX_RESPONSES_PER_TURN,
                        RESPONSE_BYTES_PER_TURN / connection.pathMtuBytes());
        while (resources.isPending()) {
            if (!mayRespond()) {
                resources.clear();
            } else if (share-- == 0 || !sink.hasRoom()) {
                return false;
            } else {
                respondOnce(sink);
            }
        }
        return true;
    }

    private void respondOnce(PacketSink sink) {
        try {
            if (resources.emitPending(sink)) {
                counters.increment(QueuePairCounter.RESPONSES_SENT);
                budget.answerSent(connection.pathMtuBytes());
            } else {
                refuseResponse(Aeth.NAK_REMOTE_ACCESS_ERROR);
            }
        } catch (MemoryFault refused) {
            refuseResponse(Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
        }
    }

    /// What was accepted before a request was refused is still answered; a queue pair that failed
    /// for another reason is silent.
    private boolean mayRespond() {
        return nakSyndrome != NOTHING || owner.state() != QueuePairState.ERROR;
    }

    /// The memory of a READ may not be read any more (roce.md 3.11).
    private void refuseResponse(int syndrome) {
        int psn = resources.pendingPsn();
        resources.clear();
        ackPsn = NOTHING;
        refuse(syndrome);
        nakPsn = psn;
    }

    private void emit(PacketSink sink, int syndrome, int psn) {
        MemorySegment headers = sink.headerMemory();
        long at = sink.headerOffset();
        Bth.write(
                headers,
                at,
                Opcode.ACKNOWLEDGE,
                false,
                0,
                Bth.DEFAULT_PARTITION_KEY,
                connection.destinationQpn(),
                false,
                psn);
        Aeth.write(headers, at + Bth.LENGTH, syndrome, msn);
        sink.finish(connection.path(), Opcode.ACKNOWLEDGE.headerLength());
        budget.answerSent(Opcode.ACKNOWLEDGE.headerLength() + Icrc.LENGTH);
    }

    /// ROCE-RC-10: a gap is reported once, until it is filled.
    private void gap() {
        if (isGapReported) {
            counters.increment(QueuePairCounter.OUT_OF_ORDER_DROPPED);
            return;
        }
        isGapReported = true;
        counters.increment(QueuePairCounter.SEQUENCE_NAKS_SENT);
        answerNak(Aeth.NAK_PSN_SEQUENCE_ERROR);
    }

    /// Executed before: acknowledge what is done, do not do it again (roce.md 3.7).
    ///
    /// ROCE-RC-11: a SEND or WRITE that comes again is acknowledged and not executed.
    private void duplicate(Packet packet) {
        counters.increment(QueuePairCounter.DUPLICATES_RECEIVED);
        hasCompletedReceive = false;
        switch (packet.opcode().operation()) {
            case SEND, WRITE -> ackPsn = Psn.add(expectedPsn, -1);
            case READ_REQUEST, COMPARE_SWAP, FETCH_ADD -> {
                if (!resources.replay(packet)) {
                    counters.increment(QueuePairCounter.UNKNOWN_DUPLICATES_DROPPED);
                }
            }
            default -> {
                // Never executed, so there is nothing to repeat.
            }
        }
    }

    /// ROCE-RC-21: an opcode that cannot follow the one before is an invalid request.
    private void execute(Packet packet) {
        Opcode opcode = packet.opcode();
        Opcode.Operation operation = opcode.operation();
        boolean starts = opcode.isFirst() || opcode.isOnly();
        boolean isInSequence =
                starts
                        ? message == Message.NONE
                        : (message == Message.SEND && operation == Opcode.Operation.SEND)
                                || (message == Message.WRITE
                                        && operation == Opcode.Operation.WRITE);
        if (!isInSequence || !hasLegalLength(opcode, packet.payloadLength())) {
            refuse(Aeth.NAK_INVALID_REQUEST);
            return;
        }
        switch (operation) {
            case SEND -> {
                if (executeSend(packet, opcode)) {
                    executed(packet, opcode);
                }
            }
            case WRITE -> {
                if (executeWrite(packet, opcode)) {
                    executed(packet, opcode);
                }
            }
            case READ_REQUEST -> executeRead(packet);
            case COMPARE_SWAP, FETCH_ADD -> executeAtomic(packet);
            default -> refuse(Aeth.NAK_INVALID_REQUEST);
        }
    }

    /// FIRST and MIDDLE are full, LAST is not empty (roce.md 3.3).
    ///
    /// ROCE-RC-2: a LAST packet without payload is none.
    private boolean hasLegalLength(Opcode opcode, int length) {
        int mtu = connection.pathMtuBytes();
        if (opcode.isFirst() || opcode.isMiddle()) {
            return length == mtu;
        }
        if (opcode.operation() != Opcode.Operation.SEND
                && opcode.operation() != Opcode.Operation.WRITE) {
            return length == 0;
        }
        return length <= mtu && (length > 0 || opcode.isOnly());
    }

    private void executed(Packet packet, Opcode opcode) {
        counters.increment(QueuePairCounter.REQUESTS_RECEIVED);
        if (packet.ackRequest() || isAskedFor) {
            ackPsn = packet.psn();
        }
        expectedPsn = Psn.next(expectedPsn);
        boolean isEnd = opcode.isLast() || opcode.isOnly();
        hasCompletedReceive =
                isEnd
                        && !isAskedFor
                        && (opcode.operation() == Opcode.Operation.SEND || opcode.hasImmediate());
        if (isEnd) {
            message = Message.NONE;
            msn = Psn.next(msn);
        }
    }

    private boolean executeSend(Packet packet, Opcode opcode) {
        if (opcode.isFirst() || opcode.isOnly()) {
            if (!core.takeReceive()) {
                return notReady();
            }
            position = 0;
            message = Message.SEND;
        }
        ReceiveEntry receive = core.receive();
        int length = packet.payloadLength();
        if (position + length > receive.length) {
            return refuseReceive(
                    Aeth.NAK_INVALID_REQUEST, CompletionStatus.LOCAL_LENGTH_ERROR, packet);
        }
        CompletionStatus stored =
                core.store(position, packet.segment(), packet.payloadOffset(), length);
        if (stored != CompletionStatus.SUCCESS) {
            return refuseReceive(Aeth.NAK_REMOTE_OPERATIONAL_ERROR, stored, packet);
        }
        position += length;
        arrived(length);
        if (opcode.isFirst() || opcode.isMiddle()) {
            return true;
        }
        /// ROCE-RC-24: the key is void before the application can learn of the message.
        if (opcode.hasIeth() && !memory.invalidate(packet.invalidateKey())) {
            return refuseReceive(
                    Aeth.NAK_REMOTE_ACCESS_ERROR,
                    CompletionStatus.REMOTE_INVALID_REQUEST_ERROR,
                    packet);
        }
        return completeReceive(CompletionOpcode.RECEIVE, position, packet);
    }

    /// Counts before the message completes: the application may look at the counter at once.
    private void arrived(int length) {
        counters.add(QueuePairCounter.BYTES_RECEIVED, length);
    }

    /// ROCE-RC-23: a WRITE with immediate takes one receive.
    private boolean executeWrite(Packet packet, Opcode opcode) {
        boolean isProbe = opcode == Opcode.WRITE_ONLY && packet.dmaLength() == 0;
        if (opcode.hasReth() && !isProbe && !owner.permits(Access.REMOTE_WRITE)) {
            return refuse(Aeth.NAK_INVALID_REQUEST);
        }
        if (opcode.hasImmediate() && !core.takeReceive()) {
            return notReady();
        }
        if (opcode.hasReth()) {
            /// ROCE-RC-26: nor may a peer write more than 2^31 bytes at once.
            if (packet.dmaLength() > SendQueue.MAX_MESSAGE_BYTES) {
                return refuse(Aeth.NAK_INVALID_REQUEST);
            }
            message = Message.WRITE;
            if (!write.begin(packet)) {
                return refuse(Aeth.NAK_REMOTE_ACCESS_ERROR);
            }
        }
        int length = packet.payloadLength();
        boolean ends = opcode.isLast() || opcode.isOnly();
        if (!write.takes(length, ends)) {
            return refuse(Aeth.NAK_INVALID_REQUEST);
        }
        try {
            if (length > 0 && !write.store(packet)) {
                return refuse(Aeth.NAK_REMOTE_ACCESS_ERROR);
            }
        } catch (MemoryFault refused) {
            return refuse(Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
        }
        arrived(length);
        return !opcode.hasImmediate()
                || completeReceive(
                        CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE, write.length(), packet);
    }

    /// The peer learns of no success that the application will never hear of.
    private boolean completeReceive(CompletionOpcode opcode, long byteCount, Packet packet) {
        return owner.completeReceive(opcode, byteCount, packet)
                || refuse(Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
    }

    /// Accepts a READ: it takes the sequence numbers of its responses, which leave when it is our
    /// turn to send. The first of them acknowledges everything before (roce.md 3.2, 3.4).
    private void executeRead(Packet packet) {
        long length = packet.dmaLength();
        if (length > SendQueue.MAX_MESSAGE_BYTES
                || !owner.permits(Access.REMOTE_READ)
                || !resources.hasRoom()) {
            refuse(Aeth.NAK_INVALID_REQUEST);
            return;
        }
        if (length > 0
                && memory.find(
                                packet.remoteKey(),
                                packet.remoteAddress(),
                                length,
                                Access.REMOTE_READ)
                        == null) {
            refuse(Aeth.NAK_REMOTE_ACCESS_ERROR);
            return;
        }
        counters.increment(QueuePairCounter.REQUESTS_RECEIVED);
        msn = Psn.next(msn);
        expectedPsn = Psn.add(expectedPsn, resources.addRead(packet, msn));
        ackPsn = NOTHING;
    }

    /// Executes an atomic, once: if it comes again the saved result is sent (roce.md 3.13).
    ///
    /// ROCE-RC-13: the saved result answers an atomic that comes again.
    private void executeAtomic(Packet packet) {
        long address = packet.remoteAddress();
        if (!owner.permits(Access.REMOTE_ATOMIC)
                || !resources.hasRoom()
                || (address & (Long.BYTES - 1)) != 0) {
            refuse(Aeth.NAK_INVALID_REQUEST);
            return;
        }
        RegisteredRegion region =
                memory.find(packet.remoteKey(), address, Long.BYTES, Access.REMOTE_ATOMIC);
        if (region == null) {
            refuse(Aeth.NAK_REMOTE_ACCESS_ERROR);
            return;
        }
        long original;
        try {
            original = memory.update(region, address, packet);
        } catch (IllegalStateException arenaClosed) {
            refuse(Aeth.NAK_REMOTE_ACCESS_ERROR);
            return;
        }
        counters.increment(QueuePairCounter.REQUESTS_RECEIVED);
        msn = Psn.next(msn);
        expectedPsn = Psn.next(expectedPsn);
        resources.addAtomic(packet, msn, original);
        ackPsn = NOTHING;
    }

    /// No receive is posted: the packet is refused, nothing changes, the peer sends it again
    /// (roce.md 3.6).
    ///
    /// ROCE-RC-15: without a receive the peer is told to wait.
    private boolean notReady() {
        isGapReported = true;
        counters.increment(QueuePairCounter.RNR_NAKS_SENT);
        answerNak(receiverWait.refusal(expectedPsn, connection.minRnrTimerCode(), nowNanos));
        return false;
    }

    private boolean refuse(int syndrome) {
        answerFatally(syndrome);
        owner.fail();
        return false;
    }

    private boolean refuseReceive(int syndrome, CompletionStatus status, Packet packet) {
        answerFatally(syndrome);
        owner.failReceive(status, packet);
        return false;
    }

    /// The application learns of it too (roce.md 3.6).
    ///
    /// ROCE-RC-19: a refused request ends the queue pair on this side as well, with an event.
    private void answerFatally(int syndrome) {
        counters.increment(QueuePairCounter.ERROR_NAKS_SENT);
        answerNak(syndrome);
        core.raise(
                switch (syndrome) {
                    case Aeth.NAK_INVALID_REQUEST -> AsyncEvent.Type.QP_REQUEST_ERROR;
                    case Aeth.NAK_REMOTE_ACCESS_ERROR -> AsyncEvent.Type.QP_ACCESS_ERROR;
                    default -> AsyncEvent.Type.QP_FATAL;
                });
    }

    private void answerNak(int syndrome) {
        nakSyndrome = syndrome;
        nakPsn = expectedPsn;
    }
}
