package dev.outboard.fabric.roce.transport;

import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.verbs.Transitions;

/// Where the packets of a queue pair leave.
///
/// @param address the local address
/// @param pathMtuBytes payload of a packet at most
public record Port(Gid address, int pathMtuBytes) {
    /// Checks that `queuePair` can be changed like that.
    ///
    /// @throws FabricException that says what is wrong and what would be valid
    public void check(QueuePairMachine queuePair, QueuePairChange change) {
        Transitions.check(
                queuePair.number(),
                queuePair.type(),
                queuePair.state(),
                change,
                address.toInetAddress(),
                pathMtuBytes);
    }

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
