package dev.outboard.dpa.model;

/// A granule of external memory that a thread has cached.
///
/// @param mask the bytes of it; all but for registers of a device, which are read one by one
/// @param newest whether it was fetched last, or together with what was
record Copy(int granule, long value, int mask, boolean newest) {
    /// A whole granule.
    Copy(int granule, long value, boolean newest) {
        this(granule, value, Bytes.ALL, newest);
    }
}
