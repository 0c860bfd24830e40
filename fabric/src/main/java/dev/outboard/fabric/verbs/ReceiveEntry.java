package dev.outboard.fabric.verbs;

import dev.outboard.fabric.ReceiveRequest;
import java.lang.foreign.MemorySegment;

/// A posted receive request: a slot of the [ReceiveQueue].
public final class ReceiveEntry {
    private final MemoryPieces pieces;

    public long id;
    public long length;

    public ReceiveEntry(int maxPieces) {
        pieces = new MemoryPieces(maxPieces);
    }

    public void fill(ReceiveRequest request, long totalLength) {
        id = request.id();
        length = totalLength;
        pieces.fill(request.scatter());
    }

    void copyFrom(ReceiveEntry other) {
        id = other.id;
        length = other.length;
        pieces.copyFrom(other.pieces);
    }

    /// Whether every piece lies in a region of `domain` that is registered still and may be
    /// written.
    boolean isWritable(int domain) {
        return pieces.isWritable(domain);
    }

    /// Stores `count` bytes of `source` from `sourceOffset` at `position` of the buffer, for queue
    /// pair `user`.
    ///
    /// @throws IllegalStateException if the arena of the memory is closed
    /// @throws dev.outboard.fabric.memory.MemoryFault if it cannot be written for another reason
    void store(long position, MemorySegment source, long sourceOffset, int count, int user) {
        pieces.store(position, source, sourceOffset, count, user);
    }

    public void release() {
        pieces.release();
    }
}
