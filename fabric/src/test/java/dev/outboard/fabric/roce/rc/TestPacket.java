package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.AtomicAckEth;
import dev.outboard.fabric.roce.wire.AtomicEth;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Ieth;
import dev.outboard.fabric.roce.wire.Immediate;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Reth;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A packet with open fields, for tests that write packets themselves or look at those sent. A
/// field that its opcode does not have is 0. The setters return `this`.
final class TestPacket {
    final Opcode opcode;
    int psn;
    boolean ackRequest;
    boolean solicited;
    long address;
    int key;
    long dmaLength;
    long compare;
    long swapOrAdd;
    long originalValue;
    int immediate;
    int syndrome;
    int msn;
    byte[] payload = {};

    private TestPacket(Opcode opcode, int psn) {
        this.opcode = opcode;
        this.psn = psn;
    }

    static TestPacket of(Opcode opcode, int psn) {
        return new TestPacket(opcode, psn);
    }

    static TestPacket ack(int psn) {
        return of(Opcode.ACKNOWLEDGE, psn).syndrome(Aeth.ACK);
    }

    static TestPacket nak(int psn, int syndrome) {
        return of(Opcode.ACKNOWLEDGE, psn).syndrome(syndrome);
    }

    /// What `packet` shows now.
    static TestPacket of(Packet packet) {
        Opcode opcode = packet.opcode();
        TestPacket copy = of(opcode, packet.psn());
        copy.ackRequest = packet.ackRequest();
        copy.solicited = packet.solicited();
        if (opcode.hasReth()) {
            copy.target(packet.remoteAddress(), packet.remoteKey(), packet.dmaLength());
        }
        if (opcode.hasAtomicEth()) {
            copy.target(packet.remoteAddress(), packet.remoteKey(), 0);
            copy.operands(packet.compare(), packet.swapOrAdd());
        }
        if (opcode.hasAtomicAckEth()) {
            copy.originalValue = packet.originalValue();
        }
        if (opcode.hasImmediate()) {
            copy.immediate = packet.immediate();
        }
        if (opcode.hasIeth()) {
            copy.key = packet.invalidateKey();
        }
        if (opcode.hasAeth()) {
            copy.syndrome = packet.syndrome();
            copy.msn = packet.msn();
        }
        copy.payload =
                packet.segment()
                        .asSlice(packet.payloadOffset(), packet.payloadLength())
                        .toArray(ValueLayout.JAVA_BYTE);
        return copy;
    }

    TestPacket ackRequest() {
        ackRequest = true;
        return this;
    }

    TestPacket solicited() {
        solicited = true;
        return this;
    }

    /// Where in remote memory.
    TestPacket target(long newAddress, int newKey, long newDmaLength) {
        address = newAddress;
        key = newKey;
        dmaLength = newDmaLength;
        return this;
    }

    /// What an atomic works with; FETCH_ADD has no use for `newCompare`.
    TestPacket operands(long newCompare, long newSwapOrAdd) {
        compare = newCompare;
        swapOrAdd = newSwapOrAdd;
        return this;
    }

    TestPacket originalValue(long newOriginalValue) {
        originalValue = newOriginalValue;
        return this;
    }

    TestPacket immediate(int newImmediate) {
        immediate = newImmediate;
        return this;
    }

    TestPacket syndrome(int newSyndrome) {
        syndrome = newSyndrome;
        return this;
    }

    TestPacket payload(byte... newPayload) {
        payload = newPayload;
        return this;
    }

    /// Sends it.
    void emit(PacketSink sink, Path path, int destinationQpn) {
        MemorySegment headers = sink.headerMemory();
        long at = sink.headerOffset();
        headers.asSlice(at, opcode.headerLength()).fill((byte) 0);
        Bth.write(
                headers,
                at,
                opcode,
                solicited,
                Bth.padCount(payload.length),
                Bth.DEFAULT_PARTITION_KEY,
                destinationQpn,
                ackRequest,
                psn);
        writeExtensions(headers, at + Bth.LENGTH, at + opcode.headerLength());
        if (payload.length > 0) {
            MemorySegment copy = Arena.ofAuto().allocate(payload.length);
            MemorySegment.copy(payload, 0, copy, ValueLayout.JAVA_BYTE, 0, payload.length);
            sink.append(Payload.of(copy), 0, payload.length);
        }
        sink.finish(path, opcode.headerLength());
    }

    private void writeExtensions(MemorySegment headers, long at, long end) {
        if (opcode.hasReth()) {
            Reth.write(headers, at, address, key, dmaLength);
        }
        if (opcode.hasAtomicEth()) {
            AtomicEth.write(headers, at, address, key, swapOrAdd, compare);
        }
        if (opcode.hasAeth()) {
            Aeth.write(headers, at, syndrome, msn);
        }
        if (opcode.hasAtomicAckEth()) {
            AtomicAckEth.write(headers, end - AtomicAckEth.LENGTH, originalValue);
        }
        if (opcode.hasImmediate()) {
            Immediate.write(headers, end - Immediate.LENGTH, immediate);
        }
        if (opcode.hasIeth()) {
            Ieth.write(headers, end - Ieth.LENGTH, key);
        }
    }

    /// One line for failure messages; the payload by its length.
    @Override
    public String toString() {
        return opcode
                + " psn "
                + psn
                + (ackRequest ? " ack-request" : "")
                + (solicited ? " solicited" : "")
                + (opcode.hasReth() ? " of " + dmaLength : "")
                + (opcode.hasAeth() ? String.format(" syndrome 0x%02x msn %d", syndrome, msn) : "")
                + " "
                + payload.length
                + " bytes";
    }
}
