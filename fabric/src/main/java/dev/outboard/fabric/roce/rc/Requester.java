package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.memory.MemoryFault;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.verbs.Counters;
import dev.outboard.fabric.verbs.SendEntry;
import dev.outboard.fabric.verbs.SendQueue;

/// The sending half of a reliable connection: turns posted requests into packets, matches the
/// answers, and sends again what got lost, going back to the oldest missing packet (roce.md 3.1 to
/// 3.5, 3.8).
///
/// A READ takes the numbers of its responses, so the window bounds what the peer sends as it bounds
/// what we send. A long READ asks for its responses in several bursts, because the peer of a READ
/// gets no acknowledgement to slow it down (roce.md 6, READ incast).
final class Requester {
    /// Ask for an acknowledgement at least this often, so that the window slides while a long
    /// message is sent: once in 64 KiB (roce.md 6).
    private static final int ACK_REQUEST_INTERVAL = 15;

    /// What one queue pair sends in one turn, so that the others get theirs.
    private static final int BYTES_PER_TURN = 240 * 1024;

    private static final int NOTHING = -1;
    private static final double NANOS_PER_SECOND = 1e9;

    private final SendQueue queue;
    private final RcQueuePair owner;
    private RcConnection connection;
    private final Counters<QueuePairCounter> counters;
    private final CongestionWindow window;
    private final RetransmitTimer timer;
    private final SendBudget budget;
    private final ReadsInFlight reads;
    private final SendCursor cursor;
    private final TailProbe probe;

    /// Where a response was missing last: it is asked for once, then the timer decides.
    private long missingResponse = NOTHING;

    private int packetsSinceAckRequest;
    private int retriesLeft;
    private int rnrRetriesLeft;
    private long rnrUntilNanos = RetransmitTimer.NONE;

    /// After a refusal the refused packet goes alone, to find out whether it is welcome now.
    private boolean isTryingOne;

    /// When the cursor last went back because of a reported gap.
    private long wentBackNanos;

    Requester(
            RcQueuePair owner,
            SendQueue queue,
            RcConnection connection,
            SendBudget budget,
            Counters<QueuePairCounter> counters) {
        this.owner = owner;
        this.budget = budget;
        this.queue = queue;
        this.connection = connection;
        this.counters = counters;
        this.window = new CongestionWindow(connection.maxWindowPackets());
        this.timer = new RetransmitTimer(connection.ackTimeoutNanos());
        this.reads = new ReadsInFlight(connection.maxReadAtomic());
        this.cursor = new SendCursor(queue);
        this.probe = new TailProbe(owner, queue, cursor, budget, timer, counters);
        restoreRetries();
    }

    /// The connection has other attributes from now on.
    void adopt(RcConnection changed) {
        connection = changed;
        timer.timeout(changed.ackTimeoutNanos());
        reads.limit(changed.maxReadAtomic());
        restoreRetries();
    }

    /// The handshake took `nanos` for a round trip.
    void handshakeTook(long nanos) {
        timer.handshakeTook(nanos);
    }

    /// Whether every request that was started is complete.
    boolean isDrained() {
        return queue.head() == queue.started();
    }

    /// Sends what the window allows.
    ///
    /// @return whether more could be sent now: the sink ran full or this turn's share is used up
    boolean transmit(PacketSink sink, long now) {
        if (probe.isWanted()) {
            if (!sink.hasRoom()) {
                return true;
            }
            if (!probe.send(sink, connection, isWaitingForReceiver(), now)) {
                return false;
            }
        }
        if (isHeldBack()) {
            return false;
        }
        int share = BYTES_PER_TURN;
        while (mayTransmit()) {
            int length = RequestBuilder.datagramBytes(connection, cursor.entry(), cursor.index());
            // Recovering: the answer tells that all before it has left the peer's buffer.
            if (!cursor.isRecovering() && !budget.admits(length, now)) {
                return false;
            }
            share -= length;
            if (share < 0 || !sink.hasRoom()) {
                budget.leave();
                return true;
            }
            if (!transmitAtCursor(sink, length, now)) {
                break;
            }
        }
        budget.leave();
        return false;
    }

    /// A congestion notification packet arrived.
    void notified(long now) {
        long roundTrip = timer.smoothedNanos();
        double windowBytes = (double) window.packets() * connection.pathMtuBytes();
        budget.notified(now, roundTrip == 0 ? 0 : windowBytes * NANOS_PER_SECOND / roundTrip);
    }

