package dev.outboard.fabric.sim.network;

import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.transport.EthernetPort;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Builds Ethernet frames and keeps them until [#clear]. Allocates nothing per frame.
public final class FrameBuffer implements EthernetPort {
    private static final int SLOT_BYTES = EthernetFrame.MAX_LENGTH;

    private final MacAddress address;
    private final int capacity;
    private final int[] lengths;

    /// Made with the first frame: few devices send any.
    private byte[] memory = new byte[0];

    private int count;
    private int length;

    /// Room for `capacity` frames of the port with this address.
    public FrameBuffer(MacAddress address, int capacity) {
        this.address = address;
        this.capacity = capacity;
        lengths = new int[capacity];
    }

    @Override
    public MacAddress address() {
        return address;
    }

    @Override
    public int maxFrameBytes() {
        return EthernetFrame.MAX_LENGTH;
    }

    public int count() {
        return count;
    }

    /// The frame at `index`, without a check sequence.
    public byte[] bytes(int index) {
        int from = index * SLOT_BYTES;
        return Arrays.copyOfRange(memory, from, from + lengths[index]);
    }

    /// Copies the frame at `index` to the start of `into`; returns its length.
    public int copyTo(MemorySegment into, int index) {
        MemorySegment.copy(
                memory, index * SLOT_BYTES, into, ValueLayout.JAVA_BYTE, 0, lengths[index]);
        return lengths[index];
    }

    public void clear() {
        count = 0;
    }

    @Override
    public boolean hasRoom() {
        return count < capacity;
    }

    @Override
    public void append(Payload payload, long offset, int bytes) {
        if (memory.length == 0) {
            memory = new byte[capacity * SLOT_BYTES];
        }
        int to = count * SLOT_BYTES + length;
        try {
            MemorySegment.copy(payload.segment(), ValueLayout.JAVA_BYTE, offset, memory, to, bytes);
        } catch (IllegalStateException arenaClosed) {
            length = 0;
            throw arenaClosed;
        }
        length += bytes;
    }

    @Override
    public void finish() {
        int from = count * SLOT_BYTES;
        int end = from + Math.max(length, EthernetFrame.MIN_LENGTH);
        Arrays.fill(memory, from + length, end, (byte) 0);
        lengths[count++] = end - from;
        length = 0;
    }
}
