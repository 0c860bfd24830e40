package dev.outboard.doca;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BufInventoryTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 20_000;

    /// Enough for one each, while all others hold two.
    private static final int ELEMENTS = 2 * THREADS - 1;

    private static ExportedMemory memory;
    private static Mmap mmap;
    private static RemoteMmap remote;

    /// What another thread was answered.
    private volatile DocaError elsewhere;

    @BeforeAll
    static void makeMemory() {
        memory = ExportedMemory.of(256);
        mmap = memory.mmap();
        remote = memory.remote();
    }

    @AfterAll
    static void close() {
        memory.close();
    }

    @Test
    @Requirement("DJAVA-API-2")
    void isCreatedStartedUsedStoppedAndClosed() {
        BufInventory inventory = BufInventory.create(2);
        assertRefused(DocaError.BAD_STATE, () -> inventory.byAddress(mmap, 0, 8), "not started");
        inventory.start();
        assertRefused(DocaError.BAD_STATE, inventory::start, "started already");
        Buf buf = inventory.byAddress(mmap, 0, 8);
        RemoteBuf far = inventory.byAddress(remote, 0, 8);
        inventory.stop();
        assertRefused(DocaError.BAD_STATE, () -> inventory.byAddress(mmap, 0, 8), "not started");
        assertThat(buf.len()).isEqualTo(8);
        buf.release();
        far.release();
        inventory.start();
        inventory.close();
        inventory.close();
        assertRefused(DocaError.BAD_STATE, inventory::start, "closed");
        assertRefused(DocaError.BAD_STATE, () -> inventory.byAddress(mmap, 0, 8));
    }

    /// In the order of a `try` block that an exception leaves.
    @Test
    @Requirement("DJAVA-API-2")
    void closingTakesBackWhatIsOut() {
        DocaDev dev = TestDevices.open();
        Mmap memory =
                Mmap.builder()
                        .device(dev)
                        .memrange(64)
                        .permissions(AccessFlag.RDMA_READ)
                        .build()
                        .start();
        RemoteMmap far = RemoteMmap.fromExport(dev, memory.exportRdma(dev));
        BufInventory inventory = BufInventory.create(4).start();
        Buf list = inventory.byAddress(memory, 0, 8);
        Buf inner = inventory.byAddress(memory, 8, 8);
        list.chain(inner);
        list.retain();
        RemoteBuf there = inventory.byAddress(far, 0, 8);

        inventory.close();
        far.close();
        memory.close();
        dev.close();

        assertThat(inventory.freeCount()).isEqualTo(4);
        for (BufRange buf : List.of(list, inner, there)) {
            assertRefused(DocaError.BAD_STATE, buf::len, "back in its inventory");
            assertRefused(DocaError.BAD_STATE, buf::release, "back in its inventory");
        }
    }

    /// In the order of a `try` block that takes memory of its own, or of a peer, last.
    @Test
    @Requirement({"DJAVA-API-2", "DCORE-MMAP-19"})
    void memoryThatWasToCloseIsClosedWithItsLastBuffer() {
        DocaDev dev = TestDevices.open();
        BufInventory inventory = BufInventory.create(3).start();
        List<MemorySegment> freed = new ArrayList<>();
        Mmap memory =
                Mmap.builder()
                        .device(dev)
                        .memrange(64)
                        .permissions(AccessFlag.RDMA_READ)
                        .freeCallback(freed::add)
                        .build()
                        .start();
        RemoteMmap far = RemoteMmap.fromExport(dev, memory.exportRdma(dev));
        Buf first = inventory.byAddress(memory, 0, 8);
        inventory.byAddress(far, 0, 8);

        assertRefused(DocaError.NOT_PERMITTED, far::close, "1 buffers");
        assertRefused(DocaError.NOT_PERMITTED, memory::close, "1 buffers");
        Buf second = inventory.byAddress(memory, 8, 8);
        first.release();
        assertThat(second.mmap().isStarted()).as("with a buffer out").isTrue();
        inventory.close();

        assertThat(freed).as("freed with the last buffer").hasSize(1);
        assertRefused(DocaError.BAD_STATE, memory::start, "closed");
        memory.close();
        far.close();
        dev.close();
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2"})
    void closingLosesNothingOfListsWithElementsOfAnother(int foreignPart) {
        BufInventory closing = BufInventory.create(1).start();
        try (BufInventory own = BufInventory.create(2).start()) {
            List<Buf> parts = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                parts.add((i == foreignPart ? closing : own).byAddress(mmap, 8L * i, 8));
            }
            parts.get(0).chain(parts.get(1));
            parts.get(0).chain(parts.get(2));

            closing.close();
            assertRefused(DocaError.BAD_STATE, parts.get(foreignPart)::len);
            Buf head = parts.get(foreignPart == 0 ? 1 : 0);
            assertThat(head.isFirst()).isTrue();
            head.release();
            assertThat(own.freeCount()).isEqualTo(2);
            assertThat(mmap.bufferCount()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void refusesANumberOfElementsThatCannotBe(int count) {
        assertRefused(DocaError.INVALID_VALUE, () -> BufInventory.create(count), "1 to");
    }

    @Test
    @Requirement("DCORE-INV-2")
    void makesBuffersInThreeWays() {
        try (BufInventory inventory = BufInventory.create(3).start()) {
            assertShape(inventory.byArgs(mmap, 8, 64, 16, 32), 8, 64, 16, 32);
            assertShape(inventory.byAddress(mmap, 8, 64), 8, 64, 8, 0);
            assertShape(inventory.byData(mmap, 8, 64), 8, 64, 8, 64);
            assertShape(inventory.byArgs(remote, 8, 64, 16, 32), 8, 64, 16, 32);
            assertShape(inventory.byAddress(remote, 8, 64), 8, 64, 8, 0);
            assertShape(inventory.byData(remote, 8, 64), 8, 64, 8, 64);
            assertShape(inventory.byData(mmap, 0, 256), 0, 256, 0, 256);
            assertShape(inventory.byData(mmap, 256, 0), 256, 0, 256, 0);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 8, -1, 0",
        "0, 257, 0, 0",
        "249, 8, 249, 0",
        "257, 0, 257, 0",
        "0, -1, 0, 0",
        "9223372036854775807, 9223372036854775807, 0, 0",
        "8, 9223372036854775807, 8, 0",
        "8, 16, 7, 1",
        "8, 16, 20, 5",
        "8, 16, 8, -1",
        "8, 16, 25, 0",
        "8, 16, 9, 9223372036854775807",
    })
    @Requirement({"DCORE-INV-3", "DFLT-49"})
    void refusesWhatDoesNotLieInTheMemory(long head, long len, long data, long dataLen) {
        try (BufInventory inventory = BufInventory.create(1).start()) {
            assertRefused(
                    DocaError.INVALID_VALUE,
                    () -> inventory.byArgs(mmap, head, len, data, dataLen),
                    mmap.toString());
            assertRefused(
                    DocaError.INVALID_VALUE,
                    () -> inventory.byArgs(remote, head, len, data, dataLen),
                    remote.toString());
            assertRefused(
                    DocaError.INVALID_VALUE,
                    () -> inventory.tryByArgs(mmap, head, len, data, dataLen));
            assertThat(inventory.freeCount()).isEqualTo(1);
        }
    }

    @Test
    @Requirement({"DJAVA-API-5", "DCORE-INV-3"})
    void returnsTheErrorInsteadOfThrowingIt() throws InterruptedException {
        Buf[] local = new Buf[1];
        RemoteBuf[] far = new RemoteBuf[1];
        try (BufInventory inventory = BufInventory.create(2)) {
            assertThat(inventory.tryByArgs(mmap, 0, 8, 0, 0, local)).isEqualTo(DocaError.BAD_STATE);
            inventory.start();
            assertThat(inventory.tryByArgs(mmap, 0, 8, 1, 8, local))
                    .isEqualTo(DocaError.INVALID_VALUE);
            assertThat(inventory.tryByArgs(remote, 0, -1, 0, 0, far))
                    .isEqualTo(DocaError.INVALID_VALUE);
            assertThat(inventory.tryByArgs(mmap, 0, 8, 0, 0, new Buf[0]))
                    .isEqualTo(DocaError.INVALID_VALUE);
            assertThat(local).containsOnlyNulls();

            assertThat(inventory.tryByArgs(mmap, 0, 8, 2, 3, local)).isEqualTo(DocaError.SUCCESS);
            assertThat(inventory.tryByArgs(remote, 0, 8, 2, 3, far)).isEqualTo(DocaError.SUCCESS);
            assertThat(inventory.tryByArgs(mmap, 0, 8, 0, 0, new Buf[1]))
                    .isEqualTo(DocaError.NO_MEMORY);
            Thread other =
                    Thread.ofPlatform()
                            .start(() ->
                                    elsewhere = inventory.tryByArgs(mmap, 0, 8, 0, 0, new Buf[1]));
            other.join();
            assertThat(elsewhere).isEqualTo(DocaError.BAD_STATE);

            assertThat(local[0].dataLen()).isEqualTo(3);
            assertThat(far[0].data()).isEqualTo(2);
            local[0].release();
            far[0].release();
        }
    }

    @Test
    @Requirement({"DCORE-INV-3", "DFLT-50"})
    void saysThatAllElementsAreOut() {
        try (BufInventory inventory = BufInventory.create(2).start()) {
            Buf one = inventory.byAddress(mmap, 0, 8);
            RemoteBuf two = inventory.byAddress(remote, 0, 8);
            assertRefused(DocaError.NO_MEMORY, () -> inventory.byAddress(mmap, 0, 8), "2 elements");
            assertRefused(DocaError.NO_MEMORY, () -> inventory.byAddress(remote, 0, 8));
            assertThat(inventory.tryByArgs(mmap, 0, 8, 0, 0)).isNull();
            assertThat(inventory.tryByArgs(remote, 0, 8, 0, 0)).isNull();
            two.release();
            Buf three = inventory.tryByArgs(mmap, 0, 8, 0, 0);
            assertThat(three).isNotNull();
            one.release();
            three.release();
        }
    }

    @Test
    @Requirement("DCORE-INV-3")
    void makesNoBufferOfAnMmapThatIsNotStarted() {
        try (Mmap stopped = Mmap.builder().memrange(64).build();
                BufInventory inventory = BufInventory.create(1).start()) {
            assertRefused(
                    DocaError.BAD_STATE, () -> inventory.byAddress(stopped, 0, 8), "64 bytes");
            stopped.start();
            inventory.byAddress(stopped, 0, 8).release();
            stopped.stop();
            assertRefused(DocaError.BAD_STATE, () -> inventory.tryByArgs(stopped, 0, 8, 0, 0));
        }
    }

    @Test
    @Requirement("DCORE-INV-4")
    void duplicatesTheDescriptorAndSharesTheMemory() {
        try (BufInventory inventory = BufInventory.create(4).start()) {
            Buf buf = inventory.byArgs(mmap, 8, 64, 16, 32);
            Buf copy = inventory.dup(buf);
            assertThat(copy).isNotSameAs(buf);
            assertThat(copy.headSegment().address()).isEqualTo(buf.headSegment().address());
            copy.data(20, 4);
            assertThat(buf.data()).isEqualTo(16);
            buf.release();
            assertShape(copy, 8, 64, 20, 4);
            RemoteBuf far = inventory.byArgs(remote, 8, 64, 16, 32);
            assertShape(inventory.dup(far), 8, 64, 16, 32);
            far.release();
        }
    }

    @Test
    @Requirement("DCORE-INV-4")
    void duplicatesTheHeadOfAListOnly() {
        try (BufInventory inventory = BufInventory.create(4).start()) {
            Buf head = inventory.byAddress(mmap, 0, 8);
            Buf inner = inventory.byAddress(mmap, 8, 8);
            head.chain(inner);
            assertRefused(DocaError.NOT_PERMITTED, () -> inventory.dup(inner), "head");
            Buf copy = inventory.dup(head);
            assertThat(copy.isInList()).isFalse();
            copy.release();
            head.release();
        }
    }

    @Test
    @Requirement("DCORE-INV-5")
    void countsItsElements() {
        try (BufInventory inventory = BufInventory.create(5).start()) {
            assertThat(inventory.count()).isEqualTo(5);
            assertThat(inventory.freeCount()).isEqualTo(5);
            Buf one = inventory.byAddress(mmap, 0, 8);
            RemoteBuf two = inventory.byAddress(remote, 0, 8);
            assertThat(inventory.freeCount()).isEqualTo(3);
            assertThat(inventory.count()).isEqualTo(5);
            one.release();
            two.release();
            assertThat(inventory.freeCount()).isEqualTo(5);
        }
    }

    @Test
    @Requirement("DCORE-INV-6")
    void growsWhileItIsStarted() {
        try (BufInventory inventory = BufInventory.create(1)) {
            assertRefused(DocaError.BAD_STATE, () -> inventory.expand(1), "not started");
            inventory.start();
            Buf one = inventory.byAddress(mmap, 0, 8);
            assertRefused(DocaError.INVALID_VALUE, () -> inventory.expand(0), "0 elements");
            inventory.expand(2);
            assertRefused(
                    DocaError.INVALID_VALUE,
                    () -> inventory.expand((1 << 24) - 2),
                    "valid: 1 to 16777213");
            assertThat(inventory.count()).isEqualTo(3);
            assertThat(inventory.freeCount()).isEqualTo(2);
            Buf two = inventory.byAddress(mmap, 0, 8);
            RemoteBuf three = inventory.byAddress(remote, 0, 8);
            assertThat(inventory.tryByArgs(mmap, 0, 8, 0, 0)).isNull();
            one.release();
            two.release();
            three.release();
        }
    }

    @Test
    @Requirement("DCORE-INV-7")
    void servesSeveralMmapsLocalAndRemote() {
        try (Mmap second = Mmap.builder().memrange(64).build().start();
                BufInventory inventory = BufInventory.create(3).start()) {
            Buf one = inventory.byAddress(mmap, 0, 8);
            Buf two = inventory.byAddress(second, 0, 8);
            RemoteBuf three = inventory.byAddress(remote, 0, 8);
            assertThat(one.mmap()).isSameAs(mmap);
            assertThat(two.mmap()).isSameAs(second);
            assertThat(three.mmap()).isSameAs(remote);
            assertThat(two.address()).isEqualTo(second.address());
            one.release();
            two.release();
            three.release();
        }
    }

    @Test
    @Requirement({"DCORE-THR-6", "DCORE-ERR-6"})
    void ofOneThreadRefusesAnotherWhileBuffersAreOut() throws Exception {
        try (BufInventory inventory = BufInventory.create(2).start();
                ExecutorService another = Executors.newSingleThreadExecutor()) {
            Buf mine = inventory.byAddress(mmap, 0, 8);
            Future<?> theirs =
                    another.submit(() -> {
                        assertRefused(
                                DocaError.BAD_STATE,
                                () -> inventory.byAddress(mmap, 0, 8),
                                "shared");
                        assertRefused(DocaError.BAD_STATE, mine::release, "shared");
                        assertRefused(DocaError.BAD_STATE, () -> inventory.expand(1), "shared");
                    });
            theirs.get();
            assertThat(mine.refCount()).isEqualTo(1);
            mine.release();
            assertThat(inventory.freeCount()).isEqualTo(2);
            another.submit(() -> inventory.byAddress(mmap, 0, 8).release()).get();
        }
    }

    @Test
    @Requirement("DCORE-THR-6")
    void sharedGivesEachElementToOneThreadAtATime() throws Exception {
        try (Mmap busy = Mmap.builder().memrange(256).build().start();
                BufInventory inventory = BufInventory.createShared(ELEMENTS).start()) {
            List<Future<?>> runs = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
                for (int i = 0; i < THREADS; i++) {
                    int offset = i;
                    runs.add(threads.submit(() -> getAndReturn(inventory, busy, offset)));
                }
            }
            for (Future<?> run : runs) {
                assertThat(catchThrowable(run::get)).isNull();
            }
            assertThat(inventory.freeCount()).isEqualTo(ELEMENTS);
            assertThat(busy.bufferCount()).isZero();
        }
    }

    /// Two at a time: sometimes there is no second one. What another thread got too, would have its
    /// values.
    private static void getAndReturn(BufInventory inventory, Mmap mmap, int offset) {
        for (int round = 0; round < ROUNDS; round++) {
            Buf one = inventory.byAddress(mmap, offset, 8);
            Buf two = inventory.tryByArgs(mmap, offset, 16, offset, 2);
            if (one.head() != offset || one.len() != 8 || one.refCount() != 1) {
                throw new AssertionError("somebody else has it: " + one);
            }
            if (two != null) {
                if (two.head() != offset || two.dataLen() != 2) {
                    throw new AssertionError("somebody else has it: " + two);
                }
                one.chain(two);
            }
            one.release();
        }
    }

    private static void assertShape(BufRange buf, long head, long len, long data, long dataLen) {
        assertThat(buf.head()).isEqualTo(head);
        assertThat(buf.len()).isEqualTo(len);
        assertThat(buf.data()).isEqualTo(data);
        assertThat(buf.dataLen()).isEqualTo(dataLen);
        buf.release();
    }
}
