package dev.outboard.fabric.roce;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.rc.PeerBuffer;
import dev.outboard.fabric.spi.DeviceUri;

/// What the options `congestion` and `peer-buffer` of a device say.
final class CongestionOptions {
    private CongestionOptions() {}

    /// The congestion control that `location` asks for.
    static CongestionControl of(DeviceUri location) {
        return new CongestionControl(notifies(location), peerBufferBytes(location));
    }

    private static boolean notifies(DeviceUri location) {
        String name = location.options().getOrDefault("congestion", "none");
        return switch (name) {
            case "none" -> false;
            case "dcqcn" -> true;
            default ->
                    throw new FabricException(
                            Reason.BAD_URI, "congestion=" + name + "; valid: [none, dcqcn]");
        };
    }

    private static int peerBufferBytes(DeviceUri location) {
        String bytes = location.options().get("peer-buffer");
        if (bytes == null) {
            return PeerBuffer.DEFAULT_BYTES;
        }
        // Nine digits fit an int.
        int parsed = bytes.matches("\\d{1,9}") ? Integer.parseInt(bytes) : 0;
        if (parsed < PeerBuffer.DEFAULT_BYTES || parsed > PeerBuffer.MAX_BYTES) {
            throw new FabricException(
                    Reason.BAD_URI,
                    "peer-buffer="
                            + bytes
                            + "; valid: "
                            + PeerBuffer.DEFAULT_BYTES
                            + " to "
                            + PeerBuffer.MAX_BYTES);
        }
        return parsed;
    }
}
