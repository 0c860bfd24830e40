package dev.outboard.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ReceiveQueueTest {
    private static final int CAPACITY = 5;
    private static final int PIECES = 2;

    private final WorkQueueMemory memory = new WorkQueueMemory();
    private final ReceiveQueue queue = new ReceiveQueue(memory.table, CAPACITY, PIECES);
    private final RegisteredRegion region = memory.region(100, 0, Access.LOCAL_WRITE);
    private final ReceiveRequest request = new ReceiveRequest();
    private int limitEvents;

    @Test
    void keepsReceivesInOrderUntilTheyAreRemoved() {
        assertThat(queue.capacity()).isEqualTo(CAPACITY);
        for (int round = 0; round < 10; round++) {
            assertThat(queue.isEmpty()).isTrue();
            offer(CAPACITY, (long) round * CAPACITY);
            assertThat(queue.offer(request)).as("it is full").isFalse();
            for (int i = 0; i < CAPACITY; i++) {
                assertThat(queue.isEmpty()).isFalse();
                assertThat(queue.head().id).isEqualTo((long) round * CAPACITY + i);
                queue.removeHead();
            }
        }
    }

    @Test
    void movesTheOldestToWhoTakesIt() {
        request.id(7).buffer(region, 10, 2).appendBuffer(region, 30, 3);
        queue.offer(request);
        offer(1, 8);
        ReceiveEntry taken = queue.emptyEntry();

        assertThat(queue.take(taken)).isTrue();
        assertThat(taken.id).isEqualTo(7);
        assertThat(taken.length).isEqualTo(5);
        taken.store(0, MemorySegment.ofArray(new byte[] {-1, -2, -3, -4, -5}), 0, 5, 1);
        byte[] bytes = WorkQueueMemory.bytes(region);
        assertThat(Arrays.copyOfRange(bytes, 9, 13)).containsExactly(9, -1, -2, 12);
        assertThat(Arrays.copyOfRange(bytes, 29, 34)).containsExactly(29, -3, -4, -5, 33);

        assertThat(queue.take(taken)).isTrue();
        assertThat(taken.id).isEqualTo(8);
        assertThat(queue.take(taken)).isFalse();
    }

    @Test
    void aBufferIsWritableMemoryOfItsDomain() {
        queue.offer(request.buffer(region, 0, 100).appendBuffer(region, 0, 1));
        queue.offer(request.buffer(region, 0, 101));
        queue.offer(request.buffer(region, 0, 1).appendBuffer(memory.region(1, 0), 0, 1));

        assertThat(queue.head().isWritable(WorkQueueMemory.DOMAIN)).isTrue();
        assertThat(queue.head().isWritable(WorkQueueMemory.OTHER_DOMAIN)).isFalse();
        queue.removeHead();
        assertThat(queue.head().isWritable(WorkQueueMemory.DOMAIN)).isFalse();
        queue.removeHead();
        assertThat(queue.head().isWritable(WorkQueueMemory.DOMAIN)).isFalse();
    }

    @Test
    void tellsOnceThatFewAreLeft() {
        offer(4, 0);
        queue.onLimit(3, () -> limitEvents++);
        take();
        assertThat(limitEvents).as("three are left").isZero();
        take();
        assertThat(limitEvents).as("two are left").isEqualTo(1);
        take();
        assertThat(limitEvents).as("it was told").isEqualTo(1);
    }

    @Test
    void tellsAtOnceIfTooFewAreLeft() {
        offer(2, 0);
        queue.onLimit(3, () -> limitEvents++);

        assertThat(limitEvents).isEqualTo(1);
    }

    @Test
    void withoutALimitThereIsNothingToTell() {
        queue.onLimit(0, () -> limitEvents++);
        offer(1, 0);
        take();

        assertThat(limitEvents).isZero();
    }

    @Test
    void aReceiveHasSoManyPiecesOfMemoryOfTheDevice() {
        RegisteredRegion foreign =
                memory.region(
                        new RegionTable(1, new SplittableRandom(2)), WorkQueueMemory.DOMAIN, 1, 0);

        assertThatThrownBy(() ->
                        queue.offer(
                                request.buffer(region, 0, 1)
                                        .appendBuffer(region, 0, 1)
                                        .appendBuffer(region, 0, 1)))
                .isInstanceOf(FabricException.class)
                .hasMessage("a receive request has 3 pieces of memory; at most 2 are valid here");
        assertThatThrownBy(
                        () -> queue.offer(request.buffer(region, 0, 1).appendBuffer(foreign, 0, 1)))
                .isInstanceOf(FabricException.class)
                .hasMessage("piece 1 of a receive request is a region of another device");
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aRemovedReceiveHoldsNoMemory() {
        queue.offer(request.buffer(region, 0, 1));
        ReceiveEntry entry = queue.head();
        queue.removeHead();

        assertThatThrownBy(() -> entry.store(0, MemorySegment.ofArray(new byte[1]), 0, 1, 1))
                .isInstanceOf(IllegalStateException.class);
    }

    private void take() {
        assertThat(queue.take(queue.emptyEntry())).isTrue();
    }

    private void offer(int count, long firstId) {
        for (int i = 0; i < count; i++) {
            assertThat(queue.offer(request.id(firstId + i).buffer(region, 0, 1))).isTrue();
        }
    }
}
