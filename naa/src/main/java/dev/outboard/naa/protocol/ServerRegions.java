package dev.outboard.naa.protocol;

import dev.outboard.fabric.MemoryRegion;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.RegionFlags;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/// The regions of both sides of one connection, as its server sees them: what the client has asked
/// for, without the internal ones, and the counterparts here, in the same order. Never changes.
final class ServerRegions {
    private static final ValueLayout.OfLong RETURN_ADDRESS =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final List<Entry> theirs;
    private final List<MemoryRegion> ours;

    /// @param ours the counterparts of the non-internal regions of `request`
    ServerRegions(AdvertiseRequest request, List<MemoryRegion> ours) {
        this.theirs = request.entries().stream().filter(entry -> !entry.isInternal()).toList();
        this.ours = List.copyOf(ours);
    }

    int count() {
        return ours.size();
    }

    /// A region of the client's.
    Entry theirs(int index) {
        return theirs.get(index);
    }

    /// The client's regions as it announced them.
    List<PeerRegion> announced() {
        return theirs.stream()
                .map(entry -> new PeerRegion(entry.address(), entry.remoteKey(), entry.size()))
                .toList();
    }

    /// Our regions as they are announced to the client.
    List<PeerRegion> announcement() {
        List<PeerRegion> announced = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            MemoryRegion region = ours.get(i);
            announced.add(
                    new PeerRegion(region.address(), region.remoteKey(), theirs.get(i).size()));
        }
        return announced;
    }

    /// NAA-META-6: the region that the metadata in the first one names.
    OptionalInt namedByMetadata() {
        long address = ours.getFirst().segment().get(RETURN_ADDRESS, 0);
        for (int i = 1; i < theirs.size(); i++) {
            if (theirs.get(i).address() == address) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    /// Adds the WRITEs of the results: those marked as output or, in `ap1-2023`, one.
    ///
    /// @return their bytes
    long addResults(WritePlan writes, Dialect dialect, int returnRegion) {
        long bytes = 0;
        for (int i = 0; i < theirs.size(); i++) {
            Entry target = theirs.get(i);
            boolean returned =
                    dialect == Dialect.UPSTREAM_2026
                            ? (target.flags() & RegionFlags.OUTPUT) != 0
                            : i == returnRegion;
            if (returned) {
                writes.add(ours.get(i), target.size(), target.address(), target.remoteKey());
                bytes += target.size();
            }
        }
        return bytes;
    }
}
