package dev.outboard.naa;

import java.net.InetSocketAddress;

/// What an RPC is called at both ends, so that what each of them says of it can be brought
/// together: no part of the protocol, but a function of what both know.
public final class RpcId {
    /// An odd number whose bits look random (the golden ratio), as hash functions use it.
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    private RpcId() {}

    /// The number of an RPC: less than 0, and different for each RPC of each client, but for a
    /// chance of one in 2^63.
    ///
    /// @param client the address and port from which it has connected
    /// @param ordinal which RPC of the connection, counted from 1
    public static long of(InetSocketAddress client, long ordinal) {
        long mixed = client.getPort();
        for (byte part : client.getAddress().getAddress()) {
            mixed = (mixed ^ (part & 0xFF)) * MIX;
            mixed ^= mixed >>> 32;
        }
        mixed = (mixed + ordinal) * MIX;
        return (mixed ^ (mixed >>> 32)) | Long.MIN_VALUE;
    }
}
