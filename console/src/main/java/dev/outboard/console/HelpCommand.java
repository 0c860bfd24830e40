package dev.outboard.console;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/// `outboard help naa serve`: picocli's own help command knows one level only.
@Command(name = "help", description = "Explain a command: 'outboard help naa serve'.")
final class HelpCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "COMMAND", description = "The words that lead to the command.")
    private List<String> words = List.of();

    @Override
    public void run() {
        CommandLine command = spec.root().commandLine();
        for (String word : words) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null) {
                throw new UnmatchedArgumentException(command, List.of(word));
            }
            command = next;
        }
        command.usage(spec.commandLine().getOut());
    }
}