    /// Whether [#transmit] would send something.
    boolean hasToTransmit() {
        return probe.isWanted() || (mayTransmit() && !isHeldBack());
    }

    /// Whether all there is to send is one new request of one packet.
    boolean hasOnePacket() {
        return !probe.isWanted()
                && cursor.isNew()
                && cursor.index() == 0
                && cursor.isBefore(queue.posted())
                && !cursor.isBefore(queue.posted() - 1)
                && cursor.entry().length <= connection.pathMtuBytes()
                && mayTransmit();
    }

    /// An ACKNOWLEDGE packet arrived.
    void acknowledge(Packet packet, long now) {
        long answered = cursor.packetOf(packet.psn(), connection.sendPsn());
        int syndrome = packet.syndrome();
        if (!cursor.isOutstanding(answered)) {
            counters.increment(QueuePairCounter.STALE_RESPONSES_DROPPED);
        } else if (Aeth.isAck(syndrome)) {
            counters.increment(QueuePairCounter.ACKS_RECEIVED);
            acknowledgedBefore(answered + 1, now);
        } else {
            budget.refused(answered);
            long reached = acknowledgedBefore(answered, now);
            if (reached == answered) {
                refused(syndrome, reached, now);
            } else if (Aeth.isRnrNak(syndrome) && !isWaitingForReceiver()) {
                rest(syndrome, reached, now);
            }
        }
    }

    /// A READ response or the result of an atomic arrived. It acknowledges everything before it
    /// (roce.md 3.8).
    void respond(Packet packet, long now) {
        long answered = cursor.packetOf(packet.psn(), connection.sendPsn());
        if (!cursor.isOutstanding(answered)) {
            counters.increment(QueuePairCounter.STALE_RESPONSES_DROPPED);
        } else if (acknowledgedBefore(answered, now) == answered) {
            take(packet, now);
        }
    }

    long deadlineNanos() {
        long sending = Math.min(rnrUntilNanos, budget.deadlineNanos());
        return Math.min(sending, timer.deadlineNanos());
    }

    void onTimer(long now) {
        budget.onTimer(now);
        if (isWaitingForReceiver() && now >= rnrUntilNanos) {
            rnrUntilNanos = RetransmitTimer.NONE;
        }
        if (timer.isTimedOut(now)) {
            timedOut(now);
        } else if (timer.isProbeDue(now)) {
            probe.due(now);
        }
    }

    private boolean isHeldBack() {
        return cursor.isAtNewRequest() && queue.isHeldBack(windowPackets() - cursor.inFlight());
    }

    private boolean mayTransmit() {
        return !isWaitingForReceiver()
                && cursor.isBefore(owner.isDraining() ? queue.started() : queue.posted())
                && cursor.inFlight() < windowPackets(cursor.entry())
                && mayStart(cursor.entry());
    }

    private int windowPackets() {
        return isTryingOne ? 1 : window.packets();
    }

    private int windowPackets(SendEntry entry) {
        return entry.length > connection.pathMtuBytes()
                ? budget.longWindowPackets(windowPackets(), timer.shortestNanos())
                : windowPackets();
    }

    /// FENCE waits for all earlier READs and atomics. Of those only so many may be outstanding, and
    /// the responses of a READ must fit into the window (roce.md 3.8).
    ///
    /// ROCE-RC-22: of READs and atomics no more than the negotiated number are outstanding.
    private boolean mayStart(SendEntry entry) {
        if (entry.fence && !reads.isEmpty()) {
            return false;
        }
        if (!entry.isAnsweredWithData() || connection.maxReadAtomic() == 0) {
            return true;
        }
        return reads.count() < connection.maxReadAtomic()
                && (cursor.inFlight() == 0
                        || cursor.inFlight() + packetsAtCursor(entry) <= windowPackets());
    }

    /// The packet numbers that the next packet takes.
    private int packetsAtCursor(SendEntry entry) {
        return RequestBuilder.packetsAt(connection, entry, cursor.index());
    }

    /// The peer said when to try again at the earliest. The transport timer rests.
    private boolean isWaitingForReceiver() {
        return rnrUntilNanos != RetransmitTimer.NONE;
    }

