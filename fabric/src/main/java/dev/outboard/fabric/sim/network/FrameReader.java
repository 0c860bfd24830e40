package dev.outboard.fabric.sim.network;

import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.IpHeaders;
import dev.outboard.fabric.roce.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Takes Ethernet frames off the wire, as the receiving end of a port does: what was damaged on the
/// way is dropped and counted, RoCE packets to the port's own addresses are told from other frames.
public final class FrameReader {
    private final MacAddress address;
    private final Gid local;
    private final DatagramReader datagrams;

    /// Made with the first frame: few devices get any.
    private MemorySegment memory = MemorySegment.NULL;

    private volatile long damaged;

    /// Reads what arrives at the port with these addresses.
    ///
    /// @param datagrams reads the RoCE packets
    public FrameReader(MacAddress address, Gid local, DatagramReader datagrams) {
        this.address = address;
        this.local = local;
        this.datagrams = datagrams;
    }

    /// Hands `frame`, which ends with its check sequence, to `handler`.
    ///
    /// @return false if it was dropped
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time drives
    public boolean read(byte[] frame, PacketHandler handler, long nowNanos) {
        if (!FrameCheck.isIntact(frame)) {
            damaged++;
            return false;
        }
        if (memory.byteSize() == 0) {
            memory = Arena.ofAuto().allocate(EthernetFrame.MAX_LENGTH, Long.BYTES);
        }
        int length = frame.length - EthernetFrame.CHECK_LENGTH;
        MemorySegment.copy(frame, 0, memory, ValueLayout.JAVA_BYTE, 0, length);
        int payload =
                MacAddress.bitsAt(memory, 0) == address.bits()
                        ? EthernetFrame.rocePayloadLength(memory, length, local)
                        : -1;
        if (payload < 0) {
            handler.frame(memory, length);
            return true;
        }
        int ip = EthernetFrame.HEADER_LENGTH;
        int from = ip + IpHeaders.length(local.isIpv4());
        Packet packet =
                datagrams.read(
                        IpHeaders.source(memory, ip),
                        IpHeaders.sourcePort(memory, ip),
                        IpHeaders.trafficClass(memory, ip),
                        Arrays.copyOfRange(frame, from, from + payload));
        if (packet == null) {
            return false;
        }
        handler.packet(packet, nowNanos);
        return true;
    }

    /// Frames whose check sequence was wrong; any thread.
    public long damaged() {
        return damaged;
    }
}
