package dev.outboard.naa.protocol;

import dev.outboard.fabric.MemoryRegion;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.RegionFlags;
import dev.outboard.naa.ReturnCode;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/// The regions of both sides of one connection, as its server sees them: what the client has asked
/// for, without the internal ones, and the counterparts here, in the same order; and the answers
/// that go from these to those. One thread at a time.
final class ServerRegions {
    private static final ValueLayout.OfLong RETURN_ADDRESS =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final List<Entry> theirs;
    private final List<MemoryRegion> ours;
    private final WritePlan plan;

    /// @param ours the counterparts of the non-internal regions of `request`
    /// @param plan takes the WRITEs of the answers
    ServerRegions(AdvertiseRequest request, List<MemoryRegion> ours, WritePlan plan) {
        this.theirs = request.entries().stream().filter(entry -> !entry.isInternal()).toList();
        this.ours = List.copyOf(ours);
        this.plan = plan;
    }

    /// The WRITEs of the last answer.
    WritePlan plan() {
        return plan;
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
    ///
    /// NAA-SCOPE-5, NAA-MRSP-7: one per region that is not internal, in the client's order.
    List<PeerRegion> announcement() {
        List<PeerRegion> announced = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            MemoryRegion region = ours.get(i);
            announced.add(
                    new PeerRegion(region.address(), region.remoteKey(), theirs.get(i).size()));
        }
        return announced;
    }

    /// The region that the answer to the RPC that has just arrived goes to.
    ///
    /// NAA-META-6: in `ap1-2023` it is one that the metadata in the first region name.
    ///
    /// @return empty if they name none
    OptionalInt returnRegion(Dialect dialect) {
        if (dialect != Dialect.AP1_2023) {
            return OptionalInt.of(0);
        }
        long address = ours.getFirst().segment().get(RETURN_ADDRESS, 0);
        for (int i = 1; i < theirs.size(); i++) {
            if (theirs.get(i).address() == address) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    /// Plans the WRITEs of an answer: the results or, if `returnCode` is an error, nothing but
    /// that.
    ///
    /// NAA-RET-5, NAA-RET-6: without a result, one WRITE of no bytes carries the code.
    ///
    /// @return the bytes of the results
    long answer(int returnCode, Dialect dialect, int returnRegion) {
        plan.begin(dialect.returnImmediate(returnCode));
        long bytes = returnCode == ReturnCode.SUCCESS ? addResults(dialect, returnRegion) : 0;
        if (plan.isEmpty()) {
            Entry target = theirs(returnRegion);
            plan.add(null, 0, target.address(), target.remoteKey());
        }
        return bytes;
    }

    /// Those marked as output or, in `ap1-2023`, one.
    ///
    /// NAA-RET-2, NAA-RET-3, NAA-RET-4: each whole.
    private long addResults(Dialect dialect, int returnRegion) {
        long bytes = 0;
        for (int i = 0; i < theirs.size(); i++) {
            Entry target = theirs.get(i);
            boolean returned =
                    dialect == Dialect.UPSTREAM_2026
                            ? (target.flags() & RegionFlags.OUTPUT) != 0
                            : i == returnRegion;
            if (returned) {
                plan.add(ours.get(i), target.size(), target.address(), target.remoteKey());
                bytes += target.size();
            }
        }
        return bytes;
    }
}
