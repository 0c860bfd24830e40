package dev.outboard.fabric;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/// One end of a connection, one who asks for a datagram service, or a listener (librdmacm's
/// `rdma_cm_id`). It belongs to the [PortSpace] it was created in.
///
/// Active side: [#resolveAddress], event ADDRESS_RESOLVED, [#resolveRoute], event ROUTE_RESOLVED,
/// [#createQueuePair], [#connect], event ESTABLISHED. Passive side: [#listen]; each CONNECT_REQUEST
/// event carries a new id, on which to [#createQueuePair], post receives and [#accept] or
/// [#reject].
///
/// In the UDP port space the calls are the same, but there is no connection: [#connect] asks the
/// peer for the queue pair of a service, and ESTABLISHED tells where datagrams go
/// ([ConnectionEvent#destination]). A refusal is UNREACHABLE with the peer's status. [#accept]
/// answers with the id's queue pair and raises no event.
///
/// Calls may come from any thread, one at a time. [#close] ends the connection and destroys the
/// queue pair.
public interface ConnectionId extends AutoCloseable {
    /// Bounds the whole attempt to connect: what is called from now on until ESTABLISHED comes
    /// takes at most `limit`, repeated requests and the time of the peer's application included.
    /// After that [#resolveAddress] ends in ADDRESS_ERROR, [#resolveRoute] in ROUTE_ERROR, and
    /// [#connect] and [#accept] in UNREACHABLE, each with ETIMEDOUT; a peer that does not answer is
    /// waited for until then. Without a limit an attempt that nobody answers takes about twelve
    /// seconds, and one whose peer asks for more time again and again up to five minutes.
    ///
    /// ```java
    /// id.limitAttempt(Duration.ofMillis(200));
    /// id.resolveAddress(remote, …);
    /// …
    /// id.connect(parameters); // ends within 200 ms of the first line
    /// ```
    ///
    /// @throws FabricException with INVALID_ARGUMENT if `limit` is not positive
    void limitAttempt(Duration limit);

    /// Finds out whether `remote` can be reached from this device; ends in ADDRESS_RESOLVED or
    /// ADDRESS_ERROR.
    void resolveAddress(InetSocketAddress remote, Duration timeout);

    /// Finds the route to the resolved address; ends in ROUTE_RESOLVED or ROUTE_ERROR.
    void resolveRoute(Duration timeout);

    /// Listens on `port` of the device's address; port 0 takes a free one.
    ///
    /// @param backlog connection requests waiting for an answer at most; further ones are dropped
    ///   and counted
    /// @throws FabricException with SERVICE_IN_USE if the port has a listener; with INVALID_STATE
    ///   if this id listens already; with INVALID_ARGUMENT if `port` is not in 0..65535 or
    ///   `backlog` not positive
    void listen(int port, int backlog);

    /// Creates the queue pair of this connection: reliable connected in state INIT; in the UDP port
    /// space one for datagrams, with queue key 0x01234567, in state READY_TO_SEND.
    QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes);

    /// Takes a queue pair that the caller has made, reliable connected, of this device and in state
    /// RESET, in the place of one of [#createQueuePair]; now it is in state INIT. It stays the
    /// caller's: [#close] leaves it in state ERROR for the caller to close. Not in the UDP port
    /// space.
    ///
    /// @throws FabricException with INVALID_ARGUMENT if it is none of those; with INVALID_STATE if
    ///   this id has one already
    void use(QueuePair made);

    /// The queue pair of this connection, once created.
    Optional<QueuePair> queuePair();

    /// Says what the queue pair takes instead of what the two sides agree on: ACCESS, TIMEOUT,
    /// RETRY_COUNT, RNR_RETRY_COUNT and MIN_RNR_TIMER of `own`, from its first packet on. A
    /// PATH_MTU is what [#connect] proposes at most; the side that accepts takes what was proposed.
    /// Before [#connect] or [#accept]; not in the UDP port space.
    void prefer(QueuePairChange own);

    /// Asks the peer for a connection; ends in ESTABLISHED, REJECTED, UNREACHABLE or CONNECT_ERROR.
    /// In the UDP port space only the private data counts, no queue pair is needed, and it ends in
    /// ESTABLISHED or UNREACHABLE; asking again then takes the place of what was asked before.
    ///
    /// @throws FabricException with INVALID_STATE before [#resolveAddress] and [#createQueuePair],
    ///   or if this id has connected before, whatever came of it; with INVALID_ARGUMENT if there is
    ///   too much private data
    void connect(ConnectionParameters parameters);

    /// Accepts the request this id came with; ends in ESTABLISHED, in CONNECT_ERROR if the peer
    /// stays silent, or in REJECTED or DISCONNECTED if it has changed its mind.
    void accept(ConnectionParameters parameters);

    /// Rejects the request this id came with.
    ///
    /// @param privateData at most 148 bytes for the peer, 136 in the UDP port space
    void reject(byte[] privateData);

    /// Disconnects: the queue pair goes to ERROR, DISCONNECTED arrives when the peer answered or
    /// does not answer. Harmless when not connected, as in the UDP port space.
    void disconnect();

    /// The local address and port; the port is 0 until it is known.
    InetSocketAddress localAddress();

    /// The remote address and port, once known.
    Optional<InetSocketAddress> remoteAddress();

    @Override
    void close();
}
