package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.process.DpaProcess;
import org.junit.jupiter.api.Test;

/// Programs by themselves.
class BareRunTest {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);

    private static BareRun.Result run(CodeBuffer code) {
        DpaProcess process = DpaProcess.open(OPTIONS, ProgramImage.EMPTY, RunMode.fast());
        return BareRun.run(
                process, new RvCode(AddressMap.CODE, code.toByteArray()), AddressMap.CODE + 2);
    }

    private static CodeBuffer call(int number) {
        return new CodeBuffer()
                .addHalf(0)
                .immediate("addi", 2, 2, -16)
                .immediate("addi", 5, 0, 42)
                .store("sd", 5, 8, 2)
                .immediate("ld", 10, 2, 8)
                .immediate("addi", 17, 0, number)
                .add("ecall", 0, 0, 0, 0);
    }

    @Test
    void aProgramEndsWithItsCode() {
        BareRun.Result result = run(call(93));
        assertThat(result.run().end()).isEqualTo(End.DONE);
        assertThat(result.exitCode()).isEqualTo(42);
    }

    @Test
    void otherCallsFault() {
        BareRun.Result result = run(call(94));
        assertThat(result.run().crash().map(CrashReport::fault)).contains(Fault.UNKNOWN_CALL);
        assertThat(result.exitCode()).isZero();
    }
}
