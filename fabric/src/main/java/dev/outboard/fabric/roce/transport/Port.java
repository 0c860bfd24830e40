package dev.outboard.fabric.roce.transport;

import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;

/// Where the packets of a queue pair leave.
///
/// @param address the local address
/// @param pathMtuBytes payload of a packet at most
public record Port(Gid address, int pathMtuBytes) {
    /// The way that `vector` describes. The UDP source port is fixed, because a device has one
    /// socket; so the flow label changes nothing.
    public Path pathTo(AddressVector vector) {
        return new Path(
                address,
                Gid.of(vector.destination()),
                Path.DESTINATION_PORT,
                vector.trafficClass());
    }
}
