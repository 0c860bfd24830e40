package dev.outboard.fabric;

import java.util.Optional;

/// Something that happened to a connection (librdmacm's `rdma_cm_event`).
///
/// @param type what happened
/// @param id the connection it happened to; for CONNECT_REQUEST the new id
/// @param listener for CONNECT_REQUEST, the id that listens
/// @param status 0, or why it failed: the CM reject reason for REJECTED, an errno for errors
/// @param explanation one line for people; empty if nothing failed
/// @param parameters what the peer proposed or granted, and its private data
public record ConnectionEvent(
        Type type,
        ConnectionId id,
        Optional<ConnectionId> listener,
        int status,
        String explanation,
        ConnectionParameters parameters) {

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
