package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What every provider of the fabric does alike. A provider's test extends this and opens its
/// devices.
public abstract class FabricContract {
    private static final int PORT = 12345;
    private static final byte[] NONE = {};

    private Device clientDevice;
    private Device serverDevice;
    private ConnectedPair pair;

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @BeforeEach
    void connect() {
        clientDevice = open();
        serverDevice = open();
        pair = ConnectedPair.connect(clientDevice, serverDevice, PORT);
    }

    @AfterEach
    void close() {
        pair.close();
        clientDevice.close();
        serverDevice.close();
    }

    @Test
    void connectsWithPrivateDataBothWays() {
        assertThat(pair.server().receivedPrivateData()).startsWith(ConnectedPair.HELLO).hasSize(56);
        assertThat(pair.client().receivedPrivateData())
                .startsWith(ConnectedPair.WELCOME)
                .hasSize(196);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4095, 4096, 4097, 65_536, 1_000_003})
    void writesLandInThePeersMemory(int length) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment from = filled(arena, length + 1, length);
            MemorySegment to = arena.allocate(length + 1);
            try (MemoryRegion source = pair.client().register(from);
                    MemoryRegion target = pair.server().register(to)) {
                pair.client()
                        .post(
                                new SendRequest()
                                        .id(7)
                                        .write(target.address(), target.remoteKey())
                                        .payload(source, 0, length));
                Completion done = pair.client().awaitCompletion();
                assertThat(done.status()).isEqualTo(CompletionStatus.SUCCESS);
                assertThat(done.id()).isEqualTo(7);
                assertThat(done.opcode()).isEqualTo(CompletionOpcode.RDMA_WRITE);
                assertThat(to.asSlice(0, length).mismatch(from.asSlice(0, length))).isEqualTo(-1);
                assertThat(to.get(ValueLayout.JAVA_BYTE, length)).isZero();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 4097, 131_072, 131_073, 3_000_001})
    void readsBringThePeersMemory(int length) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment from = filled(arena, length + 1, length);
            MemorySegment to = arena.allocate(length + 1);
            try (MemoryRegion source = pair.server().register(from);
                    MemoryRegion sink = pair.client().register(to)) {
                pair.client()
                        .post(
                                new SendRequest()
                                        .id(8)
                                        .read(source.address(), source.remoteKey())
                                        .payload(sink, 0, length));
                Completion done = pair.client().awaitCompletion();
                assertThat(done.status()).isEqualTo(CompletionStatus.SUCCESS);
                assertThat(done.id()).isEqualTo(8);
                assertThat(done.opcode()).isEqualTo(CompletionOpcode.RDMA_READ);
                assertThat(done.byteCount()).isEqualTo(length);
                assertThat(to.asSlice(0, length).mismatch(from.asSlice(0, length))).isEqualTo(-1);
                assertThat(to.get(ValueLayout.JAVA_BYTE, length)).isZero();
            }
        }
    }

    @Test
    void atomicsChangeThePeersWordAndBringWhatItWas() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment was = arena.allocate(ValueLayout.JAVA_LONG);
            try (MemoryRegion target = pair.server().register(word);
                    MemoryRegion sink = pair.client().register(was)) {
                long address = target.address();
                int key = target.remoteKey();
                SendRequest request = new SendRequest().payload(sink, 0, Long.BYTES);
                word.set(ValueLayout.JAVA_LONG, 0, 40);

                pair.client().post(request.fetchAndAdd(address, key, 2));
                assertThat(pair.client().awaitCompletion().opcode())
                        .isEqualTo(CompletionOpcode.FETCH_AND_ADD);
                assertThat(was.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(40);
                assertThat(word.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);

                pair.client().post(request.compareAndSwap(address, key, 42, -1));
                Completion swapped = pair.client().awaitCompletion();
                assertThat(swapped.opcode()).isEqualTo(CompletionOpcode.COMPARE_AND_SWAP);
                assertThat(swapped.status()).isEqualTo(CompletionStatus.SUCCESS);
                assertThat(was.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
                assertThat(word.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(-1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 4096, 300_001})
    void sendsArriveInThePostedReceive(int length) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment from = filled(arena, length + 1, 99);
            MemorySegment to = arena.allocate(length + 1);
            try (MemoryRegion source = pair.client().register(from);
                    MemoryRegion target = pair.server().register(to)) {
                pair.server().post(new ReceiveRequest().id(3).buffer(target, 0, length));
                pair.client()
                        .post(
                                new SendRequest()
                                        .sendWithImmediate(0xDEADBEEF)
                                        .payload(source, 0, length));
                Completion received = pair.server().awaitCompletion();
                assertThat(received.status()).isEqualTo(CompletionStatus.SUCCESS);
                assertThat(received.id()).isEqualTo(3);
                assertThat(received.byteCount()).isEqualTo(length);
                assertThat(received.immediate()).isEqualTo(0xDEADBEEF);
                assertThat(to.asSlice(0, length).mismatch(from.asSlice(0, length))).isEqualTo(-1);
                assertThat(pair.client().awaitCompletion().opcode())
                        .isEqualTo(CompletionOpcode.SEND);
            }
        }
    }

    @Test
    void writeWithImmediateTellsTheReceiverHowMuchWasWritten() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = filled(arena, 8192, 1);
            MemorySegment to = arena.allocate(8192);
            try (MemoryRegion source = pair.client().register(memory);
                    MemoryRegion target = pair.server().register(to)) {
                pair.server().post(new ReceiveRequest().noBuffer());
                pair.client()
                        .post(
                                new SendRequest()
                                        .writeWithImmediate(
                                                target.address(), target.remoteKey(), 42)
                                        .payload(source, 0, 8192));
                Completion received = pair.server().awaitCompletion();
                assertThat(received.opcode())
                        .isEqualTo(CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE);
                assertThat(received.byteCount()).isEqualTo(8192);
                assertThat(received.immediate()).isEqualTo(42);
                assertThat(to.mismatch(memory)).isEqualTo(-1);
            }
        }
    }

    @Test
    void anIdlePeerMakesProgressByItself() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment from = filled(arena, 1 << 20, 5);
            MemorySegment to = arena.allocate(1 << 20);
            try (MemoryRegion source = pair.client().register(from);
                    MemoryRegion target = pair.server().register(to)) {
                for (int i = 0; i < 50; i++) {
                    pair.client()
                            .post(
                                    new SendRequest()
                                            .write(target.address(), target.remoteKey())
                                            .payload(source, 0, 1 << 20));
                    assertThat(pair.client().awaitCompletion().status())
                            .isEqualTo(CompletionStatus.SUCCESS);
                }
                assertThat(to.mismatch(from)).isEqualTo(-1);
            }
        }
    }

    @Test
    void aWrongKeyIsARemoteAccessErrorAndTheRestIsFlushed() {
        try (Arena arena = Arena.ofShared();
                MemoryRegion source = pair.client().register(arena.allocate(64));
                MemoryRegion target = pair.server().register(arena.allocate(64))) {
            pair.client()
                    .post(
                            new SendRequest()
                                    .id(1)
                                    .write(target.address(), target.remoteKey() ^ 0x100)
                                    .payload(source, 0, 64));
            Completion failed = pair.client().awaitCompletion();
            assertThat(failed.id()).isEqualTo(1);
            assertThat(failed.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
            pair.client().post(new SendRequest().id(2).send().noPayload());
            assertThat(pair.client().awaitCompletion().status())
                    .isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
    }

    @Test
    void disconnectingTellsBothSides() {
        pair.client().id().disconnect();
        assertThat(pair.server().awaitEvent().type()).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
        assertThat(pair.client().awaitEvent().type()).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
        assertThat(pair.client().queuePair().state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void nobodyListeningIsARejection() {
        ConnectionEvent answer = ConnectedPair.tryConnect(clientDevice, serverDevice, PORT + 1);
        assertThat(answer.type()).isEqualTo(ConnectionEvent.Type.REJECTED);
        assertThat(answer.status()).isEqualTo(8);
    }

    @Test
    void memoryOnTheHeapOrConfinedToAThreadIsRefusedWithTheRemedy() {
        assertThatThrownBy(() -> pair.client().register(MemorySegment.ofArray(NONE)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("Arena");
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment segment = confined.allocate(8);
            assertThatThrownBy(() -> pair.client().register(segment))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("ofShared");
        }
    }

    @Test
    void aDomainInUseCannotBeClosed() {
        assertThatThrownBy(() -> pair.client().domain().close())
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("1 queue pairs");
    }

    private static MemorySegment filled(Arena arena, int bytes, long seed) {
        byte[] content = new byte[bytes];
        new SplittableRandom(seed).nextBytes(content);
        return arena.allocateFrom(ValueLayout.JAVA_BYTE, content);
    }
}
