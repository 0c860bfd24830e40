package dev.outboard.fabric.roce.queue;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.GatherList;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.roce.memory.RegisteredRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A posted receive request: a slot of the [ReceiveQueue].
public final class ReceiveEntry {
    private final @Nullable RegisteredRegion[] regions;
    private final long[] offsets;
    private final long[] lengths;
    private int pieces;

    public long id;
    public long length;

    public ReceiveEntry(int maxPieces) {
        regions = new RegisteredRegion[maxPieces];
        offsets = new long[maxPieces];
        lengths = new long[maxPieces];
    }

    public void fill(ReceiveRequest request, long totalLength) {
        id = request.id();
        length = totalLength;
        GatherList scatter = request.scatter();
        pieces = scatter.count();
        for (int i = 0; i < pieces; i++) {
            regions[i] = (RegisteredRegion) scatter.region(i);
            offsets[i] = scatter.offset(i);
            lengths[i] = scatter.length(i);
        }
    }

    void copyFrom(ReceiveEntry other) {
        id = other.id;
        length = other.length;
        pieces = other.pieces;
        for (int i = 0; i < pieces; i++) {
            regions[i] = other.regions[i];
            offsets[i] = other.offsets[i];
            lengths[i] = other.lengths[i];
        }
    }

    /// Whether every piece lies in a region of `domain` that is registered still and may be
    /// written.
    public boolean isWritable(int domain) {
        for (int i = 0; i < pieces; i++) {
            RegisteredRegion region = regions[i];
            if (region == null
                    || region.domain() != domain
                    || !region.permits(Access.LOCAL_WRITE)
                    || !region.covers(offsets[i], lengths[i])) {
                return false;
            }
        }
        return true;
    }

    /// Stores `count` bytes of `source` from `sourceOffset` at `position` of the buffer.
    ///
    /// @throws IllegalStateException if the arena of the memory is closed
    public void store(long position, MemorySegment source, long sourceOffset, int count) {
        long skip = position;
        long from = sourceOffset;
        int left = count;
        for (int i = 0; left > 0; i++) {
            RegisteredRegion region = regions[i];
            if (region == null || skip >= lengths[i]) {
                skip -= lengths[i];
                continue;
            }
            int part = (int) Math.min(left, lengths[i] - skip);
            MemorySegment.copy(source, from, region.segment(), offsets[i] + skip, part);
            from += part;
            left -= part;
            skip = 0;
        }
    }

    public void release() {
        for (int i = 0; i < pieces; i++) {
            regions[i] = null;
        }
        pieces = 0;
    }
}
