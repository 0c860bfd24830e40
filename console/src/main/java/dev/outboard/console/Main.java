package dev.outboard.console;

import dev.outboard.console.afu.AfuCommand;
import dev.outboard.console.demo.DemoCommand;
import dev.outboard.console.dpa.DpaCommand;
import dev.outboard.console.dpacc.DpaccCommand;
import dev.outboard.console.explain.ExplainCommand;
import dev.outboard.console.naa.NaaCommand;
import dev.outboard.console.node.NodeCommand;
import dev.outboard.console.project.NewCommand;
import dev.outboard.console.spec.SpecCommand;
import dev.outboard.console.trace.TraceCommand;
import dev.outboard.console.verbs.VerbsCommand;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import dev.outboard.terminal.Subcommand;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/// The `outboard` command: reads the words, runs the subcommand they name, and ends the process
/// with its exit code. [Failures] turns whatever goes wrong into one line.
@Command(
        name = "outboard",
        description = "A network-attached accelerator, end to end, in software.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "'outboard help COMMAND' explains one command."})
public final class Main implements Runnable {
    /// What Outboard does; below it stands what other modules bring.
    private static final List<Class<?>> COMMANDS =
            List.of(
                    DemoCommand.class,
                    NaaCommand.class,
                    NodeCommand.class,
                    VerbsCommand.class,
                    AfuCommand.class,
                    DpaCommand.class,
                    DpaccCommand.class,
                    TraceCommand.class,
                    NewCommand.class);

    /// What helps with all of that.
    private static final List<Class<?>> HELPERS =
            List.of(
                    DoctorCommand.class,
                    ExplainCommand.class,
                    SpecCommand.class,
                    VersionCommand.class,
                    GenerateCompletion.class,
                    HelpCommand.class);

    @Spec private CommandSpec spec;

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            description = "Show the stack trace of a failure.")
    private boolean verbose;

    private Main() {}

    public static void main(String[] words) {
        int exitCode;
        try {
            exitCode = commandLine(words).execute(words);
        } catch (OutOfMemoryError e) {
            // A region of a size that the machine does not have: a matter of the user's numbers.
            System.err.println("outboard: out of memory: " + e.getMessage());
            exitCode = ExitCode.SOFTWARE;
        }
        System.exit(exitCode);
    }

    /// The command with its rules for failures.
    ///
    /// @param words those that it will read. If the first names a command, that one alone is there:
    ///   to take in the others as well would be most of what a short command costs
    static CommandLine commandLine(String... words) {
        Main main = new Main();
        Failures failures = new Failures(() -> main.verbose);
        CommandLine outboard = new CommandLine(main);
        List<Class<?>> commands =
                Stream.concat(COMMANDS.stream(), commandsOfOtherModules()).toList();
        commands.stream()
                .filter(command -> words.length > 0 && name(command).equals(words[0]))
                .findFirst()
                .ifPresentOrElse(
                        command -> add(outboard, command),
                        () -> {
                            commands.forEach(command -> add(outboard, command));
                            HELPERS.forEach(outboard::addSubcommand);
                        });
        explainAll(outboard);
        return outboard.registerConverter(ByteSize.class, ByteSize::parse)
                .registerConverter(Duration.class, Measure::parseTime)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setExecutionExceptionHandler(failures)
                .setParameterExceptionHandler(failures);
    }

    /// As a command line of its own: picocli asks a command for further options only then.
    private static void add(CommandLine outboard, Class<?> command) {
        outboard.addSubcommand(new CommandLine(command));
    }

    /// In the order of their names: a service loader keeps to none.
    private static Stream<Class<?>> commandsOfOtherModules() {
        return ServiceLoader.load(Subcommand.class).stream()
                .<Class<?>>map(ServiceLoader.Provider::type)
                .sorted(Comparator.comparing(Main::name));
    }

    private static String name(Class<?> command) {
        return Objects.requireNonNull(command.getAnnotation(Command.class)).name();
    }

    /// Gives every command `--help`; picocli's own commands have it.
    private static void explainAll(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        if (spec.findOption("--help") == null) {
            spec.addOption(
                    OptionSpec.builder("-h", "--help")
                            .usageHelp(true)
                            .description("Explain this command.")
                            .build());
        }
        command.getSubcommands().values().forEach(Main::explainAll);
    }

    /// No word at all: says which there are.
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
