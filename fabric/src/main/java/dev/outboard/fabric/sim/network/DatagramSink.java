package dev.outboard.fabric.sim.network;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.TransmitListener;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Builds whole datagrams, BTH to ICRC, one behind the other in native memory, and keeps them until
/// [#clear]. Allocates nothing per packet.
public final class DatagramSink implements PacketSink {
    private static final int LARGEST_PAYLOAD = 4096;

    /// More than all headers together, padding and ICRC.
    private static final int OVERHEAD = 128;

    private static final int HEADER_ROOM = 80;

    private final int slotBytes;
    private final Payload memory;
    private final int[] lengths;
    private final Path[] paths;
    private final Icrc icrc = new Icrc();
    private int capacity;
    private int count;
    private int payloadBytes;
    private TransmitListener listener = TransmitListener.INDIFFERENT;

    /// Somebody closed the arena of the payload.
    private boolean isUnreadable;

    private volatile long unreadable;

    /// Room for `maxDatagrams` of any length.
    public DatagramSink(int maxDatagrams) {
        this(maxDatagrams, LARGEST_PAYLOAD);
    }

    /// Room for `maxDatagrams` with so much payload at most, of a queue pair or of the CM.
    public DatagramSink(int maxDatagrams, int payloadBytes) {
        slotBytes = Math.max(payloadBytes, CmDatagram.LENGTH) + OVERHEAD;
        memory = Payload.of(Arena.ofAuto().allocate((long) maxDatagrams * slotBytes));
        lengths = new int[maxDatagrams];
        paths = new Path[maxDatagrams];
        capacity = maxDatagrams;
    }

    /// Asks and tells `newListener` from now on.
    public void attach(TransmitListener newListener) {
        listener = newListener;
    }

    /// Takes that many datagrams from now on.
    public void limit(int newCapacity) {
        capacity = Math.min(newCapacity, lengths.length);
    }

    public int count() {
        return count;
    }

    public Payload memory() {
        return memory;
    }

    public long offset(int index) {
        return (long) index * slotBytes;
    }

    public int length(int index) {
        return lengths[index];
    }

    public Path path(int index) {
        return paths[index];
    }

    public byte[] bytes(int index) {
        return memory.segment()
                .asSlice(offset(index), lengths[index])
                .toArray(ValueLayout.JAVA_BYTE);
    }

    public void clear() {
        count = 0;
    }

    /// The datagrams that were dropped because their payload had gone. Any thread.
    public long unreadable() {
        return unreadable;
    }

    @Override
    public boolean hasRoom() {
        return count < capacity;
    }

    @Override
    public MemorySegment headerMemory() {
        return memory.segment();
    }

    @Override
    public long headerOffset() {
        return offset(count);
    }

    @Override
    public void append(Payload payload, long offset, int length) {
        long to = offset(count) + HEADER_ROOM + payloadBytes;
        try {
            MemorySegment.copy(payload.segment(), offset, memory.segment(), to, length);
        } catch (IllegalStateException e) {
            isUnreadable = true;
        }
        payloadBytes += length;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time sends
    public void finish(Path path, int headerLength) {
        if (isUnreadable) {
            unreadable++;
            isUnreadable = false;
            payloadBytes = 0;
            listener.unreadable(path);
            return;
        }
        long at = offset(count);
        MemorySegment all = memory.segment();
        MemorySegment.copy(all, at + HEADER_ROOM, all, at + headerLength, payloadBytes);
        int padCount = Bth.padCount(payloadBytes);
        long end = at + headerLength + payloadBytes;
        for (int i = 0; i < padCount; i++) {
            all.set(ValueLayout.JAVA_BYTE, end++, (byte) 0);
        }
        int length = headerLength + payloadBytes + padCount + Icrc.LENGTH;
        icrc.begin(path, 0, length, all, at, headerLength);
        icrc.update(memory, at + headerLength, payloadBytes);
        Icrc.put(all, end, icrc.finish(padCount));
        lengths[count] = length;
        paths[count] = path;
        count++;
        payloadBytes = 0;
    }
}
