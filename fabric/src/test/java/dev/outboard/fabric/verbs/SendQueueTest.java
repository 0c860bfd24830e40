package dev.outboard.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SendRequest.Operation;
import dev.outboard.fabric.memory.AllocatedWindow;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SendQueueTest {
    private static final int CAPACITY = 200;
    private static final int PIECES = 3;
    private static final int INLINE_BYTES = 16;
    private static final long LONGEST = 1L << 31;

    private final WorkQueueMemory memory = new WorkQueueMemory();
    private final RegionTable elsewhere = new RegionTable(4, new SplittableRandom(2));
    private final SendQueue queue = new SendQueue(memory.table, CAPACITY, PIECES, INLINE_BYTES);
    private final RegisteredRegion region = memory.region(100, 0);
    private final SendRequest request = new SendRequest();

    /// For more rounds than the ring has slots.
    @Test
    void keepsRequestsInOrderUntilTheyAreRemoved() {
        SendQueue small = new SendQueue(memory.table, 3, PIECES, 0);
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 3; i++) {
                assertThat(small.offer(request.id(3L * round + i))).isTrue();
            }
            assertThat(small.offer(request)).as("it is full").isFalse();
            assertThat(small.posted() - small.head()).isEqualTo(3);
            for (int i = 0; i < 3; i++) {
                assertThat(small.head()).isEqualTo(3L * round + i);
                assertThat(small.at(small.head()).id).isEqualTo(3L * round + i);
                small.removeHead();
            }
            assertThat(small.started()).as("what is gone has started").isEqualTo(small.head());
        }
    }

    @Test
    void countsWhatIsOnItsWay() {
        offer(3);
        queue.start();
        queue.start();
        assertThat(queue.started()).isEqualTo(2);

        queue.removeHead();
        assertThat(queue.started()).isEqualTo(2);
        queue.removeHead();
        queue.removeHead();
        assertThat(queue.started()).isEqualTo(3);
    }

    /// Few requests wait while more than 16, and more than twice as many, are on their way.
    @ParameterizedTest
    @CsvSource({
        "16, 1, 100, false",
        "17, 1, 100, true",
        "17, 8, 100, true",
        "18, 9, 100, false",
        "18, 100, 8, true",
        "18, 100, 9, false",
        "130, 63, 100, true",
        "130, 64, 100, false",
        "130, 70, 64, false",
    })
    void fewRequestsWaitBehindMany(int onTheirWay, int startable, int room, boolean isHeldBack) {
        for (int round = 0; round < 2; round++) {
            offer(onTheirWay);
            start(onTheirWay);
            offer(startable);
            assertThat(queue.isHeldBack(room)).isEqualTo(isHeldBack);
            while (queue.head() < queue.posted()) {
                queue.removeHead();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "16, 1, false",
        "17, 1, true",
        "17, 8, true",
        "17, 9, false",
        "16, 65, false",
        "17, 64, false",
        "17, 65, true",
    })
    void theNewestRequestWaitsForAnswers(int onTheirWay, int startable, boolean waits) {
        for (int round = 0; round < 2; round++) {
            offer(onTheirWay);
            start(onTheirWay);
            offer(startable);
            assertThat(queue.isWaitingForAnswers()).isEqualTo(waits);
            while (queue.head() < queue.posted()) {
                queue.removeHead();
            }
        }
    }

    @Test
    void aRequestHasSoManyPiecesOfMemory() {
        request.payload(region, 0, 1).appendPayload(region, 1, 1).appendPayload(region, 2, 1);
        assertThat(queue.offer(request)).isTrue();
        assertThat(queue.at(0).length).isEqualTo(3);

        refused(
                request.appendPayload(region, 3, 1),
                "a send request has 4 pieces of memory; at most 3 pieces are valid here");
    }

    @Test
    void aRequestThatIsRemovedHoldsNoMemory() {
        queue.offer(request.fetchAndAdd(8, 1, 1).payload(region, 0, 8));
        SendEntry entry = queue.at(0);
        queue.removeHead();

        assertThatThrownBy(() -> entry.storeWord(1, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("piece 0 of a released request");
    }

    @Test
    void aPieceMayBeEmpty() {
        assertThat(queue.offer(request.payload(region, 0, 0).appendPayload(region, 0, 1))).isTrue();
        assertThat(queue.at(0).length).isEqualTo(1);
    }

    @Test
    void aMessageIsAsLongAsTwoGibibytes() {
        assertThat(queue.offer(request.payload(region, 0, LONGEST))).isTrue();
        assertThat(queue.offer(request.payload(region, 0, LONGEST - 1).appendPayload(region, 0, 1)))
                .isTrue();
        assertThat(queue.at(1).length).isEqualTo(LONGEST);

        String tooLong =
                "a send request has more bytes than a message; at most 2147483648 bytes are valid here";
        refused(request.payload(region, 0, LONGEST + 1), tooLong);
        refused(request.payload(region, 0, LONGEST).appendPayload(region, 0, 1), tooLong);
        refused(request.payload(region, 0, -1), tooLong);
        refused(request.payload(region, 0, Long.MAX_VALUE), tooLong);
    }

    @Test
    void memoryBelongsToTheDevice() {
        RegisteredRegion foreign = memory.region(elsewhere, WorkQueueMemory.DOMAIN, 100, 0);

        refused(
                request.payload(region, 0, 1).appendPayload(foreign, 0, 1),
                "piece 1 of a send request is a region of another device");
    }

    @Test
    void inlinePayloadIsCopied() {
        for (int i = 0; i < CAPACITY; i++) {
            request.payload(region, i % 50, 8).appendPayload(region, 60, 8).inline(true);
            assertThat(queue.offer(request)).isTrue();
        }
        region.segment().fill((byte) -1);

        for (int i = 0; i < CAPACITY; i++) {
            SendEntry entry = queue.at(i);
            assertThat(entry.isAccessible(WorkQueueMemory.OTHER_DOMAIN)).isTrue();
            byte[] expected = new byte[16];
            for (int j = 0; j < 8; j++) {
                expected[j] = (byte) (i % 50 + j);
                expected[8 + j] = (byte) (60 + j);
            }
            assertThat(WorkQueueMemory.appended(entry, 0, 16)).isEqualTo(expected);
            assertThat(WorkQueueMemory.appended(entry, 5, 4))
                    .isEqualTo(Arrays.copyOfRange(expected, 5, 9));
            assertThat(WorkQueueMemory.appended(entry, 5, 0)).isEmpty();
        }
    }

    @Test
    void inlinePayloadIsMemoryOfTheHost() {
        RegisteredRegion registers =
                memory.table.registerMmio(WorkQueueMemory.DOMAIN, 64, new NoRegisters(), Set.of());

        refused(
                request.payload(region, 0, 4).appendPayload(registers, 0, 4).inline(true),
                "piece 1 of an inline send request is memory that only the device reaches");
        assertThat(queue.offer(request.inline(false))).isTrue();
    }

    @Test
    void inlinePayloadHasALimit() {
        refused(
                request.payload(region, 0, INLINE_BYTES + 1).inline(true),
                "an inline send request has 17 bytes; at most 16 bytes are valid here");

        assertThat(queue.offer(request.payload(region, 0, INLINE_BYTES + 1).inline(false)))
                .isTrue();
    }

    @Test
    void anEmptyMessageMayBeInlineWithoutRoomForAny() {
        SendQueue none = new SendQueue(memory.table, 1, PIECES, 0);

        assertThat(none.offer(request.noPayload().inline(true))).isTrue();
        assertThat(none.at(0).isAccessible(WorkQueueMemory.DOMAIN)).isTrue();
        assertThat(WorkQueueMemory.appended(none.at(0), 0, 0)).isEmpty();
        none.removeHead();
        assertThat(none.offer(request.payload(region, 0, 0))).as("with an empty piece").isTrue();
    }

    /// The request fails when its turn comes, as one does whose payload is not inline.
    @Test
    void inlinePayloadThatIsNotThereIsLost() {
        assertThat(queue.offer(request.payload(region, 95, 6).inline(true))).isTrue();
        assertThat(queue.at(0).isAccessible(WorkQueueMemory.DOMAIN)).isFalse();

        assertThat(queue.offer(request.payload(region, 95, 5).inline(true))).isTrue();
        assertThat(queue.at(1).isAccessible(WorkQueueMemory.DOMAIN)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Operation.class)
    void onlyWhatIsSentIsInline(Operation operation) {
        switch (operation) {
            case SEND -> request.send();
            case SEND_WITH_IMMEDIATE -> request.sendWithImmediate(1);
            case SEND_WITH_INVALIDATE -> request.sendWithInvalidate(1);
            case RDMA_WRITE -> request.write(1, 1);
            case RDMA_WRITE_WITH_IMMEDIATE -> request.writeWithImmediate(1, 1, 1);
            case RDMA_READ -> request.read(1, 1);
            case COMPARE_AND_SWAP -> request.compareAndSwap(1, 1, 1, 1);
            case FETCH_AND_ADD -> request.fetchAndAdd(1, 1, 1);
            case BIND_MEMORY_WINDOW ->
                    request.bind(window(memory.table), region, 0, 1, Access.REMOTE_READ);
            case LOCAL_INVALIDATE -> request.localInvalidate(1);
        }
        request.inline(true);
        switch (operation) {
            case SEND,
                    SEND_WITH_IMMEDIATE,
                    SEND_WITH_INVALIDATE,
                    RDMA_WRITE,
                    RDMA_WRITE_WITH_IMMEDIATE ->
                    assertThat(queue.offer(request)).isTrue();
            default -> refused(request, operation + " has no payload to send and cannot be inline");
        }
    }

    @Test
    void aWindowMayBeLongerThanAMessage() {
        request.bind(window(memory.table), region, 0, LONGEST + 1, Access.REMOTE_READ);

        assertThat(queue.offer(request)).isTrue();
        assertThat(queue.at(0).length).isEqualTo(LONGEST + 1);
    }

    @Test
    void aWindowAndItsOneRegionBelongToTheDevice() {
        RegisteredRegion foreign = memory.region(elsewhere, WorkQueueMemory.DOMAIN, 100, 0);
        AllocatedWindow own = window(memory.table);
        String bothHere = "a memory window and its region must both come from this device";

        refused(request.bind(window(elsewhere), region, 0, 1, Access.REMOTE_READ), bothHere);
        refused(request.bind(own, foreign, 0, 1, Access.REMOTE_READ), bothHere);
        refused(
                request.bind(own, region, 0, 1, Access.REMOTE_READ).appendPayload(region, 0, 1),
                "a memory window is bound to one region, not 2");
    }

    private static AllocatedWindow window(RegionTable table) {
        return table.allocateWindow(WorkQueueMemory.DOMAIN, MemoryWindow.Type.TYPE_2B);
    }

    private void offer(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(queue.offer(request)).isTrue();
        }
    }

    private void start(int count) {
        for (int i = 0; i < count; i++) {
            queue.start();
        }
    }

    private void refused(SendRequest wrong, String why) {
        long posted = queue.posted();
        assertThatThrownBy(() -> queue.offer(wrong))
                .isInstanceOf(FabricException.class)
                .hasMessage(why)
                .extracting(e -> ((FabricException) Objects.requireNonNull(e)).reason())
                .isEqualTo(FabricException.Reason.INVALID_ARGUMENT);
        assertThat(queue.posted()).isEqualTo(posted);
    }
}
