package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.AtomicAckEth;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Reth;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A RoCE packet of a capture, which holds all its headers; of its payload there may be less.
///
/// @param nanos when it was captured
/// @param isMarked whether a switch on the way has marked it for congestion (ECN)
/// @param payload how many bytes it carried, without pad bytes
/// @param bytes from the BTH on, as far as they were captured
record RocePacket(
        long nanos,
        Gid source,
        Gid destination,
        boolean isMarked,
        Opcode opcode,
        int payload,
        MemorySegment bytes) {
    int psn() {
        return Bth.psn(bytes, 0);
    }

    int destinationQpn() {
        return Bth.destinationQpn(bytes, 0);
    }

    /// Of a packet with an AETH.
    int syndrome() {
        return Aeth.syndrome(bytes, Bth.LENGTH);
    }

    /// Of a packet with a RETH or an AtomicETH: both start with address and key.
    long remoteAddress() {
        return Reth.virtualAddress(bytes, Bth.LENGTH);
    }

    /// Of a packet with a RETH or an AtomicETH.
    int remoteKey() {
        return Reth.remoteKey(bytes, Bth.LENGTH);
    }

    /// How many bytes of remote memory a packet with a RETH or an AtomicETH names.
    long remoteLength() {
        return opcode.hasReth() ? Reth.dmaLength(bytes, Bth.LENGTH) : Long.BYTES;
    }

    /// Of an atomic acknowledgement.
    long originalValue() {
        return AtomicAckEth.originalValue(bytes, (long) Bth.LENGTH + Aeth.LENGTH);
    }

    /// Of a datagram.
    int sourceQpn() {
        return Deth.sourceQpn(bytes, Bth.LENGTH);
    }

    /// A copy of the payload as far as it was captured.
    byte[] payloadBytes() {
        long captured = Math.min(payload, bytes.byteSize() - opcode.headerLength());
        return bytes.asSlice(opcode.headerLength(), captured).toArray(ValueLayout.JAVA_BYTE);
    }
}
