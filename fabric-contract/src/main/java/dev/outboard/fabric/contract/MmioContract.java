package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.MmioHandler;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Registers in the place of memory, on every provider: each access is a call.
public abstract class MmioContract {
    private static final int BYTES = 4096;

    /// What is refused, because no register is there.
    private static final long HOLE = 1024;

    private static final String FAILURES = "memory.mmio-failures";

    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private VerbsEnd owner;
    private VerbsEnd peer;
    private MemoryRegion region;

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @BeforeEach
    void connect() {
        owner =
                new VerbsEnd(open())
                        .create(with -> with.withMaxInlineBytes(64).withMaxScatterGather(3));
        peer = new VerbsEnd(open()).create();
        VerbsEnd.connect(owner, peer);
        region =
                owner.domain()
                        .registerMmio(
                                BYTES,
                                new Registers(),
                                Access.LOCAL_WRITE,
                                Access.REMOTE_WRITE,
                                Access.REMOTE_READ,
                                Access.MEMORY_WINDOW_BIND);
    }

    @AfterEach
    void close() {
        region.close();
        owner.close();
        peer.close();
        owner.device().close();
        peer.device().close();
    }

    /// Reads as its offset, and notes each call.
    private final class Registers implements MmioHandler {
        @Override
        public int readInt(long offset) {
            return (int) call("readInt", offset, offset);
        }

        @Override
        public long readLong(long offset) {
            return call("readLong", offset, offset);
        }

        @Override
        public void writeInt(long offset, int value) {
            call("writeInt", offset, value);
        }

        @Override
        public void writeLong(long offset, long value) {
            call("writeLong", offset, value);
        }

        private long call(String what, long offset, long value) {
            if (offset == HOLE) {
                throw new IllegalArgumentException("no register at " + HOLE);
            }
            calls.add(what + " " + offset + ": " + value);
            return value;
        }
    }

    /// What is sent again is read again, and a provider may send again what it need not have.
    private Set<String> distinctCalls() {
        return new LinkedHashSet<>(calls);
    }

    private SendRequest write(long offset, long length) {
        return new SendRequest()
                .id(1)
                .write(region.address() + offset, region.remoteKey())
                .payload(peer.region(), 0, length);
    }

    private SendRequest read(long offset, long length) {
        return new SendRequest()
                .id(1)
                .read(region.address() + offset, region.remoteKey())
                .payload(peer.region(), 0, length);
    }

    @Test
    void aWriteOfAPeerIsOneCallForEachWord() {
        MemorySegment words = peer.region().segment();
        words.set(ValueLayout.JAVA_INT, 0, 11);
        words.set(ValueLayout.JAVA_LONG_UNALIGNED, 4, 22);
        words.set(ValueLayout.JAVA_LONG_UNALIGNED, 12, 33);
        words.set(ValueLayout.JAVA_INT, 20, 44);
        peer.post(write(4, 24));
        assertThat(peer.status()).isEqualTo("1 SUCCESS");
        assertThat(calls)
                .containsExactly(
                        "writeInt 4: 11", "writeLong 8: 22", "writeLong 16: 33", "writeInt 24: 44");
    }

    @Test
    void aReadOfAPeerIsOneCallForEachWord() {
        peer.post(read(20, 12));
        assertThat(peer.status()).isEqualTo("1 SUCCESS");
        assertThat(distinctCalls()).containsExactly("readInt 20: 20", "readLong 24: 24");
        MemorySegment words = peer.region().segment();
        assertThat(words.get(ValueLayout.JAVA_INT, 0)).isEqualTo(20);
        assertThat(words.get(ValueLayout.JAVA_LONG_UNALIGNED, 4)).isEqualTo(24);
    }

    @Test
    void requestsOfOurOwnGatherFromThereAndScatterThere() {
        peer.postReceive(2);
        owner.message(5);
        owner.post(
                new SendRequest()
                        .id(3)
                        .payload(region, 8, 8)
                        .appendPayload(owner.region(), 40, 8)
                        .appendPayload(region, 16, 8));
        assertThat(owner.status()).isEqualTo("3 SUCCESS");
        assertThat(peer.status()).isEqualTo("2 SUCCESS");
        MemorySegment words = peer.region().segment().asSlice(128);
        assertThat(words.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(8);
        assertThat(words.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(5);
        assertThat(words.get(ValueLayout.JAVA_LONG, 16)).isEqualTo(16);

        owner.post(new ReceiveRequest().id(4).buffer(region, 32, 64));
        peer.post(peer.message(9));
        assertThat(owner.status()).isEqualTo("4 SUCCESS");
        assertThat(peer.status()).isEqualTo("9 SUCCESS");
        assertThat(distinctCalls())
                .containsExactly("readLong 8: 8", "readLong 16: 16", "writeLong 32: 9");
    }

    @Test
    void theResultOfAnAtomicOperationMayGoThere() {
        peer.region().segment().set(ValueLayout.JAVA_LONG, 0, 123);
        owner.post(
                new SendRequest()
                        .id(1)
                        .fetchAndAdd(peer.region().address(), peer.region().remoteKey(), 1)
                        .payload(region, 40, 8));
        assertThat(owner.status()).isEqualTo("1 SUCCESS");
        assertThat(calls).containsExactly("writeLong 40: 123");
    }

    @Test
    void registersTakeNoAtomicOperation() {
        assertThatThrownBy(() ->
                        owner.domain()
                                .registerMmio(
                                        8,
                                        new Registers(),
                                        Access.LOCAL_WRITE,
                                        Access.REMOTE_ATOMIC))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT))
                .hasMessageContaining("no atomic operations");
        peer.post(
                new SendRequest()
                        .id(1)
                        .fetchAndAdd(region.address(), region.remoteKey(), 1)
                        .payload(peer.region(), 0, 8));
        assertThat(peer.status()).isEqualTo("1 REMOTE_ACCESS_ERROR");
    }

