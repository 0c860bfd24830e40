package dev.outboard.fabric;

import java.util.Optional;

/// Something that happened to a connection (librdmacm's `rdma_cm_event`).
///
/// The events of one identifier come in this order, and none of them is lost while it is open:
///
/// - the side that connects: ADDRESS_RESOLVED, ROUTE_RESOLVED, then ESTABLISHED, or instead of any
///   of these the one that says why not, which is then the last but for TIMEWAIT_EXIT;
/// - the side that accepts: CONNECT_REQUEST, then ESTABLISHED, or else UNREACHABLE, REJECTED, or
///   DISCONNECTED if the peer has left before it was heard of;
/// - after ESTABLISHED either side: DISCONNECTED once, whoever ended it, then TIMEWAIT_EXIT.
///
/// Between identifiers there is no order, though they share a channel. With two connections the
/// TIMEWAIT_EXIT of the one may come before the DISCONNECTED of the other: who waits for the end of
/// several counts DISCONNECTED per identifier and passes over what else comes. Nothing comes for an
/// identifier that was closed.
///
/// @param type what happened
/// @param id the connection it happened to; for CONNECT_REQUEST the new id
/// @param listener for CONNECT_REQUEST, the id that listens
/// @param status 0, or why it failed: the CM reject reason for REJECTED, the SIDR status for
///   UNREACHABLE in the UDP port space if the peer answered, else an errno
/// @param explanation one line for people; empty if nothing failed
/// @param parameters what the peer proposed or granted, and its private data
/// @param destination for ESTABLISHED in the UDP port space, where datagrams go
public record ConnectionEvent(
        Type type,
        ConnectionId id,
        Optional<ConnectionId> listener,
        int status,
        String explanation,
        ConnectionParameters parameters,
        Optional<DatagramDestination> destination) {

    /// An event of the TCP port space.
    public ConnectionEvent(
            Type type,
            ConnectionId id,
            Optional<ConnectionId> listener,
            int status,
            String explanation,
            ConnectionParameters parameters) {
        this(type, id, listener, status, explanation, parameters, Optional.empty());
    }

    /// The kinds of event; order and numbers are librdmacm's, so the ordinal is the number.
    public enum Type {
        ADDRESS_RESOLVED,
        ADDRESS_ERROR,
        ROUTE_RESOLVED,
        ROUTE_ERROR,
        CONNECT_REQUEST,
        CONNECT_RESPONSE,
        CONNECT_ERROR,
        UNREACHABLE,
        REJECTED,
        ESTABLISHED,
        DISCONNECTED,
        DEVICE_REMOVAL,
        MULTICAST_JOIN,
        MULTICAST_ERROR,
        ADDRESS_CHANGE,
        TIMEWAIT_EXIT
    }
}
