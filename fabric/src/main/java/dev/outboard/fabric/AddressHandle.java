package dev.outboard.fabric;

/// The way to a peer, prepared once for many datagrams (the verbs' `ibv_ah`). Made by a
/// [ProtectionDomain] and used by the datagram queue pairs of that domain through [SendRequest#to];
/// any thread may use it. [#close] releases it; requests posted before are sent still.
public interface AddressHandle extends AutoCloseable {
    /// Where it leads.
    AddressVector vector();

    /// Closing twice is harmless.
    @Override
    void close();
}
