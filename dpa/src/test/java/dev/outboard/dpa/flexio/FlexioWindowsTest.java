package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.cc.Clang.Form;
import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Windows that a host makes, and what threads reach through them.
class FlexioWindowsTest {
    private static final int REFUSED = -22;

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.weak(Profile.PARANOID, 3));
    }

    /// In Java and in C.
    static List<Form> forms() {
        return Clang.forms(PrinterStub.APP, modes());
    }

    private static DpaDevice device(RunMode mode) {
        return DpaDevice.of(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXW-1", "DPA-FXW-3"})
    void aThreadReachesMemoryOfTheHostThroughItsWindow(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device(mode), PrinterStub.APP)) {
            FlexioBuffer buffer = FlexioBuffer.create(process, "words", ExternalKind.HOST, 64);
            FlexioMkey key = FlexioMkey.create(process.domain(), buffer, 8, 16, Access.LOCAL_WRITE);
            FlexioWindow window = FlexioWindow.create(process, process.domain());
            DpaAddr word = buffer.address().plus(8);
            for (long round = 0; round < 20; round++) {
                assertThat(buffer.load64(8)).isEqualTo(2 * round);
                assertThat(increment(process, window.number(), key.number(), word))
                        .isEqualTo(2 * round);
                assertThat(process.call(PrinterStub.incrementAgain(word))).isEqualTo(2 * round + 1);
            }
            buffer.store64(8, 1000);
            assertThat(process.call(PrinterStub.incrementAgain(word))).isEqualTo(1000);
            assertThat(buffer.read(8, 8)).isEqualTo(EchoSide.bytes(1001));
            assertThat(buffer.read(0, 8)).containsOnly(0);
        }
    }

    /// The host finds what was copied as soon as the call is over, and the call what the host has
    /// put there before it.
    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-FXW-9", "DPA-MEM-16b"})
    void copiesReachTheHostAndTakeWhatItHasNow(Form form) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(host, device(form.mode()), form.app())) {
            FlexioBuffer buffer = FlexioBuffer.create(process, "bytes", ExternalKind.HOST, 64);
            FlexioMkey key = FlexioMkey.create(process.domain(), buffer, 0, 64, Access.LOCAL_WRITE);
            FlexioWindow window = FlexioWindow.create(process, process.domain());
            for (int round = 0; round < 60; round++) {
                byte[] out = new byte[1 + round % 24];
                Arrays.fill(out, (byte) (100 + round));
                DpaAddr block = process.heap().zeros(64);
                process.heap().copyIn(block, out);
                DpaAddr there = buffer.address().plus(round % 9);
                assertThat(
                                process.call(
                                        PrinterStub.copyThere(
                                                window.number(),
                                                key.number(),
                                                there,
                                                block,
                                                out.length)))
                        .isZero();
                assertThat(buffer.read(round % 9, out.length)).isEqualTo(out);

                for (int value = 0; value < 3; value++) {
                    byte[] in = new byte[out.length];
                    Arrays.fill(in, (byte) (round + value));
                    buffer.write(round % 9, in);
                    process.call(PrinterStub.copyBack(block, there, in.length));
                    assertThat(process.heap().copyOut(block, in.length)).isEqualTo(in);
                }
                assertThat(process.heap().copyOut(block.plus(out.length), 8)).containsOnly(0);
                process.heap().free(block);
            }
        }
    }

    /// What the host finds after a call has set its variable.
    private static long set(RunMode mode, Checker checker, boolean writeBack) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host,
                                device(mode),
                                PrinterStub.APP,
                                FlexioProcess.Attributes.DEFAULT.withObserver(checker))) {
            FlexioBuffer variable = FlexioBuffer.create(process, "var", ExternalKind.HOST, 8);
            FlexioMkey key =
                    FlexioMkey.create(process.domain(), variable, 0, 8, Access.LOCAL_WRITE);
            FlexioWindow window = FlexioWindow.create(process, process.domain());
            long result =
                    process.call(
                            PrinterStub.set(
                                    window.number(),
                                    key.number(),
                                    variable.address(),
                                    0xff,
                                    writeBack ? 1 : 0));
            assertThat(result).isZero();
            return variable.load64(0);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Profile.class,
            names = {"SEED", "PARANOID"})
    @Requirement("DPA-LIT-50")
    void theHostFindsWhatIsWrittenBackForCertain(Profile profile) {
        Set<Long> found = new HashSet<>();
        Set<Long> foundWithout = new HashSet<>();
        for (long seed = 1; seed <= 60; seed++) {
            RunMode mode = RunMode.checkWeak(Observer.NONE, profile, seed);
            Checker clean = new Checker(profile, false);
            found.add(set(mode, clean, true));
            assertThat(clean.findings()).isEmpty();
            Checker checker = new Checker(profile, false);
            foundWithout.add(set(mode, checker, false));
            assertThat(checker.findings())
                    .extracting(Finding::rule)
                    .containsExactly(Rule.MISSING_WINDOW_WRITEBACK);
        }
        assertThat(found).containsExactly(0xffL);
        assertThat(foundWithout).containsExactlyInAnyOrder(0L, 0xffL);
    }

    private static long increment(FlexioProcess process, int window, int key, DpaAddr word) {
        return process.call(PrinterStub.increment(window, key, word));
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-FXW-7", "DPA-ERR-7b", "DPA-ERR-7c", "DPA-FXM-3"})
    void aKeyOrWindowThatIsNotTheirsIsRefusedAndChangesNothing(Form form) {
        try (HostProcess host = HostProcess.open()) {
            DpaDevice device = device(form.mode());
            FlexioProcess process = FlexioProcess.create(host, device, form.app());
            FlexioProcess other = FlexioProcess.create(host, device, form.app());
            FlexioBuffer buffer = FlexioBuffer.create(process, "own", ExternalKind.HOST, 64);
            FlexioBuffer foreign = FlexioBuffer.create(other, "foreign", ExternalKind.HOST, 64);
            int key =
                    FlexioMkey.create(process.domain(), buffer, 0, 64, Access.LOCAL_WRITE).number();
            int foreignKey =
                    FlexioMkey.create(other.domain(), foreign, 0, 64, Access.LOCAL_WRITE).number();
            int wrongDomain =
                    FlexioMkey.create(FlexioPd.create(process), buffer, 0, 64, Access.LOCAL_WRITE)
                            .number();
            int window = FlexioWindow.create(process, process.domain()).number();
            int foreignWindow = FlexioWindow.create(other, other.domain()).number();
            DpaAddr word = buffer.address();

            assertThat(increment(process, window, key, word)).isZero();
            assertThat(increment(process, window, foreignKey, word)).isEqualTo(REFUSED);
            assertThat(increment(process, window, wrongDomain, word)).isEqualTo(REFUSED);
            assertThat(increment(process, window, key + 1, word)).isEqualTo(REFUSED);
            assertThat(increment(process, foreignWindow, key, word)).isEqualTo(REFUSED);
            assertThat(increment(process, window + 1000, key, word)).isEqualTo(REFUSED);
            // What was configured first still holds.
            assertThat(process.call(PrinterStub.incrementAgain(word))).isEqualTo(1);
            assertThat(foreign.read(0, 64)).containsOnly(0);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXW-8")
    void anAccessThatTheKeyDoesNotAllowEndsTheProcess(RunMode mode) {
        fault(mode, 64, "key 0x", Access.LOCAL_WRITE);
        fault(mode, 56, "key 0x");
    }

    /// Increments the last word but one of a buffer under a key for 64 bytes.
    private static void fault(RunMode mode, int offset, String text, Access... access) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device(mode), PrinterStub.APP)) {
            FlexioBuffer buffer = FlexioBuffer.create(process, "words", ExternalKind.HOST, 128);
            FlexioMkey key = FlexioMkey.create(process.domain(), buffer, 0, 64, access);
            int window = FlexioWindow.create(process, process.domain()).number();
            assertThatThrownBy(() ->
                            increment(process, window, key.number(), buffer.address().plus(offset)))
                    .isInstanceOf(FlexioException.class)
                    .hasMessageContaining(text)
                    .hasMessageContaining("words");
            assertThat(process.errorState().exitStatus()).isEqualTo(Fault.WINDOW_DENIED.code());
        }
    }

    @ParameterizedTest
    @EnumSource(value = ExternalKind.class, names = "MMIO", mode = EnumSource.Mode.EXCLUDE)
    @Requirement({"DPA-HW-12", "DPA-HW-15c"})
    void theHostLoadsItsOwnMemoryAndCopiesTheRest(ExternalKind kind) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(host, device(RunMode.fast()), PrinterStub.APP)) {
            FlexioBuffer buffer = FlexioBuffer.create(process, "some", kind, 32);
            buffer.write(8, EchoSide.bytes(77));
            assertThat(buffer.read(8, 8)).isEqualTo(EchoSide.bytes(77));
            if (kind.isDirect()) {
                assertThat(buffer.load64(8)).isEqualTo(77);
            } else {
                refused(() -> buffer.load64(8));
                refused(() -> buffer.store64(8, 1));
            }
            refused(() -> buffer.read(30, 3));
            refused(() -> buffer.write(-1, new byte[1]));
            refused(() -> FlexioMkey.create(process.domain(), buffer, 16, 17));
            refused(() -> FlexioBuffer.create(process, "none", kind, 0));
        }
    }

    private static void refused(Runnable call) {
        Refusals.refused(Reason.BAD_ARGUMENT, call);
    }
}
