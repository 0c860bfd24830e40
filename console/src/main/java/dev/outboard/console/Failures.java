package dev.outboard.console;

import dev.outboard.ccip.rtl.RtlException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// The rule of the house for failures: one line on standard error that says what is wrong, exit
/// code 2 when the words were wrong and 1 when the work failed; a stack trace only with
/// `--verbose`.
final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private final BooleanSupplier verbose;

    Failures(BooleanSupplier verbose) {
        this.verbose = verbose;
    }

    @Override
    public int handleParseException(ParameterException exception, String[] words) {
        CommandLine command = exception.getCommandLine();
        report(command, usageLine(exception), exception);
        return ExitCode.USAGE;
    }

    @Override
    public int handleExecutionException(
            Exception exception, CommandLine command, ParseResult words) {
        report(command, line(exception), exception);
        return ExitCode.SOFTWARE;
    }

    private void report(CommandLine command, String line, Exception exception) {
        PrintWriter err = command.getErr();
        err.println("outboard: " + line);
        if (verbose.getAsBoolean()) {
            exception.printStackTrace(err);
        }
        err.flush();
    }

    private static String usageLine(ParameterException exception) {
        String what =
                exception instanceof UnmatchedArgumentException unmatched
                        ? unmatchedLine(unmatched)
                        : firstLower(inPlainWords(message(exception)));
        String command = exception.getCommandLine().getCommandSpec().qualifiedName();
        return what + " (see '" + command + " --help')";
    }

    /// What picocli says, in words for users: it puts a label before what concerns groups of
    /// options, and speaks of Java's types.
    private static String inPlainWords(String message) {
        return message.replaceFirst("^Error: ", "")
                .replaceFirst("' is not an? (int|long)$", "' is not a whole number");
    }

    private static String unmatchedLine(UnmatchedArgumentException unmatched) {
        boolean hasCommands = !unmatched.getCommandLine().getSubcommands().isEmpty();
        String kind =
                unmatched.isUnknownOption()
                        ? "unknown option"
                        : hasCommands ? "unknown command" : "one word too many:";
        String line = kind + " '" + unmatched.getUnmatched().getFirst() + "'";
        return unmatched.getSuggestions().stream()
                .findFirst()
                .map(meant -> line + ", did you mean '" + meant + "'?")
                .orElse(line);
    }

    /// What the user reads about `failure`. Exceptions of this project and of the file system
    /// explain themselves; any other is a fault of the program, and says so.
    static String line(Throwable failure) {
        Throwable cause = failure.getCause();
        return switch (failure) {
            case UncheckedIOException _ when cause != null -> line(cause);
            case ExecutionException _ when cause != null -> line(cause);
            case CompletionException _ when cause != null -> line(cause);
            case IOException io -> fileLine(io);
            // Which line of the design is wrong stands below the first line.
            case RtlException rtl when rtl.getMessage() != null -> rtl.getMessage();
            case Exception own when isOurs(own) -> message(own);
            default ->
                    "unexpected failure, "
                            + firstLine(failure.toString())
                            + " (--verbose shows where)";
        };
    }

    private static boolean isOurs(Exception exception) {
        return exception.getClass().getName().startsWith("dev.outboard.");
    }

    /// The file system's exceptions carry the name of the file as their message, and nothing else.
    private static String fileLine(IOException failure) {
        return switch (failure) {
            case NoSuchFileException e -> "no such file or directory: " + e.getFile();
            case AccessDeniedException e -> "permission denied: " + e.getFile();
            case FileAlreadyExistsException e -> "exists already: " + e.getFile();
            case NotDirectoryException e -> "not a directory: " + e.getFile();
            default -> message(failure);
        };
    }

    private static String message(Throwable failure) {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : firstLine(message);
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse(text);
    }

    private static String firstLower(String text) {
        return text.isEmpty()
                ? text
                : text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
    }
}
