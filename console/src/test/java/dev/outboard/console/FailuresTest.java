package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class FailuresTest {
    @Test
    void aFailureOfTheConsoleIsItsMessage() {
        Execution run = fail(false, new CommandException("no node at 127.0.0.2:12345: start one"));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo(
                        "outboard: no node at 127.0.0.2:12345: start one" + System.lineSeparator());
    }

    @Test
    void verboseAddsTheStackTrace() {
        Execution run = fail(true, new CommandException("broken"));

        assertThat(run.err().lines())
                .startsWith("outboard: broken", CommandException.class.getName() + ": broken")
                .anyMatch(line -> line.contains("at " + FailuresTest.class.getName()));
    }

    @Test
    void fileErrorsSayWhatIsWrongWithTheFile() {
        assertThat(Failures.line(new NoSuchFileException("a.png")))
                .isEqualTo("no such file or directory: a.png");
        assertThat(Failures.line(new UncheckedIOException(new AccessDeniedException("a.png"))))
                .isEqualTo("permission denied: a.png");
        assertThat(Failures.line(new IOException("disk full"))).isEqualTo("disk full");
    }

    @Test
    void theCauseOfAWrappedFailureCounts() {
        assertThat(Failures.line(new ExecutionException(new CommandException("broken"))))
                .isEqualTo("broken");
    }

    @Test
    void aFaultOfTheProgramSaysSo() {
        assertThat(Failures.line(new IllegalStateException("odd")))
                .startsWith("unexpected failure, java.lang.IllegalStateException: odd")
                .endsWith("(--verbose shows where)");
    }

    @Test
    void aMessageOfSeveralLinesIsCutToOne() {
        assertThat(Failures.line(new CommandException("first\nsecond"))).isEqualTo("first");
    }

    private static Execution fail(boolean verbose, Exception failure) {
        Failures failures = new Failures(() -> verbose);
        CommandLine command = new CommandLine(new Failing(failure));
        return Execution.of(command.setExecutionExceptionHandler(failures));
    }

    @Command(name = "failing")
    private record Failing(Exception failure) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            throw failure;
        }
    }
}
