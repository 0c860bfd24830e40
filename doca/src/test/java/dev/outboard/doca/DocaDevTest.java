package dev.outboard.doca;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class DocaDevTest {
    private static final int THREADS = 8;
    private static final int ROUNDS = 20;

    /// Not that of the interface, which the device's description gives.
    @Test
    void hasTheAddressThatPeersConnectTo() {
        try (DocaDev dev = TestDevices.open();
                DocaDev other = TestDevices.open()) {
            assertThat(dev.address()).isEqualTo(dev.protectionDomain().device().address());
            assertThat(dev.address()).isNotEqualTo(other.address());
        }
        DocaDev closed = TestDevices.open();
        closed.close();
        assertRefused(DocaError.BAD_STATE, closed::address, "closed");
    }

    @Test
    @Requirement("DCORE-DEV-3")
    void opensOneDeviceForAllReferencesAndReleasesItWithTheLast() {
        DocaDevInfo info = TestDevices.loopback();
        DocaDev first = DocaDev.open(info);
        DocaDev second = DocaDev.open(info);
        Device device = first.protectionDomain().device();
        assertThat(second.protectionDomain().device()).isSameAs(device);
        assertThat(second.isSameDevice(first)).isTrue();
        first.close();
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> Fabric.open("roce://" + device.address().getHostAddress()));
        second.close();
        assertThat(OpenDevice.isOpen(info)).isFalse();
        // The address is free again.
        Fabric.open("roce://" + device.address().getHostAddress()).close();
    }

    @Test
    @Requirement("DCORE-DEV-3")
    void aDeviceOfTheCallersIsReferredToAndNotClosed() {
        try (Device device = RoceLoopback.open()) {
            DocaDev first = DocaDev.of(device);
            DocaDev second = DocaDev.of(device);
            DocaDev named = DocaDev.open(DocaDevInfo.of(device.name()));
            assertThat(first.protectionDomain().device()).isSameAs(device);
            assertThat(second.isSameDevice(first)).isTrue();
            assertThat(named.isSameDevice(first)).isTrue();
            first.close();
            second.close();
            named.close();
            assertThat(device.isOpen()).isTrue();
            assertThat(OpenDevice.isOpen(first.info())).isFalse();
        }
    }

    /// With any library of this process that names the address.
    @Test
    @Requirement("DCORE-DEV-3")
    void aDrawnAddressIsSharedByThoseWhoNameIt() {
        Device device;
        try (DocaDev dev = TestDevices.open();
                DocaDev other = TestDevices.open()) {
            device = dev.protectionDomain().device();
            assertThat(other.protectionDomain().device()).isNotSameAs(device);
            try (DocaDev named = DocaDev.open(DocaDevInfo.of(device.name()));
                    Devices.Share share = Devices.share(device.name())) {
                assertThat(named.isSameDevice(dev)).isTrue();
                assertThat(share.device()).isSameAs(device);
            }
            assertThat(device.isOpen()).isTrue();
        }
        assertThat(device.isOpen()).isFalse();
    }

    @Test
    void functionsOfACardAreDevicesOfTheirOwn() {
        String uri = "sim://doca-functions/10.0.0.1?role=dpu&functions=vf:10.0.0.2,sf:10.0.0.3";
        try (Device card = Fabric.open(uri);
                Device sub = card.openFunction(2);
                DocaDev physical = DocaDev.of(card);
                DocaDev extended = DocaDev.of(sub);
                DocaDev host = DocaDev.open(DocaDevInfo.of(card.functions().get(1).name()))) {
            assertThat(extended.isSameDevice(physical)).isFalse();
            assertThat(extended.address().getHostAddress()).isEqualTo("10.0.0.3");
            assertThat(host.protectionDomain().device().role()).isEqualTo(Device.Role.HOST);
        }
    }

    @Test
    void theListedLoopbackDeviceIsThatOfEverybodyInThisProcess() {
        try (DocaDev listed = DocaDev.open(DocaDevInfo.find(""));
                DocaDev again = DocaDev.open(DocaDevInfo.list().getFirst());
                Devices.Share share = Devices.share(RoceLoopback.URI)) {
            assertThat(again.isSameDevice(listed)).isTrue();
            assertThat(share.device()).isSameAs(listed.protectionDomain().device());
        }
    }

    @Test
    void aClosedDeviceOfTheCallersIsRefused() {
        Device device = RoceLoopback.open();
        device.close();
        assertRefused(DocaError.BAD_STATE, () -> DocaDev.of(device), device.name());
        assertRefused(DocaError.INVALID_VALUE, () -> DocaDev.of(null), "device");
    }

    @Test
    @Requirement({"DCORE-DEV-3", "DJAVA-API-2"})
    void refusesTheLastCloseWhileSomethingUsesTheDevice() {
        DocaDev dev = TestDevices.open();
        DocaDev other = DocaDev.open(dev.info());
        Mmap mmap = Mmap.builder().device(dev).memrange(64).build();
        other.close();
        assertRefused(DocaError.IN_USE, dev::close, dev.info().toString());
        mmap.start();
        assertThat(mmap.region(dev)).isNotNull();
        mmap.close();
        dev.close();
        assertThat(OpenDevice.isOpen(dev.info())).isFalse();
    }

    @Test
    @Requirement("DCORE-DEV-3")
    void refusesTheLastCloseWhileTheVerbsUseTheDevice() {
        DocaDev dev = TestDevices.open();
        try (Arena arena = Arena.ofShared();
                MemoryRegion region = dev.protectionDomain().register(arena.allocate(8))) {
            assertRefused(DocaError.IN_USE, dev::close, "1 memory regions");
            assertThat(region.remoteKey()).isNotZero();
        }
        dev.close();
    }

    @Test
    @Requirement("DJAVA-API-2")
    void closingTwiceTakesOneReferenceOnly() {
        DocaDev first = TestDevices.open();
        try (DocaDev second = DocaDev.open(first.info())) {
            first.close();
            first.close();
            assertThat(OpenDevice.isOpen(second.info())).isTrue();
        }
        assertRefused(DocaError.BAD_STATE, first::protectionDomain, "closed");
        assertRefused(
                DocaError.BAD_STATE,
                () -> Mmap.builder().device(first).memrange(8).build(),
                "closed");
    }

    @Test
    @Requirement("DCORE-DEV-4")
    void givesBackTheInfoItWasOpenedFrom() {
        DocaDevInfo info = DocaDevInfo.list().getFirst();
        try (DocaDev dev = DocaDev.open(info)) {
            assertThat(dev.info()).isEqualTo(info);
            assertThat(dev.info().ifaceName()).isEqualTo(info.ifaceName());
        }
    }

    @Test
    void namesTheDeviceThatCannotBeOpened() {
        assertRefused(
                DocaError.NOT_FOUND,
                () -> DocaDev.open(DocaDevInfo.of("roce://192.0.2.1")),
                "192.0.2.1");
        assertRefused(
                DocaError.NOT_SUPPORTED, () -> DocaDev.open(DocaDevInfo.of("ibv://mlx5_0")), "ibv");
    }

    @Test
    @Requirement("DCORE-THR-5")
    void threadsMayListAskOpenAndCloseAtWill() throws Exception {
        DocaDevInfo info = TestDevices.loopback();
        List<Future<?>> runs = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int i = 0; i < THREADS; i++) {
                runs.add(
                        threads.submit(() -> {
                            for (int round = 0; round < ROUNDS; round++) {
                                openAndUse(info);
                            }
                        }));
            }
        }
        for (Future<?> run : runs) {
            run.get();
        }
        assertThat(OpenDevice.isOpen(info)).isFalse();
    }

    private static void openAndUse(DocaDevInfo info) {
        assertThat(DocaDevInfo.list()).isNotEmpty();
        assertThat(DocaError.describe(6)).isEqualTo("Invalid input");
        try (DocaDev dev = DocaDev.open(info);
                DocaDev again = DocaDev.open(info);
                Mmap mmap =
                        Mmap.builder()
                                .device(dev)
                                .memrange(64)
                                .permissions(AccessFlag.RDMA_READ)
                                .build()
                                .start();
                RemoteMmap remote = RemoteMmap.fromExport(again, mmap.exportRdma(dev))) {
            assertThat(again.isSameDevice(dev)).isTrue();
            assertThat(remote.length()).isEqualTo(64);
        }
    }
}
