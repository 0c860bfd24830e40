package dev.outboard.dpa.nic;

import java.util.Set;

/// DPA-FXQ-10: a registration of memory, of the DPA or external, which work entries name.
///
/// @param number what stands in a segment, as local or as remote key
/// @param address the first byte, as in [dev.outboard.dpa.machine.AddressMap]
public record MemoryKey(int number, long address, long lengthBytes, Set<Access> access) {
    /// Copies the set.
    public MemoryKey {
        access = Set.copyOf(access);
    }

    /// Whether all those bytes are covered.
    boolean covers(long from, long bytes) {
        long offset = from - address;
        return offset >= 0 && bytes <= lengthBytes && offset <= lengthBytes - bytes;
    }

    boolean allows(Access one) {
        return access.contains(one);
    }
}
