package dev.outboard.fabric.roce.transport;

import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.memory.PayloadSink;

/// Where raw Ethernet frames leave. One frame is under construction at a time, between two calls of
/// [#finish]; the thread that drives the device makes all calls.
///
/// ```java
/// while (port.hasRoom() && somethingToSend()) {
///     port.append(payload, offset, length);
///     port.finish();
/// }
/// ```
///
/// If memory cannot be read because somebody closed its arena, [#append] throws an
/// `IllegalStateException`, and nothing is left of the frame.
public interface EthernetPort extends PayloadSink {
    MacAddress address();

    /// The longest frame, without its frame check sequence.
    int maxFrameBytes();

    /// Whether one more frame fits. Nothing else may be called when it does not.
    boolean hasRoom();

    /// Fills the frame up to the shortest that Ethernet carries, and queues it.
    void finish();
}
