package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/// A raw packet queue pair, ready to send, with one completion queue and one region of memory:
/// sends are taken from its first half, receives go to the second.
public final class RawPacketEnd implements AutoCloseable {
    public static final int DEPTH = 128;
    public static final int MAX_INLINE_BYTES = 256;

    /// Room for one frame.
    public static final int SLOT = 1 << 14;

    /// In each half of the memory.
    public static final int SLOTS = 16;

    private static final int HEADER = 14;

    private final Arena arena = Arena.ofShared();
    private final Device device;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final MemoryRegion region;

    public RawPacketEnd(Device device) {
        this.device = device;
        domain = device.allocateProtectionDomain();
        completions = device.createCompletionQueue(2 * DEPTH);
        queuePair = domain.createQueuePair(attributes());
        region = domain.register(arena.allocate(2L * SLOTS * SLOT), Access.LOCAL_WRITE);
        getReady(queuePair);
    }

    /// Those of its queue pair.
    public QueuePairAttributes attributes() {
        return QueuePairAttributes.of(completions, DEPTH, DEPTH)
                .withType(QueuePairType.RAW_PACKET)
                .withMaxInlineBytes(MAX_INLINE_BYTES)
                .withMaxScatterGather(3);
    }

    /// From RESET to READY_TO_SEND.
    public static void getReady(QueuePair queuePair) {
        queuePair.modify(QueuePairChange.to(QueuePairState.INIT));
        queuePair.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
        queuePair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
    }

    public Device device() {
        return device;
    }

    public MacAddress address() {
        return device.macAddress().orElseThrow();
    }

    public ProtectionDomain domain() {
        return domain;
    }

    public CompletionQueue completions() {
        return completions;
    }

    public QueuePair queuePair() {
        return queuePair;
    }

    public MemoryRegion region() {
        return region;
    }

    /// A frame from this port of `length` bytes, its payload drawn from its length.
    public byte[] frame(MacAddress destination, int etherType, int length) {
        byte[] frame = new byte[length];
        MemorySegment bytes = MemorySegment.ofArray(frame);
        new SplittableRandom(length).nextBytes(frame);
        destination.writeTo(bytes, 0);
        address().writeTo(bytes, MacAddress.LENGTH);
        frame[HEADER - 2] = (byte) (etherType >>> Byte.SIZE);
        frame[HEADER - 1] = (byte) etherType;
        return frame;
    }

    /// A send of `frame`, which lies in memory until another one with the same number does.
    public SendRequest send(long id, byte[] frame) {
        long at = id % SLOTS * SLOT;
        MemorySegment.copy(frame, 0, region.segment(), ValueLayout.JAVA_BYTE, at, frame.length);
        return new SendRequest().id(id).payload(region, at, frame.length);
    }

    /// Posts a send of `frame` and awaits that it has left.
    public void sendAndAwait(long id, byte[] frame) {
        post(send(id, frame));
        assertThat(status()).isEqualTo(id + " SUCCESS");
    }

    public void post(SendRequest request) {
        assertThat(queuePair.post(request)).as("posted").isTrue();
    }

    /// A receive of `length` bytes.
    public ReceiveRequest receive(long id, long length) {
        return new ReceiveRequest().id(id).buffer(region, offset(id), length);
    }

    /// Posts a receive of one slot.
    public void postReceive(long id) {
        assertThat(queuePair.post(receive(id, SLOT))).as("posted").isTrue();
    }

    /// Where in the region a receive stores.
    public static long offset(long id) {
        return (SLOTS + id % SLOTS) * SLOT;
    }

    public Completion completion() {
        return Completions.await(completions);
    }

    /// The next completion, as `id STATUS`.
    public String status() {
        Completion completion = completion();
        return completion.id() + " " + completion.status();
    }

    /// What the next completion says was received.
    public byte[] receivedFrame() {
        Completion completion = completion();
        return bytes(completion.id(), completion.byteCount());
    }

    /// The first `length` bytes that the receive `id` got.
    public byte[] bytes(long id, long length) {
        return region.segment().asSlice(offset(id), length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {
        queuePair.close();
        completions.close();
        region.close();
        domain.close();
        arena.close();
    }
}
