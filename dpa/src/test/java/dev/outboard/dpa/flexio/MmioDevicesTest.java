package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MmioDevice;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.Access;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Devices behind the node that a program drives through a window.
class MmioDevicesTest {
    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.weak(Profile.BF3_LINES, 3),
                RunMode.checkWeak(Observer.NONE, Profile.PARANOID, 4));
    }

    /// Multiplies by three, and takes a while for it.
    static final class Tripler implements MmioDevice {
        private static final int BYTES = 128;
        private long operand;
        private long result;
        private int busy;

        @Override
        public boolean hasRegister(long offset, int lengthBytes) {
            return lengthBytes == Long.BYTES;
        }

        @Override
        public long read(long offset, int lengthBytes) {
            if (offset == 16) {
                return busy-- > 0 ? 2 : result == 0 ? 0 : 1;
            }
            return offset == 24 ? result : 0;
        }

        @Override
        public void write(long offset, int lengthBytes, long value) {
            if (offset == 8) {
                operand = value;
            } else {
                result = 3 * operand;
                busy = 3;
            }
        }
    }

    private static FlexioProcess open(HostProcess host, RunMode mode, Observer observer) {
        return FlexioProcess.create(
                host,
                DpaDevice.of(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode),
                GadgetsStub.APP,
                FlexioProcess.Attributes.DEFAULT.withObserver(observer));
    }

    private static int key(FlexioProcess process, FlexioBuffer registers) {
        return FlexioMkey.create(
                        process.domain(), registers, 0, registers.lengthBytes(), Access.LOCAL_WRITE)
                .number();
    }

    private static long triple(RunMode mode, Observer observer, int mistake) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode, observer)) {
            FlexioBuffer registers =
                    FlexioBuffer.ofRegisters(process, "tripler", Tripler.BYTES, new Tripler());
            int window = FlexioWindow.create(process, process.domain()).number();
            int key = key(process, registers);
            long sum = 0;
            for (int operand = 1; operand <= 3; operand++) {
                sum +=
                        process.call(
                                GadgetsStub.command(
                                        window, key, registers.address(), operand, mistake));
            }
            return sum;
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXW-11")
    void aProgramDrivesADeviceByItsRegisters(RunMode mode) {
        Checker checker = new Checker(Profile.SEED, false);
        assertThat(triple(mode, checker, 0)).isEqualTo(18);
        assertThat(checker.findings()).isEmpty();
    }

    @Test
    @Requirement("DPA-FXW-11")
    void theCheckerTreatsRegistersAsWindowMemory() {
        assertThat(found(1)).containsExactly(Rule.MISSING_WINDOW_WRITEBACK);
        assertThat(found(2)).containsExactly(Rule.POLL_WITHOUT_READ_INV);
    }

    private static List<Rule> found(int mistake) {
        Checker checker = new Checker(Profile.SEED, false);
        triple(RunMode.check(Observer.NONE, 1), checker, mistake);
        return checker.findings().stream().map(Finding::rule).distinct().toList();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXW-11")
    void aDeviceThatFailsEndsItsProcessAndNoOther(RunMode mode) {
        DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device, GadgetsStub.APP);
                FlexioProcess other = FlexioProcess.create(host, device, GadgetsStub.APP)) {
            MmioDevice broken =
                    new MmioDevice() {
                        @Override
                        public boolean hasRegister(long offset, int lengthBytes) {
                            return true;
                        }

                        @Override
                        public long read(long offset, int lengthBytes) {
                            throw new UnsupportedOperationException("write-only");
                        }

                        @Override
                        public void write(long offset, int lengthBytes, long value) {
                            throw new UnsupportedOperationException("out of order");
                        }
                    };
            FlexioBuffer registers = FlexioBuffer.ofRegisters(process, "wreck", 64, broken);
            int window = FlexioWindow.create(process, process.domain()).number();
            int key = key(process, registers);
            // A store that fails may do so after the call.
            try {
                process.call(GadgetsStub.poke(window, key, registers.address().plus(4), 7));
                process.awaitError(FlexioProcess.CALL_LIMIT);
            } catch (FlexioException e) {
                assertThat(e.reason()).isEqualTo(Reason.PROCESS_ENDED);
            }
            FlexioErrorState state = process.errorState();
            assertThat(state.kind()).isEqualTo(FlexioErrorState.Kind.FATAL);
            assertThat(state.exitStatus()).isEqualTo(Fault.DEVICE_FAILED.code());
            assertThat(state.text()).contains("'wreck'").contains("out of order");

            FlexioBuffer own =
                    FlexioBuffer.ofRegisters(other, "tripler", Tripler.BYTES, new Tripler());
            int otherWindow = FlexioWindow.create(other, other.domain()).number();
            assertThat(
                            other.call(
                                    GadgetsStub.command(
                                            otherWindow, key(other, own), own.address(), 5, 0)))
                    .isEqualTo(15);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXW-11")
    void hostAndNicAreRefusedTheRegisters(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode, Observer.NONE)) {
            FlexioBuffer registers =
                    FlexioBuffer.ofRegisters(process, "tripler", Tripler.BYTES, new Tripler());
            bad("only windows reach them", () -> registers.read(0, 8));
            bad("only windows reach them", () -> registers.write(0, new byte[8]));
            bad("not of MMIO memory 'tripler'", () -> registers.load64(0));
            bad("not of MMIO memory 'tripler'", () -> registers.store64(0, 1));
            bad(
                    "for windows only",
                    () ->
                            FlexioMkey.create(
                                    process.domain(),
                                    registers,
                                    0,
                                    8,
                                    Access.LOCAL_WRITE,
                                    Access.REMOTE_WRITE));
            bad("no key can be made", () -> FlexioMkey.create(process.domain(), registers, 0, 129));
            bad(
                    "device 'tripler': they are for windows only",
                    () ->
                            FlexioCq.create(
                                    process,
                                    FlexioCq.Attributes.of(
                                            registers.address(), 0, process.heap().zeros(8))));
            bad("ofRegisters", () -> FlexioBuffer.create(process, "x", ExternalKind.MMIO, 8));
            bad("at least 1 byte", () -> FlexioBuffer.ofRegisters(process, "x", 0, new Tripler()));
            bad(
                    "reaches no 8 bytes",
                    () ->
                            SimulatedGpu.of(process).stream("stream")
                                    .update64(registers.address(), 1));
        }
    }

    private static void bad(String text, Runnable call) {
        refused(Reason.BAD_ARGUMENT, call).hasMessageContaining(text);
    }
}
