package dev.outboard.doca.sync;

/// Who may update a [SyncEvent], or wait for it (`doca_sync_event_add_publisher_location_*`).
public enum Location {
    /// Threads of this process.
    CPU,
    /// Peers that hold an export, over RDMA. They cannot wait.
    REMOTE_NET,
    /// The other side of the PCI bus. No device of today's fabric can.
    REMOTE_PCI,
    /// A data-path accelerator. A sync event names the context whose programs these are: see
    /// [SyncEvent#publisher(dev.outboard.doca.spi.ExecutionEnvironment)].
    DPA,
    /// A GPU. A sync event names it as it does a data-path accelerator.
    GPU
}
