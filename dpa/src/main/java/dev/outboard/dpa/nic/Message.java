package dev.outboard.dpa.nic;

import dev.outboard.dpa.nic.layout.SendEntry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A request on its way to a peer. Each queue pair has one, and uses it again and again.
final class Message {
    int opcode;
    int byteCount;
    int immediate;
    long remoteAddress;
    int remoteKey;
    long operand;
    long compare;
    int inlineBytes;
    int flags;
    int segmentBytes;
    private final MemorySegment payload;

    Message(int maxBytes) {
        payload = Arena.ofAuto().allocate(maxBytes, Long.BYTES);
    }

    /// One of the opcodes of [SendEntry].
    int opcode() {
        return opcode;
    }

    /// What that is called.
    String operation() {
        return SendEntry.name(opcode);
    }

    /// How many bytes of the payload count.
    int byteCount() {
        return byteCount;
    }

    /// Immediate data.
    int immediate() {
        return immediate;
    }

    /// Where to read or write.
    long remoteAddress() {
        return remoteAddress;
    }

    /// The key that allows it.
    int remoteKey() {
        return remoteKey;
    }

    /// What an atomic adds or stores.
    long operand() {
        return operand;
    }

    /// What an atomic compares with.
    long compare() {
        return compare;
    }

    /// Of a frame: how many of its first bytes stand in the entry.
    int inlineBytes() {
        return inlineBytes;
    }

    /// Of a frame: the flags of its [dev.outboard.dpa.nic.layout.EthernetSegment].
    int flags() {
        return flags;
    }

    /// Of a large send: how much payload each frame gets.
    int segmentBytes() {
        return segmentBytes;
    }

    /// The data: what is sent or written, or what a read or an atomic brings back; the former value
    /// of an atomic is little-endian. It is as long as the longest message may be.
    MemorySegment payload() {
        return payload;
    }
}
