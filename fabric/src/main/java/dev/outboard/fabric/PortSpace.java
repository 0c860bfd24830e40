package dev.outboard.fabric;

/// What a [ConnectionId] asks for or offers (librdmacm's `rdma_port_space`). Ports of different
/// spaces have nothing to do with each other.
public enum PortSpace {
    /// Reliable connections between two queue pairs.
    TCP,
    /// Datagram services: a port stands for a queue pair that anybody may send to.
    UDP
}
