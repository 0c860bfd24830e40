package dev.outboard.console.dpa;

import dev.outboard.dpa.litmus.LitmusSyntaxException;
import dev.outboard.dpa.litmus.LitmusTest;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/// A file with a litmus test: `*.dpa` in the form of this project, `*.litmus` in that of the herd
/// tools.
record LitmusFile(Path path, String text, LitmusTest test) {
    private static final String OWN = ".dpa";
    private static final String HERD = ".litmus";

    /// The tests of files and of directories, those of a directory by name.
    ///
    /// @throws ParameterException if one cannot be understood, or there is none
    static List<LitmusFile> read(CommandLine command, List<Path> paths) {
        List<LitmusFile> files = new ArrayList<>();
        for (Path path : paths) {
            try {
                for (Path file : files(command, path)) {
                    files.add(read(command, file));
                }
            } catch (AccessDeniedException e) {
                throw new ParameterException(command, "permission denied: " + e.getFile(), e);
            } catch (IOException e) {
                throw new ParameterException(
                        command, "%s cannot be read: %s".formatted(path, e.getMessage()), e);
            }
        }
        return files;
    }

    private static List<Path> files(CommandLine command, Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new ParameterException(command, "no such file or directory: " + path);
        }
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (Stream<Path> listed = Files.list(path)) {
            List<Path> tests =
                    listed.filter(file -> file.toString().endsWith(OWN) || isHerd(file))
                            .filter(Files::isRegularFile)
                            .sorted()
                            .toList();
            if (tests.isEmpty()) {
                throw new ParameterException(
                        command,
                        "no file *%s or *%s in the directory %s".formatted(OWN, HERD, path));
            }
            return tests;
        }
    }

    private static boolean isHerd(Path file) {
        return file.toString().endsWith(HERD);
    }

    private static LitmusFile read(CommandLine command, Path file) throws IOException {
        try {
            String text = Files.readString(file);
            LitmusTest test = isHerd(file) ? LitmusTest.parseHerd(text) : LitmusTest.parse(text);
            return new LitmusFile(file, text, test);
        } catch (LitmusSyntaxException e) {
            throw new ParameterException(
                    command, "%s is no litmus test: %s".formatted(file, e.getMessage()), e);
        } catch (StackOverflowError e) {
            throw new ParameterException(
                    command, "%s is no litmus test: it is nested too deeply".formatted(file), e);
        } catch (CharacterCodingException e) {
            throw new ParameterException(
                    command, "%s is no litmus test: it is not text in UTF-8".formatted(file), e);
        }
    }

    /// Whether it is in the form of the herd tools.
    boolean isHerd() {
        return isHerd(path);
    }
}
