package dev.outboard.dpa.machine;

/// DPA-CCH-7, DPA-OPM-15: what fences and cache operations do beyond, or short of, what the seed
/// promises.
public enum Profile {
    /// The rules of sections 7 to 9 of the catalog, and nothing more.
    SEED,
    /// What the public header of BlueField-3 maps the operations to: a fence from stores to stores
    /// writes its space back, and a fence on MMIO from loads to loads also invalidates.
    BF3,
    /// DPA-CCH-6: BF3, and a window store that is performed may rewrite its whole line.
    BF3_LINES,
    /// Fences give NIC and host nothing from DPA memory or window to doorbell, and invalidate
    /// nothing.
    PARANOID,
    /// DPA memory is always visible to the NIC.
    COHERENT;

    /// Whether a fence from stores to stores is also a writeback of its space.
    public boolean fencesWriteBack() {
        return this == BF3 || this == BF3_LINES;
    }

    /// Whether a fence on MMIO from loads to loads also drops cached window copies.
    public boolean fencesInvalidate() {
        return this == BF3 || this == BF3_LINES;
    }
}
