package dev.outboard.fabric.sim.network;

import dev.outboard.fabric.roce.wire.EthernetFrame;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/// The frame check sequence at the end of an Ethernet frame (IEEE 802.3, 3.2.9). Allocates nothing;
/// one thread at a time.
final class FrameCheck {
    private static final VarHandle CHECK =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final CRC32 crc = new CRC32();

    /// Puts it behind the `length` bytes of a frame at `from`.
    void append(byte[] bytes, int from, int length) {
        CHECK.set(bytes, from + length, of(bytes, from, length));
    }

    /// Whether a whole frame is as it was sent.
    boolean isIntact(byte[] frame) {
        int length = frame.length - EthernetFrame.CHECK_LENGTH;
        return (int) CHECK.get(frame, length) == of(frame, 0, length);
    }

    private int of(byte[] bytes, int from, int length) {
        crc.reset();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
