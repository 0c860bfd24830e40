package dev.outboard.fabric.sim.network;

import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Takes Ethernet frames off the wire, as the receiving end of a port does: what was damaged on the
/// way is dropped and counted.
public final class FrameReader {
    private final FrameCheck check = new FrameCheck();

    /// Made with the first frame: few devices get any.
    private MemorySegment memory = MemorySegment.NULL;

    private volatile long damaged;

    /// Hands `frame`, which ends with its check sequence, to `handler`.
    ///
    /// @return false if it was dropped
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time drives
    public boolean read(byte[] frame, PacketHandler handler) {
        if (!check.isIntact(frame)) {
            damaged++;
            return false;
        }
        if (memory.byteSize() == 0) {
            memory = Arena.ofAuto().allocate(EthernetFrame.MAX_LENGTH, Long.BYTES);
        }
        int length = frame.length - EthernetFrame.CHECK_LENGTH;
        MemorySegment.copy(frame, 0, memory, ValueLayout.JAVA_BYTE, 0, length);
        handler.frame(memory, length);
        return true;
    }

    /// Frames whose check sequence was wrong; any thread.
    public long damaged() {
        return damaged;
    }
}
