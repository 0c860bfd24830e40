package dev.outboard.fabric.roce.nic;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Psn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Queue pair 1, the general services interface: management datagrams of 256 bytes in UD packets
/// (roce.md 4, 5.1).
public final class QueuePairOne {
    static final int NUMBER = 1;
    public static final int QUEUE_KEY = 0x8001_0000;
    static final int MAD_BYTES = 256;

    private int psn;

    /// The datagram in `packet`.
    byte[] datagram(Packet packet) {
        return packet.segment()
                .asSlice(packet.payloadOffset(), MAD_BYTES)
                .toArray(ValueLayout.JAVA_BYTE);
    }

    void send(PacketSink sink, Path path, byte[] datagram) {
        MemorySegment headers = sink.headerMemory();
        long at = sink.headerOffset();
        Opcode opcode = Opcode.UD_SEND_ONLY;
        Bth.write(headers, at, opcode, false, 0, Bth.DEFAULT_PARTITION_KEY, NUMBER, false, psn);
        Deth.write(headers, at + Bth.LENGTH, QUEUE_KEY, NUMBER);
        psn = Psn.next(psn);
        MemorySegment payload = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, datagram);
        sink.append(Payload.of(payload), 0, MAD_BYTES);
        sink.finish(path, opcode.headerLength());
    }
}
