package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A stage that notes the bytes of every frame.
record Recording(List<byte[]> seen, FrameSink next) implements FrameSink {
    @Override
    public void frame(Path path, int trafficClass, MemorySegment bytes, long at, int length) {
        seen.add(bytes.asSlice(at, length).toArray(JAVA_BYTE));
        next.frame(path, trafficClass, bytes, at, length);
    }

    @Override
    public long advance(long nowNanos) {
        return next.advance(nowNanos);
    }
}
