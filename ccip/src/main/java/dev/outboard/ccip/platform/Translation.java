package dev.outboard.ccip.platform;

/// How an address that an AFU uses leads to memory (CCI-P manual 1.2.2.2, 1.3.2).
public enum Translation {
    /// The address is the physical one. A buffer is in one piece only within one page, and every
    /// page may be read and written.
    PHYSICAL,
    /// An IOMMU translates it page by page: pages that are scattered in memory are contiguous for
    /// the AFU, and each has its own permissions.
    IOMMU
}
