package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.SendRequest.Operation;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.AtomicEth;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Ieth;
import dev.outboard.fabric.roce.wire.Immediate;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.roce.wire.Reth;
import dev.outboard.fabric.verbs.SendEntry;
import java.lang.foreign.MemorySegment;

/// Writes the packets of requests (roce.md 3.1, 3.3).
final class RequestBuilder {
    /// Responses asked for by one READ_REQUEST at most.
    private static final int MAX_BURST_PACKETS = 64;

    private static final int MAX_BURST_BYTES = 1 << 17;

    /// BTH, RETH, immediate data and ICRC, or an atomic request.
    private static final int MAX_OVERHEAD_BYTES = 44;

    private RequestBuilder() {}

    /// Emits packet `index` of `entry`, which has number `packet`; of a READ, the request for the
    /// rest of the burst. For queue pair `user`.
    ///
    /// @throws dev.outboard.fabric.memory.MemoryFault if the payload cannot be read; nothing is
    ///   emitted then
    static void emit(
            PacketSink sink,
            RcConnection connection,
            SendEntry entry,
            int index,
            long packet,
            boolean asksForAck,
            int user) {
        int psn = (int) (connection.sendPsn() + packet) & Psn.MASK;
        if (entry.isRead()) {
            emitRead(sink, connection, entry, index, psn);
        } else if (entry.isAtomic()) {
            emitAtomic(sink, connection, entry, psn);
        } else {
            emitData(sink, connection, entry, index, psn, asksForAck, user);
        }
    }

    /// How many packet numbers the packet takes that starts with number `index` of `entry`.
    ///
    /// ROCE-RC-5: a READ takes as many sequence numbers as its response has packets, at least one.
    static int packetsAt(RcConnection connection, SendEntry entry, int index) {
        if (!entry.isRead()) {
            return 1;
        }
        int burstEnd = burstStart(connection, index) + burstPackets(connection);
        return Math.min(PacketNumbers.packets(entry.length, connection.pathMtuBytes()), burstEnd)
                - index;
    }

    /// Where the burst of READ responses begins that response `index` belongs to. Bursts have fixed
    /// borders, so that what is asked for again is part of what was asked for.
    static int burstStart(RcConnection connection, int index) {
        return index - index % burstPackets(connection);
    }

    private static int burstPackets(RcConnection connection) {
        return Math.min(MAX_BURST_PACKETS, MAX_BURST_BYTES / connection.pathMtuBytes());
    }

    /// The bytes that packet `index` of a SEND or WRITE carries, or response `index` of a READ.
    ///
    /// ROCE-RC-1: every packet of a message but the last is full.
    static int payloadBytes(RcConnection connection, SendEntry entry, int index) {
        long position = (long) index * connection.pathMtuBytes();
        return (int) Math.min(connection.pathMtuBytes(), entry.length - position);
    }

    /// The length of packet `index` of `entry` at most.
    static int datagramBytes(RcConnection connection, SendEntry entry, int index) {
        return entry.isAnsweredWithData()
                ? MAX_OVERHEAD_BYTES
                : payloadBytes(connection, entry, index) + MAX_OVERHEAD_BYTES;
    }

    private static void emitData(
            PacketSink sink,
            RcConnection connection,
            SendEntry entry,
            int index,
            int psn,
            boolean asksForAck,
            int user) {
        long position = (long) index * connection.pathMtuBytes();
        int count = payloadBytes(connection, entry, index);
        boolean isLast = position + count == entry.length;
        Opcode opcode =
                entry.isWrite()
                        ? writeOpcode(entry, index, isLast)
                        : sendOpcode(entry, index, isLast);
        boolean solicited = isLast && entry.solicited && (!entry.isWrite() || entry.hasImmediate());
        begin(sink, connection, psn, opcode, solicited, count, asksForAck);
        MemorySegment headers = sink.headerMemory();
        long at = sink.headerOffset() + Bth.LENGTH;
        if (opcode.hasReth()) {
            Reth.write(headers, at, entry.remoteAddress, entry.remoteKey, entry.length);
            at += Reth.LENGTH;
        }
        if (opcode.hasImmediate()) {
            Immediate.write(headers, at, entry.immediate);
        }
        if (opcode.hasIeth()) {
            Ieth.write(headers, at, entry.invalidateKey);
        }
        entry.appendPayload(sink, position, count, user);
        sink.finish(connection.path(), opcode.headerLength());
    }

    /// Asks for the responses of a READ from `from` to the end of the burst. Asking for less than
    /// all is how lost responses are asked for again (roce.md 3.8).
    private static void emitRead(
            PacketSink sink, RcConnection connection, SendEntry entry, int from, int psn) {
        Opcode opcode = Opcode.READ_REQUEST;
        int to = from + packetsAt(connection, entry, from);
        long position = (long) from * connection.pathMtuBytes();
        long end = Math.min(entry.length, (long) to * connection.pathMtuBytes());
        begin(sink, connection, psn, opcode, false, 0, true);
        Reth.write(
                sink.headerMemory(),
                sink.headerOffset() + Bth.LENGTH,
                entry.remoteAddress + position,
                entry.remoteKey,
                end - position);
        sink.finish(connection.path(), opcode.headerLength());
    }

    private static void emitAtomic(
            PacketSink sink, RcConnection connection, SendEntry entry, int psn) {
        Opcode opcode =
                entry.operation == Operation.COMPARE_AND_SWAP ? Opcode.CMP_SWAP : Opcode.FETCH_ADD;
        begin(sink, connection, psn, opcode, false, 0, true);
        AtomicEth.write(
                sink.headerMemory(),
                sink.headerOffset() + Bth.LENGTH,
                entry.remoteAddress,
                entry.remoteKey,
                entry.swapOrAdd,
                entry.compare);
        sink.finish(connection.path(), opcode.headerLength());
    }

    private static void begin(
            PacketSink sink,
            RcConnection connection,
            int psn,
            Opcode opcode,
            boolean solicited,
            int payloadBytes,
            boolean asksForAck) {
        Bth.write(
                sink.headerMemory(),
                sink.headerOffset(),
                opcode,
                solicited,
                Bth.padCount(payloadBytes),
                Bth.DEFAULT_PARTITION_KEY,
                connection.destinationQpn(),
                asksForAck,
                psn);
    }

    private static Opcode sendOpcode(SendEntry entry, int index, boolean isLast) {
        if (index == 0) {
            if (!isLast) {
                return Opcode.SEND_FIRST;
            }
            return switch (entry.operation) {
                case SEND_WITH_IMMEDIATE -> Opcode.SEND_ONLY_IMM;
                case SEND_WITH_INVALIDATE -> Opcode.SEND_ONLY_INV;
                default -> Opcode.SEND_ONLY;
            };
        }
        if (!isLast) {
            return Opcode.SEND_MIDDLE;
        }
        return switch (entry.operation) {
            case SEND_WITH_IMMEDIATE -> Opcode.SEND_LAST_IMM;
            case SEND_WITH_INVALIDATE -> Opcode.SEND_LAST_INV;
            default -> Opcode.SEND_LAST;
        };
    }

    private static Opcode writeOpcode(SendEntry entry, int index, boolean isLast) {
        if (index == 0) {
            if (!isLast) {
                return Opcode.WRITE_FIRST;
            }
            return entry.hasImmediate() ? Opcode.WRITE_ONLY_IMM : Opcode.WRITE_ONLY;
        }
        if (!isLast) {
            return Opcode.WRITE_MIDDLE;
        }
        return entry.hasImmediate() ? Opcode.WRITE_LAST_IMM : Opcode.WRITE_LAST;
    }
}
