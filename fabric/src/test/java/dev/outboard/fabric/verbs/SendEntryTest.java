package dev.outboard.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.MemoryAccess;
import dev.outboard.fabric.MemoryWatch;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SendRequest.Operation;
import dev.outboard.fabric.memory.AllocatedWindow;
import dev.outboard.fabric.memory.MemoryFault;
import dev.outboard.fabric.memory.RegisteredRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SendEntryTest {
    private static final int DOMAIN = WorkQueueMemory.DOMAIN;
    private static final int OTHER_DOMAIN = WorkQueueMemory.OTHER_DOMAIN;
    private static final int QUEUE_PAIR = 17;

    private final WorkQueueMemory memory = new WorkQueueMemory();
    private final RegisteredRegion readable = memory.region(100, 0);
    private final RegisteredRegion writable = memory.region(100, 0, Access.LOCAL_WRITE);
    private final SendEntry entry = new SendEntry(4, null, 0);
    private final SendRequest request = new SendRequest();

    @Test
    void holdsWhatTheRequestSays() {
        AddressHandle handle =
                new AddressHandle() {
                    @Override
                    public AddressVector vector() {
                        return AddressVector.to(InetAddress.getLoopbackAddress());
                    }

                    @Override
                    public void close() {}
                };
        entry.fill(
                request.id(1)
                        .writeWithImmediate(2, 3, 4)
                        .signaled(false)
                        .solicited(true)
                        .fence(true)
                        .to(handle, 5, 6),
                7);

        assertThat(entry.id).isEqualTo(1);
        assertThat(entry.operation).isEqualTo(Operation.RDMA_WRITE_WITH_IMMEDIATE);
        assertThat(entry.remoteAddress).isEqualTo(2);
        assertThat(entry.remoteKey).isEqualTo(3);
        assertThat(entry.immediate).isEqualTo(4);
        assertThat(entry.signaled).isFalse();
        assertThat(entry.solicited).isTrue();
        assertThat(entry.fence).isTrue();
        assertThat(entry.inline).isFalse();
        assertThat(entry.addressHandle).isSameAs(handle);
        assertThat(entry.destinationQpn).isEqualTo(5);
        assertThat(entry.queueKey).isEqualTo(6);
        assertThat(entry.length).isEqualTo(7);
        assertThat(entry).hasToString("RDMA_WRITE_WITH_IMMEDIATE id 1, 7 bytes");

        entry.release();
        assertThat(entry.addressHandle).isNull();
    }

    @Test
    void holdsWhatAnAtomicWorksWithAndWhatIsInvalidated() {
        entry.fill(request.compareAndSwap(8, 1, 2, 3), 8);
        assertThat(entry.compare).isEqualTo(2);
        assertThat(entry.swapOrAdd).isEqualTo(3);

        entry.fill(request.sendWithInvalidate(9), 0);
        assertThat(entry.invalidateKey).isEqualTo(9);
    }

    /// The kinds of request: what each counts as.
    @ParameterizedTest
    @CsvSource({
        "SEND,                      SEND,               false, false, false, false, false",
        "SEND_WITH_IMMEDIATE,       SEND,               false, false, false, true,  false",
        "SEND_WITH_INVALIDATE,      SEND,               false, false, false, false, false",
        "RDMA_WRITE,                RDMA_WRITE,         true,  false, false, false, false",
        "RDMA_WRITE_WITH_IMMEDIATE, RDMA_WRITE,         true,  false, false, true,  false",
        "RDMA_READ,                 RDMA_READ,          false, true,  false, false, false",
        "COMPARE_AND_SWAP,          COMPARE_AND_SWAP,   false, false, true,  false, false",
        "FETCH_AND_ADD,             FETCH_AND_ADD,      false, false, true,  false, false",
        "BIND_MEMORY_WINDOW,        BIND_MEMORY_WINDOW, false, false, false, false, true",
        "LOCAL_INVALIDATE,          LOCAL_INVALIDATE,   false, false, false, false, true",
    })
    void knowsWhatItIs(
            Operation operation,
            CompletionOpcode opcode,
            boolean isWrite,
            boolean isRead,
            boolean isAtomic,
            boolean hasImmediate,
            boolean isLocal) {
        entry.operation = operation;

        assertThat(entry.completionOpcode()).isEqualTo(opcode);
        assertThat(entry.isWrite()).isEqualTo(isWrite);
        assertThat(entry.isRead()).isEqualTo(isRead);
        assertThat(entry.isAtomic()).isEqualTo(isAtomic);
        assertThat(entry.isAnsweredWithData()).isEqualTo(isRead || isAtomic);
        assertThat(entry.hasImmediate()).isEqualTo(hasImmediate);
        assertThat(entry.isLocal()).isEqualTo(isLocal);
    }

    @Test
    void anAtomicIsOneWord() {
        entry.fill(request.fetchAndAdd(8, 1, 1).payload(writable, 0, 8), 8);
        assertThat(entry.flaw(DOMAIN, 1)).isEqualTo(CompletionStatus.SUCCESS);

        entry.fill(request.payload(writable, 0, 9), 9);
        assertThat(entry.flaw(DOMAIN, 1)).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
        entry.fill(request.payload(writable, 0, 4).appendPayload(writable, 4, 4), 8);
        assertThat(entry.flaw(DOMAIN, 1)).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
        entry.fill(request.send(), 9);
        assertThat(entry.flaw(DOMAIN, 1)).isEqualTo(CompletionStatus.SUCCESS);
    }

    @Test
    void whatIsAnsweredWithDataNeedsAPlaceAmongThem() {
        entry.fill(request.read(8, 1).payload(writable, 0, 9), 9);
        assertThat(entry.flaw(DOMAIN, 0)).isEqualTo(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
        assertThat(entry.flaw(DOMAIN, 1)).isEqualTo(CompletionStatus.SUCCESS);

        entry.fill(request.send().payload(readable, 0, 9), 9);
        assertThat(entry.flaw(DOMAIN, 0)).isEqualTo(CompletionStatus.SUCCESS);
    }

    @Test
    void whatIsAnsweredWithDataNeedsMemoryToWrite() {
        entry.fill(request.read(8, 1).payload(readable, 0, 9), 9);
        assertThat(entry.flaw(DOMAIN, 1)).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        entry.fill(request.payload(writable, 0, 1).appendPayload(readable, 0, 1), 2);
        assertThat(entry.isAccessible(DOMAIN)).isFalse();

        entry.fill(request.payload(writable, 0, 1).appendPayload(writable, 0, 1), 2);
        assertThat(entry.isAccessible(DOMAIN)).isTrue();
        assertThat(entry.isAccessible(OTHER_DOMAIN)).isFalse();
    }

    @Test
    void everyPieceLiesInARegionOfTheDomain() {
        RegisteredRegion foreign = memory.region(memory.table, OTHER_DOMAIN, 100, 0);
        entry.fill(request.payload(readable, 0, 100).appendPayload(readable, 100, 0), 100);
        assertThat(entry.isAccessible(DOMAIN)).isTrue();

        entry.fill(request.payload(readable, 0, 1).appendPayload(readable, 1, 100), 101);
        assertThat(entry.isAccessible(DOMAIN)).isFalse();
        entry.fill(request.payload(readable, 0, 1).appendPayload(foreign, 0, 1), 2);
        assertThat(entry.isAccessible(DOMAIN)).isFalse();
        entry.fill(request.payload(readable, 0, 1), 1);
        readable.close();
        assertThat(entry.isAccessible(DOMAIN)).isFalse();
    }

    /// Pieces of 5, 0, 3 and 4 bytes, in any cut.
    @Test
    void payloadIsTheBytesOfItsPiecesInOrder() {
        fillPieces(request.send());
        byte[] all = {10, 11, 12, 13, 14, 50, 51, 52, 20, 21, 22, 23};

        for (int from = 0; from <= all.length; from++) {
            for (int to = from; to <= all.length; to++) {
                assertThat(WorkQueueMemory.appended(entry, from, to - from))
                        .isEqualTo(Arrays.copyOfRange(all, from, to));
            }
        }
    }

    /// What must be read at a certain moment is copied whole before any of it is appended.
    @Test
    void payloadThatIsWatchedIsReadInOrderAndAppendedAtOnce() {
        List<String> told = new ArrayList<>();
        RegisteredRegion watched =
                memory.table.register(
                        DOMAIN,
                        writable.segment(),
                        new MemoryWatch() {
                            @Override
                            public void after(MemoryAccess access) {
                                told.add(access.toString());
                            }
                        },
                        Set.of(Access.LOCAL_WRITE));
        entry.fill(request.payload(writable, 10, 5).appendPayload(watched, 50, 3), 8);

        assertThat(WorkQueueMemory.appended(entry, 0, 8))
                .containsExactly(10, 11, 12, 13, 14, 50, 51, 52);
        assertThat(told).containsExactly("READ of 3 bytes at 50 by queue pair 1");
        told.clear();
        assertThat(WorkQueueMemory.appended(entry, 4, 2)).containsExactly(14, 50);
        assertThat(told).as("no more than the packet takes").hasSize(1);
        assertThat(told.getFirst()).startsWith("READ of 1 bytes at 50");
        assertThat(WorkQueueMemory.appended(entry, 4, 0)).isEmpty();
        entry.fill(request.payload(writable, 10, 5), 5);
        assertThat(WorkQueueMemory.appended(entry, 0, 5)).containsExactly(10, 11, 12, 13, 14);
    }

    /// Half a packet would be left in the sink.
    @Test
    void nothingIsAppendedIfAPieceRefuses() {
        RegisteredRegion registers =
                memory.table.registerMmio(DOMAIN, 64, new NoRegisters(), Set.of());
        entry.fill(request.payload(writable, 0, 8).appendPayload(registers, 0, 8), 16);
        List<Integer> appended = new ArrayList<>();

        assertThatThrownBy(() ->
                        entry.appendPayload(
                                (payload, offset, length) -> appended.add(length), 0, 16, 1))
                .isInstanceOf(MemoryFault.class);
        assertThat(appended).isEmpty();
    }

    @Test
    void memoryThatRefusedFailsTheRequestUntilTheNextOne() {
        entry.fill(request.payload(writable, 0, 8), 8);
        entry.fault();
        assertThat(entry.flaw(DOMAIN)).isEqualTo(CompletionStatus.LOCAL_QP_OPERATION_ERROR);

        entry.fill(request, 8);
        assertThat(entry.flaw(DOMAIN)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(entry.flaw(OTHER_DOMAIN)).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
    }

    @Test
    void whatArrivesIsStoredInThePiecesInOrder() {
        MemorySegment source = MemorySegment.ofArray(new byte[] {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
        fillPieces(request.read(8, 1));
        byte[] expected = WorkQueueMemory.bytes(writable);
        entry.store(3, source, 2, 8, 1);

        System.arraycopy(new byte[] {1, 2}, 0, expected, 13, 2);
        System.arraycopy(new byte[] {3, 4, 5}, 0, expected, 50, 3);
        System.arraycopy(new byte[] {6, 7, 8}, 0, expected, 20, 3);
        assertThat(WorkQueueMemory.bytes(writable)).isEqualTo(expected);
    }

    private void fillPieces(SendRequest of) {
        of.payload(writable, 10, 5)
                .appendPayload(writable, 77, 0)
                .appendPayload(writable, 50, 3)
                .appendPayload(writable, 20, 4);
        entry.fill(of, 12);
    }

    @Test
    void theResultOfAnAtomicIsInTheByteOrderOfTheMachine() {
        entry.fill(request.fetchAndAdd(8, 1, 1).payload(writable, 13, 8), 8);
        entry.storeWord(0x0102_0304_0506_0708L, 1);

        assertThat(writable.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 13))
                .isEqualTo(0x0102_0304_0506_0708L);
    }

    @Test
    void aReleasedRequestHoldsNoMemory() {
        entry.fill(request.fetchAndAdd(8, 1, 1).payload(writable, 0, 8), 8);
        entry.release();

        assertThatThrownBy(() -> entry.storeWord(1, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("piece 0 of a released request");
    }

    @Test
    void bindsAWindowAndTakesItsKeyBack() {
        RegisteredRegion region = memory.region(100, 0, Access.MEMORY_WINDOW_BIND);
        AllocatedWindow window = memory.table.allocateWindow(DOMAIN, MemoryWindow.Type.TYPE_2B);
        entry.fill(request.bind(window, region, 10, 20, Access.REMOTE_READ).keyPart(0x42), 20);

        assertThat(entry.execute(memory.table, OTHER_DOMAIN, QUEUE_PAIR)).isFalse();
        assertThat(entry.execute(memory.table, DOMAIN, QUEUE_PAIR)).isTrue();
        int key = window.remoteKey();
        assertThat(key & 0xFF).isEqualTo(0x42);
        assertThat(opens(key, region.address() + 10, 20)).isTrue();
        assertThat(opens(key, region.address() + 9, 1)).isFalse();

        entry.release();
        entry.fill(request.localInvalidate(key), 0);
        assertThat(entry.execute(memory.table, DOMAIN, QUEUE_PAIR + 1)).isFalse();
        assertThat(entry.execute(memory.table, DOMAIN, QUEUE_PAIR)).isTrue();
        assertThat(opens(key, region.address() + 10, 20)).isFalse();
    }

    private boolean opens(int key, long address, long length) {
        return memory.table.open(key, DOMAIN, QUEUE_PAIR, address, length, Access.REMOTE_READ)
                != null;
    }
}
