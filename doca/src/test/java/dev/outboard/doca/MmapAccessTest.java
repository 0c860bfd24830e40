package dev.outboard.doca;

import static dev.outboard.doca.AccessFlag.LOCAL_READ_WRITE;
import static dev.outboard.doca.AccessFlag.RDMA_READ;
import static dev.outboard.doca.AccessFlag.RDMA_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.SendRequest;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What devices and peers can and cannot do to the memory of an mmap.
class MmapAccessTest {
    private static final int BYTES = 64;
    private static DocaDev near;
    private static DocaDev far;

    private final SendRequest request = new SendRequest();
    private Mmap local;
    private VerbsPair pair;

    @BeforeAll
    static void openDevices() {
        near = TestDevices.open();
        far = TestDevices.open();
    }

    @AfterAll
    static void closeDevices() {
        near.close();
        far.close();
    }

    @BeforeEach
    void connect() {
        pair = new VerbsPair(near, far);
        local =
                Mmap.builder()
                        .device(near)
                        .memrange(BYTES)
                        .permissions(LOCAL_READ_WRITE)
                        .build()
                        .start();
        local.segment().fill((byte) 7);
    }

    @AfterEach
    void close() {
        pair.close();
        local.close();
    }

    @Test
    @Requirement({"DCORE-MMAP-10", "DCORE-MMAP-12"})
    void aPeerReachesTheMemoryByItsExport() {
        try (Mmap target = target(LOCAL_READ_WRITE, RDMA_WRITE)) {
            assertThat(write(target.exportRdma(far))).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(target.segment().mismatch(local.segment())).isEqualTo(-1);
        }
    }

    @Test
    @Requirement("DCORE-MMAP-6")
    void theLocalDeviceReadsWhatItMayNotWrite() {
        try (Mmap source = Mmap.builder().device(near).memrange(BYTES).build().start();
                Mmap target = target(LOCAL_READ_WRITE, RDMA_WRITE)) {
            target.segment().fill((byte) 1);
            assertThat(write(source, target.exportRdma(far))).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
        }
    }

    @Test
    @Requirement("DCORE-MMAP-17")
    void stoppingRevokesWhatWasExported() {
        try (Mmap target = target(LOCAL_READ_WRITE, RDMA_WRITE)) {
            byte[] export = target.exportRdma(far);
            target.stop();
            assertThat(write(export)).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
        }
    }

    @Test
    @Requirement("DCORE-MMAP-17")
    void closingRevokesWhatWasExported() {
        byte[] export;
        try (Mmap target = target(LOCAL_READ_WRITE, RDMA_WRITE)) {
            export = target.exportRdma(far);
        }
        assertThat(write(export)).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    @Requirement("DCORE-MMAP-23")
    void exportsFromBeforeARestartStayDead() {
        try (Mmap target = target(LOCAL_READ_WRITE, RDMA_WRITE)) {
            byte[] before = target.exportRdma(far);
            target.stop();
            target.start();
            assertThat(write(target.exportRdma(far))).isEqualTo(CompletionStatus.SUCCESS);
            target.segment().fill((byte) 0);
            assertThat(write(before)).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
        }
    }

    @Test
    void aPeerMayNotDoWhatWasNotPermitted() {
        try (Mmap target = target(LOCAL_READ_WRITE, RDMA_READ)) {
            assertThat(write(target.exportRdma(far)))
                    .isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
        }
    }

    @Test
    @Requirement({"DCORE-MMAP-24", "DJAVA-MEM-4"})
    void memoryClosedTooEarlyFailsTheRequestOfItsOwner() {
        Arena arena = Arena.ofShared();
        try (Mmap source =
                        Mmap.builder()
                                .device(near)
                                .memrange(arena.allocate(BYTES))
                                .build()
                                .start();
                Mmap target = target(LOCAL_READ_WRITE, RDMA_WRITE)) {
            byte[] export = target.exportRdma(far);
            arena.close();
            assertThat(write(source, export)).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
        }
    }

    @Test
    @Requirement({"DCORE-MMAP-24", "DJAVA-MEM-4"})
    void memoryClosedTooEarlyFailsTheRequestOfAPeer() {
        Arena arena = Arena.ofShared();
        try (Mmap target =
                Mmap.builder()
                        .device(far)
                        .memrange(arena.allocate(BYTES))
                        .permissions(LOCAL_READ_WRITE, RDMA_WRITE)
                        .build()
                        .start()) {
            byte[] export = target.exportRdma(far);
            arena.close();
            assertThat(write(export)).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
        }
    }

    private static Mmap target(AccessFlag... permissions) {
        return Mmap.builder().device(far).memrange(BYTES).permissions(permissions).build().start();
    }

    private CompletionStatus write(byte[] export) {
        return write(local, export);
    }

    private CompletionStatus write(Mmap source, byte[] export) {
        try (RemoteMmap remote = RemoteMmap.fromExport(near, export)) {
            MemoryRegion region = Objects.requireNonNull(source.region(near));
            return pair.complete(
                            request.write(remote.address(), remote.remoteKey())
                                    .payload(region, 0, BYTES))
                    .status();
        }
    }
}
