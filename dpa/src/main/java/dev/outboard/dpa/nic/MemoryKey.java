package dev.outboard.dpa.nic;

import dev.outboard.fabric.MemoryRegion;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// DPA-FXQ-10: a registration of memory, of the DPA or external, which work entries name.
///
/// @param number what stands in a segment, as local or as remote key
/// @param address the first byte, as in [dev.outboard.dpa.machine.AddressMap]; peers name it so,
///   too
/// @param region what the memory is to the device of the fabric, if the NIC has one
public record MemoryKey(
        int number,
        long address,
        long lengthBytes,
        Set<Access> access,
        Optional<MemoryRegion> region) {
    /// Copies the set.
    public MemoryKey {
        access = Set.copyOf(access);
    }

    /// Refuses rights by which peers may change what the NIC may not change.
    ///
    /// @throws IllegalArgumentException if there are such
    public static void checkRights(Access... access) {
        List<Access> rights = List.of(access);
        for (Access changing : List.of(Access.REMOTE_WRITE, Access.REMOTE_ATOMIC)) {
            if (rights.contains(changing) && !rights.contains(Access.LOCAL_WRITE)) {
                throw new IllegalArgumentException(
                        "A key with %s needs LOCAL_WRITE as well".formatted(changing));
            }
        }
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
