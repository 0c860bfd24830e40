package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.AtomicAckEth;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Psn;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The READs and atomics that a responder accepted last, as many as the peer may have outstanding
/// (the verbs' `max_dest_rd_atomic`). Their answers leave from here, packet by packet and in the
/// order of their sequence numbers; a request that comes again is answered again, an atomic with
/// the value saved when it was executed, a READ with what the memory holds now (roce.md 3.7).
final class ResponderResources {
    private final RemoteMemory memory;
    private RcConnection connection;
    private SavedRequest[] slots;

    /// Positions grow; those from `next - slots.length` to `next` are saved, and none before
    /// `answering` is pending.
    private long next;

    private long answering;

    ResponderResources(RcConnection connection, RemoteMemory memory) {
        this.connection = connection;
        this.memory = memory;
        slots = emptySlots(connection);
    }

    private static SavedRequest[] emptySlots(RcConnection connection) {
        return IntStream.range(0, connection.maxDestinationReadAtomic())
                .mapToObj(i -> new SavedRequest())
                .toArray(SavedRequest[]::new);
    }

    /// The connection has other attributes from now on.
    void adopt(RcConnection changed) {
        connection = changed;
        if (changed.maxDestinationReadAtomic() != slots.length) {
            SavedRequest[] fresh = emptySlots(changed);
            for (long i = Math.max(oldest(), next - fresh.length); i < next; i++) {
                fresh[(int) (i % fresh.length)] = at(i);
            }
            slots = fresh;
            answering = Math.max(answering, oldest());
        }
    }

    /// Whether one more can be taken. A peer that keeps to the agreed number finds room always: it
    /// has got the whole answer of the one to be forgotten.
    boolean hasRoom() {
        return slots.length > 0 && at(next).isAnswered;
    }

    /// A READ was accepted; its answer is pending now.
    ///
    /// @return how many sequence numbers it takes
    int addRead(Packet packet, int msn) {
        SavedRequest request = add(packet.psn(), msn);
        request.isAtomic = false;
        request.key = packet.remoteKey();
        request.address = packet.remoteAddress();
        request.length = packet.dmaLength();
        request.packets = packetsOf(request.length);
        request.answer(0, request.packets, request.length);
        return request.packets;
    }

    /// An atomic was executed; its answer is pending now.
    void addAtomic(Packet packet, int msn, long originalValue) {
        SavedRequest request = add(packet.psn(), msn);
        request.isAtomic = true;
        request.originalValue = originalValue;
        request.packets = 1;
        request.answer(0, 1, 0);
    }

    /// A READ or atomic came again: makes the answer pending, to the part it asks for. False if
    /// nothing is known of it.
    ///
    /// ROCE-RC-12: a READ that comes again, or a part of it, is answered again.
    boolean replay(Packet packet) {
        boolean isAtomic = packet.opcode().operation() != Opcode.Operation.READ_REQUEST;
        for (long position = next - 1; position >= oldest(); position--) {
            SavedRequest request = at(position);
            int index = Psn.difference(packet.psn(), request.psn);
            if (index >= 0 && index < request.packets) {
                if (request.isAtomic != isAtomic
                        || (!isAtomic && !isPartOf(packet, request, index))) {
                    return false;
                }
                replay(request, index, isAtomic ? 0 : packet.dmaLength());
                answering = Math.min(answering, position);
                return true;
            }
        }
        return false;
    }

    private void replay(SavedRequest request, int index, long length) {
        long skipped = (long) index * connection.pathMtuBytes();
        request.answer(index, index + packetsOf(length), skipped + length);
    }

    private boolean isPartOf(Packet packet, SavedRequest request, int index) {
        long skipped = (long) index * connection.pathMtuBytes();
        return packet.remoteKey() == request.key
                && packet.remoteAddress() == request.address + skipped
                && packet.dmaLength() <= request.length - skipped;
    }

    boolean isPending() {
        while (answering < next && !at(answering).isPending()) {
            answering++;
        }
        return answering < next;
    }

    /// The sequence number of the next pending answer.
    int pendingPsn() {
        SavedRequest request = at(answering);
        return Psn.add(request.psn, request.next);
    }

    /// Forgets what is pending.
    void clear() {
        answering = next;
        for (SavedRequest request : slots) {
            request.end = request.next;
        }
    }

    /// Emits the next pending answer; false if the memory that was to be read may not be read any
    /// more.
    ///
    /// @throws dev.outboard.fabric.memory.MemoryFault if it cannot be read for another reason
    boolean emitPending(PacketSink sink) {
        SavedRequest request = at(answering);
        if (request.isAtomic) {
            emitAtomic(sink, request);
        } else if (!emitRead(sink, request)) {
            return false;
        }
        request.advance();
        return true;
    }

    private boolean emitRead(PacketSink sink, SavedRequest request) {
        long position = (long) request.next * connection.pathMtuBytes();
        int count = (int) Math.min(connection.pathMtuBytes(), request.endByte - position);
        RegisteredRegion region = count == 0 ? null : regionOf(request, position, count);
        if (region == null && count > 0) {
            return false;
        }
        Opcode opcode = readOpcode(request);
        begin(sink, opcode, request, count);
        if (region != null) {
            memory.append(sink, region, request.address + position, count);
        }
        sink.finish(connection.path(), opcode.headerLength());
        return true;
    }

    private @Nullable RegisteredRegion regionOf(SavedRequest request, long position, int count) {
        return memory.find(request.key, request.address + position, count, Access.REMOTE_READ);
    }

    private static Opcode readOpcode(SavedRequest request) {
        boolean isFirst = request.next == request.start;
        boolean isLast = request.next == request.end - 1;
        if (isFirst) {
            return isLast ? Opcode.READ_RESP_ONLY : Opcode.READ_RESP_FIRST;
        }
        return isLast ? Opcode.READ_RESP_LAST : Opcode.READ_RESP_MIDDLE;
    }

    private void emitAtomic(PacketSink sink, SavedRequest request) {
        Opcode opcode = Opcode.ATOMIC_ACK;
        begin(sink, opcode, request, 0);
        AtomicAckEth.write(
                sink.headerMemory(),
                sink.headerOffset() + Bth.LENGTH + Aeth.LENGTH,
                request.originalValue);
        sink.finish(connection.path(), opcode.headerLength());
    }

    private void begin(PacketSink sink, Opcode opcode, SavedRequest request, int payloadBytes) {
        MemorySegment headers = sink.headerMemory();
        long at = sink.headerOffset();
        Bth.write(
                headers,
                at,
                opcode,
                false,
                Bth.padCount(payloadBytes),
                Bth.DEFAULT_PARTITION_KEY,
                connection.destinationQpn(),
                false,
                Psn.add(request.psn, request.next));
        if (opcode.hasAeth()) {
            Aeth.write(headers, at + Bth.LENGTH, Aeth.ACK, request.msn);
        }
    }

    private SavedRequest add(int psn, int msn) {
        SavedRequest request = at(next);
        next++;
        answering = Math.max(answering, oldest());
        request.isAnswered = false;
        request.psn = psn;
        request.msn = msn;
        request.next = 0;
        request.end = 0;
        return request;
    }

    private int packetsOf(long length) {
        int mtu = connection.pathMtuBytes();
        return (int) Math.max(1, (length + mtu - 1) / mtu);
    }

    private long oldest() {
        return Math.max(0, next - slots.length);
    }

    private SavedRequest at(long position) {
        return slots[(int) (position % slots.length)];
    }
}