    private boolean transmitAtCursor(PacketSink sink, int length, long now) {
        SendEntry entry = cursor.entry();
        if (entry.isLocal()) {
            return executeLocally(entry);
        }
        CompletionStatus flaw = entry.flaw(owner.domain(), connection.maxReadAtomic());
        if (flaw != CompletionStatus.SUCCESS) {
            return failInTurn(flaw);
        }
        if (cursor.isAtNewRequest()) {
            cursor.start(connection.pathMtuBytes());
        }
        boolean isNew = cursor.isNew();
        boolean asksForAck = asksForAck(entry, length, now);
        try {
            int index = cursor.index();
            long packet = cursor.next();
            RequestBuilder.emit(sink, connection, entry, index, packet, asksForAck, owner.number());
        } catch (MemoryFault refused) {
            entry.fault();
            return failInTurn(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
        }
        budget.sent(cursor.next(), length, asksForAck, now);
        count(entry, isNew);
        if (!timer.isRunning()) {
            timer.start(now);
        }
        if (isNew && asksForAck) {
            timer.measure(cursor.next(), now);
        }
        moveCursor(entry);
        return true;
    }

    /// Completions come in order: the requests before the one that fails finish first.
    ///
    /// @return false, because nothing was sent
    private boolean failInTurn(CompletionStatus flaw) {
        if (cursor.isAtHead()) {
            owner.failSend(flaw);
        }
        return false;
    }

    /// Binding and invalidating wait for everything before them and send nothing (roce.md 3.11).
    ///
    /// @return whether the cursor has moved on
    private boolean executeLocally(SendEntry entry) {
        if (!cursor.isAtHead()) {
            return false;
        }
        if (!entry.execute(owner.regions(), owner.domain(), owner.number())) {
            owner.failSend(CompletionStatus.MEMORY_WINDOW_BIND_ERROR);
            return false;
        }
        cursor.skip();
        owner.completeSend();
        return true;
    }

    /// ROCE-RC-6: the last packet of a message asks, so does every READ and atomic, one packet in
    /// so many, and the last that the window lets go.
    private boolean asksForAck(SendEntry entry, int length, long now) {
        boolean asks =
                entry.isAnsweredWithData()
                        || cursor.isAtLastPacket()
                        || packetsSinceAckRequest >= ACK_REQUEST_INTERVAL - 1
                        || cursor.inFlight() >= windowPackets(entry) - 1
                        || budget.isLast(length, now);
        packetsSinceAckRequest = asks ? 0 : packetsSinceAckRequest + 1;
        return asks;
    }

    private void moveCursor(SendEntry entry) {
        cursor.advance(packetsAtCursor(entry));
        if (entry.isAnsweredWithData()) {
            reads.add(cursor.next());
        }
    }

    private void count(SendEntry entry, boolean isNew) {
        if (!isNew) {
            counters.increment(QueuePairCounter.RETRANSMITS);
            return;
        }
        counters.increment(QueuePairCounter.REQUESTS_SENT);
        if (!entry.isAnsweredWithData()) {
            int payloadBytes = RequestBuilder.payloadBytes(connection, entry, cursor.index());
            counters.add(QueuePairCounter.BYTES_SENT, payloadBytes);
        }
    }

    /// The peer has executed every packet before `end`. A READ among them whose responses have not
    /// come stops that: they are lost (roce.md 3.8, implied NAK).
    ///
    /// @return `end`, or the packet whose response is missing
    private long acknowledgedBefore(long end, long now) {
        long missing = cursor.firstMissingResponse(end);
        if (missing > cursor.unacked()) {
            advanceTo(missing, now);
        }
        if (missing < end) {
            responsesLost(now);
        }
        return missing;
    }

    /// Completes requests in order and lets the window slide.
    ///
    /// ROCE-RC-9: an acknowledgement for a later packet acknowledges the earlier ones.
    private void advanceTo(long end, long now) {
        timer.answeredBefore(end, now);
        window.acknowledged((int) (end - cursor.unacked()), cursor.inFlight());
        cursor.answeredBefore(end);
        budget.answeredBefore(end);
        reads.answeredBefore(end);
        restoreRetries();
        rnrUntilNanos = RetransmitTimer.NONE;
        isTryingOne = false;
        if (cursor.next() < end) {
            moveCursorTo(end);
        }
        while (cursor.isHeadAnswered(end)) {
            owner.completeSend();
        }
        if (cursor.isAllAnswered()) {
            budget.allAnswered();
            timer.stop();
        } else {
            timer.start(now);
        }
    }

    /// The response to the oldest packet is missing. Everything in flight behind it will say so
    /// again; once is enough, and if the repetition is lost too the timer finds out.
    ///
    /// ROCE-RC-14: a READ is asked for again from the first response that is missing.
    private void responsesLost(long now) {
        if (cursor.inFlight() > 0 && missingResponse != cursor.unacked()) {
            missingResponse = cursor.unacked();
            counters.increment(QueuePairCounter.RESPONSES_LOST);
            window.gapReported(timer.isQueueing());
            retryFrom(cursor.unacked(), now);
        }
    }

    /// The response to the oldest packet is here.
    private void take(Packet packet, long now) {
        if (queue.head() >= queue.started()) {
            return; // The queue pair failed in the meantime.
        }
        SendEntry entry = queue.at(queue.head());
        boolean isExpected =
                packet.opcode() == Opcode.ATOMIC_ACK ? entry.isAtomic() : entry.isRead();
        if (!isExpected) {
            counters.increment(QueuePairCounter.STALE_RESPONSES_DROPPED);
            return;
        }
        counters.increment(QueuePairCounter.RESPONSES_RECEIVED);
        CompletionStatus status =
                Answers.store(connection, owner, entry, cursor.indexOfUnacked(), packet);
        if (status == CompletionStatus.SUCCESS) {
            advanceTo(cursor.unacked() + 1, now);
        } else {
            owner.failSend(status);
        }
    }

    /// A report about a packet that is to be sent again anyway answers something sent earlier: it
    /// changes nothing and costs no retry.
    private void refused(int syndrome, long packet, long now) {
        if (Aeth.isRnrNak(syndrome)) {
            counters.increment(QueuePairCounter.RNR_NAKS_RECEIVED);
            if (!isWaitingForReceiver()) {
                receiverNotReady(syndrome, packet, now);
            }
        } else if (syndrome == Aeth.NAK_PSN_SEQUENCE_ERROR) {
            counters.increment(QueuePairCounter.SEQUENCE_NAKS_RECEIVED);
            timer.gapReported();
            if (cursor.inFlight() > 0 && !isReportedTwice(now)) {
                window.gapReported(timer.isQueueing());
                wentBackNanos = now;
                retryFrom(packet, now);
            }
        } else {
            counters.increment(QueuePairCounter.ERROR_NAKS_RECEIVED);
            owner.failSend(Answers.statusOf(syndrome));
        }
    }

    /// Everything was sent again less than a round trip ago, so this is about the packets before: a
    /// network that changes their order opens several gaps in one window.
    private boolean isReportedTwice(long now) {
        return now - wentBackNanos < timer.shortestNanos() / 4 * 3;
    }

    /// The peer has no receive posted: wait as long as it says, then send again (roce.md 3.5). It
    /// answers, so it has all transport retries again; those count how often it was silent.
    ///
    /// ROCE-RC-15: the retries are counted, and a count of 7 has no end.
    private void receiverNotReady(int syndrome, long packet, long now) {
        boolean forEver = connection.rnrRetryCount() == 7;
        if (!forEver && rnrRetriesLeft-- == 0) {
            owner.failSend(CompletionStatus.RNR_RETRY_EXCEEDED);
            return;
        }
        retriesLeft = connection.retryCount();
        rest(syndrome, packet, now);
    }

    private void rest(int syndrome, long packet, long now) {
        moveCursorTo(packet);
        timer.stop();
        isTryingOne = true;
        rnrUntilNanos = now + Aeth.rnrTimerNanos(Aeth.rnrTimerCode(syndrome));
    }

    private void timedOut(long now) {
        counters.increment(QueuePairCounter.TIMEOUTS);
        window.timedOut();
        budget.abandon();
        retryFrom(cursor.unacked(), now);
    }

    /// ROCE-RC-17: when the retries are used up, the request fails and the rest is flushed.
    private void retryFrom(long packet, long now) {
        if (retriesLeft-- == 0) {
            owner.failSend(CompletionStatus.RETRY_EXCEEDED);
            return;
        }
        moveCursorTo(packet);
        timer.start(now);
    }

    private void restoreRetries() {
        retriesLeft = connection.retryCount();
        rnrRetriesLeft = connection.rnrRetryCount();
    }

    private void moveCursorTo(long packet) {
        timer.abandonMeasurement(packet);
        packetsSinceAckRequest = 0;
        reads.goBackTo(packet);
        budget.goBackTo(packet);
        cursor.moveTo(packet);
    }
}
