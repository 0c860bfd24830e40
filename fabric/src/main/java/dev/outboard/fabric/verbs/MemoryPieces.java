package dev.outboard.fabric.verbs;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.GatherList;
import dev.outboard.fabric.memory.PayloadSink;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.memory.Staging;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The memory of a posted request, piece by piece. Filled by the poster, then used by the thread
/// that drives the device.
final class MemoryPieces {
    private final @Nullable RegisteredRegion[] regions;
    private final long[] offsets;
    private final long[] lengths;
    private int count;

    /// Whether nothing stands between the device and any of them.
    private boolean isPlain = true;

    MemoryPieces(int most) {
        regions = new RegisteredRegion[most];
        offsets = new long[most];
        lengths = new long[most];
    }

    void fill(GatherList list) {
        count = list.count();
        isPlain = true;
        for (int i = 0; i < count; i++) {
            RegisteredRegion region = (RegisteredRegion) list.region(i);
            isPlain &= region.isPlain();
            regions[i] = region;
            offsets[i] = list.offset(i);
            lengths[i] = list.length(i);
        }
    }

    void copyFrom(MemoryPieces other) {
        count = other.count;
        isPlain = other.isPlain;
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

    /// Stores `length` bytes of `source` from `sourceOffset` at `position` of all pieces, for queue
    /// pair `user`.
    ///
    /// @throws IllegalStateException if the arena of the memory is closed
    /// @throws dev.outboard.fabric.memory.MemoryFault if it cannot be written for another reason
    void store(long position, MemorySegment source, long sourceOffset, int length, int user) {
        int done = 0;
        while (done < length) {
            int piece = pieceAt(position + done);
            long at = position + done - startOf(piece);
            int part = (int) Math.min(length - done, lengths[piece] - at);
            region(piece)
                    .write(offsets[piece] + at, source, sourceOffset + done, part, user, false);
            done += part;
        }
    }

    /// Appends the `length` bytes from `position` of all pieces to `sink`, for queue pair `user`.
    ///
    /// @throws dev.outboard.fabric.memory.MemoryFault if they cannot be read; nothing is appended
    ///   then
    void append(PayloadSink sink, long position, int length, int user) {
        if (!isPlain && length > 0) {
            appendRead(sink, position, length, user);
            return;
        }
        int done = 0;
        while (done < length) {
            int piece = pieceAt(position + done);
            long at = position + done - startOf(piece);
            int part = (int) Math.min(length - done, lengths[piece] - at);
            region(piece).append(sink, offsets[piece] + at, part, user, false);
            done += part;
        }
    }

    /// What is read at a certain moment, all of it before any is appended.
    private void appendRead(PayloadSink sink, long position, int length, int user) {
        Staging staging = region(0).staging();
        long start = staging.room(length);
        int done = 0;
        while (done < length) {
            int piece = pieceAt(position + done);
            long at = position + done - startOf(piece);
            int part = (int) Math.min(length - done, lengths[piece] - at);
            region(piece)
                    .read(offsets[piece] + at, staging.segment(), start + done, part, user, false);
            done += part;
        }
        sink.append(staging.payload(), start, length);
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
