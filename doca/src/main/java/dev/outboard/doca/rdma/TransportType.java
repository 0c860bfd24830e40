package dev.outboard.doca.rdma;

/// Transports (`doca_rdma_transport_type`); the ordinal is DOCA's number.
public enum TransportType {
    /// Reliable connection.
    RC,
    /// Dynamically connected; supported nowhere.
    DC
}
