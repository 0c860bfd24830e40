package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryAccess;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.MemoryWatch;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
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

/// Watched memory on every provider: a checker learns of each access of the device, when it happens
/// and in order.
public abstract class MemoryWatchContract {
    private static final int BYTES = 4096;
    private static final String FAILURES = "memory.watch-failures";

    private final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(BYTES, Long.BYTES);
    private VerbsEnd owner;
    private VerbsEnd peer;
    private int number;

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @BeforeEach
    void connect() {
        owner =
                new VerbsEnd(open())
                        .create(with -> with.withMaxInlineBytes(64).withMaxScatterGather(3));
        peer = new VerbsEnd(open()).create();
        VerbsEnd.connect(owner, peer);
        number = owner.queuePair().number();
    }

    @AfterEach
    void close() {
        owner.close();
        peer.close();
        owner.device().close();
        peer.device().close();
        arena.close();
    }

    /// Tells each access with the word that is in memory at its offset then.
    private final class Notes implements MemoryWatch {
        @Override
        public void before(MemoryAccess access) {
            note("before", access);
        }

        @Override
        public void after(MemoryAccess access) {
            note("after", access);
        }

        private void note(String when, MemoryAccess access) {
            told.add(
                    "%s %s: %d"
                            .formatted(
                                    when,
                                    access,
                                    memory.get(ValueLayout.JAVA_LONG, access.offset())));
        }
    }

    /// What is sent again is read again, and a provider may send again what it need not have.
    private Set<String> distinctlyTold() {
        return new LinkedHashSet<>(told);
    }

    private MemoryRegion watched(MemoryWatch watch) {
        return owner.domain()
                .register(
                        memory,
                        watch,
                        Access.LOCAL_WRITE,
                        Access.REMOTE_WRITE,
                        Access.REMOTE_READ,
                        Access.REMOTE_ATOMIC);
    }

    /// Sets the words of the peer's memory to 1, 2, 3 and so on.
    private void count() {
        MemorySegment words = peer.region().segment();
        for (int i = 0; i < BYTES / Long.BYTES; i++) {
            words.setAtIndex(ValueLayout.JAVA_LONG, i, i + 1L);
        }
    }

    @Test
    void whatAPeerWritesIsToldPacketByPacket() {
        try (MemoryRegion region = watched(new Notes())) {
            count();
            peer.post(
                    new SendRequest()
                            .id(1)
                            .write(region.address() + 8, region.remoteKey())
                            .payload(peer.region(), 0, 2056));
            assertThat(peer.status()).isEqualTo("1 SUCCESS");
            String forPeer = " by queue pair " + number + " for its peer: ";
            assertThat(told)
                    .containsExactly(
                            "before WRITE of 1024 bytes at 8" + forPeer + 0,
                            "after WRITE of 1024 bytes at 8" + forPeer + 1,
                            "before WRITE of 1024 bytes at 1032" + forPeer + 0,
                            "after WRITE of 1024 bytes at 1032" + forPeer + 129,
                            "before WRITE of 8 bytes at 2056" + forPeer + 0,
                            "after WRITE of 8 bytes at 2056" + forPeer + 257);
        }
    }

