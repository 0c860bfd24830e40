package dev.outboard.doca.rdma;

/// What the communication of an [Rdma] context or of one connection is ready for (`doca_rdma_state`
/// of 2023); the ordinal is DOCA's number.
///
/// DRDMA-STATE-3, DRDMA-STATE-4, DRDMA-STATE-5, DRDMA-STATE-6: what each allows.
public enum RdmaState {
    /// Not started.
    RESET,
    /// Ready to export and connect.
    INIT,
    /// Data can flow both ways.
    CONNECTED,
    /// Communication fails: both sides have to stop.
    ERROR
}
