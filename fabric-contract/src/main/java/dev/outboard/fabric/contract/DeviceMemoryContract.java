package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceMemory;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Memory of the card on every provider: those that have some lend it, the others refuse.
public abstract class DeviceMemoryContract {
    private static final long BYTES = 4096;

    private final MemorySegment word = Arena.ofAuto().allocate(8, 8);
    private VerbsEnd owner;
    private VerbsEnd peer;
    private long most;

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @BeforeEach
    void connect() {
        owner = new VerbsEnd(open()).create(with -> with.withMaxInlineBytes(64));
        peer = new VerbsEnd(open()).create();
        VerbsEnd.connect(owner, peer);
        most = owner.device().limits().maxDeviceMemoryBytes();
    }

    @AfterEach
    void close() {
        owner.close();
        peer.close();
        owner.device().close();
        peer.device().close();
    }

    private void assumeDeviceMemory() {
        assumeThat(most).as("bytes of device memory").isPositive();
    }

    private static void assertRefused(ThrowingCallable call, Reason reason, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(message);
    }

    private long word(DeviceMemory memory, long offset) {
        memory.read(offset, word);
        return word.get(ValueLayout.JAVA_LONG, 0);
    }

    private void setWord(DeviceMemory memory, long offset, long value) {
        word.set(ValueLayout.JAVA_LONG, 0, value);
        memory.write(offset, word);
    }

    private MemoryRegion registered(DeviceMemory memory) {
        return owner.domain()
                .register(
                        memory,
                        64,
                        1024,
                        Access.LOCAL_WRITE,
                        Access.REMOTE_WRITE,
                        Access.REMOTE_READ,
                        Access.REMOTE_ATOMIC);
    }

    @Test
    void thereIsAsMuchAsTheLimitSays() {
        assertRefused(
                () -> owner.device().allocateDeviceMemory(most + 1, 8),
                Reason.LIMIT_REACHED,
                String.valueOf(most + 1));
        if (most > 0) {
            DeviceMemory all = owner.device().allocateDeviceMemory(most, 64);
            assertThat(all.length()).isEqualTo(most);
            assertRefused(
                    () -> owner.device().allocateDeviceMemory(1, 1),
                    Reason.LIMIT_REACHED,
                    "0 of " + most);
            all.close();
            all.close();
            owner.device().allocateDeviceMemory(most, 1).close();
        }
    }

    @Test
    void whatIsNoLengthOrAlignmentIsRefused() {
        assertRefused(
                () -> owner.device().allocateDeviceMemory(0, 8),
                Reason.INVALID_ARGUMENT,
                "0 bytes");
        for (long alignment : new long[] {0, -8, 3, 8192}) {
            assertRefused(
                    () -> owner.device().allocateDeviceMemory(8, alignment),
                    Reason.INVALID_ARGUMENT,
                    "power of two");
        }
    }

    @Test
    @SuppressWarnings("try") // closed before its time, to see what it refuses then
    void theApplicationReachesItByCopies() {
        assumeDeviceMemory();
        try (DeviceMemory memory = owner.device().allocateDeviceMemory(BYTES, 8)) {
            assertThat(word(memory, 0)).isZero();
            setWord(memory, BYTES - 8, 7);
            assertThat(word(memory, BYTES - 8)).isEqualTo(7);
            for (long offset : new long[] {-1, BYTES - 7, Long.MAX_VALUE}) {
                assertRefused(
                        () -> memory.read(offset, word),
                        Reason.INVALID_ARGUMENT,
                        "within " + BYTES);
            }
        }
    }

    @Test
    void onceGivenBackItIsNotReachedAnyMore() {
        assumeDeviceMemory();
        DeviceMemory memory = owner.device().allocateDeviceMemory(BYTES, 8);
        memory.close();
        assertRefused(() -> memory.write(0, word), Reason.CLOSED, "closed");
        assertRefused(() -> memory.read(0, word), Reason.CLOSED, "closed");
    }

    @Test
    void requestsUseItLikeMemory() {
        assumeDeviceMemory();
        try (DeviceMemory memory = owner.device().allocateDeviceMemory(BYTES, 8);
                MemoryRegion region = registered(memory)) {
            assertThat(region.address()).isZero();
            assertThat(region.length()).isEqualTo(1024);
            assertThat(region.segment().byteSize()).isZero();

            peer.post(peer.message(5).write(8, region.remoteKey()));
            assertThat(peer.status()).isEqualTo("5 SUCCESS");
            assertThat(word(memory, 64 + 8)).isEqualTo(5);
            peer.post(
                    new SendRequest()
                            .id(6)
                            .fetchAndAdd(8, region.remoteKey(), 10)
                            .payload(peer.region(), 0, 8));
            assertThat(peer.status()).isEqualTo("6 SUCCESS");
            peer.post(
                    new SendRequest()
                            .id(7)
                            .read(8, region.remoteKey())
                            .payload(peer.region(), 8, 8));
            assertThat(peer.status()).isEqualTo("7 SUCCESS");
            assertThat(peer.region().segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(15);

            setWord(memory, 64, 99);
            peer.postReceive(1);
            owner.post(new SendRequest().id(2).payload(region, 0, 8));
            assertThat(peer.status()).isEqualTo("1 SUCCESS");
            assertThat(peer.region().segment().get(ValueLayout.JAVA_LONG, 64)).isEqualTo(99);
            assertRefused(
                    () -> owner.post(new SendRequest().inline(true).payload(region, 0, 8)),
                    Reason.INVALID_ARGUMENT,
                    "only the device reaches");
            peer.post(peer.message(9).write(1017, region.remoteKey()));
            assertThat(peer.status()).isEqualTo("9 REMOTE_ACCESS_ERROR");
        }
    }

    @Test
    void itStaysWhileARegionOfItIsRegistered() {
        assumeDeviceMemory();
        DeviceMemory memory = owner.device().allocateDeviceMemory(BYTES, 8);
        MemoryRegion region = registered(memory);
        QueuePairContract.assertInUse(memory, "1 memory regions");
        region.close();
        memory.close();
    }

    @Test
    void whatCannotBeRegisteredIsRefused() {
        assumeDeviceMemory();
        try (DeviceMemory memory = owner.device().allocateDeviceMemory(BYTES, 8)) {
            assertRefused(
                    () -> owner.domain().register(memory, 8, BYTES),
                    Reason.INVALID_ARGUMENT,
                    "within " + BYTES);
            assertRefused(
                    () -> owner.domain().register(memory, 0, 8, Access.REMOTE_WRITE),
                    Reason.INVALID_ARGUMENT,
                    "LOCAL_WRITE");
            assertRefused(
                    () ->
                            owner.domain()
                                    .register(
                                            memory, 4, 8, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC),
                    Reason.INVALID_ARGUMENT,
                    "multiple of 8");
            assertRefused(
                    () -> peer.domain().register(memory, 0, 8),
                    Reason.INVALID_ARGUMENT,
                    "must come from");
        }
    }
}
