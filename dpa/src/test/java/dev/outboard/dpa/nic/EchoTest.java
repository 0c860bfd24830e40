package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.CheckReport;
import dev.outboard.dpa.checker.ProgramCheck;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// A handler that sends back what it receives, over queue pairs of one NIC.
class EchoTest {
    private static void echoesIn(RunMode mode) {
        DpaProcess process = DpaProcess.open(NicFixture.OPTIONS, ProgramImage.EMPTY, mode);
        EchoProgram program = new EchoProgram();
        program.setUp(process);
        RunResult result = process.run();
        String crash = result.crash().map(report -> report.text()).orElse("");
        assertThat(result.end()).as("%s %s %s", mode, result, crash).isEqualTo(End.DONE);
        assertThat(program.echoed(process)).isEqualTo(2 * EchoProgram.ROUNDS);
    }

    @Test
    @Requirement({"DPA-FXE-2", "DPA-FXE-4", "DPA-FXQ-7"})
    void echoesInFast() {
        for (int i = 0; i < 10; i++) {
            echoesIn(RunMode.fast());
        }
    }

    @Test
    @Requirement({"DPA-FXE-2", "DPA-FXE-4", "DPA-FXQ-7", "DPA-MEM-11"})
    void echoesInWeak() {
        for (long seed = 1; seed <= 20; seed++) {
            echoesIn(RunMode.weak(Profile.SEED, seed));
        }
    }

    private static CheckReport check(Class<? extends EchoProgram> program) {
        return ProgramCheck.of(program, HostMemory.class).run(Profile.SEED, 5, 1);
    }

    @Test
    @Requirement({"DPA-CHK-1", "DPA-CHK-4", "DPA-CHK-13"})
    void hasNoFindingUntilSomethingIsForgotten() {
        CheckReport report = check(EchoProgram.class);
        assertThat(report.isClean()).as(report.toString()).isTrue();
        CheckReport unwritten = check(EchoProgram.Unwritten.class);
        assertThat(unwritten.rows()).contains("1");
        // At a line of the program, and not of the code that knows the layout.
        assertThat(unwritten.entries().getFirst().finding().first().place().toString())
                .contains("EchoProgram.java");
        assertThat(check(EchoProgram.Unfenced.class).rows()).containsExactly("4");
        assertThat(check(EchoProgram.Unarmed.class).rows()).contains("13");
    }
}
