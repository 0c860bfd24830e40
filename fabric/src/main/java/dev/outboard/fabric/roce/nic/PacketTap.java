package dev.outboard.fabric.roce.nic;

import dev.outboard.fabric.PacketWatch;
import dev.outboard.fabric.WatchedPacket;
import dev.outboard.fabric.memory.CallFailures;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Psn;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/// Tells a [PacketWatch] of the packets of a card. While nobody watches, packets pass it by. For
/// the thread that drives.
final class PacketTap implements PacketSink, WatchedPacket {
    private static final int SENT = 2;
    private static final int RESPONSE = 1;
    private static final int KINDS = 4;

    private final PacketSink sink;
    private final CallFailures failures = new CallFailures("the watch of packets");
    private PacketWatch watch = PacketWatch.NONE;
    private boolean isOn;

    /// Of a queue pair and what goes one way, the requests or the responses.
    private final Map<Integer, Numbers> numbers = new HashMap<>();

    // The packet

    private boolean isSent;
    private int queuePairNumber;
    private Opcode opcode = Opcode.CNP;
    private int psn;
    private int payloadBytes;
    private boolean isNext;
    private boolean isAgain;

    private static final class Numbers {
        private int last;
        private int highest;
    }

    /// @param sink takes the packets in the end
    PacketTap(PacketSink sink) {
        this.sink = sink;
    }

    /// Tells `other` from now on.
    void watch(PacketWatch other) {
        watch = other;
        isOn = !other.equals(PacketWatch.NONE);
        numbers.clear();
    }

    /// The watch has failed so often.
    long failures() {
        return failures.count();
    }

    /// A queue pair begins anew, or is gone.
    void forget(int number) {
        for (int kind = 0; kind < KINDS; kind++) {
            numbers.remove(KINDS * number + kind);
        }
    }

    /// What takes the packets that this queue pair sends now.
    PacketSink sinkOf(int number) {
        if (!isOn) {
            return sink;
        }
        queuePairNumber = number;
        payloadBytes = 0;
        return this;
    }

    /// A packet has arrived for a queue pair.
    void received(Packet packet) {
        if (isOn) {
            isSent = false;
            queuePairNumber = packet.destinationQpn();
            payloadBytes = packet.payloadLength();
            tell(packet.opcode(), packet.psn());
        }
    }

    private void tell(Opcode what, int number) {
        opcode = what;
        psn = number;
        place();
        try {
            watch.packet(this);
        } catch (RuntimeException | Error e) {
            failures.add(e);
        }
    }

    /// Finds its place among those before it.
    private void place() {
        isNext = true;
        isAgain = false;
        if (opcode.transport() != Opcode.Transport.RC) {
            return;
        }
        int kind = (isSent ? SENT : 0) + (opcode.isResponse() ? RESPONSE : 0);
        Numbers before = numbers.get(KINDS * queuePairNumber + kind);
        if (before == null) {
            before = new Numbers();
            before.highest = psn;
            numbers.put(KINDS * queuePairNumber + kind, before);
        } else {
            isNext = psn == Psn.next(before.last);
            isAgain = Psn.difference(psn, before.highest) <= 0;
            before.highest = isAgain ? before.highest : psn;
        }
        before.last = psn;
    }

    // ---- what is sent ---------------------------------------------------------------------------

    @Override
    public boolean hasRoom() {
        return sink.hasRoom();
    }

    @Override
    public MemorySegment headerMemory() {
        return sink.headerMemory();
    }

    @Override
    public long headerOffset() {
        return sink.headerOffset();
    }

    @Override
    public void append(Payload payload, long offset, int length) {
        sink.append(payload, offset, length);
        payloadBytes += length;
    }

    /// Tells first: nothing comes back before it has left.
    @Override
    public void finish(Path path, int headerLength) {
        MemorySegment headers = sink.headerMemory();
        long at = sink.headerOffset();
        Opcode what = Opcode.of(Bth.opcode(headers, at));
        if (what != null) {
            isSent = true;
            tell(what, Bth.psn(headers, at));
        }
        payloadBytes = 0;
        sink.finish(path, headerLength);
    }

    // ---- the packet -----------------------------------------------------------------------------

    @Override
    public boolean isSent() {
        return isSent;
    }

    @Override
    public int queuePairNumber() {
        return queuePairNumber;
    }

    @Override
    public String opcode() {
        return opcode.name();
    }

    @Override
    public boolean isMiddle() {
        return opcode.isMiddle();
    }

    @Override
    public boolean hasImmediate() {
        return opcode.hasImmediate();
    }

    @Override
    public int packetSequenceNumber() {
        return psn;
    }

    @Override
    public int payloadBytes() {
        return payloadBytes;
    }

    @Override
    public boolean isNext() {
        return isNext;
    }

    @Override
    public boolean isAgain() {
        return isAgain;
    }
}
