package dev.outboard.dpa.nic;

/// What carries the requests of one queue pair to its peer on the same NIC. Called by the NIC's own
/// actor only.
@FunctionalInterface
interface Wire {
    /// Carries a request, or asks how far it is: one request at a time, until the answer is another
    /// than [Acknowledge#NOT_YET].
    ///
    /// @param message stays as it is until then; the wire puts what a read or an atomic brings back
    ///   into its payload
    Acknowledge carry(Message message);
}
