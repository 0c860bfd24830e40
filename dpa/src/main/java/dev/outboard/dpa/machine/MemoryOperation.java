package dev.outboard.dpa.machine;

/// One of the latest operations of a thread, for a crash report.
///
/// @param address 0 for what has none
/// @param lengthBytes 0 for what has none
public record MemoryOperation(Kind kind, long address, int lengthBytes) {

    /// What an operation is.
    public enum Kind {
        /// A load.
        LOAD,
        /// A store.
        STORE,
        /// A read-modify-write.
        ATOMIC,
        /// A load that reserves.
        LOAD_RESERVED,
        /// A store on a reservation.
        STORE_CONDITIONAL,
        /// A fence.
        FENCE,
        /// `memoryWriteback`.
        MEMORY_WRITEBACK,
        /// `windowWriteback`.
        WINDOW_WRITEBACK,
        /// `windowReadInv`.
        WINDOW_READ_INV
    }

    /// As in `STORE 8 bytes at 0x100000040`.
    @Override
    public String toString() {
        return lengthBytes == 0
                ? kind.toString()
                : "%s %d bytes at 0x%x".formatted(kind, lengthBytes, address);
    }
}
