package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.memory.MemoryFault;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.verbs.Counters;
import dev.outboard.fabric.verbs.SendEntry;
import dev.outboard.fabric.verbs.SendQueue;

/// The probe of a [Requester] that has waited for an answer for some round trips: the oldest packet
/// and the last one go out once more (roce.md 3.8, tail loss). If the oldest is what the peer
/// misses, it goes on from there; a peer reports a gap only once, and that report may be lost. The
/// last one makes it acknowledge, or report the next gap.
///
/// ROCE-RC-33: the last packet of a burst is recovered well before the timeout, and without a
/// retry.
final class TailProbe {
    private final RcQueuePair owner;
    private final SendQueue queue;
    private final SendCursor cursor;
    private final SendBudget budget;
    private final RetransmitTimer timer;
    private final Counters<QueuePairCounter> counters;
    private boolean isWanted;

    TailProbe(
            RcQueuePair owner,
            SendQueue queue,
            SendCursor cursor,
            SendBudget budget,
            RetransmitTimer timer,
            Counters<QueuePairCounter> counters) {
        this.owner = owner;
        this.queue = queue;
        this.cursor = cursor;
        this.budget = budget;
        this.timer = timer;
        this.counters = counters;
    }

    /// The time for one has come.
    void due(long now) {
        timer.probed(now);
        budget.unanswered(timer.probes());
        isWanted = cursor.inFlight() > 0;
    }

    /// Whether one shall leave.
    boolean isWanted() {
        return isWanted;
    }

    /// Sends it, unless what was in flight is answered or waits in the peer's buffer. The sink has
    /// room.
    ///
    /// @return whether the queue pair lives on
    boolean send(PacketSink sink, RcConnection connection, boolean peerRests, long now) {
        isWanted = false;
        if (cursor.inFlight() == 0 || peerRests) {
            return true;
        }
        SendEntry oldest = queue.at(queue.head());
        if (!budget.admitsProbe(RequestBuilder.datagramBytes(connection, oldest, 0), now)) {
            return true;
        }
        counters.increment(QueuePairCounter.PROBES);
        timer.abandonMeasurement(cursor.unacked());
        int repeated = repeat(sink, connection, cursor.unacked());
        if (repeated == 0) {
            // Its packets may never have left: without a transport timeout nobody else finds out.
            owner.failSend(oldest.flaw(owner.domain()));
            return false;
        }
        if (cursor.inFlight() > repeated && sink.hasRoom()) {
            repeat(sink, connection, cursor.next() - 1);
        }
        return true;
    }

    /// Sends a packet in flight once more; for a READ, asks for what is missing of the burst that
    /// the packet belongs to.
    ///
    /// @return how many packet numbers that takes; 0 if the memory cannot be read any more
    private int repeat(PacketSink sink, RcConnection connection, long packet) {
        SendEntry entry = cursor.entryOf(packet);
        if (entry.flaw(owner.domain()) != CompletionStatus.SUCCESS) {
            return 0;
        }
        long first = cursor.firstOfRequest(packet);
        int index = (int) (packet - first);
        if (entry.isRead()) {
            int burstStart = RequestBuilder.burstStart(connection, index);
            index = (int) Math.max(burstStart, cursor.unacked() - first);
        }
        budget.answerSent(RequestBuilder.datagramBytes(connection, entry, index));
        try {
            long next = first + index;
            RequestBuilder.emit(sink, connection, entry, index, next, true, owner.number());
        } catch (MemoryFault refused) {
            entry.fault();
            return 0;
        }
        return RequestBuilder.packetsAt(connection, entry, index);
    }
}
