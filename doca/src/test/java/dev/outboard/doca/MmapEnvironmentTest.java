package dev.outboard.doca;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.spi.ExecutionEnvironment.Kind;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What execution environments know of mmaps.
class MmapEnvironmentTest {
    private final FakeEnvironment dpa = new FakeEnvironment(Kind.DPA);

    @Test
    void hasOneHandleForEachFromTheFirstUseToTheStop() {
        FakeEnvironment gpu = new FakeEnvironment(Kind.GPU);
        Mmap mmap = Mmap.builder().memrange(64).permissions(AccessFlag.LOCAL_READ_WRITE).build();
        assertRefused(DocaError.BAD_STATE, () -> mmap.handle(dpa), "not started");
        assertRefused(DocaError.BAD_STATE, () -> mmap.addressFor(dpa), "not started");
        mmap.start();
        assertThat(dpa.made).isEmpty();
        int key = mmap.handle(dpa);
        assertThat(mmap.handle(dpa)).isEqualTo(key);
        assertThat(mmap.addressFor(dpa)).isEqualTo(FakeEnvironment.ADDRESS);
        assertThat(dpa.made).containsExactly("memory of 64 bytes, [LOCAL_READ_WRITE]");
        mmap.handle(gpu);
        assertThat(gpu.made).hasSize(1);
        mmap.stop();
        assertThat(dpa.made).hasSize(2).endsWith("memory closed");
        assertThat(gpu.made).hasSize(2).endsWith("memory closed");
        mmap.start();
        assertThat(mmap.handle(dpa)).isNotEqualTo(key);
        mmap.close();
        assertThat(dpa.made).hasSize(4).endsWith("memory closed");
        assertThat(gpu.made).hasSize(2);
    }

    @Test
    void anEnvironmentThatWasStoppedMeanwhileGetsANewHandle() {
        try (Mmap mmap = Mmap.builder().memrange(64).build().start()) {
            int key = mmap.handle(dpa);
            dpa.runs = false;
            int next = mmap.handle(dpa);
            assertThat(next).isNotEqualTo(key);
            dpa.runs = true;
            assertThat(mmap.handle(dpa)).isEqualTo(next);
        }
    }

    @Test
    @Requirement({"DCORE-MMAP-12", "DCORE-MMAP-17"})
    void peersReachMemoryOfAnEnvironmentByItsKey() {
        try (DocaDev dev = TestDevices.open();
                Mmap mmap =
                        Mmap.builder()
                                .device(dev)
                                .memrange(dpa, 0x5000, 100)
                                .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_WRITE)
                                .build()) {
            dpa.refusal = new DocaException(DocaError.INVALID_VALUE, "no such memory");
            assertRefused(DocaError.INVALID_VALUE, mmap::start, "no such memory");
            assertThat(mmap.isStarted()).isFalse();
            dpa.refusal = null;
            mmap.start();
            assertThat(dpa.made)
                    .containsExactly("own 100 bytes at 20480, [LOCAL_READ_WRITE, RDMA_WRITE]");
            try (RemoteMmap remote = RemoteMmap.fromExport(dev, mmap.exportRdma(dev))) {
                assertThat(remote.address()).isEqualTo(0x5000);
                assertThat(remote.length()).isEqualTo(100);
                assertThat(remote.remoteKey()).isEqualTo(mmap.handle(dpa));
                assertThat(remote.host()).isEqualTo(dev.address());
            }
            assertThat(mmap.addressFor(dpa)).isEqualTo(mmap.address()).isEqualTo(0x5000);
            assertThat(mmap.length()).isEqualTo(100);
            assertThat(mmap.region(dev)).isNull();
            assertRefused(DocaError.NOT_SUPPORTED, mmap::segment, "is of fake DPA");
            FakeEnvironment other = new FakeEnvironment(Kind.DPA);
            assertRefused(DocaError.INVALID_VALUE, () -> mmap.handle(other), "does not reach it");
            mmap.stop();
            assertThat(dpa.made).hasSize(2).endsWith("memory closed");
        }
    }

    @Test
    void memoryOfAnEnvironmentIsOneRange() {
        MmapBuilder builder = Mmap.builder();
        for (long length : List.of(0L, -1L)) {
            assertRefused(DocaError.INVALID_VALUE, () -> builder.memrange(dpa, 64, length));
        }
        builder.memrange(dpa, 64, 8);
        assertRefused(DocaError.NOT_PERMITTED, () -> builder.memrange(8), "set already");
        assertRefused(DocaError.NOT_PERMITTED, () -> builder.memrange(dpa, 64, 8), "set already");
        builder.build().close();
        assertThat(dpa.made).isEmpty();
    }
}
