package dev.outboard.dpa.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.kernel.Sums.Numbers;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RefusedProgramException;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A program of marked methods, called by its stub, on the machine.
class SumsTest {
    /// Second of the globals: the first takes 4 bytes and is followed by as many that are not used.
    private static final long WORKERS = AddressMap.GLOBALS + 8;

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(), RunMode.check(Observer.NONE, 1), RunMode.weak(Profile.SEED, 2));
    }

    private static DpaProcess open(RunMode mode) {
        DpaProcess process =
                DpaProcess.open(
                        MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL),
                        ProgramImage.globals(SumsStub.APP.globalBytes()),
                        mode);
        process.load(SumsStub.APP);
        return process;
    }

    private static void run(DpaProcess process) {
        RunResult result = process.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-JK-1a", "DPA-JK-2c", "DPA-JK-4a"})
    void callsOfTheHostRunOnTheMachine(RunMode mode) {
        DpaProcess process = open(mode);
        long sum = process.heap().allocate(8);
        process.write64(sum, 0);
        long numbers = process.heap().allocate(16);
        process.write(numbers, new byte[] {1, 0, 0, 0, -1, -1, -1, -1, 0, 1, 0, 0, 9, 0, 0, 0});
        DpaAddr first = new DpaAddr(numbers);

        // 1 - 1 + 256 = 256, and 256 + 9 = 265.
        List<DpaCall<DpaThread>> calls =
                List.of(
                        SumsStub.add((short) 3, new Numbers(false, first, 3), new DpaAddr(sum)),
                        SumsStub.add(
                                (short) -1, new Numbers(false, first.plus(8), 2), new DpaAddr(sum)),
                        SumsStub.add((short) 2, new Numbers(true, first, 3), new DpaAddr(sum)));
        for (DpaCall<DpaThread> call : calls) {
            process.thread(call);
        }
        run(process);

        assertThat(process.read64(sum)).isEqualTo(3 * 256 - 265 - 2 * 256);
        assertThat(process.read64(WORKERS)).isEqualTo(calls.size());
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-JK-1a")
    void aFunctionIsAHandlerAsWell(RunMode mode) {
        DpaProcess process = open(mode);
        long sum = process.heap().allocate(8);
        process.write64(sum, 0);
        DpaCall<DpaThread> call =
                SumsStub.add((short) 1, new Numbers(false, new DpaAddr(0), 0), new DpaAddr(sum));
        ThreadHandle handler = process.thread(call, ThreadAttributes.HANDLER);
        process.thread(call, ThreadAttributes.HANDLER);
        process.activate(handler);
        run(process);
        assertThat(process.read64(WORKERS)).isEqualTo(1);
    }

    /// The host's copy of the program is not the one that runs.
    @Test
    void eachProcessHasAProgramOfItsOwn() {
        DpaProcess one = open(RunMode.fast());
        DpaProcess other = open(RunMode.fast());
        one.thread(SumsStub.workers());
        run(one);
        other.thread(SumsStub.workers());
        run(other);
        assertThat(Sums.workers).isNull();
    }

    @Test
    void whatDoesNotFitIsNamed() {
        DpaProcess process =
                DpaProcess.open(MachineOptions.DEFAULT, ProgramImage.globals(8), RunMode.fast());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> process.thread(SumsStub.workers()))
                .withMessage(
                        "The process has not loaded app sums of function sums.workers; it has none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> process.load(SumsStub.APP))
                .withMessage(
                        "App sums needs an image with 16 bytes of globals, as ProgramImage.globals"
                                + " makes");
        assertThatIllegalStateException()
                .isThrownBy(() -> open(RunMode.fast()).load(SumsStub.APP))
                .withMessage(
                        "The process has loaded app sums already; app sums needs a process of its"
                                + " own");
    }

    /// What the processor does not see, since it is in another class, is seen at load.
    @Test
    @Requirement("DPA-JK-8")
    void whatAnAppMustNotTouchRefusesIt() {
        DpaProcess process =
                DpaProcess.open(MachineOptions.DEFAULT, ProgramImage.EMPTY, RunMode.fast());
        assertThatThrownBy(() -> process.load(ForeignStub.APP))
                .isInstanceOf(RefusedProgramException.class)
                .hasMessageContaining("class dev.outboard.dpa.kernel.Foreign, method run")
                .hasMessageContaining("calls dev.outboard.dpa.kernel.Foreigner.now");
    }
}
