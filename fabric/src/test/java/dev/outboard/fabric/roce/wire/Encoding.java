package dev.outboard.fabric.roce.wire;

import dev.outboard.fabric.memory.Payload;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Writes a packet from its decoded fields alone, as a sender does.
final class Encoding {
    private Encoding() {}

    /// Writes what `packet` shows to `target`, which has its length.
    static void encode(Packet packet, Path path, int identification, MemorySegment target) {
        Opcode opcode = packet.opcode();
        int length = packet.payloadLength();
        int pad = Bth.padCount(length);
        Bth.write(
                target,
                0,
                opcode,
                packet.solicited(),
                pad,
                packet.partitionKey(),
                packet.destinationQpn(),
                packet.ackRequest(),
                packet.psn());
        putMigrationRequest(target, packet.migrationRequest());
        Bth.putCongestion(target, 0, packet.fecn(), packet.becn());
        encodeExtensions(packet, target);
        MemorySegment.copy(
                packet.segment(), packet.payloadOffset(), target, opcode.headerLength(), length);

        Icrc icrc = new Icrc();
        icrc.begin(path, identification, packet.length(), target, 0, opcode.headerLength());
        icrc.update(Payload.of(target), opcode.headerLength(), length);
        Icrc.put(target, opcode.headerLength() + length + pad, icrc.finish(pad));
    }

    /// Changes MigReq, which we always set and other senders do not.
    static void putMigrationRequest(MemorySegment header, boolean isSet) {
        byte flags = header.get(ValueLayout.JAVA_BYTE, 1);
        header.set(ValueLayout.JAVA_BYTE, 1, (byte) (isSet ? flags | 0x40 : flags & ~0x40));
    }

    private static void encodeExtensions(Packet packet, MemorySegment target) {
        Opcode opcode = packet.opcode();
        long at = Bth.LENGTH;
        if (opcode.hasReth()) {
            Reth.write(target, at, packet.remoteAddress(), packet.remoteKey(), packet.dmaLength());
            at += Reth.LENGTH;
        }
        if (opcode.hasDeth()) {
            Deth.write(target, at, packet.queueKey(), packet.sourceQpn());
            at += Deth.LENGTH;
        }
        if (opcode.hasAtomicEth()) {
            AtomicEth.write(
                    target,
                    at,
                    packet.remoteAddress(),
                    packet.remoteKey(),
                    packet.swapOrAdd(),
                    packet.compare());
            at += AtomicEth.LENGTH;
        }
        if (opcode.hasAeth()) {
            Aeth.write(target, at, packet.syndrome(), packet.msn());
            at += Aeth.LENGTH;
        }
        if (opcode.hasAtomicAckEth()) {
            AtomicAckEth.write(target, at, packet.originalValue());
            at += AtomicAckEth.LENGTH;
        }
        if (opcode.hasImmediate()) {
            Immediate.write(target, at, packet.immediate());
        }
        if (opcode.hasIeth()) {
            Ieth.write(target, at, packet.invalidateKey());
        }
    }
}
