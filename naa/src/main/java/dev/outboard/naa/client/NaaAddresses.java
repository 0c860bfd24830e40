package dev.outboard.naa.client;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.InternalRegion;
import dev.outboard.naa.RegionSpec;
import java.util.List;
import java.util.OptionalLong;

/// The NAA addresses that a client asks for when its caller names none.
///
/// NAA-ADDR-3, NAA-ADDR-4: they are 0 in `ap1-2023`, and whole pages in sequence, internal regions
/// first, in `upstream-2026`.
final class NaaAddresses {
    private static final long PAGE = 4096;

    private final Dialect dialect;
    private long next;

    private NaaAddresses(Dialect dialect, long offset) {
        this.dialect = dialect;
        this.next = offset;
    }

    /// The requested addresses of a client's regions.
    ///
    /// @param internals of the internal regions, in their order
    /// @param parameters of the parameters, in their order
    record Assigned(List<Long> internals, List<Long> parameters) {}

    /// Keeps the addresses that were given and assigns the others, the first at `offset`.
    ///
    /// @throws IllegalArgumentException if one does not fit 56 bits
    static Assigned assign(
            Dialect dialect,
            long offset,
            List<InternalRegion> internals,
            List<RegionSpec> parameters) {
        NaaAddresses sequence = new NaaAddresses(dialect, offset);
        return new Assigned(
                internals.stream()
                        .map(region -> sequence.address(region.naaAddress(), region.size()))
                        .toList(),
                parameters.stream()
                        .map(spec -> sequence.address(spec.naaAddress(), spec.memory().byteSize()))
                        .toList());
    }

    private long address(OptionalLong given, long size) {
        if (given.isPresent()) {
            return given.getAsLong();
        }
        if (dialect == Dialect.AP1_2023) {
            return 0;
        }
        long address = next;
        if (address < 0 || address > RegionSpec.MAX_NAA_ADDRESS) {
            throw new IllegalArgumentException(
                    "the sequence of NAA addresses leaves 56 bits; choose a lower offset");
        }
        next = address + (size + PAGE - 1) / PAGE * PAGE;
        return address;
    }
}
