package dev.outboard.fabric;

import java.util.Optional;

/// Something that happened to a connection (librdmacm's `rdma_cm_event`).
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
