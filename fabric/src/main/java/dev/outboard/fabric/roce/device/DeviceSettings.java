package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.roce.wire.PathMtu;
import java.net.InetAddress;
import java.util.random.RandomGenerator;

/// What a [RoceDevice] is, wherever it is plugged in.
///
/// @param name its URI without options
/// @param address its address on the network
/// @param pathMtu the payload of its packets at most
/// @param takesRequestsAhead whether peers may send requests ahead of acknowledgements
/// @param notifiesCongestion whether marks are answered, and heeded
/// @param peerBufferBytes the receive buffer of peers that do not say how large theirs is
/// @param random for keys, numbers and packet numbers
public record DeviceSettings(
        String name,
        InetAddress address,
        PathMtu pathMtu,
        boolean takesRequestsAhead,
        boolean notifiesCongestion,
        int peerBufferBytes,
        RandomGenerator random) {}
