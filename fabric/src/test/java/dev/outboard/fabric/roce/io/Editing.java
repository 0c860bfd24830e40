package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// A stage that changes frames as a test wants, and notes what they were.
final class Editing implements FrameSink {
    /// What happens to frame number `index`; returns its new length.
    @FunctionalInterface
    interface Edit {
        int edit(int index, MemorySegment frame);
    }

    /// The frames before the edit.
    final List<byte[]> frames = new ArrayList<>();

    private final Edit edit;
    private final FrameSink next;

    Editing(Edit edit, FrameSink next) {
        this.edit = edit;
        this.next = next;
    }

    @Override
    public void frame(Path path, int trafficClass, MemorySegment bytes, long at, int length) {
        MemorySegment frame = bytes.asSlice(at, length);
        int index = frames.size();
        frames.add(frame.toArray(JAVA_BYTE));
        next.frame(path, trafficClass, bytes, at, edit.edit(index, frame));
    }

    @Override
    public long advance(long nowNanos) {
        return next.advance(nowNanos);
    }

    /// Inverts a bit of the frame.
    static void flip(MemorySegment frame, int bit) {
        byte changed = (byte) (frame.get(JAVA_BYTE, bit / 8) ^ 1 << bit % 8);
        frame.set(JAVA_BYTE, bit / 8, changed);
    }
}
