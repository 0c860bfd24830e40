package dev.outboard.doca;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.spi.ExecutionEnvironment.Kind;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BufArrayTest {
    private static final int MMAP_BYTES = 128;

    private final Mmap mmap = Mmap.builder().memrange(MMAP_BYTES).build().start();

    @AfterEach
    void close() {
        mmap.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    @Requirement("DCORE-ARR-1")
    void hasAtLeastOneElement(int count) {
        assertRefused(DocaError.INVALID_VALUE, () -> BufArray.create(count), "" + count);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "-1, 0", "8, -1"})
    @Requirement("DCORE-ARR-1")
    void elementsHaveASizeAndStartInTheMemory(long elementBytes, long startOffset) {
        try (BufArray array = BufArray.create(2)) {
            assertRefused(
                    DocaError.INVALID_VALUE, () -> array.params(mmap, elementBytes, startOffset));
        }
    }

    @Test
    @Requirement({"DCORE-ARR-1", "DCORE-ARR-4", "DCORE-ARR-5"})
    void elementsLieOneAfterTheOther() {
        try (BufArray array = BufArray.create(3).params(mmap, 16, 8)) {
            array.targetLocal().start();
            assertThat(array.count()).isEqualTo(3);
            for (int i = 0; i < 3; i++) {
                Buf element = array.get(i);
                assertThat(element.mmap()).isSameAs(mmap);
                assertThat(element.head()).isEqualTo(8 + 16L * i);
                assertThat(element.len()).isEqualTo(16);
                assertThat(element.data()).isEqualTo(element.head());
                assertThat(element.dataLen()).isZero();
                element.headSegment().set(ValueLayout.JAVA_BYTE, 0, (byte) (i + 1));
                assertThat(mmap.segment().get(ValueLayout.JAVA_BYTE, 8 + 16L * i))
                        .isEqualTo((byte) (i + 1));
                assertThat(array.get(i)).isSameAs(element);
            }
            assertRefused(DocaError.INVALID_VALUE, () -> array.get(3), "0 to 2");
            assertRefused(DocaError.INVALID_VALUE, () -> array.get(-1), "-1");
        }
    }

    @Test
    @Requirement("DCORE-ARR-2")
    void startsOnceWithTargetAndStartedMmap() {
        BufArray array = BufArray.create(2);
        assertRefused(DocaError.BAD_STATE, array::start, "target");
        array.targetLocal();
        assertRefused(DocaError.BAD_STATE, array::start, "parameters");
        array.params(mmap, 8, 0);
        mmap.stop();
        assertRefused(DocaError.BAD_STATE, array::start, "started mmap");
        assertRefused(DocaError.BAD_STATE, () -> array.get(0), "not started");
        mmap.start();
        array.start();
        assertRefused(DocaError.BAD_STATE, array::start, "started already");
        assertRefused(DocaError.BAD_STATE, () -> array.params(mmap, 8, 0), "started already");
        assertRefused(DocaError.BAD_STATE, array::targetLocal, "started already");
        array.close();
        array.close();
        assertRefused(DocaError.BAD_STATE, array::start, "closed");
        BufArray without = BufArray.create(2).params(mmap, 8, 0);
        assertRefused(DocaError.BAD_STATE, without::start, "target");
    }

    @ParameterizedTest
    @CsvSource({
        "16, 8, 0, true",
        "16, 8, 1, false",
        "17, 8, 0, false",
        "1, 128, 0, true",
        "1, 129, 0, false",
        "1, 1, 127, true",
        "1, 1, 128, false",
        "1, 1, 129, false",
        "2147483647, 9223372036854775807, 0, false",
        "2, 64, 9223372036854775807, false",
    })
    @Requirement("DCORE-ARR-2")
    void needsAnMmapThatHoldsAllElements(int count, long elementBytes, long start, boolean fits) {
        BufArray array = BufArray.create(count).params(mmap, elementBytes, start).targetLocal();
        if (fits) {
            array.start();
            assertThat(array.get(count - 1).tail()).isLessThanOrEqualTo(MMAP_BYTES);
        } else {
            assertRefused(DocaError.NO_MEMORY, array::start, "128 bytes");
        }
        array.close();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("DCORE-ARR-3")
    void anEnvironmentKnowsItByAHandle(Kind kind) {
        FakeEnvironment target = new FakeEnvironment(kind);
        FakeEnvironment other = new FakeEnvironment(kind == Kind.DPA ? Kind.GPU : Kind.DPA);
        BufArray array = BufArray.create(3).params(mmap, 16, 8);
        assertRefused(DocaError.INVALID_VALUE, () -> aim(array, kind, other), "is no " + kind);
        array.targetLocal();
        aim(array, kind, target);
        assertRefused(DocaError.BAD_STATE, () -> handle(array, kind), "not started");
        mmap.stop();
        assertRefused(DocaError.BAD_STATE, array::start, "started mmap");
        mmap.start();
        array.start();
        assertThat(handle(array, kind)).isEqualTo(FakeEnvironment.ARRAY);
        assertThat(target.made)
                .containsExactly(
                        "memory of 128 bytes, [LOCAL_READ_ONLY]",
                        "array of 3 times 16 bytes from 8 on");
        assertRefused(DocaError.NOT_PERMITTED, () -> handle(array, other.kind()), "no handle");
        assertRefused(DocaError.NOT_PERMITTED, () -> array.get(0), "is for " + target);
        assertRefused(DocaError.BAD_STATE, array::start, "started already");
        assertRefused(DocaError.BAD_STATE, () -> aim(array, kind, target), "started already");
        assertRefused(DocaError.NOT_PERMITTED, mmap::stop, "1 buffers");
        array.close();
        assertRefused(DocaError.BAD_STATE, () -> handle(array, kind), "not started");
        assertThat(target.made).hasSize(3).endsWith("array closed");
        mmap.stop();
        assertThat(target.made).hasSize(4).endsWith("memory closed");
    }

    @Test
    @Requirement({"DCORE-ARR-3", "DCORE-DEV-7"})
    void anEnvironmentMayKnowNoArrays() {
        FakeEnvironment target = new FakeEnvironment(Kind.GPU);
        target.refusal = new DocaException(DocaError.NOT_SUPPORTED, "no arrays");
        BufArray array = BufArray.create(1).params(mmap, 8, 0).targetGpu(target);
        assertRefused(DocaError.NOT_SUPPORTED, array::start, "no arrays");
        assertRefused(DocaError.BAD_STATE, array::gpuHandle, "not started");
        array.targetLocal().start();
        assertRefused(DocaError.NOT_PERMITTED, array::gpuHandle, "the CPU");
        assertRefused(DocaError.NOT_PERMITTED, array::dpaHandle, "the CPU");
        assertThat(mmap.bufferCount()).isEqualTo(1);
        array.close();
    }

    @Test
    @Requirement({"DCORE-ARR-2", "DCORE-ARR-3"})
    void elementsMayLieInMemoryOfAPeer() {
        FakeEnvironment target = new FakeEnvironment(Kind.DPA);
        try (DocaDev dev = TestDevices.open();
                Mmap theirs =
                        Mmap.builder()
                                .device(dev)
                                .memrange(MMAP_BYTES)
                                .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_WRITE)
                                .build()
                                .start()) {
            RemoteMmap remote = RemoteMmap.fromExport(dev, theirs.exportRdma(dev));
            BufArray array = BufArray.create(3).params(remote, 16, 8);
            assertRefused(DocaError.BAD_STATE, array::start, "target");
            array.targetLocal();
            assertRefused(DocaError.INVALID_VALUE, array::start, "for the CPU");
            array.targetDpa(target).params(remote, 16, 88);
            assertRefused(DocaError.NO_MEMORY, array::start, "128 bytes");
            array.params(remote, 16, 8).start();
            assertThat(array.dpaHandle()).isEqualTo(FakeEnvironment.ARRAY);
            assertThat(target.made)
                    .containsExactly(
                            "array at %d with key %d of 3 times 16 bytes from 8 on"
                                    .formatted(remote.address(), remote.remoteKey()));
            assertRefused(DocaError.NOT_PERMITTED, remote::close, "1 buffers");
            array.stop();
            assertThat(remote.bufferCount()).isZero();
            assertThat(target.made).hasSize(2).endsWith("array closed");
            assertRefused(DocaError.BAD_STATE, array::start, "started mmap");
            array.params(mmap, 16, 8).start();
            assertThat(target.made).endsWith("array of 3 times 16 bytes from 8 on");
            array.close();
        }
    }

    private static void aim(BufArray array, Kind kind, FakeEnvironment target) {
        switch (kind) {
            case DPA -> array.targetDpa(target);
            case GPU -> array.targetGpu(target);
        }
    }

    private static long handle(BufArray array, Kind kind) {
        return switch (kind) {
            case DPA -> array.dpaHandle();
            case GPU -> array.gpuHandle();
        };
    }

    @Test
    @Requirement("DCORE-ARR-4")
    void elementsAreOrdinaryBuffers() {
        try (BufInventory inventory = BufInventory.create(2).start();
                BufArray array = BufArray.of(mmap, 16, 0, 4)) {
            assertThat(mmap.bufferCount()).isEqualTo(4);
            Buf element = array.get(1);
            element.dataLen(5);
            assertThat(element.tailLen()).isEqualTo(11);
            assertThat(element.retain()).isEqualTo(1);
            assertThat(element.release()).isEqualTo(2);
            assertRefused(DocaError.NOT_PERMITTED, element::release, "as long as the array");
            assertThat(element.refCount()).isEqualTo(1);
            Buf head = inventory.byAddress(mmap, 0, 8);
            head.chain(element);
            head.chain(array.get(3));
            assertThat(head.listLength()).isEqualTo(3);
            assertRefused(DocaError.IN_USE, array::stop, "element 1");
            head.release();
            assertThat(inventory.freeCount()).isEqualTo(2);
            assertThat(element.isInList()).isFalse();
            assertThat(element.dataLen()).isEqualTo(5);
            assertThat(mmap.bufferCount()).isEqualTo(4);
        }
    }

    @Test
    @Requirement("DCORE-ARR-4")
    void elementsAreUselessOnceTheArrayStops() {
        BufArray array = BufArray.of(mmap, 16, 0, 2);
        Buf element = array.get(0);
        assertRefused(DocaError.NOT_PERMITTED, mmap::stop, "2 buffers");
        element.retain();
        assertRefused(DocaError.IN_USE, array::close, "element 0");
        element.release();
        array.stop();
        assertThat(mmap.bufferCount()).isZero();
        assertRefused(DocaError.BAD_STATE, element::dataLen);
        array.start();
        assertRefused(DocaError.BAD_STATE, element::dataLen);
        assertThat(array.get(0).dataLen()).isZero();
        array.close();
    }

    @Test
    @Requirement("DCORE-ARR-5")
    void isMadeOfAnMmapInOneCall() {
        try (BufArray array = BufArray.of(mmap, 32, 64, 2)) {
            assertThat(array.get(1).head()).isEqualTo(96);
        }
        assertRefused(DocaError.NO_MEMORY, () -> BufArray.of(mmap, 32, 64, 3));
        assertRefused(DocaError.INVALID_VALUE, () -> BufArray.of(mmap, 0, 0, 3));
    }
}
