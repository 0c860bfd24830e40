package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.verbs.SendEntry;
import dev.outboard.fabric.verbs.SendQueue;

/// Where a [Requester] stands in its queue: which packets are answered, which are on their way, and
/// which is next.
///
/// Packets are counted from 0 in 64 bits, so that a message of 2^23 packets has no ambiguous
/// middle; only the wire sees 24 bits. Always `unacked` ≤ `next` ≤ `sent`: packets from `unacked`
/// to `next` are in flight, from `next` to `sent` they are to be sent again.
final class SendCursor {
    private final SendQueue queue;
    private final PacketNumbers numbers;

    private long unacked;
    private long next;
    private long sent;

    /// Where `next` is in the queue, and in that entry.
    private long position;

    private int index;

    /// At the oldest request of `queue`, none of which has been started.
    SendCursor(SendQueue queue) {
        this.queue = queue;
        numbers = new PacketNumbers(queue);
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

    /// Whether the next packet is the last of its request, which is started.
    boolean isAtLastPacket() {
        return next + 1 == numbers.end(position);
    }

    /// Which packet of the oldest request the oldest packet without an answer is, from 0.
    int indexOfUnacked() {
        return (int) (unacked - numbers.first(queue.head()));
    }

    /// Whether the oldest request is answered by what answers all packets before `end`.
    boolean isHeadAnswered(long end) {
        return queue.head() < queue.started() && numbers.end(queue.head()) <= end;
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
            long first = numbers.first(i);
            if (first >= end) {
                break;
            }
            if (queue.at(i).isAnsweredWithData()) {
                return Math.max(unacked, first);
            }
        }
        return end;
    }

    /// The request that `packet` belongs to, which is outstanding.
    SendEntry entryOf(long packet) {
        return queue.at(positionOf(packet));
    }

    /// The first packet of the request that `packet` belongs to, which is outstanding.
    long firstOfRequest(long packet) {
        return numbers.first(positionOf(packet));
    }

    /// Gives the packets of a new request their numbers.
    void start(int mtu) {
        numbers.start(PacketNumbers.packets(entry().length, mtu));
    }

    /// Passes over a new request without packets.
    void skip() {
        numbers.start(0);
        position++;
    }

    /// Something with `count` packet numbers of the request left.
    void advance(int count) {
        next += count;
        sent = Math.max(sent, next);
        index += count;
        if (next == numbers.end(position)) {
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
        index = isAtNewRequest() ? 0 : (int) (packet - numbers.first(position));
    }

    /// The queue position of the request that `packet` belongs to; the first one without packets if
    /// there is none.
    private long positionOf(long packet) {
        long found = queue.head();
        while (found < queue.started() && numbers.end(found) <= packet) {
            found++;
        }
        return found;
    }
}
