package dev.outboard.naa;

import java.util.List;

/// A message of the memory region setup protocol (`spec/naaice.md`, section 3.2).
public sealed interface MrspMessage {
    /// How many regions the count field of a message can carry.
    int MAX_REGIONS = 255;

    /// AAR: the client announces its regions and asks for as many on the server.
    record AdvertiseRequest(List<Entry> entries) implements MrspMessage {
        public AdvertiseRequest {
            entries = List.copyOf(entries);
            checkCount(entries.size());
        }
    }

    /// One region of an [AdvertiseRequest].
    ///
    /// @param flags see [RegionFlags]
    /// @param naaAddress where on the NAA the client wants it, 56 bits
    /// @param address the client's region; 0 or, in `ap1-2023`, the requested address for an
    ///   internal one
    /// @param remoteKey the client's key; 0 for an internal region
    /// @param size bytes, 0 to 2^32 - 1
    record Entry(int flags, long naaAddress, long address, int remoteKey, long size) {
        public Entry {
            RegionSpec.checkNaaAddress(naaAddress);
            checkSize(size);
        }

        /// Whether it exists on the NAA only.
        public boolean isInternal() {
            return (flags & RegionFlags.INTERNAL) != 0;
        }

        /// Whether the client marked it as input or output.
        public boolean isMarked() {
            return (flags & (RegionFlags.INPUT | RegionFlags.OUTPUT)) != 0;
        }
    }

    /// A: the server announces its regions, one per non-internal entry of the request.
    record Advertise(List<PeerRegion> regions) implements MrspMessage {
        public Advertise {
            regions = List.copyOf(regions);
            checkCount(regions.size());
            regions.forEach(region -> checkSize(region.size()));
        }
    }

    /// ERR: the setup failed.
    ///
    /// @param code see [MrspException], 0..255
    record MrspError(int code) implements MrspMessage {
        public MrspError {
            if (code < 0 || code > 0xff) {
                throw new IllegalArgumentException("MRSP error code " + code + "; valid: 0 to 255");
            }
        }
    }

    /// What arrived is none of these; it is never sent.
    ///
    /// @param why one line for people
    record Malformed(String why) implements MrspMessage {}

    private static void checkCount(int count) {
        if (count < 1 || count > MAX_REGIONS) {
            throw new IllegalArgumentException(count + " regions in a message; valid: 1 to 255");
        }
    }

    private static void checkSize(long size) {
        if (size < 0 || size > 0xffff_ffffL) {
            throw new IllegalArgumentException(
                    "region of " + size + " bytes; valid: 0 to 2^32 - 1");
        }
    }
}
