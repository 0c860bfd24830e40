package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
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

/// A datagram queue pair, ready to send, with one completion queue and one region of memory.
public final class DatagramEnd implements AutoCloseable {
    public static final int QUEUE_KEY = 0x1111_1111;
    public static final int ROUTE_HEADER = 40;

    private static final int DEPTH = 128;
    private static final int REGION_BYTES = 1 << 16;

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final MemoryRegion region;

    public DatagramEnd(Device device) {
        domain = device.allocateProtectionDomain();
        completions = device.createCompletionQueue(2 * DEPTH);
        queuePair =
                domain.createQueuePair(
                        QueuePairAttributes.of(completions, DEPTH, DEPTH)
                                .withType(QueuePairType.UNRELIABLE_DATAGRAM));
        region = domain.register(arena.allocate(REGION_BYTES), Access.LOCAL_WRITE);
        queuePair.modify(QueuePairChange.to(QueuePairState.INIT).queueKey(QUEUE_KEY));
        queuePair.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
        queuePair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND).sendPsn(7));
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

    public AddressHandle handleTo(Device device) {
        return domain.createAddressHandle(AddressVector.to(device.address()));
    }

    public void post(SendRequest request) {
        assertThat(queuePair.post(request)).isTrue();
    }

    public void postReceive(long id, long offset, long length) {
        assertThat(queuePair.post(new ReceiveRequest().id(id).buffer(region, offset, length)))
                .isTrue();
    }

    public Completion awaitCompletion() {
        return Completions.await(completions);
    }

    /// Fills `length` bytes from `offset` with numbers drawn from `seed`.
    public void fill(long offset, int length, long seed) {
        byte[] content = new byte[length];
        new SplittableRandom(seed).nextBytes(content);
        MemorySegment.copy(content, 0, region.segment(), ValueLayout.JAVA_BYTE, offset, length);
    }

    public byte[] bytes(long offset, int length) {
        return region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
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
