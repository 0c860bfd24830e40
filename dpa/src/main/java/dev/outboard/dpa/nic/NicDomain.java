package dev.outboard.dpa.nic;

import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryRegion;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A protection domain of a NIC: entries of its queues name its keys only. Made by a [NicEngine],
/// which has one by itself. Those of functions of a card are of different devices of the fabric, if
/// there is one.
public final class NicDomain {
    private final DpaProcess process;
    private final Shared shared;
    private final @Nullable FabricPort port;

    NicDomain(DpaProcess process, Shared shared, @Nullable FabricPort port) {
        this.process = process;
        this.shared = shared;
        this.port = port;
    }

    /// DPA-FXQ-10: makes a key for memory of any kind.
    ///
    /// DPA-MEM-17: that it is relaxed is known to the fabric, too.
    ///
    /// @throws IndexOutOfBoundsException if the process has no such memory
    /// @throws IllegalArgumentException if there are no bytes, or the rights do not go together
    /// @throws FabricException if the device of the fabric does not take it
    public MemoryKey register(long address, long lengthBytes, Access... access) {
        if (lengthBytes < 1) {
            throw new IllegalArgumentException(
                    "A key covers at least 1 byte, not %d from 0x%x on"
                            .formatted(lengthBytes, address));
        }
        MemoryKey.checkRights(access);
        process.read(address, 1);
        process.read(address + lengthBytes - 1, 1);
        Set<Access> rights = Set.of(access);
        Optional<MemoryRegion> region =
                Optional.ofNullable(port).map(to -> to.register(address, lengthBytes, rights));
        int number = region.map(MemoryRegion::remoteKey).orElseGet(shared.memory()::freeNumber);
        MemoryKey key = new MemoryKey(number, address, lengthBytes, rights, region);
        shared.memory().add(key);
        return key;
    }

    /// Ends a key. Requests that are under way may still end by it.
    public void deregister(MemoryKey key) {
        shared.memory().remove(key);
        if (port != null) {
            key.region().ifPresent(port::deregister);
        }
    }

    /// What its queues share with the others of the NIC, and its keys.
    Shared shared() {
        return shared;
    }

    /// Where its queue pairs meet the fabric; null if they meet only each other.
    @Nullable FabricPort port() {
        return port;
    }
}
