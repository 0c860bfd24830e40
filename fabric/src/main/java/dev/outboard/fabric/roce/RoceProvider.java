package dev.outboard.fabric.roce;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.fabric.spi.FabricProvider;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// RoCEv2 in software, on any network interface.
///
/// - `roce://127.0.0.2` uses that local address;
/// - `roce://auto?peer=10.0.0.7` uses the local address that leads to the peer, on loopback a free
///   one;
/// - `capture=FILE` writes every packet to a pcapng file;
/// - `fault=loss=5%,seed=1` makes the network worse than it is
///   ([dev.outboard.fabric.roce.io.Faults]); percent signs are written `%25` in a URI;
/// - `acknowledge=first` makes peers acknowledge what they got before they send requests of their
///   own, as peers that are not Outboard always do; the default is `acknowledge=together`, which
///   saves a system call per message, or with a capture `first`;
/// - `icrc=strict|solve|off` decides about packets whose IPv4 identification is not 0 (default
///   `solve`);
/// - `congestion=none|dcqcn` decides whether packets are sent ECN-capable, marks answered with
///   congestion notification packets, and these slow queue pairs down (default `none`);
/// - `peer-buffer=BYTES` is the receive buffer of peers that do not say how large theirs is
///   (default 212992, that of a Linux socket); more is faster, and safe where the peer is a network
///   card.
public final class RoceProvider implements FabricProvider {
    private static final Set<String> OPTIONS =
            Set.of("peer", "capture", "fault", "icrc", "congestion", "peer-buffer", "acknowledge");
    private static final int ATTEMPTS = 16;

    /// For [java.util.ServiceLoader].
    public RoceProvider() {}

    @Override
    public String scheme() {
        return "roce";
    }

    @Override
    public Device open(DeviceUri location) {
        location.allowOnly(OPTIONS);
        IcrcVerifier.Policy policy = policy(location);
        if (!location.device().equals("auto")) {
            return RoceDevice.open(LocalAddress.of(location.device()), policy, location);
        }
        return openTowards(peer(location), policy, location);
    }

    private static InetAddress peer(DeviceUri location) {
        String peer = location.options().get("peer");
        if (peer == null) {
            throw new FabricException(
                    Reason.BAD_URI,
                    "roce://auto needs to know what to reach, for example roce://auto?peer=127.0.0.2");
        }
        return LocalAddress.of(peer);
    }

    @Override
    public DeviceLimits limits(DeviceUri location) {
        location.allowOnly(OPTIONS);
        return RoceDevice.limits(
                location.device().equals("auto")
                        ? LocalAddress.towards(peer(location), new SecureRandom())
                        : LocalAddress.of(location.device()));
    }

    @Override
    public List<Finding> diagnose(DeviceUri location) {
        location.allowOnly(OPTIONS);
        return new Diagnosis(location).findings();
    }

    /// A drawn loopback address may be taken: then another is drawn.
    private static Device openTowards(
            InetAddress peer, IcrcVerifier.Policy policy, DeviceUri location) {
        SecureRandom random = new SecureRandom();
        for (int attempt = 1; ; attempt++) {
            try {
                return RoceDevice.open(LocalAddress.towards(peer, random), policy, location);
            } catch (FabricException e) {
                if (e.reason() != Reason.ADDRESS_IN_USE
                        || !peer.isLoopbackAddress()
                        || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /// What `acknowledge` says.
    static boolean takesRequestsAhead(DeviceUri location) {
        // Behind a capture every packet leaves by itself: nothing would be gained.
        String usual = location.options().containsKey("capture") ? "first" : "together";
        String order = location.options().getOrDefault("acknowledge", usual);
        return switch (order) {
            case "together" -> true;
            case "first" -> false;
            default ->
                    throw new FabricException(
                            Reason.BAD_URI, "acknowledge=" + order + "; valid: [first, together]");
        };
    }

    /// What `icrc` says.
    static IcrcVerifier.Policy policy(DeviceUri location) {
        String name = location.options().getOrDefault("icrc", "solve");
        for (IcrcVerifier.Policy policy : IcrcVerifier.Policy.values()) {
            if (policy.name().equals(name.toUpperCase(Locale.ROOT))) {
                return policy;
            }
        }
        throw new FabricException(
                Reason.BAD_URI,
                "icrc="
                        + name
                        + "; valid: "
                        + Arrays.toString(IcrcVerifier.Policy.values()).toLowerCase(Locale.ROOT));
    }
}
