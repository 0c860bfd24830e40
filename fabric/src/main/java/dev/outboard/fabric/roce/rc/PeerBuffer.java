package dev.outboard.fabric.roce.rc;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The receive buffer of one remote address, as far as we fill it: all queue pairs to that address
/// share it (roce.md 2.5, 6). Belongs to the [CongestionControl] of a device; only the thread that
/// drives the device touches it.
///
/// ROCE-CC-3: no queue pair sends what might not fit.
///
/// A socket hands packets out in the order in which they came. So each packet sent has a position,
/// the bytes of buffer taken by all packets up to it; who gets an answer to a packet knows that
/// everything up to its position has left the buffer, whichever queue pair sent it. Nothing has to
/// be returned, and a queue pair that dies takes nothing along.
public final class PeerBuffer {
    /// `net.core.rmem_default`: what a socket has that asks for nothing.
    public static final int DEFAULT_BYTES = 212_992;

    /// Sizes beyond this are not believed.
    public static final int MAX_BYTES = 1 << 28;

    /// What Linux accounts for the smallest packet, and for a packet besides its memory.
    private static final int SMALL_PACKET_BYTES = 832;

    private static final int PACKET_OVERHEAD_BYTES = 256;

    /// A packet this long still fits the small size.
    private static final int SMALL_DATAGRAM_BYTES = 128;

    /// Headers and bookkeeping beside the UDP payload in a packet's memory, a power of two.
    private static final int MEMORY_OVERHEAD_BYTES = 448;

    /// Part of the buffer that is left for what is not counted: datagrams, connection management.
    private static final int RESERVE = 8;

    /// Fifteen packets of 4 KiB, one burst of 64 KiB: what a peer gets that never answered (roce.md
    /// 6).
    private static final int FIRST_BURST_BYTES = 15 * 8448;

    /// After the first repetition without room; then twice as long each time.
    private static final long PROBE_NANOS = 2_000_000;

    private static final int MAX_PROBE_SHIFT = 7;

    /// For so long after two queue pairs sent in turn they are taken to share the way.
    private static final long SHARED_NANOS = 10_000_000;

    private final CongestionControl control;
    private final ArrayDeque<SendBudget> waiting = new ArrayDeque<>();
    private int capacity;
    private int sent;
    private int drained;

    /// The position of the newest request.
    private int lastRequest;

    private boolean hasAnswered;

    /// The queue pair that sent last; 0 for none.
    private int latestSender;

    private long sharedUntilNanos = Long.MIN_VALUE;

    /// Repetitions since the last answer that had no room, and when the next may follow.
    private int probes;

    private long nextProbeNanos = Long.MIN_VALUE;

    /// The [CongestionControl]'s: queue pairs that send here, and whether it knows of the queue.
    int users;

    boolean isListed;

    PeerBuffer(CongestionControl control, int bytes) {
        this.control = control;
        declare(bytes);
    }

    /// What a UDP payload of that length takes in the buffer of a Linux socket: `skb->truesize`.
    static int footprint(int datagramBytes) {
        if (datagramBytes <= SMALL_DATAGRAM_BYTES) {
            return SMALL_PACKET_BYTES;
        }
        int memory = Integer.highestOneBit(datagramBytes + MEMORY_OVERHEAD_BYTES - 1) << 1;
        return memory + PACKET_OVERHEAD_BYTES;
    }

    /// The peer's buffer has `bytes`, as `SO_RCVBUF` reads there.
    void declare(int bytes) {
        int believed = Math.min(MAX_BYTES, Math.max(DEFAULT_BYTES, bytes));
        capacity = believed - believed / RESERVE;
    }

    /// Whether `budget` may send what it wants now. If not, it stands in the queue until [#next]
    /// names it.
    boolean admits(SendBudget budget) {
        SendBudget first = waiting.peekFirst();
        if (hasRoom(footprint(budget.wantedBytes)) && (first == null || first == budget)) {
            return true;
        }
        if (!budget.isQueued) {
            budget.isQueued = true;
            waiting.addLast(budget);
            control.crowded(this);
        }
        return false;
    }

    boolean isCrowded() {
        return !waiting.isEmpty();
    }

    /// Whether requests with that [#footprint] fit. One on its own always does: only its answer
    /// tells whether there is room again.
    boolean hasRoom(int footprint) {
        int limit = hasAnswered ? capacity : FIRST_BURST_BYTES;
        return sent - drained + footprint <= limit || drained - lastRequest >= 0;
    }

    /// Whether requests with that [#footprint] may be repeated now. When nobody gets answers the
    /// buffer is full for us; then few repetitions are enough to find out when that ends.
    boolean admitsProbe(int footprint, long now) {
        if (sent - drained + footprint <= capacity) {
            return true;
        }
        if (now < nextProbeNanos) {
            return false;
        }
        nextProbeNanos = now + (PROBE_NANOS << Math.min(probes++, MAX_PROBE_SHIFT));
        return true;
    }

    /// `budget` has had its turn, or wants none any more.
    void leave(SendBudget budget) {
        budget.isQueued = false;
        waiting.remove(budget);
    }

    /// Who may send next, now that there is room; null if nobody waits or there is none.
    @Nullable SendBudget next() {
        SendBudget first = waiting.peekFirst();
        return first != null && hasRoom(footprint(first.wantedBytes)) ? first : null;
    }

    /// Queue pair `number` sends a request.
    ///
    /// @return whether others have sent here of late, so that what one has on its way delays them
    boolean isShared(int number, long now) {
        if (number != latestSender) {
            sharedUntilNanos = latestSender == 0 ? sharedUntilNanos : now + SHARED_NANOS;
            latestSender = number;
        }
        return now < sharedUntilNanos;
    }

    /// A request was sent; returns its position, for [#drained].
    int requestSent(int datagramBytes) {
        sent += footprint(datagramBytes);
        lastRequest = sent;
        return sent;
    }

    /// Something was sent that nothing answers; returns its position.
    int answerSent(int datagramBytes) {
        sent += footprint(datagramBytes);
        return sent;
    }

    /// The packet at `position` was answered: it and all before it have left the buffer.
    void drained(int position) {
        hasAnswered = true;
        presumeDrained(position);
    }

    /// The packet at `position` was not answered for so long that it is not in the buffer any more.
    void presumeDrained(int position) {
        if (position - drained > 0) {
            drained = position;
            probes = 0;
            nextProbeNanos = Long.MIN_VALUE;
        }
    }

    /// Where the packet sent last stands.
    int position() {
        return sent;
    }

    int bytesTaken() {
        return sent - drained;
    }
}
