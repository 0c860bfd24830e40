package dev.outboard.fabric.roce.transport;

import dev.outboard.fabric.memory.PayloadSink;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.MemorySegment;

/// Where a protocol machine puts the packets that it sends. One packet is under construction at a
/// time, between two calls of [#finish]; the thread that runs the machine makes all calls.
///
/// ```java
/// while (sink.hasRoom() && somethingToSend()) {
///     Bth.write(sink.headerMemory(), sink.headerOffset(), opcode, …);
///     sink.append(payload, offset, length);
///     sink.finish(path, opcode.headerLength());
/// }
/// ```
public interface PacketSink extends PayloadSink {
    /// Whether one more packet fits. Nothing else may be called when it does not.
    boolean hasRoom();

    /// The memory that the headers of the next packet are written to.
    MemorySegment headerMemory();

    /// Where the BTH of the next packet goes; at least 80 bytes from here on are writable.
    long headerOffset();

    /// Completes the packet with pad bytes and ICRC, and queues it. The headers must be final, pad
    /// count included.
    void finish(Path path, int headerLength);
}
