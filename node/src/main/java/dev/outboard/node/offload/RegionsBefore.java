package dev.outboard.node.offload;

import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RpcContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Copies of all regions of a call, also of those that it only reads and of internal ones: a target
/// that breaks its rules may have written anywhere. Belongs to the thread that made it.
final class RegionsBefore implements AutoCloseable {
    private final Arena arena = Arena.ofConfined();
    private final List<RoutineRegion> regions;
    private final List<MemorySegment> copies = new ArrayList<>();

    private RegionsBefore(List<RoutineRegion> regions) {
        this.regions = regions;
    }

    static RegionsBefore of(RpcContext rpc) {
        List<RoutineRegion> regions = new ArrayList<>(rpc.parameters());
        regions.addAll(rpc.internals());
        RegionsBefore made = new RegionsBefore(regions);
        try {
            for (RoutineRegion region : regions) {
                made.copies.add(made.arena.allocate(region.size()).copyFrom(region.memory()));
            }
            return made;
        } catch (RuntimeException | Error e) {
            made.close();
            throw e;
        }
    }

    /// Makes the regions what they were. Those that share bytes had the same ones.
    void restore() {
        for (int i = 0; i < copies.size(); i++) {
            regions.get(i).memory().copyFrom(copies.get(i));
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
