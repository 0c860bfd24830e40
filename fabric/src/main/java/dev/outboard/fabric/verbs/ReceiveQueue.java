package dev.outboard.fabric.verbs;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.GatherList;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.memory.RegionTable;

/// The bounded ring of posted receive requests between the poster (one thread at a time) and the
/// queue pair that consumes them, or the queue pairs that share it (roce.md 3.12).
public final class ReceiveQueue {
    private final SlotRing<ReceiveEntry> entries;
    private final RegionTable regions;
    private final int maxPieces;
    private int limit;
    private Runnable limitReached = () -> {};

    public ReceiveQueue(RegionTable regions, int capacity, int maxPieces) {
        this.regions = regions;
        this.maxPieces = maxPieces;
        entries = new SlotRing<>(capacity, i -> new ReceiveEntry(maxPieces));
    }

    /// Copies `request` into the ring; false if it is full. Poster's thread.
    ///
    /// @throws FabricException if the request exceeds a limit of the queue
    public boolean offer(ReceiveRequest request) {
        long length = checkedLength(request);
        ReceiveEntry entry = entries.free();
        if (entry == null) {
            return false;
        }
        entry.fill(request, length);
        entries.publish();
        return true;
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /// How many requests nobody has taken yet. The thread that drives the device.
    long size() {
        return entries.posted() - entries.head();
    }

    /// The oldest request; only if the queue is not empty.
    public ReceiveEntry head() {
        return entries.at(entries.head());
    }

    /// Frees the oldest slot.
    public void removeHead() {
        head().release();
        entries.removeHead();
    }

    public int capacity() {
        return entries.capacity();
    }

    /// An entry that any request of this queue fits in.
    ReceiveEntry emptyEntry() {
        return new ReceiveEntry(maxPieces);
    }

    /// Moves the oldest request to `into`; false if there is none.
    ///
    /// ROCE-SRQ-1: whoever comes first takes the oldest receive.
    boolean take(ReceiveEntry into) {
        if (isEmpty()) {
            return false;
        }
        into.copyFrom(head());
        removeHead();
        checkLimit();
        return true;
    }

    /// Calls `action` once, as soon as fewer than `receives` requests are left (roce.md 3.12). The
    /// thread that drives the device.
    ///
    /// ROCE-SRQ-1: the limit is told once.
    public void onLimit(int receives, Runnable action) {
        limit = receives;
        limitReached = action;
        checkLimit();
    }

    private void checkLimit() {
        if (limit > 0 && size() < limit) {
            limit = 0;
            limitReached.run();
        }
    }

    private long checkedLength(ReceiveRequest request) {
        GatherList scatter = request.scatter();
        if (scatter.count() > maxPieces) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "a receive request has "
                            + scatter.count()
                            + " pieces of memory; at most "
                            + maxPieces
                            + " are valid here");
        }
        long length = 0;
        for (int i = 0; i < scatter.count(); i++) {
            if (!regions.owns(scatter.region(i))) {
                throw new FabricException(
                        Reason.INVALID_ARGUMENT,
                        "piece " + i + " of a receive request is a region of another device");
            }
            length += scatter.length(i);
        }
        return length;
    }
}
