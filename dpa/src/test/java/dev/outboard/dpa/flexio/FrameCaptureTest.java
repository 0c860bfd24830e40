package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.FrameQueuesTest.frame;
import static dev.outboard.dpa.flexio.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.NicPort;
import dev.outboard.dpa.nic.PortCounters.Drop;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.testkit.CaptureFile;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The wire of a device as pcapng files.
class FrameCaptureTest {
    private static final int ETHERNET = 1;
    private static final int TYPE = 0x88B5;
    private static final MacAddress ELSEWHERE = MacAddress.of("02:00:00:00:00:77");

    @TempDir private Path directory;

    private static DpaDevice device(RunMode mode) {
        return DpaDevice.of(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode, 2);
    }

    private static FrameSide side(FlexioProcess process) {
        return new FrameSide(process, process.uar());
    }

    /// Sends frames before, during and after a capture; of those during it one stays in the device.
    private Path departures(RunMode mode, String name) {
        Path out = directory.resolve(name);
        DpaDevice device = device(mode);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device, FramesStub.APP)) {
            FrameSide side = side(process);
            MacAddress own = device.port(0).address();
            side.send(frame(ELSEWHERE, own, TYPE, 99), 0);
            FrameCapture capture = FrameCapture.create(device, out);
            side.send(frame(ELSEWHERE, own, TYPE, 61), 0);
            side.send(frame(device.port(1).address(), own, TYPE, 62), 0);
            side.send(frame(MacAddress.BROADCAST, own, TYPE, 20), 0);
            refused(Reason.IN_USE, () -> FrameCapture.create(device, directory.resolve("second")));
            capture.close();
            capture.close();
            side.send(frame(ELSEWHERE, own, TYPE, 98), 0);
        }
        return out;
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.dpa.flexio.FrameQueuesTest#modes")
    @Requirement("DPA-FXQ-12")
    void whatLeavesTheDeviceIsWritten(RunMode mode) throws IOException {
        Path out = departures(mode, "out.pcapng");
        MacAddress own = device(mode).port(0).address();
        List<CaptureFile.Entry> left = CaptureFile.read(out);
        assertThat(left).hasSize(2);
        assertThat(left.get(0).packet()).isEqualTo(frame(ELSEWHERE, own, TYPE, 61));
        assertThat(left.get(1).packet())
                .isEqualTo(Arrays.copyOf(frame(MacAddress.BROADCAST, own, TYPE, 20), 60));
        assertThat(left).extracting(CaptureFile.Entry::epochNanos).containsExactly(1000L, 2000L);
        assertThat(left).extracting(CaptureFile.Entry::direction).containsOnly(2);
        assertThat(departures(mode, "again.pcapng")).hasSameBinaryContentAs(out);
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.dpa.flexio.FrameQueuesTest#modes")
    @Requirement("DPA-FXQ-12")
    void framesOfAFileComeToAPort(RunMode mode) {
        Path in = directory.resolve("in.pcapng");
        DpaDevice device = device(mode);
        List<byte[]> frames =
                List.of(
                        frame(ELSEWHERE, ELSEWHERE, TYPE, 42),
                        frame(ELSEWHERE, ELSEWHERE, TYPE + 1, 60),
                        frame(ELSEWHERE, ELSEWHERE, TYPE, 128),
                        new byte[13],
                        new byte[NicPort.MAX_FRAME_BYTES + 1]);
        CaptureFile.write(in, ETHERNET, frames);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device, FramesStub.APP)) {
            FrameSide side = side(process);
            FlexioFlow.create(side.receiver, FlowMatch.etherType(TYPE));
            assertThat(FrameCapture.replay(in, device.port(0))).isEqualTo(2);
            assertThat(side.take().byteCount()).isEqualTo(42);
            assertThat(side.take().byteCount()).isEqualTo(128);
            assertThat(side.received(0, 42)).isEqualTo(frames.get(0));
            assertThat(side.received(1, 128)).isEqualTo(frames.get(2));
            for (Drop reason : List.of(Drop.UNSTEERED, Drop.TOO_SHORT, Drop.TOO_LONG)) {
                assertThat(device.port(0).counters().framesDropped(reason)).isEqualTo(1);
            }
        }
    }

    @Test
    @Requirement("DPA-FXQ-12")
    void aFileThatHasNoFramesIsRefused() throws IOException {
        DpaDevice device = device(RunMode.fast());
        NicPort port = device.port(0);
        Path in = directory.resolve("in.pcapng");
        CaptureFile.write(in, 101, List.of(new byte[20]));
        refused(Reason.BAD_ARGUMENT, () -> FrameCapture.replay(in, port))
                .hasMessageContaining("link type 101");
        Files.writeString(in, "nothing of the kind");
        refused(Reason.BAD_ARGUMENT, () -> FrameCapture.replay(in, port))
                .hasMessageContaining(in.toString());
        Path none = directory.resolve("none/out.pcapng");
        refused(Reason.BAD_ARGUMENT, () -> FrameCapture.replay(none, port));
        refused(Reason.BAD_ARGUMENT, () -> FrameCapture.create(device, none));
        refused(Reason.BAD_ARGUMENT, () -> device.port(2));
    }
}
