package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.roce.queue.Counters;
import dev.outboard.fabric.roce.queue.SendEntry;
import dev.outboard.fabric.roce.queue.SendQueue;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Immediate;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PacketSink;
import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.roce.wire.Reth;
import java.lang.foreign.MemorySegment;

/// The sending half of a reliable connection: turns posted requests into packets, matches the
/// answers, and sends again what got lost, going back to the oldest missing packet (roce.md 3.1 to
/// 3.5, 3.8).
///
/// Inside, packets are counted from 0 in 64 bits, so that a message of 2^23 packets has no
/// ambiguous middle; only the wire sees 24 bits. Always `unacked` ≤ `cursor` ≤ `sent` ≤
/// `unassigned`: packets from `unacked` to `cursor` are in flight, from `cursor` to `sent` they are
/// to be sent again, from `sent` to `unassigned` they belong to a message partly sent.
final class Requester {
    /// Ask for an acknowledgement at least this often, so that the window slides while a long
    /// message is sent.
    private static final int ACK_REQUEST_INTERVAL = 16;

    /// Packets of one queue pair in one turn, so that the others get theirs.
    private static final int PACKETS_PER_TURN = 60;

    private static final int NOT_TIMED = -1;

    private final SendQueue queue;
    private final RcQueuePair owner;
    private RcConnection connection;
    private final Counters<QueuePairCounter> counters;
    private final CongestionWindow window;
    private final RetransmitTimer timer;

    private long unacked;
    private long cursor;
    private long sent;
    private long unassigned;

    /// Where the cursor is in the queue, and in that entry.
    private long cursorPosition;

    private int cursorPacket;

    /// Entries before this have sequence numbers.
    private long startedPosition;

    private int packetsSinceAckRequest;
    private int retriesLeft;
    private int rnrRetriesLeft;
    private long rnrUntilNanos = RetransmitTimer.NONE;

    /// After a refusal the refused packet goes alone, to find out whether it is welcome now.
    private boolean isTryingOne;

    private boolean probeWanted;

    /// When the cursor last went back because of a reported gap.
    private long wentBackNanos;

    private long timedPacket = NOT_TIMED;
    private long timedNanos;

    Requester(
            RcQueuePair owner,
            SendQueue queue,
            RcConnection connection,
            Counters<QueuePairCounter> counters) {
        this.owner = owner;
        this.queue = queue;
        this.connection = connection;
        this.counters = counters;
        this.window = new CongestionWindow(connection.maxWindowPackets());
        this.timer = new RetransmitTimer(connection.ackTimeoutNanos());
        cursorPosition = queue.head();
        startedPosition = cursorPosition;
        restoreRetries();
    }

    /// The connection has other attributes from now on.
    void adopt(RcConnection changed) {
        connection = changed;
        timer.timeout(changed.ackTimeoutNanos());
        restoreRetries();
    }

    /// Whether every request that was started is complete.
    boolean isDrained() {
        return queue.head() == startedPosition;
    }

    /// Sends what the window allows.
    ///
    /// @return whether more could be sent now: the sink ran full or this turn's share is used up
    boolean transmit(PacketSink sink, long now) {
        if (probeWanted) {
            if (!sink.hasRoom()) {
                return true;
            }
            probeWanted = false;
            if (!probe(sink)) {
                return false;
            }
        }
        for (int share = PACKETS_PER_TURN; mayTransmit(); share--) {
            if (share == 0 || !sink.hasRoom()) {
                return true;
            }
            if (!transmitAtCursor(sink, now)) {
                return false;
            }
        }
        return false;
    }

    /// An ACKNOWLEDGE packet arrived.
    void acknowledge(Packet packet, long now) {
        long answered = unacked + Psn.difference(packet.psn(), psnOf(unacked));
        int syndrome = packet.syndrome();
        if (answered < unacked || answered >= sent) {
            counters.increment(QueuePairCounter.STALE_RESPONSES_DROPPED);
        } else if (Aeth.isAck(syndrome)) {
            counters.increment(QueuePairCounter.ACKS_RECEIVED);
            acknowledgedBefore(answered + 1, now);
        } else {
            acknowledgedBefore(answered, now);
            refused(syndrome, answered, now);
        }
    }

    long deadlineNanos() {
        return Math.min(rnrUntilNanos, timer.deadlineNanos());
    }

    void onTimer(long now) {
        if (isWaitingForReceiver() && now >= rnrUntilNanos) {
            rnrUntilNanos = RetransmitTimer.NONE;
        }
        if (timer.isTimedOut(now)) {
            timedOut(now);
        } else if (timer.isProbeDue(now)) {
            timer.probed(now);
            probeWanted = inFlight() > 0;
        }
    }

    private boolean mayTransmit() {
        return !isWaitingForReceiver()
                && cursorPosition < (owner.isDraining() ? startedPosition : queue.posted())
                && inFlight() < windowPackets();
    }

