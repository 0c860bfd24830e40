package dev.outboard.console.dpacc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/// Puts the options of files in the place of the option that names the files.
final class OptionsFile implements IParameterPreprocessor {
    @Override
    @SuppressWarnings("JdkObsolete") // picocli hands a Stack over.
    public boolean preprocess(
            Stack<String> arguments, CommandSpec spec, ArgSpec option, Map<String, Object> info) {
        if (arguments.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "-optf needs the name of a file");
        }
        for (String file : Words.of(arguments.pop()).reversed()) {
            for (String word : words(file, spec).reversed()) {
                arguments.push(word);
            }
        }
        return true;
    }

    private static List<String> words(String file, CommandSpec spec) {
        try {
            return Words.of(Files.readString(Path.of(file)));
        } catch (IOException e) {
            throw new ParameterException(
                    spec.commandLine(), "options file %s cannot be read: %s".formatted(file, e), e);
        }
    }
}
