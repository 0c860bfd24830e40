package dev.outboard.naa.server;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.RegionFlags;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/// The memory that a server gives to one client: zero-filled native regions, registered unless
/// internal. Belongs to one [NaaServerContext].
///
/// NAA-INT-4, NAA-RPC-4: it lasts, with what is in it, as long as the connection.
final class ServerMemory {
    private static final long RETRY_NANOS = 10_000_000;

    private final Runnable whenFree;
    private final Arena arena;
    private final List<MemoryRegion> registered;
    private List<RoutineRegion> parameters;
    private List<RoutineRegion> internals;

    private ServerMemory(Arena arena, Runnable whenFree) {
        this.whenFree = whenFree;
        this.arena = arena;
        this.registered = new ArrayList<>();
        this.parameters = new ArrayList<>();
        this.internals = new ArrayList<>();
    }

    /// Allocates what `request` asks for.
    ///
    /// NAA-MRSP-14, NAA-ROB-3: every connection has regions and a domain of its own.
    ///
    /// @param arena gets the memory, and goes back to the system with the client
    /// @param allocator where it comes from
    /// @param layout where its regions lie
    /// @param hidden regions at the front that routines do not see
    /// @param whenFree told when the memory is free again, also if there is not enough
    /// @return empty if there is not enough
    static Optional<ServerMemory> allocate(
            Arena arena,
            RegionAllocator allocator,
            ProtectionDomain domain,
            AdvertiseRequest request,
            RegionLayout layout,
            int hidden,
            Runnable whenFree) {
        ServerMemory memory = new ServerMemory(arena, whenFree);
        try {
            memory.add(
                    domain, request.entries(), layout.allocate(arena, allocator), layout, hidden);
            memory.parameters = List.copyOf(memory.parameters);
            memory.internals = List.copyOf(memory.internals);
            return Optional.of(memory);
        } catch (FabricException | OutOfMemoryError e) {
            memory.registered.forEach(MemoryRegion::close);
            memory.free();
            return Optional.empty();
        }
    }

    /// NAA-META-8: what is hidden is no parameter of a routine.
    private void add(
            ProtectionDomain domain,
            List<Entry> entries,
            List<RegionLayout.Piece> pieces,
            RegionLayout layout,
            int hidden) {
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            RegionLayout.Piece piece = pieces.get(i);
            if (entry.isInternal()) {
                internals.add(
                        region(internals.size(), RegionFlags.INTERNAL, layout.address(i), piece));
                continue;
            }
            registered.add(
                    domain.register(piece.memory(), Access.LOCAL_WRITE, Access.REMOTE_WRITE));
            if (registered.size() > hidden) {
                parameters.add(region(parameters.size(), entry.flags(), layout.address(i), piece));
            }
        }
    }

    private static RoutineRegion region(
            int index, int flags, long naaAddress, RegionLayout.Piece piece) {
        return new RoutineRegion(index, flags, naaAddress, piece.memory(), piece.pages());
    }

    /// The non-internal regions in the client's order; to be closed before [#free].
    List<MemoryRegion> registered() {
        return registered;
    }

    /// The regions that routines see as parameters; never changes.
    List<RoutineRegion> parameters() {
        return parameters;
    }

    /// The internal regions; never changes.
    List<RoutineRegion> internals() {
        return internals;
    }

    /// Frees the memory. A routine that still uses it fails at its next access; one that is inside
    /// a native call with it is waited for.
    ///
    /// NAA-DISC-4: internal regions included.
    void free() {
        boolean closed = false;
        while (!closed) {
            closed = tryClose();
            if (!closed) {
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
        whenFree.run();
    }

    private boolean tryClose() {
        try {
            arena.close();
            return true;
        } catch (IllegalStateException e) {
            return !arena.scope().isAlive();
        }
    }
}
