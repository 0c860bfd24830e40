package dev.outboard.doca.rdma;

/// Transports (`doca_rdma_transport_type`); the ordinal is DOCA's number.
public enum TransportType {
    /// Reliable connection.
    RC,
    /// Dynamically connected: for programs of a DPA only, between peers of this project.
    DC
}
