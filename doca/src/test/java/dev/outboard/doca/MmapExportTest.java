package dev.outboard.doca;

import static dev.outboard.doca.AccessFlag.LOCAL_READ_ONLY;
import static dev.outboard.doca.AccessFlag.LOCAL_READ_WRITE;
import static dev.outboard.doca.AccessFlag.PCI_READ_ONLY;
import static dev.outboard.doca.AccessFlag.PCI_READ_WRITE;
import static dev.outboard.doca.AccessFlag.RDMA_READ;
import static dev.outboard.doca.AccessFlag.RDMA_WRITE;
import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.blob.Blob;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.testkit.Requirement;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MmapExportTest {
    private static DocaDev dev;
    private static DocaDev peer;

    @BeforeAll
    static void openDevices() {
        dev = TestDevices.open();
        peer = TestDevices.open();
    }

    @AfterAll
    static void closeDevices() {
        dev.close();
        peer.close();
    }

    @Test
    @Requirement({"DCORE-MMAP-3", "DCORE-MMAP-12", "DCORE-MMAP-16"})
    void tellsThePeerWhereTheMemoryIsAndWhichKeyOpensIt() {
        try (Mmap mmap = exportable(dev, peer)) {
            MemoryRegion region = mmap.region(dev);
            MemoryRegion another = mmap.region(peer);
            try (RemoteMmap remote = RemoteMmap.fromExport(peer, mmap.exportRdma(dev));
                    RemoteMmap throughPeer = RemoteMmap.fromExport(dev, mmap.exportRdma(peer))) {
                assertThat(remote.address()).isEqualTo(mmap.address());
                assertThat(remote.length()).isEqualTo(mmap.length());
                assertThat(remote.remoteKey()).isEqualTo(region.remoteKey());
                assertThat(remote.permissions()).isEqualTo(mmap.permissions());
                assertThat(throughPeer.remoteKey()).isEqualTo(another.remoteKey());
            }
        }
    }

    @Test
    @Requirement({"DCORE-MMAP-12", "DFLT-53"})
    void needsAStartedMmapAnAddedDeviceAndAnRdmaPermission() {
        try (Mmap mmap = Mmap.builder().device(dev).memrange(64).permissions(RDMA_READ).build();
                Mmap without =
                        Mmap.builder()
                                .device(dev)
                                .memrange(64)
                                .permissions(LOCAL_READ_WRITE, PCI_READ_WRITE)
                                .build()
                                .start()) {
            assertRefused(DocaError.NOT_PERMITTED, () -> mmap.exportRdma(dev), "not started");
            mmap.start();
            assertRefused(DocaError.NOT_FOUND, () -> mmap.exportRdma(peer), peer.info().toString());
            assertRefused(DocaError.NOT_PERMITTED, () -> without.exportRdma(dev), "RDMA_READ");
            assertThat(without.isExported()).isFalse();
        }
    }

    @Test
    @Requirement({"DCORE-MMAP-13", "DCORE-DEV-7"})
    void cannotBeExportedOverPci() {
        try (Mmap mmap =
                        Mmap.builder().device(dev).memrange(64).permissions(PCI_READ_ONLY).build();
                Mmap without = exportable(dev)) {
            assertRefused(DocaError.NOT_PERMITTED, () -> mmap.exportPci(dev), "not started");
            mmap.start();
            assertRefused(DocaError.NOT_FOUND, () -> mmap.exportPci(peer));
            assertRefused(DocaError.NOT_PERMITTED, () -> without.exportPci(dev), "PCI_READ_ONLY");
            assertThat(Mmap.isExportPciSupported(dev.info())).isFalse();
            assertRefused(DocaError.NOT_SUPPORTED, () -> mmap.exportPci(dev), "PCI");
            assertThat(mmap.isExported()).isFalse();
        }
    }

    @Test
    @Requirement({"DCORE-MMAP-14", "DCORE-MMAP-15"})
    void aDamagedExportIsInvalid() {
        try (Mmap mmap = exportable(dev)) {
            byte[] export = mmap.exportRdma(dev);
            byte[] flipped = export.clone();
            flipped[export.length / 2] ^= 1;
            refused(flipped, "checksum");
            refused(Arrays.copyOf(export, export.length - 1), "cut");
            refused(new byte[0], "cut");
            byte[] foreign = export.clone();
            foreign[5] = 9;
            refused(foreign, "version 9");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "4096, 0, 3, 0 bytes from 0x1000",
        "4096, -1, 3, -1 bytes",
        "-8, 9, 3, 9 bytes from 0xfffffffffffffff8",
        "4096, 64, 128, undefined bits",
        "4096, 64, 1, permits only",
    })
    @Requirement("DCORE-MMAP-15")
    void anExportThatNamesNoUsableMemoryIsInvalid(
            long address, long length, int permissions, String why) {
        ByteBuffer body = ByteBuffer.allocate(28);
        body.putLong(address).putLong(length).putInt(7).putInt(permissions);
        refused(Blob.encode(Blob.Kind.MMAP, body.array()), why);
    }

    @Test
    @Requirement("DCORE-MMAP-15")
    void anExportOfSomethingElseIsInvalid() {
        refused(Blob.encode(Blob.Kind.SYNC_EVENT, new byte[24]), "SYNC_EVENT");
        refused(Blob.encode(Blob.Kind.MMAP, new byte[27]), "address of 3 bytes");
    }

    @Test
    @Requirement("DCORE-MMAP-15")
    void whatIsMadeFromAnExportOffersNoSetterDeviceOrExport() {
        assertThat(
                        Arrays.stream(RemoteMmap.class.getMethods())
                                .filter(method -> method.getDeclaringClass() == RemoteMmap.class)
                                .map(Method::getName))
                .containsExactlyInAnyOrder(
                        "fromExport",
                        "address",
                        "length",
                        "offsetOf",
                        "remoteKey",
                        "handle",
                        "addressFor",
                        "permissions",
                        "host",
                        "isThrough",
                        "isFromExportPciSupported",
                        "bufferCount",
                        "close",
                        "toString");
    }

    @Test
    @Requirement({"DCORE-MMAP-16", "DCORE-MMAP-19", "DJAVA-API-2"})
    void whatIsMadeFromAnExportMakesBuffersWithoutAStart() {
        DocaDev own = TestDevices.open();
        try (Mmap mmap = exportable(dev);
                BufInventory inventory = BufInventory.create(1).start()) {
            RemoteMmap remote = RemoteMmap.fromExport(own, mmap.exportRdma(dev));
            RemoteBuf buf = inventory.byData(remote, 8, 16);
            assertThat(buf.mmap()).isSameAs(remote);
            assertThat(buf.dataAddress()).isEqualTo(mmap.address() + 8);
            assertRefused(DocaError.NOT_PERMITTED, remote::close, "1 buffers");
            assertRefused(DocaError.IN_USE, own::close);
            buf.release();
            remote.close();
            remote.close();
            assertRefused(DocaError.BAD_STATE, () -> inventory.byData(remote, 8, 16), "closed");
        }
        own.close();
    }

    @Test
    @Requirement("DJAVA-MEM-7")
    void translatesAddressesOfThePeerToOffsets() {
        try (Mmap mmap = exportable(dev);
                RemoteMmap remote = RemoteMmap.fromExport(peer, mmap.exportRdma(dev))) {
            assertThat(remote.offsetOf(mmap.address() + 5)).isEqualTo(5);
            assertRefused(
                    DocaError.INVALID_VALUE,
                    () -> remote.offsetOf(mmap.address() + mmap.length()),
                    "remote mmap");
        }
    }

    @Test
    void saysNothingOfThePermissionsThatWereNotGiven() {
        try (Mmap mmap =
                        Mmap.builder()
                                .device(dev)
                                .memrange(64)
                                .permissions(LOCAL_READ_ONLY, RDMA_READ)
                                .build()
                                .start();
                RemoteMmap remote = RemoteMmap.fromExport(peer, mmap.exportRdma(dev))) {
            assertThat(remote.permissions()).isEqualTo(Set.of(LOCAL_READ_ONLY, RDMA_READ));
        }
    }

    private static Mmap exportable(DocaDev... devices) {
        MmapBuilder builder = Mmap.builder().memrange(64);
        for (DocaDev each : devices) {
            builder.device(each);
        }
        return builder.permissions(LOCAL_READ_WRITE, RDMA_READ, RDMA_WRITE).build().start();
    }

    private static void refused(byte[] export, String why) {
        assertRefused(DocaError.INVALID_VALUE, () -> RemoteMmap.fromExport(peer, export), why);
    }
}
