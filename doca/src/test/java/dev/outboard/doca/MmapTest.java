package dev.outboard.doca;

import static dev.outboard.doca.AccessFlag.LOCAL_READ_ONLY;
import static dev.outboard.doca.AccessFlag.LOCAL_READ_WRITE;
import static dev.outboard.doca.AccessFlag.RDMA_ATOMIC;
import static dev.outboard.doca.AccessFlag.RDMA_READ;
import static dev.outboard.doca.AccessFlag.RDMA_WRITE;
import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.outboard.fabric.MemoryRegion;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MmapTest {
    private static final int PAGE_BYTES = 4096;
    private static DocaDev dev;
    private static DocaDev other;

    @BeforeAll
    static void openDevices() {
        dev = TestDevices.open();
        other = TestDevices.open();
    }

    @AfterAll
    static void closeDevices() {
        dev.close();
        other.close();
    }

    @Test
    @Requirement({"DCORE-MMAP-1", "DJAVA-API-2", "DJAVA-API-4"})
    void isBuiltStartedUsedStoppedAndClosed() {
        Mmap mmap = Mmap.builder().device(dev).memrange(64).permissions(RDMA_READ).build();
        assertThat(mmap.length()).isEqualTo(64);
        assertThat(mmap.permissions()).containsExactly(RDMA_READ);
        assertThat(mmap.isStarted()).isFalse();
        assertThat(mmap.region(dev)).isNull();
        mmap.start();
        assertThat(mmap.isStarted()).isTrue();
        assertThat(mmap.exportRdma(dev)).isNotEmpty();
        assertRefused(DocaError.BAD_STATE, mmap::start, "started already");
        mmap.close();
        mmap.close();
        assertThat(mmap.isStarted()).isFalse();
        assertThat(mmap.region(dev)).isNull();
        assertRefused(DocaError.BAD_STATE, mmap::start, "closed");
        assertRefused(DocaError.BAD_STATE, mmap::segment, "closed");
        assertRefused(DocaError.BAD_STATE, () -> mmap.addDevice(other), "closed");
    }

    @Test
    @Requirement("DCORE-MMAP-2")
    void takesOneMemoryRange() {
        MmapBuilder builder = Mmap.builder();
        assertRefused(DocaError.INVALID_VALUE, () -> builder.memrange(0), "0");
        assertRefused(DocaError.INVALID_VALUE, () -> builder.memrange(-1), "-1");
        assertRefused(DocaError.INVALID_VALUE, () -> builder.memrange(MemorySegment.NULL), "0");
        assertRefused(
                DocaError.INVALID_VALUE, () -> MmapBuilder.requireRange(-8, 9), "last address");
        MmapBuilder.requireRange(-8, 8);
        assertRefused(DocaError.BAD_STATE, builder::build, "no memory range");
        builder.memrange(64);
        assertRefused(DocaError.NOT_PERMITTED, () -> builder.memrange(64), "set already");
        try (Arena arena = Arena.ofShared();
                Mmap mmap = builder.build().start()) {
            assertRefused(DocaError.BAD_STATE, () -> builder.memrange(64), "memory range");
            assertRefused(DocaError.BAD_STATE, () -> builder.memrange(arena.allocate(8)));
            assertRefused(DocaError.BAD_STATE, builder::build);
            assertThat(mmap.length()).isEqualTo(64);
        }
    }

    @Test
    @Requirement({"DCORE-MMAP-3", "DJAVA-MEM-3"})
    void reportsTheCallersRangeAndKeepsIt() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64);
            try (Mmap mmap = Mmap.builder().memrange(memory).build()) {
                assertThat(mmap.address()).isEqualTo(memory.address());
                assertThat(mmap.length()).isEqualTo(64);
                assertThat(mmap.segment()).isSameAs(memory);
            }
            assertThat(memory.scope().isAlive()).isTrue();
        }
        assertRefused(DocaError.BAD_STATE, () -> Mmap.builder().build());
    }

    @Test
    @Requirement("DCORE-MMAP-5")
    void keepsPermissionsFixedOnceStarted() {
        MmapBuilder builder = Mmap.builder().memrange(64).permissions(LOCAL_READ_WRITE);
        try (Mmap mmap = builder.build().start()) {
            assertRefused(DocaError.BAD_STATE, () -> builder.permissions(RDMA_READ), "permissions");
            assertThat(mmap.permissions()).containsExactly(LOCAL_READ_WRITE);
        }
    }

    @Test
    @Requirement("DCORE-MMAP-6")
    void theLocalDeviceMayReadWhateverTheFlagsSay() {
        try (Mmap mmap = Mmap.builder().device(dev).memrange(64).permissions().build().start();
                Mmap readOnly = Mmap.builder().device(dev).memrange(64).build().start()) {
            assertThat(mmap.region(dev)).isNotNull();
            assertThat(readOnly.permissions()).containsExactly(LOCAL_READ_ONLY);
            assertThat(readOnly.region(dev)).isNotNull();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA_WRITE", "RDMA_ATOMIC"})
    @Requirement("DCORE-MMAP-7")
    void refusesToLetPeersChangeWhatTheDeviceMayNot(AccessFlag flag) {
        try (Mmap mmap = Mmap.builder().memrange(64).permissions(flag).build()) {
            assertRefused(
                    DocaError.INVALID_VALUE, mmap::start, flag.name(), LOCAL_READ_WRITE.name());
            assertThat(mmap.isStarted()).isFalse();
        }
    }

    @Test
    @Requirement("DCORE-MMAP-8")
    void addsAndRemovesDevicesWhileItIsNotStarted() {
        assertRefused(
                DocaError.ALREADY_EXIST, () -> Mmap.builder().device(dev).device(dev), "already");
        assertRefused(
                DocaError.NO_MEMORY,
                () -> Mmap.builder().maxDevices(1).device(dev).device(other),
                "1");
        try (Mmap mmap = Mmap.builder().maxDevices(1).memrange(64).build();
                DocaDev again = DocaDev.open(dev.info())) {
            mmap.addDevice(dev);
            assertRefused(DocaError.ALREADY_EXIST, () -> mmap.addDevice(again), "already");
            assertRefused(DocaError.NO_MEMORY, () -> mmap.addDevice(other), "1");
            assertRefused(
                    DocaError.NOT_FOUND, () -> mmap.removeDevice(other), other.info().toString());
            mmap.start();
            assertRefused(DocaError.NOT_PERMITTED, () -> mmap.addDevice(other), "started");
            assertRefused(DocaError.NOT_PERMITTED, () -> mmap.removeDevice(dev), "started");
            mmap.stop();
            mmap.removeDevice(again);
            mmap.addDevice(other);
            mmap.start();
            assertThat(mmap.region(dev)).isNull();
            assertThat(mmap.region(other)).isNotNull();
        }
    }

    @Test
    @Requirement("DCORE-MMAP-8")
    void refusesDevicesWhileItIsExported() {
        try (Mmap mmap =
                Mmap.builder().device(dev).memrange(64).permissions(RDMA_READ).build().start()) {
            mmap.exportRdma(dev);
            assertRefused(DocaError.NOT_PERMITTED, () -> mmap.addDevice(other));
            assertRefused(DocaError.NOT_PERMITTED, () -> mmap.removeDevice(dev));
        }
    }

    @Test
    @Requirement("DCORE-MMAP-9")
    void keepsTheMaximumOfDevicesOnceStarted() {
        MmapBuilder builder = Mmap.builder().device(dev).device(other).memrange(64);
        assertRefused(DocaError.INVALID_VALUE, () -> builder.maxDevices(1), "from 2");
        builder.maxDevices(2);
        try (Mmap mmap = builder.build().start()) {
            assertRefused(DocaError.NOT_PERMITTED, () -> builder.maxDevices(3), "maximum");
            mmap.stop();
            assertRefused(DocaError.NOT_PERMITTED, () -> builder.maxDevices(3), "maximum");
        }
    }

    @Test
    @Requirement("DCORE-MMAP-10")
    void registersTheRangeWithEveryDevice() {
        MmapBuilder builder = Mmap.builder().device(dev).device(other).memrange(64);
        try (Mmap mmap = builder.build().start();
                DocaDev again = DocaDev.open(dev.info());
                DocaDev third = TestDevices.open()) {
            MemoryRegion region = mmap.region(dev);
            assertThat(region).isNotNull().isSameAs(mmap.region(again));
            assertThat(mmap.region(other)).isNotNull().isNotSameAs(region);
            assertThat(mmap.region(third)).isNull();
            assertThat(region.address()).isEqualTo(mmap.address());
            assertThat(region.length()).isEqualTo(64);
            assertRefused(DocaError.BAD_STATE, () -> builder.freeCallback(memory -> {}));
            assertRefused(DocaError.BAD_STATE, () -> builder.userData("x"));
            assertRefused(DocaError.NOT_PERMITTED, () -> builder.device(third));
        }
    }

    @Test
    @Requirement("DCORE-MMAP-11")
    void staysUnstartedIfOneOfItsDevicesRefusesTheMemory() {
        List<MemoryRegion> all = new ArrayList<>();
        int before = otherRegions();
        try (Arena arena = Arena.ofShared();
                Mmap mmap = Mmap.builder().device(other).device(dev).memrange(64).build()) {
            MemorySegment memory = arena.allocate(8);
            int most = dev.protectionDomain().device().limits().maxMemoryRegions();
            for (int i = 0; i < most; i++) {
                all.add(dev.protectionDomain().register(memory));
            }
            assertRefused(
                    DocaError.NO_MEMORY,
                    mmap::start,
                    dev.info().toString(),
                    "all " + most + " memory keys");
            assertThat(mmap.isStarted()).isFalse();
            assertThat(mmap.region(other)).isNull();
            all.removeLast().close();
            mmap.start();
            assertThat(mmap.region(dev)).isNotNull();
        } finally {
            all.forEach(MemoryRegion::close);
        }
        assertThat(otherRegions()).isEqualTo(before);
    }

    @Test
    void holdsNoDeviceIfItCannotBeBuilt() {
        DocaDev own = TestDevices.open();
        DocaDev closed = TestDevices.open();
        closed.close();
        MmapBuilder builder = Mmap.builder().device(own).device(closed).memrange(64);
        assertRefused(DocaError.BAD_STATE, builder::build, closed.toString());
        own.close();
    }

    /// As the refusal to close the domain counts them; the domain must stay open.
    private static int otherRegions() {
        try (Arena arena = Arena.ofShared();
                MemoryRegion one = other.protectionDomain().register(arena.allocate(8))) {
            assertThat(one.length()).isEqualTo(8);
            String refusal = catchThrowable(other.protectionDomain()::close).getMessage();
            return Integer.parseInt(refusal.replaceAll(".*has (\\d+) memory regions.*", "$1"));
        }
    }

    @Test
    @Requirement({"DCORE-MMAP-18", "DCORE-MMAP-19", "DFLT-52"})
    void staysStartedWhileBuffersPointIntoIt() {
        try (Mmap mmap =
                        Mmap.builder()
                                .device(dev)
                                .memrange(64)
                                .permissions(RDMA_READ)
                                .build()
                                .start();
                BufInventory inventory = BufInventory.create(1).start()) {
            mmap.exportRdma(dev);
            Buf buf = inventory.byAddress(mmap, 0, 8);
            assertRefused(DocaError.NOT_PERMITTED, mmap::stop, "1 buffers");
            assertRefused(DocaError.NOT_PERMITTED, mmap::close, "1 buffers");
            assertThat(mmap.isStarted()).isTrue();
            assertThat(mmap.region(dev)).isNotNull();
            assertThat(mmap.isExported()).isTrue();
            buf.release();
            mmap.stop();
            assertThat(mmap.isStarted()).isFalse();
        }
    }

    @Test
    @Requirement({"DCORE-MMAP-19", "DCORE-MMAP-22"})
    void countsNoBuffersIfItIsThreadSafe() {
        MmapBuilder builder = Mmap.builder().memrange(64).threadSafe();
        Mmap mmap = builder.build().start();
        assertRefused(DocaError.NOT_PERMITTED, () -> builder.threadSafe(), "thread safety");
        try (BufInventory inventory = BufInventory.createShared(1).start()) {
            Buf buf = inventory.byAddress(mmap, 0, 8);
            assertRefused(DocaError.NOT_PERMITTED, mmap::bufferCount, "not counted");
            mmap.close();
            assertRefused(DocaError.BAD_STATE, buf::headSegment, "closed");
            buf.release();
        }
    }

    @Test
    @Requirement("DCORE-MMAP-20")
    void tellsItsBuffersItsExportAndItsUserData() {
        Object data = new Object();
        try (Mmap mmap =
                        Mmap.builder()
                                .device(dev)
                                .memrange(64)
                                .permissions(RDMA_READ)
                                .userData(data)
                                .build()
                                .start();
                BufInventory inventory = BufInventory.create(2).start()) {
            assertThat(mmap.userData()).isSameAs(data);
            assertThat(mmap.isExported()).isFalse();
            byte[] export = mmap.exportRdma(dev);
            assertThat(mmap.isExported()).isTrue();
            assertThat(mmap.bufferCount()).isZero();
            Buf one = inventory.byAddress(mmap, 0, 8);
            Buf two = inventory.byData(mmap, 8, 8);
            assertThat(mmap.bufferCount()).isEqualTo(2);
            two.release();
            assertThat(mmap.bufferCount()).isEqualTo(1);
            try (RemoteMmap remote = RemoteMmap.fromExport(other, export)) {
                RemoteBuf far = inventory.byAddress(remote, 0, 8);
                assertThat(remote.bufferCount()).isEqualTo(1);
                assertThat(mmap.bufferCount()).isEqualTo(1);
                far.release();
            }
            one.release();
            assertThat(mmap.bufferCount()).isZero();
            mmap.stop();
            assertThat(mmap.isExported()).isFalse();
        }
    }

    @Test
    @Requirement("DCORE-MMAP-21")
    void callsTheFreeCallbackOnceAtCloseIfItWasEverStarted() {
        List<MemorySegment> freed = new ArrayList<>();
        Mmap.builder().memrange(64).freeCallback(freed::add).build().close();
        assertThat(freed).isEmpty();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64);
            Mmap mmap = Mmap.builder().memrange(memory).freeCallback(freed::add).build().start();
            mmap.stop();
            assertThat(freed).isEmpty();
            mmap.close();
            mmap.close();
            assertThat(freed).containsExactly(memory);
        }
    }

    @Test
    @Requirement("DCORE-MMAP-21")
    void closesEvenIfTheFreeCallbackThrows() {
        DocaDev own = TestDevices.open();
        RuntimeException failure = new IllegalStateException("from the callback");
        Mmap mmap =
                Mmap.builder()
                        .device(own)
                        .memrange(64)
                        .freeCallback(memory -> {
                            throw failure;
                        })
                        .build()
                        .start();
        MemorySegment memory = mmap.segment();
        assertThat(catchThrowable(mmap::close)).isSameAs(failure);
        assertThat(memory.scope().isAlive()).isFalse();
        own.close();
    }

    @Test
    @Requirement("DCORE-MMAP-23")
    void issuesNewKeysWhenItIsStartedAgain() {
        try (Mmap mmap =
                Mmap.builder().device(dev).memrange(64).permissions(RDMA_READ).build().start()) {
            int first = key(mmap.exportRdma(dev));
            mmap.stop();
            assertRefused(DocaError.NOT_PERMITTED, () -> mmap.exportRdma(dev), "not started");
            mmap.start();
            assertThat(key(mmap.exportRdma(dev))).isNotEqualTo(first);
        }
    }

    @Test
    @Requirement({"DJAVA-MEM-2", "DJAVA-MEM-5"})
    void ownsZeroedMemoryFromAPageOnUntilItIsClosed() {
        Mmap mmap = Mmap.builder().device(dev).memrange(3L * PAGE_BYTES + 1).build();
        MemorySegment memory = mmap.segment();
        assertThat(memory.address() % PAGE_BYTES).isZero();
        assertThat(memory.byteSize()).isEqualTo(3L * PAGE_BYTES + 1);
        assertThat(memory.mismatch(MemorySegment.ofArray(new byte[3 * PAGE_BYTES + 1])))
                .isEqualTo(-1);
        mmap.start();
        mmap.stop();
        memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        mmap.close();
        assertThat(memory.scope().isAlive()).isFalse();
    }

    @Test
    @Requirement("DJAVA-MEM-2")
    void saysThatItsMemoryCannotBeAllocated() {
        assertRefused(
                DocaError.NO_MEMORY,
                () -> Mmap.builder().memrange(Long.MAX_VALUE / 2).build(),
                Long.toString(Long.MAX_VALUE / 2));
    }

    @Test
    @Requirement("DJAVA-MEM-1")
    void refusesHeapMemory() {
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> Mmap.builder().memrange(MemorySegment.ofArray(new byte[64])),
                "Java heap",
                "Arena");
    }

    @Test
    @Requirement("DJAVA-MEM-3")
    void refusesToStartWithMemoryThatIsClosedOrConfinedToAThread() {
        MmapBuilder closed;
        try (Arena arena = Arena.ofShared()) {
            closed = Mmap.builder().device(dev).memrange(arena.allocate(64));
        }
        try (Mmap mmap = closed.build()) {
            assertRefused(DocaError.INVALID_VALUE, mmap::start, "closed");
        }
        try (Arena arena = Arena.ofConfined();
                Mmap mmap = Mmap.builder().device(dev).memrange(arena.allocate(64)).build()) {
            assertRefused(DocaError.INVALID_VALUE, mmap::start, "confined");
            assertThat(mmap.isStarted()).isFalse();
        }
    }

    @Test
    @Requirement("DJAVA-MEM-3")
    void refusesToStartWithReadOnlyMemoryThatTheDeviceMayWrite() {
        try (Arena arena = Arena.ofShared();
                Mmap mmap =
                        Mmap.builder()
                                .device(dev)
                                .memrange(arena.allocate(64).asReadOnly())
                                .permissions(LOCAL_READ_WRITE)
                                .build()) {
            assertRefused(DocaError.INVALID_VALUE, mmap::start, "read-only");
        }
    }

    @Test
    @Requirement("DJAVA-MEM-7")
    void translatesAddressesToOffsets() {
        try (Mmap mmap = Mmap.builder().memrange(64).build()) {
            assertThat(mmap.offsetOf(mmap.address())).isZero();
            assertThat(mmap.offsetOf(mmap.address() + 63)).isEqualTo(63);
            assertRefused(DocaError.INVALID_VALUE, () -> mmap.offsetOf(mmap.address() + 64));
            assertRefused(DocaError.INVALID_VALUE, () -> mmap.offsetOf(mmap.address() - 1), "0x");
        }
    }

    @Test
    void permitsPeersWhatItsFlagsSay() {
        try (Mmap mmap =
                        Mmap.builder()
                                .device(dev)
                                .memrange(64)
                                .permissions(LOCAL_READ_WRITE, RDMA_WRITE, RDMA_ATOMIC)
                                .build()
                                .start();
                RemoteMmap remote = RemoteMmap.fromExport(other, mmap.exportRdma(dev))) {
            assertThat(remote.permissions())
                    .containsExactly(LOCAL_READ_WRITE, RDMA_WRITE, RDMA_ATOMIC);
        }
    }

    private static int key(byte[] export) {
        try (RemoteMmap remote = RemoteMmap.fromExport(other, export)) {
            return remote.remoteKey();
        }
    }
}
