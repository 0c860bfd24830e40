package dev.outboard.fabric.verbs;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.GatherList;
import dev.outboard.fabric.memory.PayloadSink;
import dev.outboard.fabric.memory.RegisteredRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The memory of a posted request, piece by piece. Filled by the poster, then used by the thread
/// that drives the device.
final class MemoryPieces {
    private final @Nullable RegisteredRegion[] regions;
    private final long[] offsets;
    private final long[] lengths;
    private int count;

    MemoryPieces(int most) {
        regions = new RegisteredRegion[most];
        offsets = new long[most];
        lengths = new long[most];
    }

    void fill(GatherList list) {
        count = list.count();
        for (int i = 0; i < count; i++) {
            regions[i] = (RegisteredRegion) list.region(i);
            offsets[i] = list.offset(i);
            lengths[i] = list.length(i);
        }
    }

    void copyFrom(MemoryPieces other) {
        count = other.count;
        for (int i = 0; i < count; i++) {
            regions[i] = other.regions[i];
            offsets[i] = other.offsets[i];
            lengths[i] = other.lengths[i];
        }
    }

    int count() {
        return count;
    }

    RegisteredRegion region(int index) {
        RegisteredRegion region = regions[index];
        if (region == null) {
            throw new IllegalStateException("piece " + index + " of a released request");
        }
        return region;
    }

    /// Where piece `index` starts in its region.
    long offset(int index) {
        return offsets[index];
    }

    /// Whether every piece lies in a region of `domain` that is registered still.
    boolean isReadable(int domain) {
        for (int i = 0; i < count; i++) {
            RegisteredRegion region = regions[i];
            if (region == null
                    || region.domain() != domain
                    || !region.covers(offsets[i], lengths[i])) {
                return false;
            }
        }
        return true;
    }

    /// Like [#isReadable], and whether the pieces may be written too (roce.md 3.11).
    boolean isWritable(int domain) {
        if (!isReadable(domain)) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (!region(i).permits(Access.LOCAL_WRITE)) {
                return false;
            }
        }
        return true;
    }

    /// Stores `length` bytes of `source` from `sourceOffset` at `position` of all pieces.
    ///
    /// @throws IllegalStateException if the arena of the memory is closed
    void store(long position, MemorySegment source, long sourceOffset, int length) {
        int done = 0;
        while (done < length) {
            int piece = pieceAt(position + done);
            long at = position + done - startOf(piece);
            int part = (int) Math.min(length - done, lengths[piece] - at);
            MemorySegment target = region(piece).segment();
            MemorySegment.copy(source, sourceOffset + done, target, offsets[piece] + at, part);
            done += part;
        }
    }

    /// Appends the `length` bytes from `position` of all pieces to `sink`.
    void append(PayloadSink sink, long position, int length) {
        int done = 0;
        while (done < length) {
            int piece = pieceAt(position + done);
            long at = position + done - startOf(piece);
            int part = (int) Math.min(length - done, lengths[piece] - at);
            sink.append(region(piece).payload(), offsets[piece] + at, part);
            done += part;
        }
    }

    /// The piece that byte `position` of all pieces lies in.
    private int pieceAt(long position) {
        int piece = 0;
        long left = position - lengths[0];
        while (left >= 0) {
            piece++;
            left -= lengths[piece];
        }
        return piece;
    }

    /// How many bytes the pieces before `piece` have.
    private long startOf(int piece) {
        long start = 0;
        for (int i = 0; i < piece; i++) {
            start += lengths[i];
        }
        return start;
    }

    /// Lets go of the regions, so that a completed request keeps no memory alive.
    void release() {
        for (int i = 0; i < count; i++) {
            regions[i] = null;
        }
        count = 0;
    }
}
