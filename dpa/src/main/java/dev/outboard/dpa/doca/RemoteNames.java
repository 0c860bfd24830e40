package dev.outboard.dpa.doca;

import dev.outboard.doca.spi.RemoteMemory;
import dev.outboard.dpa.doca.dev.EventDescriptor;
import dev.outboard.dpa.flexio.FlexioProcess;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/// What threads of a context call memory and events of peers. On a device of the fabric they call
/// them as the peers do. On a simulated NIC the peers are of the same context, which knows what the
/// CPU exported by other names.
final class RemoteNames {
    private final FlexioProcess process;
    private final boolean hasFabric;

    /// Of memory that was made known to the context, by the address that the CPU has for it.
    private final Map<Long, RemoteMemory> own = new HashMap<>();

    /// The descriptors of events.
    private final Map<RemoteMemory, Long> events = new HashMap<>();

    RemoteNames(FlexioProcess process, boolean hasFabric) {
        this.process = process;
        this.hasFabric = hasFabric;
    }

    /// The context knows memory of the host.
    ///
    /// @param exported its address as the CPU tells it to peers
    synchronized void add(long exported, int key, long address) {
        own.put(exported, new RemoteMemory(key, address));
    }

    /// What memory of a peer is called.
    synchronized RemoteMemory memory(long address, int key) {
        RemoteMemory told = new RemoteMemory(key, address);
        return hasFabric ? told : own.getOrDefault(address, told);
    }

    /// The descriptor of an event of a peer.
    synchronized long event(long address, int key) {
        return events.computeIfAbsent(memory(address, key), this::describe);
    }

    private long describe(RemoteMemory value) {
        return process.heap()
                .copyFromHost(
                        ByteBuffer.allocate(EventDescriptor.BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(EventDescriptor.ADDRESS, value.address())
                                .putLong(EventDescriptor.KEY, value.key())
                                .putLong(EventDescriptor.REMOTE, EventDescriptor.YES)
                                .array())
                .value();
    }
}
