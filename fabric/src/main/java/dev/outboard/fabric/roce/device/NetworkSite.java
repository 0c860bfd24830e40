package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.drive.Drivers;
import dev.outboard.fabric.drive.Engine;
import dev.outboard.fabric.drive.Site;
import dev.outboard.fabric.memory.Placement;
import dev.outboard.fabric.roce.nic.NicLink;
import dev.outboard.fabric.roce.transport.EthernetPort;
import dev.outboard.fabric.roce.transport.TransmitListener;
import java.net.InetAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where a [RoceDevice] is plugged in: its place on a network, real or simulated, and its clock.
public interface NetworkSite extends NicLink, Site, AutoCloseable {
    /// What packets tell goes to `listener`. The first call.
    void attach(TransmitListener listener);

    /// Who drives `engine` from now on. Called once, when the device is there.
    ///
    /// @param name what the device is called
    Drivers drivers(Engine engine, String name);

    /// What may wait for the device to receive it.
    int receiveBufferBytes();

    /// Why packets cannot get to `destination`; empty if they can. Any thread.
    String problemTowards(InetAddress destination);

    /// Where raw Ethernet frames leave; null if they cannot.
    default @Nullable EthernetPort ethernet() {
        return null;
    }

    /// Decides when writes to memory with relaxed ordering can be seen; null for in order.
    default @Nullable Placement placement() {
        return null;
    }

    /// How much memory the card itself has.
    default long deviceMemoryBytes() {
        return 0;
    }

    /// Puts into `counters` what was sent, received and discarded here; any thread.
    void countersTo(Map<String, Long> counters);

    /// Takes the device off the network. Nobody drives any more.
    @Override
    void close();
}
