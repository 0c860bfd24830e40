package dev.outboard.fabric.roce;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.io.Faults;
import dev.outboard.fabric.roce.rc.PeerBuffer;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import dev.outboard.fabric.spi.DeviceUri;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the URI of a device says behind its question mark ([RoceProvider] has the syntax).
///
/// @param peer what the device shall reach, if it says so
/// @param capture where packets are written to, if they are
/// @param faults what is made worse, if anything
/// @param icrc about packets whose IPv4 identification is not 0
/// @param takesRequestsAhead whether peers may send requests ahead of acknowledgements
/// @param notifiesCongestion whether marks are answered, and heeded
/// @param peerBufferBytes the receive buffer of peers that do not say how large theirs is
record RoceOptions(
        @Nullable String peer,
        @Nullable Path capture,
        @Nullable Faults faults,
        IcrcVerifier.Policy icrc,
        boolean takesRequestsAhead,
        boolean notifiesCongestion,
        int peerBufferBytes) {
    private static final Set<String> NAMES =
            Set.of("peer", "capture", "fault", "icrc", "congestion", "peer-buffer", "acknowledge");

    /// @throws FabricException with BAD_URI for an unknown option or value
    static RoceOptions of(DeviceUri location) {
        location.allowOnly(NAMES);
        Map<String, String> options = location.options();
        String capture = options.get("capture");
        String faults = options.get("fault");
        return new RoceOptions(
                options.get("peer"),
                capture == null ? null : Path.of(capture),
                faults == null ? null : Faults.parse(faults),
                icrc(options.getOrDefault("icrc", "solve")),
                // Behind a capture every packet leaves by itself: nothing would be gained.
                isOn(options, "acknowledge", "together", "first", capture == null),
                isOn(options, "congestion", "dcqcn", "none", false),
                peerBufferBytes(options.get("peer-buffer")));
    }

    /// Of an option with two values; `usual` if it is not there.
    private static boolean isOn(
            Map<String, String> options, String name, String on, String off, boolean usual) {
        String value = options.getOrDefault(name, usual ? on : off);
        if (!value.equals(on) && !value.equals(off)) {
            throw bad(name, value, "[" + off + ", " + on + "]");
        }
        return value.equals(on);
    }

    private static IcrcVerifier.Policy icrc(String name) {
        for (IcrcVerifier.Policy policy : IcrcVerifier.Policy.values()) {
            if (policy.name().equals(name.toUpperCase(Locale.ROOT))) {
                return policy;
            }
        }
        throw bad(
                "icrc",
                name,
                Arrays.toString(IcrcVerifier.Policy.values()).toLowerCase(Locale.ROOT));
    }

    private static int peerBufferBytes(@Nullable String bytes) {
        if (bytes == null) {
            return PeerBuffer.DEFAULT_BYTES;
        }
        // Nine digits fit an int.
        int parsed = bytes.matches("\\d{1,9}") ? Integer.parseInt(bytes) : 0;
        if (parsed < PeerBuffer.DEFAULT_BYTES || parsed > PeerBuffer.MAX_BYTES) {
            throw bad(
                    "peer-buffer", bytes, PeerBuffer.DEFAULT_BYTES + " to " + PeerBuffer.MAX_BYTES);
        }
        return parsed;
    }

    private static FabricException bad(String name, String value, String valid) {
        return new FabricException(Reason.BAD_URI, name + "=" + value + "; valid: " + valid);
    }
}
