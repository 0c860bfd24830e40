package dev.outboard.doca.rdma;

/// How a context and its connections begin: the versions of DOCA differ (catalog DRDMA-CONN).
public enum ConnectionMode {
    /// One connection: the context stays STARTING until it is connected (DOCA 2.5 and 2.6).
    GATED,
    /// The context is RUNNING at once; connections come and go (DOCA 2.8 and later).
    OPEN
}
