package dev.outboard.naa.client;

/// Where the time of a client's setup went; 0 for what has not happened yet.
///
/// @param addressNanos resolving the address
/// @param routeNanos creating the queue pair and resolving the route
/// @param handshakeNanos from the connection request until the connection was established
/// @param registrationNanos registering the regions with the device
/// @param mrspNanos from the announcement of the regions until the server's were known
public record SetupTimes(
        long addressNanos,
        long routeNanos,
        long handshakeNanos,
        long registrationNanos,
        long mrspNanos) {
    /// All of it.
    public long totalNanos() {
        return addressNanos + routeNanos + handshakeNanos + registrationNanos + mrspNanos;
    }
}
