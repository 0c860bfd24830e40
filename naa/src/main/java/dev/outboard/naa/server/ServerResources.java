package dev.outboard.naa.server;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.naa.link.Cleanup;
import dev.outboard.naa.protocol.ServerMachine;
import java.lang.foreign.Arena;

/// What a connection of a server needs of its device.
///
/// @param messages [ServerMachine#MESSAGE_BYTES] for messages
/// @param maxOutstanding WRITEs the queue pair takes at a time
/// @param maxMessageBytes that one WRITE can carry
record ServerResources(
        ProtectionDomain domain,
        MemoryRegion messages,
        ClientQueues queues,
        int maxOutstanding,
        long maxMessageBytes) {
    private static final int RECEIVES = 4;

    /// Messages and probes need room in the send queue too.
    private static final int OTHER_SENDS = 3;

    private static final long MAX_MESSAGE_BYTES = 1L << 31;

    /// Creates everything; the queue pair goes away with its identifier.
    ///
    /// NAA-CONN-14: the queue pair has room for the WRITEs of one answer.
    ///
    /// @param maker makes the queues
    /// @param cleanup gets what releases the rest, also if something cannot be created
    /// @throws dev.outboard.fabric.FabricException if something cannot be created
    static ServerResources create(
            Device device,
            ConnectionId id,
            int regions,
            ClientQueues.Maker maker,
            Cleanup cleanup) {
        DeviceLimits limits = device.limits();
        int maxSends = Math.min(regions + OTHER_SENDS, limits.maxWorkRequests());
        Arena arena = Arena.ofShared();
        cleanup.defer(arena::close);
        ProtectionDomain domain = device.allocateProtectionDomain();
        cleanup.defer(domain::close);
        MemoryRegion messages =
                domain.register(arena.allocate(ServerMachine.MESSAGE_BYTES), Access.LOCAL_WRITE);
        cleanup.defer(messages::close);
        ClientQueues queues = maker.make(id, domain, maxSends, RECEIVES);
        cleanup.defer(queues::close);
        return new ServerResources(
                domain,
                messages,
                queues,
                Math.max(1, maxSends - OTHER_SENDS),
                Math.min(MAX_MESSAGE_BYTES, limits.maxMessageBytes()));
    }
}
