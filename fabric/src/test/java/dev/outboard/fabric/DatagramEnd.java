package dev.outboard.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/// A datagram queue pair, ready to send, with one completion queue and one region of memory.
final class DatagramEnd implements AutoCloseable {
    static final int QUEUE_KEY = 0x1111_1111;
    static final int ROUTE_HEADER = 40;

    private static final int DEPTH = 128;
    private static final int REGION_BYTES = 1 << 16;

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final MemoryRegion region;

    DatagramEnd(Device device) {
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

    ProtectionDomain domain() {
        return domain;
    }

    CompletionQueue completions() {
        return completions;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    MemoryRegion region() {
        return region;
    }

    AddressHandle handleTo(Device device) {
        return domain.createAddressHandle(AddressVector.to(device.address()));
    }

    void post(SendRequest request) {
        assertThat(queuePair.post(request)).isTrue();
    }

    void postReceive(long id, long offset, long length) {
        assertThat(queuePair.post(new ReceiveRequest().id(id).buffer(region, offset, length)))
                .isTrue();
    }

    Completion awaitCompletion() {
        return Completions.await(completions);
    }

    /// Fills `length` bytes from `offset` with numbers drawn from `seed`.
    void fill(long offset, int length, long seed) {
        byte[] content = new byte[length];
        new SplittableRandom(seed).nextBytes(content);
        MemorySegment.copy(content, 0, region.segment(), ValueLayout.JAVA_BYTE, offset, length);
    }

    byte[] bytes(long offset, int length) {
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