    @Test
    void aWindowOntoThemGrantsNoAtomicOperationEither() {
        try (MemoryWindow window = owner.domain().allocateMemoryWindow(MemoryWindow.Type.TYPE_1)) {
            owner.post(new SendRequest().id(1).bind(window, region, 8, 8, Access.REMOTE_WRITE));
            assertThat(owner.status()).isEqualTo("1 SUCCESS");
            peer.post(peer.message(2).write(region.address() + 8, window.remoteKey()));
            assertThat(peer.status()).isEqualTo("2 SUCCESS");
            assertThat(calls).containsExactly("writeLong 8: 2");
            owner.post(new SendRequest().id(3).bind(window, region, 8, 8, Access.REMOTE_ATOMIC));
            assertThat(owner.status()).isEqualTo("3 MEMORY_WINDOW_BIND_ERROR");
        }
    }

    @Test
    void aRefusedWriteIsARemoteOperationError() {
        peer.post(write(HOLE - 8, 16));
        assertThat(peer.status()).isEqualTo("1 REMOTE_OPERATION_ERROR");
        assertThat(calls).as("before the refused word").hasSize(1);
        assertThat(owner.device().counters()).containsEntry(FAILURES, 1L);
    }

    @Test
    void aRefusedReadIsARemoteOperationError() {
        peer.post(read(HOLE, 8));
        assertThat(peer.status()).isEqualTo("1 REMOTE_OPERATION_ERROR");
        assertThat(owner.device().counters()).containsEntry(FAILURES, 1L);
    }

    @Test
    void whatIsNotMadeOfWordsIsRefused() {
        peer.post(write(2, 4));
        assertThat(peer.status()).isEqualTo("1 REMOTE_OPERATION_ERROR");
        assertThat(calls).isEmpty();
    }

    @Test
    void aMessageThatCannotBeReadFailsHereAfterThoseBeforeIt() {
        peer.postReceive(1);
        owner.post(owner.message(2));
        owner.post(new SendRequest().id(3).payload(region, HOLE, 8));
        owner.post(owner.message(4));
        assertThat(owner.status()).isEqualTo("2 SUCCESS");
        assertThat(owner.status()).isEqualTo("3 LOCAL_QP_OPERATION_ERROR");
        assertThat(owner.status()).isEqualTo("4 WORK_REQUEST_FLUSHED");
        assertThat(peer.status()).isEqualTo("1 SUCCESS");
    }

    @Test
    void aMessageThatCannotBeWrittenFailsAtBothEnds() {
        owner.post(new ReceiveRequest().id(1).buffer(region, HOLE, 8));
        peer.post(peer.message(2));
        assertThat(peer.status()).isEqualTo("2 REMOTE_OPERATION_ERROR");
        assertThat(owner.status()).isEqualTo("1 LOCAL_QP_OPERATION_ERROR");
    }

    @Test
    void anAnswerThatCannotBeWrittenFailsHere() {
        owner.post(
                new SendRequest()
                        .id(1)
                        .read(peer.region().address(), peer.region().remoteKey())
                        .payload(region, HOLE, 8));
        assertThat(owner.status()).isEqualTo("1 LOCAL_QP_OPERATION_ERROR");
    }

    @Test
    void onceClosedItIsNotReachedAnyMore() {
        int key = region.remoteKey();
        region.close();
        peer.post(peer.message(1).write(0, key));
        assertThat(peer.status()).isEqualTo("1 REMOTE_ACCESS_ERROR");
        assertThat(calls).isEmpty();
    }

    @Test
    void theApplicationDoesNotReachItThroughTheRegion() {
        assertThat(region.address()).isZero();
        assertThat(region.length()).isEqualTo(BYTES);
        assertThat(region.segment().byteSize()).isZero();
        assertThatThrownBy(() -> owner.post(new SendRequest().inline(true).payload(region, 0, 8)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("only the device reaches");
        assertThatThrownBy(() -> owner.domain().registerMmio(0, new Registers()))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("0 bytes");
    }
}