    private int windowPackets() {
        return isTryingOne ? 1 : window.packets();
    }

    /// The peer said when to try again at the earliest. The transport timer rests.
    private boolean isWaitingForReceiver() {
        return rnrUntilNanos != RetransmitTimer.NONE;
    }

    private int inFlight() {
        return (int) (cursor - unacked);
    }

    private int psnOf(long packet) {
        return (int) (connection.sendPsn() + packet) & Psn.MASK;
    }

    private boolean transmitAtCursor(PacketSink sink, long now) {
        SendEntry entry = queue.at(cursorPosition);
        if (!entry.isReadable(owner.domain())) {
            // Completions come in order: the requests before this one finish first.
            if (cursorPosition == queue.head()) {
                owner.failSend(CompletionStatus.LOCAL_PROTECTION_ERROR);
            }
            return false;
        }
        if (cursorPosition == startedPosition) {
            entry.start(unassigned, connection.pathMtuBytes());
            unassigned += entry.packets;
            startedPosition++;
        }
        boolean isNew = cursor == sent;
        boolean asksForAck = asksForAck(entry);
        int payloadBytes = emit(sink, entry, cursorPacket, asksForAck);
        count(isNew, payloadBytes);
        if (!timer.isRunning()) {
            timer.start(now);
        }
        if (isNew && asksForAck && timedPacket == NOT_TIMED) {
            timedPacket = cursor;
            timedNanos = now;
        }
        moveCursor(entry);
        return true;
    }

    private boolean asksForAck(SendEntry entry) {
        boolean asks =
                cursorPacket == entry.packets - 1
                        || packetsSinceAckRequest >= ACK_REQUEST_INTERVAL - 1
                        || inFlight() >= windowPackets() - 1;
        packetsSinceAckRequest = asks ? 0 : packetsSinceAckRequest + 1;
        return asks;
    }

    private void moveCursor(SendEntry entry) {
        cursor++;
        sent = Math.max(sent, cursor);
        cursorPacket++;
        if (cursorPacket == entry.packets) {
            cursorPacket = 0;
            cursorPosition++;
        }
    }

    private void count(boolean isNew, int payloadBytes) {
        if (isNew) {
            counters.increment(QueuePairCounter.REQUESTS_SENT);
            counters.add(QueuePairCounter.BYTES_SENT, payloadBytes);
        } else {
            counters.increment(QueuePairCounter.RETRANSMITS);
        }
    }

    /// Emits packet `index` of `entry`; returns its payload bytes.
    private int emit(PacketSink sink, SendEntry entry, int index, boolean asksForAck) {
        long position = (long) index * connection.pathMtuBytes();
        int count = (int) Math.min(connection.pathMtuBytes(), entry.length - position);
        boolean isLast = index == entry.packets - 1;
        Opcode opcode =
                entry.isWrite()
                        ? writeOpcode(entry, index, isLast)
                        : sendOpcode(entry, index, isLast);
        boolean solicited = isLast && entry.solicited && (!entry.isWrite() || entry.hasImmediate());
        MemorySegment headers = sink.headerMemory();
        long at = sink.headerOffset();
        Bth.write(
                headers,
                at,
                opcode,
                solicited,
                Bth.padCount(count),
                Bth.DEFAULT_PARTITION_KEY,
                connection.destinationQpn(),
                asksForAck,
                psnOf(entry.firstPacket + index));
        at += Bth.LENGTH;
        if (opcode.hasReth()) {
            Reth.write(headers, at, entry.remoteAddress, entry.remoteKey, entry.length);
            at += Reth.LENGTH;
        }
        if (opcode.hasImmediate()) {
            Immediate.write(headers, at, entry.immediate);
        }
        entry.appendPayload(sink, position, count);
        sink.finish(connection.path(), opcode.headerLength());
        return count;
    }

    private static Opcode sendOpcode(SendEntry entry, int index, boolean isLast) {
        if (index == 0) {
            if (!isLast) {
                return Opcode.SEND_FIRST;
            }
            return entry.hasImmediate() ? Opcode.SEND_ONLY_IMM : Opcode.SEND_ONLY;
        }
        if (!isLast) {
            return Opcode.SEND_MIDDLE;
        }
        return entry.hasImmediate() ? Opcode.SEND_LAST_IMM : Opcode.SEND_LAST;
    }

    private static Opcode writeOpcode(SendEntry entry, int index, boolean isLast) {
        if (index == 0) {
            if (!isLast) {
                return Opcode.WRITE_FIRST;
            }
            return entry.hasImmediate() ? Opcode.WRITE_ONLY_IMM : Opcode.WRITE_ONLY;
        }
        if (!isLast) {
            return Opcode.WRITE_MIDDLE;
        }
        return entry.hasImmediate() ? Opcode.WRITE_LAST_IMM : Opcode.WRITE_LAST;
    }

