package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.Gid;

/// What a [CmAgent] needs around it: somebody who sends its datagrams, owns the queue pairs and
/// takes its events. Called from within the agent's methods, on their thread.
///
/// [#event] may call the agent; the others must not.
public interface CmHost {
    /// Sends the 256 bytes of `mad` from queue pair 1 to queue pair 1 of `destination`. The array
    /// is the host's.
    void send(Gid destination, byte[] mad);

    /// Takes the connection's queue pair from INIT through RTR to RTS.
    ///
    /// @return false if that failed, for example because the queue pair was destroyed
    boolean connectQueuePair(Connection connection, NegotiatedAttributes attributes);

    /// The connection's queue pair is connected, and the handshake took `nanos` for a round trip: a
    /// message that was sent once and its answer, the time of the peer's application included; 0 if
    /// that is not known.
    void handshakeTook(Connection connection, long nanos);

    /// Takes the connection's queue pair to ERROR, if it still exists: what is posted is flushed.
    void failQueuePair(Connection connection);

    /// Something happened that the application shall learn of. Events of one connection come in
    /// order; none come after [CmAgent#destroy].
    void event(CmEvent event);

    /// The same for datagram services; none come after [ServiceResolver#destroy].
    void event(ResolutionEvent event);
}
