package dev.outboard.naa.server;

/// What the clients at one address get at most, together, so that others find room.
///
/// @param connections places
/// @param bytes memory of their regions
/// @param workers threads that compute their calls at a time
public record AddressShare(int connections, long bytes, int workers) {
    /// Refuses shares with which no client could work.
    public AddressShare {
        atLeastOne("connections", connections);
        atLeastOne("workers", workers);
        if (bytes < 0) {
            throw new IllegalArgumentException(
                    "an address gets " + bytes + " bytes; valid: 0 or more");
        }
    }

    private static void atLeastOne(String what, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(
                    "an address gets %d %s; valid: at least 1".formatted(value, what));
        }
    }
}
