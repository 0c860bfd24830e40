package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.flexio.FlexioProcess.Attributes;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a process is made with, and what its memory is called.
class FlexioDomainsTest {
    private static final int REFUSED = -22;

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.checkWeak(Observer.NONE, Profile.PARANOID, 3));
    }

    private static DpaDevice device(RunMode mode) {
        return DpaDevice.of(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode);
    }

    private static FlexioProcess open(HostProcess host, DpaDevice device, Attributes attributes) {
        return FlexioProcess.create(host, device, PrinterStub.APP, attributes);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXP-2")
    void aProcessHasTheDomainThatItIsGivenOrOneOfItsOwn(RunMode mode) {
        DpaDevice device = device(mode);
        try (HostProcess host = HostProcess.open()) {
            FlexioPd given = FlexioPd.create(host, device);
            try (FlexioProcess own = open(host, device, Attributes.DEFAULT);
                    FlexioProcess first = open(host, device, Attributes.DEFAULT.withDomain(given));
                    FlexioProcess second =
                            open(host, device, Attributes.DEFAULT.withDomain(given))) {
                assertThat(own.domain()).isNotEqualTo(given);
                assertThat(own.domain().number()).isPositive().isNotEqualTo(given.number());
                assertThat(first.domain()).isSameAs(given).isSameAs(second.domain());

                FlexioBuffer buffer = FlexioBuffer.create(first, "words", ExternalKind.HOST, 64);
                int window = FlexioWindow.create(first, given).number();
                int key = key(given, buffer);
                int foreign = key(FlexioPd.create(first), buffer);
                assertThat(increment(first, window, key, buffer)).isZero();
                assertThat(increment(first, window, foreign, buffer)).isEqualTo(REFUSED);
                assertThat(increment(first, window, key, buffer)).isEqualTo(1);
                // They share the domain, and still no keys.
                int other = FlexioWindow.create(second, given).number();
                assertThat(increment(second, other, key, buffer)).isEqualTo(REFUSED);
                refused(Reason.IN_USE, given::close);
            }
            given.close();
            assertThat(given.number()).isEqualTo(FlexioObject.NO_NUMBER);
        }
    }

    private static int key(FlexioPd domain, FlexioBuffer buffer) {
        return FlexioMkey.create(domain, buffer, 0, 64, Access.LOCAL_WRITE).number();
    }

    private static long increment(FlexioProcess process, int window, int key, FlexioBuffer buffer) {
        return process.call(PrinterStub.increment(window, key, buffer.address()));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXP-2")
    void whatAProcessCannotBeGivenIsRefused(RunMode mode) {
        DpaDevice device = device(mode);
        HostProcess host = HostProcess.open();
        FlexioPd closed = FlexioPd.create(host, device);
        closed.close();
        FlexioPd kept = FlexioPd.create(host, device);
        refused(Reason.DESTROYED, () -> open(host, device, Attributes.DEFAULT.withDomain(closed)));
        FlexioPd elsewhere = FlexioPd.create(host, device(mode));
        refused(Reason.FOREIGN, () -> open(host, device, Attributes.DEFAULT.withDomain(elsewhere)))
                .hasMessageContaining("another host process or device");
        try (HostProcess other = HostProcess.open()) {
            FlexioPd theirs = FlexioPd.create(other, device);
            refused(
                    Reason.FOREIGN,
                    () -> open(host, device, Attributes.DEFAULT.withDomain(theirs)));
        }
        refused(
                        Reason.NOT_SUPPORTED,
                        () -> open(host, device, Attributes.DEFAULT.withCongestionControl()))
                .hasMessageContaining("congestion control");
        host.close();
        assertThat(kept.number()).isEqualTo(FlexioObject.NO_NUMBER);
        refused(Reason.HOST_PROCESS_GONE, () -> FlexioPd.create(host, device));
    }

    /// A queue whose ring and records are described by memory ids works as any other.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXP-3b")
    void descriptorsOfQueueMemoryNameItByItsId(RunMode mode) {
        DpaDevice device = device(mode);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, device, Attributes.DEFAULT);
                FlexioProcess other = open(host, device, Attributes.DEFAULT)) {
            assertThat(process.memoryId()).isPositive().isNotEqualTo(other.memoryId());
            FlexioBuffer buffer = FlexioBuffer.create(process, "ring", ExternalKind.HOST, 4096);
            DpaAddr block = process.heap().zeros(1024);
            FlexioQueueMemory inDpa = FlexioQueueMemory.ofDpa(process.memoryId(), block);
            FlexioQueueMemory inHost = FlexioQueueMemory.ofHost(buffer.memoryId(), 1024);
            assertThat(inDpa.in(process)).isEqualTo(block);
            assertThat(inHost.in(process)).isEqualTo(buffer.address().plus(1024));
            FlexioCq.create(process, FlexioCq.Attributes.of(inDpa.in(process), 4, block));
            FlexioCq.create(process, FlexioCq.Attributes.of(inHost.in(process), 2, block));
            // The owner bits of fresh entries.
            assertThat(process.heap().copyOut(block.plus(63), 1)).containsExactly(-15);
            assertThat(buffer.read(1024 + 63, 1)).containsExactly(-15);
            assertThat(buffer.read(1024 + 256, 64)).containsOnly(0);

            bad("none of type DPA", () -> inDpa.in(other));
            bad("none of type HOST", () -> inHost.in(other));
            bad(
                    "none of type HOST",
                    () -> FlexioQueueMemory.ofHost(process.memoryId(), 0).in(process));
            bad(
                    "none of type DPA",
                    () -> FlexioQueueMemory.ofDpa(buffer.memoryId(), block).in(process));
            bad(
                    "no offset 4096",
                    () -> FlexioQueueMemory.ofHost(buffer.memoryId(), 4096).in(process));
            bad(
                    "no address of the DPA memory",
                    () ->
                            FlexioQueueMemory.ofDpa(process.memoryId(), buffer.address())
                                    .in(process));
            FlexioBuffer registers =
                    FlexioBuffer.ofRegisters(
                            process, "registers", 64, new MmioDevicesTest.Tripler());
            bad(
                    "only windows reach them",
                    () -> FlexioQueueMemory.ofHost(registers.memoryId(), 0).in(process));
        }
    }

    private static void bad(String text, Runnable call) {
        refused(Reason.BAD_ARGUMENT, call).hasMessageContaining(text);
    }
}
