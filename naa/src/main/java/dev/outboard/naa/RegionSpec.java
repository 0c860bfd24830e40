package dev.outboard.naa;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.OptionalLong;

/// A parameter region of a client: the caller's memory and what happens to it.
///
/// Native memory is used in place: it must be shared between threads and stay allocated until the
/// client is closed. An array or a buffer on the heap, as `MemorySegment.ofArray(…)` or
/// `MemorySegment.ofBuffer(…)`, is copied: from it when an RPC starts, into it when the RPC has
/// ended without error.
///
/// @param memory the bytes to send and to receive into
/// @param input sent with every RPC; `ap1-2023` sends every region and ignores the marks
/// @param output returned by every RPC; `ap1-2023` returns the one that the client names
/// @param singleSend an input that only the first RPC sends
/// @param naaAddress the NAA address to ask for, or empty for the dialect's default
public record RegionSpec(
        MemorySegment memory,
        boolean input,
        boolean output,
        boolean singleSend,
        OptionalLong naaAddress) {

    /// The highest NAA address: 56 bits travel.
    public static final long MAX_NAA_ADDRESS = (1L << 56) - 1;

    /// Single-send implies input.
    ///
    /// NAA-FLAG-4: whoever says so, in whatever way.
    ///
    /// @throws IllegalArgumentException if the NAA address does not fit 56 bits
    public RegionSpec {
        Objects.requireNonNull(memory, "memory");
        input |= singleSend;
        naaAddress.ifPresent(RegionSpec::checkNaaAddress);
    }

    /// A region sent with every RPC.
    public static RegionSpec input(MemorySegment memory) {
        return new RegionSpec(memory, true, false, false, OptionalLong.empty());
    }

    /// A region returned by every RPC.
    public static RegionSpec output(MemorySegment memory) {
        return new RegionSpec(memory, false, true, false, OptionalLong.empty());
    }

    /// A region sent with every RPC and returned by it.
    public static RegionSpec inputOutput(MemorySegment memory) {
        return new RegionSpec(memory, true, true, false, OptionalLong.empty());
    }

    /// An input that only the first RPC sends.
    public static RegionSpec singleSend(MemorySegment memory) {
        return new RegionSpec(memory, true, false, true, OptionalLong.empty());
    }

    /// A region without marks: a parameter of `ap1-2023`.
    public static RegionSpec unmarked(MemorySegment memory) {
        return new RegionSpec(memory, false, false, false, OptionalLong.empty());
    }

    /// The same region, at a requested NAA address.
    ///
    /// NAA-ADDR-2: a parameter's.
    public RegionSpec at(long newNaaAddress) {
        return new RegionSpec(memory, input, output, singleSend, OptionalLong.of(newNaaAddress));
    }

    /// NAA-ADDR-1: 56 bits, nothing is cut off.
    static void checkNaaAddress(long address) {
        if (address < 0 || address > MAX_NAA_ADDRESS) {
            throw new IllegalArgumentException(
                    "NAA address 0x%x does not fit 56 bits; valid: 0 to 0x%x"
                            .formatted(address, MAX_NAA_ADDRESS));
        }
    }
}
