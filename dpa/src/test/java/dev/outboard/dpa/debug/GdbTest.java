package dev.outboard.dpa.debug;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.debug.io.GdbServer;
import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.dpa.rv.BareRun;
import dev.outboard.testkit.Requirement;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The real gdb operates programs.
class GdbTest {
    @TempDir private Path directory;

    /// What gdb prints, and how the program has ended.
    private record Session(String text, BareRun.Result result, boolean isLost) {}

    private Session session(String... commands) throws Exception {
        Path elf = Squares.in(directory);
        ElfProgram program = ElfProgram.parse(Files.readAllBytes(elf));
        try (GdbServer server = GdbServer.listen(0);
                Gdb gdb = Gdb.orSkip(server.port(), elf, commands)) {
            Debugger debugger = new Debugger(new ProgramView(program), server);
            server.accept(debugger, Gdb.PATIENCE);
            BareRun run = BareRun.of(program);
            run.follow(debugger);
            BareRun.Result result = run.run(10_000_000);
            result.exitCode().ifPresentOrElse(server::exited, server::crashed);
            return new Session(gdb.text(), result, server.isLost());
        }
    }

    @Test
    @Requirement("DPA-RV-7")
    void itStopsAtALineAndShowsVariablesAndCallers() throws Exception {
        Session session =
                session(
                        "break squares.c:" + Squares.RETURN_LINE,
                        "continue",
                        "print result",
                        "backtrace",
                        "continue",
                        "print result",
                        "x/2i $pc",
                        "info threads",
                        "delete",
                        "continue");
        assertThat(session.text)
                .containsSubsequence(
                        "Breakpoint 1, square (n=1) at ",
                        "squares.c:6\n6\t    return result;",
                        "$1 = 1\n",
                        "#0  square (n=1) at ",
                        "#1  0x",
                        " in _start () at ",
                        "squares.c:20\n",
                        "Breakpoint 1, square (n=2) at ",
                        "$2 = 4\n",
                        "=> 0x",
                        "<square+24>:\tld\ta0,-32(s0)\n",
                        "* 1    Thread 1          square (n=2) at ",
                        "exited with code 016]");
        assertThat(session.result.exitCode()).hasValue(Squares.CODE);
        assertThat(session.isLost).isFalse();
    }

    @Test
    @Requirement("DPA-RV-7")
    void itStepsAndWatchesAndChangesWhatTheProgramHas() throws Exception {
        Session session =
                session(
                        "watch total",
                        "continue",
                        "continue",
                        "print total",
                        "delete",
                        "stepi",
                        "next",
                        "step",
                        "next",
                        "finish",
                        "set variable total = 1000",
                        "print total",
                        "continue");
        assertThat(session.text)
                .containsSubsequence(
                        "Hardware watchpoint 1: total",
                        "Old value = 0\nNew value = 1\n",
                        "Old value = 1\nNew value = 5\n",
                        "$1 = 5\n",
                        "0x",
                        "20\t        total += square(i);",
                        "square (n=3) at ",
                        "5\t    long result = n * n;",
                        "6\t    return result;",
                        " in _start () at ",
                        "Value returned is $2 = 9\n",
                        "$3 = 1000\n",
                        "exited with code 0361]");
        assertThat(session.result.exitCode()).hasValue((1000 + 9) & 0xff);
    }

    @Test
    void aProgramThatIsLeftGoesOnAndOneThatIsKilledEnds() throws Exception {
        Session left = session("break square", "continue", "detach");
        assertThat(left.result.exitCode()).hasValue(Squares.CODE);
        assertThat(left.isLost).isFalse();
        Session killed = session("break square", "continue", "kill");
        assertThat(killed.result.exitCode()).isEmpty();
        assertThat(killed.result.crash()).isEmpty();
        assertThat(session("break square", "continue").result.exitCode()).isEmpty();
    }

    @Test
    void whatIsForbiddenIsASignal() throws Exception {
        Session session =
                session("break square", "continue", "set variable $sp = 8", "continue", "continue");
        assertThat(session.text)
                .containsSubsequence(
                        "Program received signal SIGSEGV, Segmentation fault.",
                        "Program terminated with signal SIGSEGV, Segmentation fault.");
        assertThat(session.result.crash()).isPresent();
    }
}
