package dev.outboard.fabric.sim.network;

import dev.outboard.fabric.roce.wire.EthernetFrame;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;

/// The frame check sequence at the end of an Ethernet frame (IEEE 802.3, 3.2.9).
final class FrameCheck {
    private static final VarHandle CHECK =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private FrameCheck() {}

    /// A copy of `frame` as it goes over the wire: not shorter than Ethernet carries, and with its
    /// check sequence.
    static byte[] sealed(byte[] frame) {
        int length = Math.max(frame.length, EthernetFrame.MIN_LENGTH);
        byte[] sealed = Arrays.copyOf(frame, length + EthernetFrame.CHECK_LENGTH);
        CHECK.set(sealed, length, of(sealed, length));
        return sealed;
    }

    /// Whether a frame is as it was sealed.
    static boolean isIntact(byte[] sealed) {
        int length = sealed.length - EthernetFrame.CHECK_LENGTH;
        return (int) CHECK.get(sealed, length) == of(sealed, length);
    }

    private static int of(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
