package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.verbs.SendEntry;
import dev.outboard.fabric.verbs.SendQueue;

/// Where a [Requester] stands in its queue: which packets are answered, which are on their way, and
/// which is next.
///
/// Packets are counted from 0 in 64 bits, so that a message of 2^23 packets has no ambiguous
/// middle; only the wire sees 24 bits. Always `unacked` ≤ `next` ≤ `sent` ≤ `unassigned`: packets
/// from `unacked` to `next` are in flight, from `next` to `sent` they are to be sent again, from
/// `sent` to `unassigned` they belong to a message partly sent.
final class SendCursor {
    private final SendQueue queue;

    private long unacked;
    private long next;
    private long sent;
    private long unassigned;

    /// Where `next` is in the queue, and in that entry.
    private long position;

    private int index;

    /// At the oldest request of `queue`, none of which has been started.
    SendCursor(SendQueue queue) {
        this.queue = queue;
        position = queue.head();
    }

    /// The oldest packet that is not answered.
    long unacked() {
        return unacked;
    }

    /// The number of the next packet.
    long next() {
        return next;
    }

    /// The request of the next packet.
    SendEntry entry() {
        return queue.at(position);
    }

    /// Which packet of that request the next one is, from 0.
    int index() {
        return index;
    }

    /// Packets sent and not answered.
    int inFlight() {
        return (int) (next - unacked);
    }

    /// Whether the request of the next packet stands before `end` in the queue.
    boolean isBefore(long end) {
        return position < end;
    }

    /// Whether all earlier requests are complete.
    boolean isAtHead() {
        return position == queue.head();
    }

    /// Whether the next packet begins a request that was not started before.
    boolean isAtNewRequest() {
        return position == queue.started();
    }

    /// Whether the next packet was never sent.
    boolean isNew() {
        return next == sent;
    }

    /// Whether the oldest packet goes again and nothing else is on its way.
    boolean isRecovering() {
        return next == unacked && next < sent;
    }

    boolean isAllAnswered() {
        return unacked == sent;
    }

    boolean isOutstanding(long packet) {
        return packet >= unacked && packet < sent;
    }

    /// The packet that an answer with `psn` is about, if it is outstanding; packet 0 had
    /// `firstPsn`.
    long packetOf(int psn, int firstPsn) {
        int unackedPsn = (int) (firstPsn + unacked) & Psn.MASK;
        return unacked + Psn.difference(psn, unackedPsn);
    }

    /// The first packet before `end` whose response has not come; `end` if there is none.
    long firstMissingResponse(long end) {
        for (long i = queue.head(); i < queue.started(); i++) {
            SendEntry entry = queue.at(i);
            if (entry.firstPacket >= end) {
                break;
            }
            if (entry.isAnsweredWithData()) {
                return Math.max(unacked, entry.firstPacket);
            }
        }
        return end;
    }

    /// The request that `packet` belongs to, which is outstanding.
    SendEntry entryOf(long packet) {
        return queue.at(positionOf(packet));
    }

    /// Gives the packets of a new request their numbers.
    void start(int mtu) {
        SendEntry entry = entry();
        entry.start(unassigned, mtu);
        unassigned += entry.packets;
        queue.start();
    }

    /// Passes over a new request without packets.
    void skip() {
        position++;
        queue.start();
    }

    /// Something with `count` packet numbers of the request left.
    void advance(int count) {
        next += count;
        sent = Math.max(sent, next);
        index += count;
        if (index == entry().packets) {
            index = 0;
            position++;
        }
    }

    /// All packets before `end` are answered.
    void answeredBefore(long end) {
        unacked = end;
    }

    /// Goes on with `packet`, back or forth.
    void moveTo(long packet) {
        next = packet;
        position = positionOf(packet);
        index = isAtNewRequest() ? 0 : (int) (packet - entry().firstPacket);
    }

    /// The queue position of the request that `packet` belongs to; the first one without packets if
    /// there is none.
    private long positionOf(long packet) {
        long found = queue.head();
        while (found < queue.started() && queue.at(found).endPacket() <= packet) {
            found++;
        }
        return found;
    }
}
