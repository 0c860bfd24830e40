package dev.outboard.fabric.verbs;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.GatherList;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SendRequest.Operation;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The bounded ring of posted send requests between the poster (one thread at a time) and whoever
/// executes them.
public final class SendQueue {
    /// The longest message: 2 GiB (roce.md 3.3).
    ///
    /// ROCE-RC-26: a message of 2^31 bytes is taken, a longer one refused.
    public static final long MAX_MESSAGE_BYTES = 1L << 31;

    /// So many requests of one packet fill a system call.
    private static final int FULL_RUN = 64;

    /// Behind so many or fewer, a request leaves at once: somebody waits for these few.
    private static final int FEW = 16;

    /// Behind more, requests start when they are at least this part of those on their way.
    private static final int MIN_SHARE = 2;

    private static final VarHandle STARTED;

    static {
        try {
            STARTED = MethodHandles.lookup().findVarHandle(SendQueue.class, "started", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SlotRing<SendEntry> entries;
    private final RegionTable regions;
    private final int maxPieces;
    private final int maxInlineBytes;

    @SuppressWarnings("unused") // through STARTED
    private long started;

    /// Made with the first entry. The poster's.
    private @Nullable Payload inlineMemory;

    public SendQueue(RegionTable regions, int capacity, int maxPieces, int maxInlineBytes) {
        this.regions = regions;
        this.maxPieces = maxPieces;
        this.maxInlineBytes = maxInlineBytes;
        entries =
                new SlotRing<>(
                        capacity,
                        i ->
                                new SendEntry(
                                        maxPieces,
                                        inlineMemory(capacity),
                                        (long) i * maxInlineBytes));
    }

    /// Copies `request` into the ring; false if it is full. Poster's thread.
    ///
    /// @throws FabricException if the request exceeds a limit of the queue
    public boolean offer(SendRequest request) {
        long length = checkedLength(request);
        SendEntry entry = entries.free();
        if (entry == null) {
            return false;
        }
        entry.fill(request, length);
        entries.publish();
        return true;
    }

    /// The position behind the newest request.
    public long posted() {
        return entries.posted();
    }

    /// The position of the oldest request that is not complete; equal to [#posted] if there is
    /// none.
    public long head() {
        return entries.head();
    }

    /// The position of the oldest request of which nothing has been sent.
    public long started() {
        return (long) STARTED.getOpaque(this);
    }

    /// The request at [#started] is on its way.
    public void start() {
        STARTED.setOpaque(this, started() + 1);
    }

    /// Whether the requests that may start now are few beside those on their way. Then they wait
    /// for the next answer: more of them will leave in one system call, and arrive in one. Else a
    /// stream of small messages settles in a state where each answer brings out one message, alone.
    ///
    /// @param room how many may start
    public boolean isHeldBack(int room) {
        long startable = Math.min(room, posted() - started());
        long onTheirWay = started() - head();
        return onTheirWay > FEW && startable < FULL_RUN && startable * MIN_SHARE < onTheirWay;
    }

    /// Whether the newest request leaves when an answer comes, not before: it is held back, or a
    /// full run stands before it that found no room. Poster's thread.
    public boolean isWaitingForAnswers() {
        boolean standsBehindRun = posted() - started() > FULL_RUN && started() - head() > FEW;
        return standsBehindRun || isHeldBack(FULL_RUN);
    }

    public SendEntry at(long position) {
        return entries.at(position);
    }

    /// Frees the oldest slot.
    public void removeHead() {
        at(head()).release();
        entries.removeHead();
        if (started() < head()) {
            start();
        }
    }

    private long checkedLength(SendRequest request) {
        GatherList gather = request.gather();
        if (gather.count() > maxPieces) {
            throw tooLarge(
                    "a send request has " + gather.count() + " pieces of memory",
                    maxPieces + " pieces");
        }
        if (request.inline() && !takesData(request.operation())) {
            throw invalid(request.operation() + " has no payload to send and cannot be inline");
        }
        if (request.operation() == Operation.BIND_MEMORY_WINDOW) {
            return checkedWindowLength(request);
        }
        long length = 0;
        for (int i = 0; i < gather.count(); i++) {
            if (!regions.owns(gather.region(i))) {
                throw invalid("piece " + i + " of a send request is a region of another device");
            }
            if (request.inline() && !((RegisteredRegion) gather.region(i)).isOfHost()) {
                throw invalid(
                        "piece %d of an inline send request is memory that only the device reaches"
                                .formatted(i));
            }
            if (gather.length(i) < 0 || gather.length(i) > MAX_MESSAGE_BYTES - length) {
                throw tooLarge(
                        "a send request has more bytes than a message",
                        MAX_MESSAGE_BYTES + " bytes");
            }
            length += gather.length(i);
        }
        if (request.inline() && length > maxInlineBytes) {
            throw tooLarge(
                    "an inline send request has " + length + " bytes", maxInlineBytes + " bytes");
        }
        return length;
    }

    /// A window may be longer than any message.
    private long checkedWindowLength(SendRequest request) {
        GatherList gather = request.gather();
        if (gather.count() != 1) {
            throw invalid("a memory window is bound to one region, not " + gather.count());
        }
        if (!regions.owns(request.window()) || !regions.owns(gather.region(0))) {
            throw invalid("a memory window and its region must both come from this device");
        }
        return gather.length(0);
    }

    private static boolean takesData(Operation operation) {
        return switch (operation) {
            case SEND,
                    SEND_WITH_IMMEDIATE,
                    SEND_WITH_INVALIDATE,
                    RDMA_WRITE,
                    RDMA_WRITE_WITH_IMMEDIATE ->
                    true;
            case RDMA_READ, COMPARE_AND_SWAP, FETCH_AND_ADD, BIND_MEMORY_WINDOW, LOCAL_INVALIDATE ->
                    false;
        };
    }

    private static FabricException invalid(String why) {
        return new FabricException(Reason.INVALID_ARGUMENT, why);
    }

    private static FabricException tooLarge(String what, String limit) {
        return new FabricException(
                Reason.INVALID_ARGUMENT, what + "; at most " + limit + " are valid here");
    }

    /// Room for the inline payload of every entry: the ring has less than twice as many as asked
    /// for.
    private @Nullable Payload inlineMemory(int capacity) {
        if (inlineMemory == null && maxInlineBytes > 0) {
            inlineMemory = Payload.of(Arena.ofAuto().allocate(2L * capacity * maxInlineBytes));
        }
        return inlineMemory;
    }
}
