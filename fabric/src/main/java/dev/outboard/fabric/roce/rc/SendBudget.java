package dev.outboard.fabric.roce.rc;

/// What one queue pair may send now besides its window: its turn at the [PeerBuffer] that it shares
/// with others, and its rate when the network asked it to slow down. Belongs to an [RcQueuePair].
final class SendBudget {
    /// A peer may rest for a while with our packets in its buffer. When so many probes in a row,
    /// each after twice the time, brought no answer, the packets are taken to have gone.
    private static final int SILENT_PROBES = 8;

    /// About 64 KiB, which leave in one system call.
    private static final int SHARED_WINDOW_PACKETS = 16;

    /// A packet of 4 KiB takes at least so long on any way that was seen yet.
    private static final long FASTEST_PACKET_NANOS = 1_500;

    /// What one queue pair sends before others that wait get their turn.
    private static final int TURN_BYTES = 1 << 16;

    private final CongestionControl control;
    private final int queuePairNumber;
    private final BufferMarks marks = new BufferMarks();
    private final ReactionPoint reaction = new ReactionPoint();
    private PeerBuffer buffer;

    /// Of the newest request, and of the newest packet at all.
    private int lastPosition;

    private int newestPosition;
    private int turnBytes;
    private long pacedUntilNanos = RetransmitTimer.NONE;

    /// Whether others send to the same peer.
    private boolean isShared;

    /// The [PeerBuffer]'s: whether it stands in its queue, and for how many bytes.
    boolean isQueued;

    int wantedBytes;

    SendBudget(CongestionControl control, PeerBuffer buffer, int queuePairNumber) {
        this.control = control;
        this.queuePairNumber = queuePairNumber;
        this.buffer = buffer;
        this.lastPosition = buffer.position();
        this.newestPosition = lastPosition;
    }

    int queuePairNumber() {
        return queuePairNumber;
    }

    /// Whether a request of that length may leave now. If not, either the [PeerBuffer] names this
    /// queue pair when it may, or [#deadlineNanos] is when.
    boolean admits(int datagramBytes, long now) {
        if (reaction.isLimiting()) {
            long ready = reaction.readyNanos(0, now);
            if (ready > now) {
                pacedUntilNanos = ready;
                leave();
                return false;
            }
        }
        wantedBytes = datagramBytes;
        if (turnBytes >= TURN_BYTES && isQueued) {
            // Somebody waits behind us: to the end of the queue.
            leave();
        }
        return buffer.admits(this);
    }

    /// How many packets of a long message may be on their way, where the window would let go
    /// `windowPackets`. A socket hands packets out in the order in which they came, so these delay
    /// the packets of all others that go to the same peer. While there are any, a long message has
    /// no more on its way than keeps that busy.
    int longWindowPackets(int windowPackets, long shortestRoundTripNanos) {
        long busy = Math.max(SHARED_WINDOW_PACKETS, shortestRoundTripNanos / FASTEST_PACKET_NANOS);
        return isShared ? (int) Math.min(windowPackets, busy) : windowPackets;
    }

    /// Whether packets that were not answered may be repeated now. They may already wait in the
    /// peer's buffer.
    boolean admitsProbe(int datagramBytes, long now) {
        return buffer.admitsProbe(2 * PeerBuffer.footprint(datagramBytes), now);
    }

    /// Whether a request of that length is the last that fits for now: it has to ask for an answer.
    boolean isLast(int datagramBytes, long now) {
        return !buffer.hasRoom(PeerBuffer.footprint(datagramBytes) * 2)
                || (reaction.isLimiting() && reaction.readyNanos(datagramBytes, now) > now);
    }

    /// The turn is over.
    void leave() {
        turnBytes = 0;
        if (isQueued) {
            buffer.leave(this);
        }
    }

    /// Packet `packet` of the requester left.
    void sent(long packet, int datagramBytes, boolean asksForAnswer, long now) {
        isShared = buffer.isShared(queuePairNumber, now);
        lastPosition = buffer.requestSent(datagramBytes);
        newestPosition = lastPosition;
        turnBytes += datagramBytes;
        if (asksForAnswer) {
            marks.add(packet, lastPosition);
        }
        if (reaction.isLimiting()) {
            reaction.sent(datagramBytes, now);
        }
    }

    /// Something left that is not answered, or not for sure.
    void answerSent(int datagramBytes) {
        newestPosition = buffer.answerSent(datagramBytes);
    }

    /// All packets before `end` were answered.
    void answeredBefore(long end) {
        marks.answeredBefore(end, buffer);
    }

    /// Packet `packet` was answered, though not acknowledged.
    void refused(long packet) {
        marks.answeredBefore(packet + 1, buffer);
    }

    /// Nothing is outstanding any more.
    void allAnswered() {
        marks.goBackTo(0);
        buffer.drained(lastPosition);
    }

    /// Packets from `packet` on will be sent again.
    void goBackTo(long packet) {
        marks.goBackTo(packet);
    }

    /// The peer has not answered `probes` probes.
    void unanswered(int probes) {
        if (probes >= SILENT_PROBES) {
            buffer.presumeDrained(newestPosition);
        }
    }

    /// Sends to another address from now on.
    void moveTo(PeerBuffer other) {
        abandon();
        marks.goBackTo(0);
        buffer = other;
        lastPosition = other.position();
        newestPosition = lastPosition;
    }

    /// What we sent is not answered any more: others must not wait because of us.
    void abandon() {
        leave();
        buffer.presumeDrained(newestPosition);
    }

    /// A congestion notification arrived.
    void notified(long now, double presentBytesPerSecond) {
        if (control.isNotifying()) {
            reaction.notified(now, presentBytesPerSecond);
        }
    }

    /// When [#admits] wants to be asked again because of the rate.
    long deadlineNanos() {
        return pacedUntilNanos;
    }

    void onTimer(long now) {
        if (now >= pacedUntilNanos) {
            pacedUntilNanos = RetransmitTimer.NONE;
        }
    }
}
