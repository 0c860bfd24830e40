package dev.outboard.naa.server;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.protocol.Refusal;
import dev.outboard.naa.protocol.ServerCounter;
import dev.outboard.naa.protocol.ServerMachine;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/// Decides which clients of a listener get the regions they ask for. Any thread may call.
final class RegionGrants {
    private final Device device;
    private final ServerOptions options;
    private final MemoryShares shares;

    /// @param device whose memory clients get
    RegionGrants(Device device, ServerOptions options) {
        this.device = device;
        this.options = options;
        this.shares = new MemoryShares(options);
    }

    /// The bytes that all clients together have.
    long usedBytes() {
        return shares.used();
    }

    /// Allocates what a client asks for, or refuses it.
    ///
    /// @param machine of the client's connection; is told of a refusal
    /// @param allocator where the memory comes from
    /// @return empty if the client was refused
    Optional<ServerMemory> allocate(
            ServerMachine machine,
            RegionAllocator allocator,
            ProtectionDomain domain,
            InetSocketAddress peer,
            AdvertiseRequest request) {
        List<Long> sizes = request.entries().stream().map(Entry::size).toList();
        if (!options.admission().admits(peer, sizes)) {
            return refuse(
                    machine, ServerCounter.REFUSED_NOT_ALLOWED, "not admitted with these regions");
        }
        Optional<RegionLayout> layout = RegionLayout.of(request.entries(), options.memory());
        if (layout.isEmpty()) {
            return refuse(machine, ServerCounter.REFUSED_ADDRESS, "no room in the NAA's memory");
        }
        Origin origin = Origin.of(peer.getAddress());
        long bytes = sizes.stream().mapToLong(Long::longValue).sum();
        return switch (shares.take(origin, bytes)) {
            case ALL_USED -> refuse(machine, sizes.size(), bytes);
            case ADDRESS_USED ->
                    refuse(
                            machine,
                            ServerCounter.REFUSED_ADDRESS_BYTES,
                            "%d bytes more for %s; all clients there together get %d"
                                    .formatted(bytes, origin, options.share(origin).bytes()));
            case GRANTED -> {
                int hidden = machine.dialect().orElseThrow().firstParameter();
                Optional<ServerMemory> memory =
                        ServerMemory.allocate(
                                device.openArena(),
                                allocator,
                                domain,
                                request,
                                layout.get(),
                                hidden,
                                () -> shares.giveBack(origin, bytes));
                yield memory.isPresent() ? memory : refuse(machine, sizes.size(), bytes);
            }
        };
    }

    private Optional<ServerMemory> refuse(ServerMachine machine, int regions, long bytes) {
        return refuse(
                machine,
                ServerCounter.REFUSED_TOTAL_BYTES,
                "not enough memory for %d regions of %d bytes; all clients together get %d"
                        .formatted(regions, bytes, options.maxTotalBytes()));
    }

    private static Optional<ServerMemory> refuse(
            ServerMachine machine, ServerCounter counter, String why) {
        machine.refuse(new Refusal(MrspException.NO_MEMORY, counter, why), System.nanoTime());
        return Optional.empty();
    }
}
