package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32;

/// What a packet says, for comparisons and failure messages. The migration bit is left out: we send
/// 1 as hardware does, soft-RoCE 0 (roce.md 1.3).
///
/// @param fields of the extension headers
/// @param payloadBytes how long it is, the pad not counted
/// @param payloadChecksum the CRC-32 of the payload
record PacketLine(
        Opcode opcode,
        int destinationQpn,
        int psn,
        boolean ackRequest,
        boolean solicited,
        int padCount,
        int partitionKey,
        String fields,
        int payloadBytes,
        long payloadChecksum) {

    static PacketLine of(Packet packet) {
        byte[] payload =
                packet.segment()
                        .asSlice(packet.payloadOffset(), packet.payloadLength())
                        .toArray(ValueLayout.JAVA_BYTE);
        CRC32 checksum = new CRC32();
        checksum.update(payload);
        Opcode opcode = packet.opcode();
        int destinationQpn = packet.destinationQpn();
        int psn = packet.psn();
        boolean ackRequest = packet.ackRequest();
        boolean solicited = packet.solicited();
        int padCount = packet.padCount();
        int partitionKey = packet.partitionKey();
        String fields = fields(packet);
        int payloadBytes = payload.length;
        long payloadChecksum = checksum.getValue();
        return new PacketLine(
                opcode,
                destinationQpn,
                psn,
                ackRequest,
                solicited,
                padCount,
                partitionKey,
                fields,
                payloadBytes,
                payloadChecksum);
    }

    private static String fields(Packet packet) {
        Opcode opcode = packet.opcode();
        StringBuilder fields = new StringBuilder();
        if (opcode.hasReth() || opcode.hasAtomicEth()) {
            fields.append(
                    "address %x key %08x ".formatted(packet.remoteAddress(), packet.remoteKey()));
        }
        if (opcode.hasReth()) {
            fields.append("length %d ".formatted(packet.dmaLength()));
        }
        if (opcode.hasAtomicEth()) {
            fields.append("swap %x compare %x ".formatted(packet.swapOrAdd(), packet.compare()));
        }
        if (opcode.hasAeth()) {
            fields.append("syndrome %02x msn %d ".formatted(packet.syndrome(), packet.msn()));
        }
        if (opcode.hasAtomicAckEth()) {
            fields.append("original %x ".formatted(packet.originalValue()));
        }
        if (opcode.hasImmediate()) {
            fields.append("immediate %08x ".formatted(packet.immediate()));
        }
        if (opcode.hasIeth()) {
            fields.append("invalidate %08x ".formatted(packet.invalidateKey()));
        }
        return fields.toString().strip();
    }

    PacketLine with(boolean ackRequest) {
        return new PacketLine(
                opcode,
                destinationQpn,
                psn,
                ackRequest,
                solicited,
                padCount,
                partitionKey,
                fields,
                payloadBytes,
                payloadChecksum);
    }

    PacketLine with(String fields) {
        return new PacketLine(
                opcode,
                destinationQpn,
                psn,
                ackRequest,
                solicited,
                padCount,
                partitionKey,
                fields,
                payloadBytes,
                payloadChecksum);
    }

    /// The same apart from opcode and extension headers.
    boolean carriesTheSameAs(PacketLine other) {
        return psn == other.psn
                && destinationQpn == other.destinationQpn
                && payloadBytes == other.payloadBytes
                && payloadChecksum == other.payloadChecksum;
    }
}
