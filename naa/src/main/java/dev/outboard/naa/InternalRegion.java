package dev.outboard.naa;

import java.util.OptionalLong;

/// A region that a client asks for on the NAA only: scratch memory of the routine, never
/// transferred, zero at first, kept from RPC to RPC.
///
/// @param size bytes
/// @param naaAddress the NAA address to ask for, or empty for the dialect's default
public record InternalRegion(long size, OptionalLong naaAddress) {
    /// @throws IllegalArgumentException if the size is negative or the NAA address does not fit 56
    ///   bits
    public InternalRegion {
        if (size < 0) {
            throw new IllegalArgumentException("internal region of " + size + " bytes");
        }
        naaAddress.ifPresent(RegionSpec::checkNaaAddress);
    }

    /// A region of `size` bytes wherever the dialect puts it.
    public static InternalRegion of(long size) {
        return new InternalRegion(size, OptionalLong.empty());
    }

    /// The same region, at a requested NAA address.
    ///
    /// NAA-ADDR-2: an internal region's.
    public InternalRegion at(long newNaaAddress) {
        return new InternalRegion(size, OptionalLong.of(newNaaAddress));
    }
}
