package dev.outboard.dpa.nic;

import dev.outboard.fabric.MacAddress;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// DPA-FXQ-12: what joins the ports of a device with each other and with the wire. Any thread.
public final class EthernetSwitch {
    /// Locally administered addresses, which end with the number of the function.
    private static final long FIRST_ADDRESS = 0x020D_0A00_0000L;

    private final List<NicPort> ports;

    /// Guarded by this object.
    private @Nullable Uplink uplink;

    /// Where frames go that leave the device.
    @FunctionalInterface
    public interface Uplink {
        /// A frame leaves: the first bytes of a segment that is somebody else's after the call.
        /// Calls come one after the other, in the order in which frames leave.
        void leave(MemorySegment frame, int lengthBytes);
    }

    /// A switch with a port for each function.
    public EthernetSwitch(int functions) {
        ports =
                IntStream.range(0, functions)
                        .mapToObj(i -> new NicPort(this, new MacAddress(FIRST_ADDRESS + i)))
                        .toList();
    }

    /// The port of a function.
    public NicPort port(int function) {
        return ports.get(function);
    }

    /// From now on, what leaves the device goes there; before, it is lost on the wire.
    ///
    /// @return whether it does: nobody else has the wire
    public synchronized boolean attach(Uplink taker) {
        boolean free = uplink == null;
        if (free) {
            uplink = taker;
        }
        return free;
    }

    /// Ends that.
    public synchronized void detach() {
        uplink = null;
    }

    /// A process is no more: neither are its steering rules.
    public void forget(NicEngine nic) {
        ports.forEach(port -> port.forget(nic));
    }

    /// DPA-FXQ-12: a frame goes to the port whose address it names; to all other ports and the wire
    /// if it is for several; else to the wire.
    void forward(NicPort from, MemorySegment frame, int lengthBytes) {
        MacAddress destination = new MacAddress(MacAddress.bitsAt(frame, 0));
        boolean leaves = true;
        for (NicPort port : ports) {
            boolean named = port.address().equals(destination);
            if (named || (destination.isMulticast() && !port.equals(from))) {
                port.arrive(frame, lengthBytes);
            }
            leaves &= !named;
        }
        if (leaves) {
            leave(frame, lengthBytes);
        }
    }

    private synchronized void leave(MemorySegment frame, int lengthBytes) {
        if (uplink != null) {
            uplink.leave(frame, lengthBytes);
        }
    }
}
