package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class MainTest {
    @Test
    void listsItsCommandsWhenCalledWithoutAWord() {
        Execution run = run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("help", "spec", "version", "generate-completion");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void commandsOfOtherModulesStandBesideItsOwn() {
        assertThat(Main.commandLine().getSubcommands().keySet())
                .containsExactly(
                        "demo",
                        "naa",
                        "node",
                        "verbs",
                        "afu",
                        "dpa",
                        "dpacc",
                        "trace",
                        "new",
                        "bench",
                        "example",
                        "doctor",
                        "explain",
                        "spec",
                        "version",
                        "generate-completion",
                        "help");
    }

    @Test
    void aCommandThatIsNamedStandsAloneAndIsTheSame() {
        assertThat(Main.commandLine("naa", "call").getSubcommands()).containsOnlyKeys("naa");
        Main.commandLine()
                .getSubcommands()
                .forEach((name, command) ->
                        assertThat(
                                        Main.commandLine(name)
                                                .getSubcommands()
                                                .get(name)
                                                .getUsageMessage(Ansi.OFF))
                                .isEqualTo(command.getUsageMessage(Ansi.OFF)));
    }

    @ParameterizedTest
    @MethodSource("allCommands")
    void everyCommandExplainsItself(CommandLine command) {
        assertThat(command.getCommandSpec().findOption("--help")).isNotNull();
        String[] description = command.getCommandSpec().usageMessage().description();
        assertThat(description).isNotEmpty();
        assertThat(description[0]).as("what a list of commands shows").endsWith(".");
        assertThat(command.getUsageMessage(Ansi.OFF)).startsWith("Usage: outboard");
    }

    @Test
    void helpFollowsSeveralWords() {
        assertThat(run("help", "spec").out()).startsWith("Usage: outboard spec");
        assertThat(run("help").out()).startsWith("Usage: outboard ");
    }

    @Test
    void asksWhatAMistypedCommandMeant() {
        assertUsageError(
                run("spce"),
                "unknown command 'spce', did you mean 'spec'? (see 'outboard --help')");
        assertUsageError(
                run("help", "vershn"),
                "unknown command 'vershn', did you mean 'version'? (see 'outboard --help')");
    }

    @Test
    void asksWhatAMistypedOptionMeant() {
        assertUsageError(
                run("spec", "--mising"),
                "unknown option '--mising', did you mean '--missing'? (see 'outboard spec --help')");
    }

    @Test
    void namesAWordTooMany() {
        assertUsageError(
                run("version", "now"), "one word too many: 'now' (see 'outboard version --help')");
    }

    @Test
    void tellsWhichVersionRuns() {
        assertThat(run("version").out())
                .matches("Outboard .+, Java " + Runtime.version().feature() + ".*\\R");
    }

    @Test
    void completionScriptKnowsTheCommands() {
        assertThat(run("generate-completion").out())
                .contains("complete -F _complete_outboard")
                .contains("function _picocli_outboard_spec()");
    }

    private static void assertUsageError(Execution run, String line) {
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("outboard: " + line + System.lineSeparator());
        assertThat(run.out()).isEmpty();
    }

    private static Execution run(String... words) {
        return Execution.of(Main.commandLine(words), words);
    }

    private static Stream<CommandLine> allCommands() {
        return withSubcommands(Main.commandLine());
    }

    private static Stream<CommandLine> withSubcommands(CommandLine command) {
        return Stream.concat(
                Stream.of(command),
                command.getSubcommands().values().stream().flatMap(MainTest::withSubcommands));
    }
}