    /// Every packet before `end` is acknowledged: completes requests in order and lets the window
    /// slide.
    private void acknowledgedBefore(long end, long now) {
        if (end == unacked) {
            return;
        }
        if (timedPacket != NOT_TIMED && timedPacket < end) {
            timer.measured(now - timedNanos);
            timedPacket = NOT_TIMED;
        }
        window.acknowledged((int) (end - unacked));
        unacked = end;
        restoreRetries();
        rnrUntilNanos = RetransmitTimer.NONE;
        isTryingOne = false;
        if (cursor < end) {
            moveCursorTo(end);
        }
        while (queue.head() < startedPosition && queue.at(queue.head()).endPacket() <= end) {
            owner.completeSend();
        }
        if (unacked == sent) {
            timer.stop();
        } else {
            timer.start(now);
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
            if (inFlight() > 0 && !isReportedTwice(now)) {
                window.gapReported();
                wentBackNanos = now;
                retryFrom(packet, now);
            }
        } else {
            counters.increment(QueuePairCounter.ERROR_NAKS_RECEIVED);
            owner.failSend(statusOf(syndrome));
        }
    }

    /// Everything was sent again less than a round trip ago, so this is about the packets before: a
    /// network that changes their order opens several gaps in one window.
    private boolean isReportedTwice(long now) {
        return now - wentBackNanos < timer.shortestNanos() / 4 * 3;
    }

    private static CompletionStatus statusOf(int syndrome) {
        return switch (syndrome) {
            case Aeth.NAK_INVALID_REQUEST -> CompletionStatus.REMOTE_INVALID_REQUEST_ERROR;
            case Aeth.NAK_REMOTE_ACCESS_ERROR -> CompletionStatus.REMOTE_ACCESS_ERROR;
            case Aeth.NAK_REMOTE_OPERATIONAL_ERROR -> CompletionStatus.REMOTE_OPERATION_ERROR;
            case Aeth.NAK_INVALID_RD_REQUEST -> CompletionStatus.REMOTE_INVALID_RD_REQUEST;
            default -> CompletionStatus.BAD_RESPONSE_ERROR;
        };
    }

    /// The peer has no receive posted: wait as long as it says, then send again (roce.md 3.5). It
    /// answers, so it has all transport retries again; those count how often it was silent.
    private void receiverNotReady(int syndrome, long packet, long now) {
        boolean forEver = connection.rnrRetryCount() == 7;
        if (!forEver && rnrRetriesLeft-- == 0) {
            owner.failSend(CompletionStatus.RNR_RETRY_EXCEEDED);
            return;
        }
        retriesLeft = connection.retryCount();
        moveCursorTo(packet);
        timer.stop();
        isTryingOne = true;
        rnrUntilNanos = now + Aeth.rnrTimerNanos(Aeth.rnrTimerCode(syndrome));
    }

    private void timedOut(long now) {
        counters.increment(QueuePairCounter.TIMEOUTS);
        window.timedOut();
        retryFrom(unacked, now);
    }

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

    /// Repeats the oldest packet and the last one. If the oldest is what the peer misses, it goes
    /// on from there; a peer reports a gap only once, and that report may be lost. The last one
    /// makes it acknowledge, or report the next gap.
    ///
    /// @return whether the queue pair lives on
    private boolean probe(PacketSink sink) {
        if (inFlight() == 0 || isWaitingForReceiver()) {
            return true;
        }
        counters.increment(QueuePairCounter.PROBES);
        timedPacket = NOT_TIMED;
        if (!repeat(sink, unacked)) {
            // Its packets may never have left: without a transport timeout nobody else finds out.
            owner.failSend(CompletionStatus.LOCAL_PROTECTION_ERROR);
            return false;
        }
        if (cursor - 1 > unacked && sink.hasRoom()) {
            repeat(sink, cursor - 1);
        }
        return true;
    }

    /// Sends a packet in flight once more; false if its memory has gone.
    private boolean repeat(PacketSink sink, long packet) {
        SendEntry entry = queue.at(positionOf(packet));
        if (!entry.isReadable(owner.domain())) {
            return false;
        }
        emit(sink, entry, (int) (packet - entry.firstPacket), true);
        return true;
    }

    private void moveCursorTo(long packet) {
        timedPacket = NOT_TIMED;
        packetsSinceAckRequest = 0;
        cursor = packet;
        cursorPosition = positionOf(packet);
        cursorPacket =
                cursorPosition == startedPosition
                        ? 0
                        : (int) (packet - queue.at(cursorPosition).firstPacket);
    }

    /// The queue position of the request that `packet` belongs to; the first one without packets if
    /// there is none.
    private long positionOf(long packet) {
        long position = queue.head();
        while (position < startedPosition && queue.at(position).endPacket() <= packet) {
            position++;
        }
        return position;
    }
}
