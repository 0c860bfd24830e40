package dev.outboard.doca;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaCapabilities;
import dev.outboard.doca.rdma.TaskType;
import dev.outboard.doca.rdma.TransportType;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEventCapabilities;
import dev.outboard.doca.sync.SyncEventTaskType;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceInfo;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.fabric.spi.FabricProvider;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a query answers when it is asked for nothing, or cannot ask the layer below.
class CapabilityQueryTest {
    /// A provider whose operating system tells nothing.
    public static final class Failing implements FabricProvider {
        private static FabricException failure() {
            return new FabricException(
                    FabricException.Reason.SYSTEM, "EMFILE: too many open files");
        }

        @Override
        public String scheme() {
            return "failing";
        }

        @Override
        public List<DeviceInfo> devices() {
            return List.of();
        }

        @Override
        public DeviceInfo describe(DeviceUri location) {
            return new DeviceInfo(location.toString(), Optional.empty(), false);
        }

        @Override
        public Optional<DeviceInfo> at(InetAddress local) {
            return Optional.empty();
        }

        @Override
        public Optional<DeviceInfo> towards(InetAddress peer) {
            return Optional.empty();
        }

        @Override
        public Device open(DeviceUri location) {
            throw failure();
        }

        @Override
        public DeviceLimits limits(DeviceUri location) {
            throw failure();
        }

        @Override
        public List<Finding> diagnose(DeviceUri location) {
            throw failure();
        }
    }

    @Test
    @Requirement("DCORE-DEV-6c")
    void aFailureOfTheLayerBelowIsOneOfTheDriver(@TempDir Path directory) throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(
                services.resolve(FabricProvider.class.getName()), Failing.class.getName());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        URL[] place = {directory.toUri().toURL()};
        try (URLClassLoader withProvider = new URLClassLoader(place, before)) {
            thread.setContextClassLoader(withProvider);
            DocaDevInfo info = DocaDevInfo.of("failing://device");
            assertRefused(DocaError.DRIVER, () -> RdmaCapabilities.of(info), "EMFILE", "failing:");
            assertRefused(DocaError.DRIVER, () -> DocaDev.open(info), "EMFILE");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    @Requirement("DCORE-DEV-6a")
    void whatIsSupportedIsYesOrNo() {
        RdmaCapabilities capabilities = RdmaCapabilities.of(TestDevices.loopback());
        for (TaskType type : TaskType.values()) {
            assertThat(capabilities.supports(type)).as("%s", type).isTrue();
        }
        assertThat(capabilities.supports(TransportType.RC)).isTrue();
        assertThat(capabilities.supports(TransportType.DC)).isFalse();
    }

    @Test
    @Requirement({"DCORE-DEV-5", "DCORE-DEV-7"})
    void syncEventsGoToPeersAndHaveAllTasks() {
        SyncEventCapabilities capabilities = SyncEventCapabilities.of(TestDevices.loopback());
        assertThat(capabilities.exports()).containsExactly(Location.REMOTE_NET);
        assertThat(capabilities.imports()).containsExactly(Location.REMOTE_NET);
        assertThat(SyncEventTaskType.values()).hasSize(5).allMatch(capabilities::supports);
        DocaDevInfo unknown = DocaDevInfo.of("none://here");
        assertRefused(DocaError.NOT_SUPPORTED, () -> SyncEventCapabilities.of(unknown), "none");
    }

    @Test
    @Requirement("DCORE-DEV-7")
    void memoryOfTheOtherSideOfThePciBusIsNotReached() {
        DocaDevInfo info = TestDevices.loopback();
        assertThat(Mmap.isExportPciSupported(info)).isFalse();
        assertThat(RemoteMmap.isFromExportPciSupported(info)).isFalse();
    }

    @Test
    @Requirement("DCORE-CTX-20")
    void aContextUsesOneOfTheCompletionVectorsOfItsDevice() {
        try (DocaDev dev = TestDevices.open();
                ProgressEngine engine = ProgressEngine.create();
                Rdma rdma = new Rdma(dev)) {
            int vectors = Ctx.completionVectors(dev.info());
            assertThat(vectors).isPositive();
            assertThat(rdma.completionVector()).as("by default").isZero();
            for (int vector = 0; vector < vectors; vector++) {
                assertThat(rdma.completionVector(vector).completionVector()).isEqualTo(vector);
            }
            assertRefused(
                    DocaError.INVALID_VALUE,
                    () -> rdma.completionVector(vectors),
                    "completion vector is " + vectors,
                    "0 to " + (vectors - 1));
            assertRefused(DocaError.INVALID_VALUE, () -> rdma.completionVector(-1));
            rdma.attach(engine).start();
            assertRefused(DocaError.BAD_STATE, () -> rdma.completionVector(0), "STARTING");
        }
        DocaDevInfo unknown = DocaDevInfo.of("none://here");
        assertRefused(DocaError.NOT_SUPPORTED, () -> Ctx.completionVectors(unknown), "none");
    }

    @Test
    @Requirement("DCORE-DEV-6b")
    void badInputIsInvalid() {
        RdmaCapabilities capabilities = RdmaCapabilities.of(TestDevices.loopback());
        assertRefused(DocaError.INVALID_VALUE, () -> DocaDevInfo.of("no uri"));
        assertRefused(DocaError.INVALID_VALUE, () -> capabilities.gids(-1, 1));
        assertRefused(DocaError.INVALID_VALUE, () -> capabilities.gids(0, -1));
        assertRefused(DocaError.INVALID_VALUE, () -> capabilities.gids(0, 2));
    }
}
