package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.MemorySegment;

/// One stage that whole UDP payloads pass through, outwards or inwards. Stages stack: each is built
/// around the next, and the last one is the socket, or what stands behind it. One thread at a time
/// uses a stack.
///
/// Only capture and fault injection need it. Without them packets are never put together in one
/// place.
public interface FrameSink {
    /// Takes `length` bytes at `at`, which are the caller's again when the call returns.
    void frame(Path path, int trafficClass, MemorySegment bytes, long at, int length);

    /// Does what is due, in this stage and those behind it. Called at the end of every turn in
    /// which there were frames.
    ///
    /// @return when to call again if nothing else happens; [Long#MAX_VALUE] for never
    long advance(long nowNanos);
}
