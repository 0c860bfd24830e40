package dev.outboard.doca.sync;

/// Who may update a [SyncEvent], or wait for it (`doca_sync_event_add_publisher_location_*`).
public enum Location {
    /// Threads of this process.
    CPU,
    /// Peers that hold an export, over RDMA. They cannot wait.
    REMOTE_NET,
    /// The other side of the PCI bus. No device of today's fabric can.
    REMOTE_PCI,
    /// The data path accelerator of the device. No device of today's fabric has one.
    DPA,
    /// A GPU. No device of today's fabric knows one.
    GPU
}
