package dev.outboard.naa.server;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

/// Where a client comes from, as far as shares go: its IPv4 address, or the network part of its
/// IPv6 address, since a host may give itself any number of addresses in that.
final class Origin {
    private static final int NETWORK_BYTES = 8;

    private final byte[] prefix;
    private final boolean loopback;
    private final String text;

    private Origin(InetAddress address) {
        byte[] all = address.getAddress();
        loopback = address.isLoopbackAddress();
        boolean isNetwork = address instanceof Inet6Address && !loopback;
        prefix = isNetwork ? Arrays.copyOf(all, NETWORK_BYTES) : all;
        text = address.getHostAddress() + (isNetwork ? "/64" : "");
    }

    static Origin of(InetAddress address) {
        return new Origin(address);
    }

    /// Whether it is this machine.
    boolean isLoopback() {
        return loopback;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Origin origin && Arrays.equals(prefix, origin.prefix);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(prefix);
    }

    @Override
    public String toString() {
        return text;
    }
}