    @Test
    void whatAPeerReadsIsWhatTheWatchPutThereBefore() {
        MemoryWatch supplier =
                new MemoryWatch() {
                    @Override
                    public void before(MemoryAccess access) {
                        told.add(access.toString());
                        memory.set(ValueLayout.JAVA_LONG, access.offset(), 77);
                    }

                    @Override
                    public void after(MemoryAccess access) {
                        memory.set(ValueLayout.JAVA_LONG, access.offset(), 88);
                    }
                };
        try (MemoryRegion region = watched(supplier)) {
            peer.post(
                    new SendRequest()
                            .id(1)
                            .read(region.address() + 16, region.remoteKey())
                            .payload(peer.region(), 0, 1000));
            assertThat(peer.status()).isEqualTo("1 SUCCESS");
            assertThat(peer.region().segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(77);
            assertThat(distinctlyTold())
                    .containsExactly(
                            "READ of 1000 bytes at 16 by queue pair " + number + " for its peer");
        }
    }

    @Test
    void anAtomicOperationIsOneAccess() {
        try (MemoryRegion region = watched(new Notes())) {
            memory.set(ValueLayout.JAVA_LONG, 8, 40);
            peer.post(
                    new SendRequest()
                            .id(1)
                            .fetchAndAdd(region.address() + 8, region.remoteKey(), 2)
                            .payload(peer.region(), 0, 8));
            assertThat(peer.status()).isEqualTo("1 SUCCESS");
            peer.post(
                    new SendRequest()
                            .id(2)
                            .compareAndSwap(region.address() + 8, region.remoteKey(), 42, 5)
                            .payload(peer.region(), 8, 8));
            assertThat(peer.status()).isEqualTo("2 SUCCESS");
            assertThat(peer.region().segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(40);
            assertThat(peer.region().segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42);
            String what = " ATOMIC of 8 bytes at 8 by queue pair " + number + " for its peer: ";
            assertThat(told)
                    .containsExactly(
                            "before" + what + 40,
                            "after" + what + 42,
                            "before" + what + 42,
                            "after" + what + 5);
        }
    }

    @Test
    void requestsOfOurOwnReadAndWritePieceByPiece() {
        try (MemoryRegion region = watched(new Notes())) {
            memory.set(ValueLayout.JAVA_LONG, 0, 10);
            memory.set(ValueLayout.JAVA_LONG, 64, 20);
            peer.postReceive(1);
            owner.post(
                    new SendRequest()
                            .id(2)
                            .payload(region, 0, 8)
                            .appendPayload(owner.region(), 0, 8)
                            .appendPayload(region, 64, 8));
            assertThat(owner.status()).isEqualTo("2 SUCCESS");
            assertThat(peer.status()).isEqualTo("1 SUCCESS");
            assertThat(peer.region().segment().get(ValueLayout.JAVA_LONG, 64)).isEqualTo(10);
            assertThat(peer.region().segment().get(ValueLayout.JAVA_LONG, 80)).isEqualTo(20);

            owner.post(new ReceiveRequest().id(3).buffer(region, 128, 64));
            peer.post(peer.message(4));
            assertThat(owner.status()).isEqualTo("3 SUCCESS");
            owner.post(
                    new SendRequest()
                            .id(5)
                            .fetchAndAdd(peer.region().address(), peer.region().remoteKey(), 0)
                            .payload(region, 256, 8));
            assertThat(owner.status()).isEqualTo("5 SUCCESS");
            String ours = " by queue pair " + number + ": ";
            assertThat(distinctlyTold())
                    .containsExactly(
                            "before READ of 8 bytes at 0" + ours + 10,
                            "after READ of 8 bytes at 0" + ours + 10,
                            "before READ of 8 bytes at 64" + ours + 20,
                            "after READ of 8 bytes at 64" + ours + 20,
                            "before WRITE of 8 bytes at 128" + ours + 0,
                            "after WRITE of 8 bytes at 128" + ours + 4,
                            "before WRITE of 8 bytes at 256" + ours + 0,
                            "after WRITE of 8 bytes at 256" + ours + 0);
        }
    }

    @Test
    void inlinePayloadIsNoAccess() {
        try (MemoryRegion region = watched(new Notes())) {
            peer.postReceive(1);
            owner.post(new SendRequest().id(2).inline(true).payload(region, 0, 8));
            assertThat(owner.status()).isEqualTo("2 SUCCESS");
            assertThat(peer.status()).isEqualTo("1 SUCCESS");
            assertThat(told).isEmpty();
        }
    }

    @Test
    void aWatchThatThrowsChangesNothing() {
        MemoryWatch failing =
                new MemoryWatch() {
                    @Override
                    public void before(MemoryAccess access) {
                        throw new IllegalStateException("the checker's own fault");
                    }

                    @Override
                    public void after(MemoryAccess access) {
                        throw new IllegalStateException("the checker's own fault");
                    }
                };
        try (MemoryRegion region = watched(failing)) {
            peer.post(peer.message(7).write(region.address(), region.remoteKey()));
            assertThat(peer.status()).isEqualTo("7 SUCCESS");
            assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
            assertThat(owner.device().counters()).containsEntry(FAILURES, 2L);
        }
    }
}
