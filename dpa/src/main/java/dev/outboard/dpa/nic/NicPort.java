package dev.outboard.dpa.nic;

import dev.outboard.dpa.nic.PortCounters.Drop;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.steering.Steering;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// DPA-FXQ-12: the port of a function of the NIC. Frames that come to it go to the receive queue
/// that the most specific steering rule names, whatever their destination is. Any thread of the
/// host may use it; it lives as long as its device.
public final class NicPort {
    /// Bytes of a frame before its payload: two addresses and the EtherType.
    public static final int HEADER_BYTES = 14;

    /// The shortest frame on the wire: shorter ones are filled up with zeros as they are sent.
    public static final int MIN_FRAME_BYTES = 60;

    /// A jumbo frame: 9000 bytes after header and VLAN tag.
    public static final int MAX_FRAME_BYTES = 9018;

    private final EthernetSwitch network;
    private final MacAddress address;
    private final PortCounters counters = new PortCounters();

    /// Guarded by itself: of any actor and any thread of the host.
    private final Steering<FrameReceiveQueue> steering = new Steering<>();

    NicPort(EthernetSwitch network, MacAddress address) {
        this.network = network;
        this.address = address;
    }

    /// Its address: locally administered, and different from those of the device's other ports.
    public MacAddress address() {
        return address;
    }

    /// What has passed, and what was dropped.
    public PortCounters counters() {
        return counters;
    }

    /// From now on a queue gets the frames that match.
    ///
    /// @return the queue that gets them already, if there is one; then nothing has changed
    public Optional<FrameReceiveQueue> steer(FlowMatch match, FrameReceiveQueue queue) {
        synchronized (steering) {
            FrameReceiveQueue taker = steering.taker(match);
            if (taker == null) {
                steering.add(match, queue);
            }
            return Optional.ofNullable(taker);
        }
    }

    /// Ends a rule.
    public void unsteer(FlowMatch match) {
        synchronized (steering) {
            steering.remove(match);
        }
    }

    /// A process is no more.
    void forget(NicEngine nic) {
        synchronized (steering) {
            steering.removeIf(queue -> queue.nic().equals(nic));
        }
    }

    /// A frame comes from outside the device, given by the host. When the call returns, a queue has
    /// it, or it was dropped and counted.
    ///
    /// @param frame from the destination address to the last byte before the check sequence
    /// @return whether a queue has it
    public boolean receive(byte[] frame) {
        if (frame.length < HEADER_BYTES) {
            return drop(Drop.TOO_SHORT);
        }
        if (frame.length > MAX_FRAME_BYTES) {
            return drop(Drop.TOO_LONG);
        }
        FrameReceiveQueue taker = taker(MemorySegment.ofArray(frame));
        return taker == null
                ? drop(Drop.UNSTEERED)
                : taker.nic().receive(taker, this, MemorySegment.ofArray(frame.clone()));
    }

    /// A frame comes from another port. Called by the actor of the NIC that sends.
    void arrive(MemorySegment frame, int lengthBytes) {
        FrameReceiveQueue taker = taker(frame);
        if (taker == null) {
            drop(Drop.UNSTEERED);
        } else {
            taker.nic().frames().add(taker, this, frame, lengthBytes);
        }
    }

    private @Nullable FrameReceiveQueue taker(MemorySegment frame) {
        synchronized (steering) {
            return steering.find(frame);
        }
    }

    /// A send queue sends a frame, in a segment that has room for [#MIN_FRAME_BYTES].
    void send(MemorySegment frame, int lengthBytes) {
        for (int i = lengthBytes; i < MIN_FRAME_BYTES; i++) {
            frame.set(ValueLayout.JAVA_BYTE, i, (byte) 0);
        }
        counters.sent();
        network.forward(this, frame, Math.max(lengthBytes, MIN_FRAME_BYTES));
    }

    /// Counts a frame that is dropped.
    ///
    /// @return false
    boolean drop(Drop reason) {
        counters.dropped(reason);
        return false;
    }
}
