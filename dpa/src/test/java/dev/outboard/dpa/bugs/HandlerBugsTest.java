package dev.outboard.dpa.bugs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.CheckReport;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.LitmusCheck;
import dev.outboard.dpa.checker.ProgramCheck;
import dev.outboard.dpa.checker.ProgramRepair;
import dev.outboard.dpa.checker.Repair;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

class HandlerBugsTest {
    private static final int RUNS = LitmusCheck.RUNS;

    private static CheckReport check(Class<? extends DpaProgram> program) {
        return ProgramCheck.of(program).run(Profile.SEED, RUNS, 1);
    }

    /// What remains of WEAK runs.
    private static Set<Long> weak(DpaProgram program, ToLongFunction<DpaProcess> result) {
        Set<Long> results = new TreeSet<>();
        for (long seed = 1; seed <= 100; seed++) {
            DpaProcess process =
                    DpaProcess.open(
                            MachineOptions.DEFAULT,
                            ProgramImage.EMPTY,
                            RunMode.weak(Profile.SEED, seed));
            program.setUp(process);
            process.run();
            results.add(result.applyAsLong(process));
        }
        return results;
    }

    private static String line(Class<?> program, int number) throws IOException {
        String path = "dpa/src/test/java/" + program.getName().replace('.', '/') + ".java";
        List<String> lines = Files.readAllLines(Repository.root().resolve(path));
        return lines.get(number - 1).strip();
    }

    @Test
    @Requirement({"DPA-CHK-5", "DPA-CHK-20", "DPA-MEM-14"})
    void aCopyOutlivesTheActivationThatFetchedIt() throws IOException {
        StaleHandler program = new StaleHandler();
        assertThat(weak(program, program::used))
                .containsExactly(StaleHandler.OLD, StaleHandler.NEW);
        CheckReport report = check(StaleHandler.class);
        assertThat(report.rows()).containsExactly("5");
        Finding finding = report.entries().getFirst().finding();
        assertThat(report.entries()).hasSize(1);
        assertThat(finding.first().action()).isEqualTo("fetch");
        String load = "long limit = thread.load64(table);";
        assertThat(line(StaleHandler.class, finding.first().place().line())).isEqualTo(load);
        assertThat(line(StaleHandler.class, finding.second().place().line())).isEqualTo(load);
        Repair repair =
                ProgramRepair.find(
                        edits ->
                                ProgramCheck.of(StaleHandler.class)
                                        .run(Profile.SEED, RUNS, 1, edits),
                        report,
                        ProgramEdits.NONE);
        assertThat(repair.toString()).contains("insert thread.windowReadInv(); before");
    }

    @Test
    @Requirement("DPA-CHK-13")
    void aQueueThatIsNotArmedWakesNobody() throws IOException {
        UnarmedHandler program = new UnarmedHandler();
        assertThat(weak(program, program::taken)).contains(1L);
        CheckReport report = check(UnarmedHandler.class);
        assertThat(report.rows()).containsExactly("13");
        Finding finding = report.entries().getFirst().finding();
        assertThat(line(UnarmedHandler.class, finding.second().place().line()))
                .isEqualTo("thread.reschedule();");
        UnarmedHandler armed = new UnarmedHandler.Armed();
        assertThat(weak(armed, armed::taken)).containsExactly(2L);
        assertThat(check(UnarmedHandler.Armed.class).isClean()).isTrue();
    }
}
