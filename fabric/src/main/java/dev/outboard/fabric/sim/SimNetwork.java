package dev.outboard.fabric.sim;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.device.RoceDevice;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Predicate;

/// The network of simulated devices, for whoever wants to be its clock, or to do it harm. Any
/// thread.
///
/// ```java
/// Device a = Fabric.open("sim://lab/10.0.0.1?seed=7&clock=stepped");
/// Device b = Fabric.open("sim://lab/10.0.0.2");
/// SimNetwork network = SimNetwork.of(a);
/// …
/// network.runUntil(network.nowNanos() + 1_000_000);
/// ```
///
/// With `clock=stepped` time passes in [#step] and [#runUntil] only, so that a model of something
/// larger can be the clock. What devices do in a turn, they do in the thread that calls these.
public interface SimNetwork {
    /// The network of `device`.
    ///
    /// @throws FabricException with INVALID_ARGUMENT if that is not a simulated one
    static SimNetwork of(Device device) {
        if (device instanceof RoceDevice simulated && simulated.site() instanceof SimSite site) {
            return site.network();
        }
        throw new FabricException(
                Reason.INVALID_ARGUMENT,
                device.name() + " is not on a simulated network; valid: a device of sim://");
    }

    /// A packet or a raw Ethernet frame on its way from one device to another.
    ///
    /// @param isEthernet whether it is a raw frame, or a copy of one that goes to several devices
    /// @param bytes of a packet, from the BTH to the ICRC; of a raw frame, from the destination
    ///   address to the frame check sequence, 4 bytes; not to be changed
    record Frame(InetAddress from, InetAddress to, boolean isEthernet, byte[] bytes) {}

    /// A capture that is being written.
    interface Capture extends AutoCloseable {
        /// Completes the file. Closing it twice is harmless; the network closes it when it ends.
        @Override
        void close();
    }

    /// A capture whose frames are put onto the network.
    interface Replay extends AutoCloseable {
        /// How many frames the capture has.
        long frames();

        /// How many of them were sent so far.
        long sent();

        /// Ends it, if all are not sent yet. Closing it twice is harmless; the network closes it
        /// when it ends.
        @Override
        void close();
    }

    /// Its name in the URIs of its devices.
    String name();

    /// The time of all its devices; it began at 0.
    long nowNanos();

    /// When something happens next: a packet arrives, or a device wants a turn. A time that has
    /// passed means at once; [Long#MAX_VALUE] means never, unless an application does something.
    long nextNanos();

    /// Moves the time on to where something happens next, and lets it happen.
    ///
    /// @return false if nothing will ever happen
    /// @throws FabricException with INVALID_STATE if its clock is the wall's
    boolean step();

    /// Lets everything happen until `nanos`, where the time then stands.
    ///
    /// @throws FabricException with INVALID_STATE if its clock is the wall's
    void runUntil(long nanos);

    /// From now on nothing gets from `from` to `to`. Each function of a card has ways of its own.
    void cut(InetAddress from, InetAddress to);

    /// From now on everything gets through again.
    void heal();

    /// From now on packets of more than `bytes` bytes, BTH to ICRC, do not fit the way from `from`
    /// to `to`, nor do raw frames of more, frame check sequence included.
    void limit(InetAddress from, InetAddress to, int bytes);

    /// The device at `address` is dead, as if its machine had failed, and with it all functions of
    /// its card: they get no packet and no turn any more, and what they send gets nowhere. So it is
    /// with those that are opened later.
    void kill(InetAddress address);

    /// Drops, from now on, every packet and raw frame that does not pass; sees all that are sent.
    void filter(Predicate<Frame> passes);

    /// Writes what devices send from now on into `file`, a pcapng capture that Wireshark opens: raw
    /// frames as they are, RoCE packets with the Ethernet, IP and UDP headers that go with their
    /// addresses. The time is that of the network, counted from 1970 on. What gets lost or damaged
    /// later was sent, and is there as it was.
    ///
    /// @throws FabricException with INVALID_ARGUMENT if the file cannot be written
    Capture capture(Path file);

    /// Puts the frames of `file`, a pcapng capture of Ethernet by whatever program, onto the
    /// network as if somebody on a port of his own sent them: the first one now, the others as long
    /// after that as in the capture; one that is earlier than those before it leaves at once after
    /// them. A frame shorter than 60 bytes is filled up. A RoCE packet gets to the transport of the
    /// device that has its addresses.
    ///
    /// @throws FabricException with INVALID_ARGUMENT that names offset and value if the file holds
    ///   anything else than whole Ethernet frames of 14 to 9,018 bytes; nothing is sent then
    Replay replay(Path file);

    /// What became of the packets and of each copy of the raw frames: sent, arrived, lost, cut-off,
    /// too-long, duplicated, held-back, corrupted, overflowed and undeliverable.
    Map<String, Long> counters();
}
