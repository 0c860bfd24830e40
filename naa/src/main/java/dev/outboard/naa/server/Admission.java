package dev.outboard.naa.server;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;

/// Decides whom a server serves. The protocol has no authentication: an address is all there is.
/// Called on the server's threads; must be quick and thread-safe.
///
/// NAA-ROB-4: addresses and sizes.
@FunctionalInterface
public interface Admission {
    /// Whether the client at `peer` may have regions of these sizes. Asked when it connects, with
    /// no sizes, and again when it requests its regions.
    boolean admits(InetSocketAddress peer, List<Long> regionBytes);

    /// Admits everybody.
    static Admission everyone() {
        return (_, _) -> true;
    }

    /// Admits clients of these networks.
    static Admission only(Collection<AddressPrefix> networks) {
        List<AddressPrefix> allowed = List.copyOf(networks);
        return (peer, _) ->
                allowed.stream().anyMatch(network -> network.contains(peer.getAddress()));
    }
}
