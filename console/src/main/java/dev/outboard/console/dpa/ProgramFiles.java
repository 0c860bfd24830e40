package dev.outboard.console.dpa;

import dev.outboard.dpa.machine.RefusedProgramException;
import dev.outboard.dpa.process.DpaProgram;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/// JARs and directories of classes, in which a program of kernels is.
record ProgramFiles(CommandLine command, List<Path> files) {

    /// Does something with a class of theirs.
    ///
    /// @throws ParameterException if it cannot be loaded, or fails before it runs
    <T> T with(String program, Function<Class<?>, T> work) throws IOException {
        try (URLClassLoader loader =
                new URLClassLoader(urls(), ProgramFiles.class.getClassLoader())) {
            return work.apply(loader.loadClass(program));
        } catch (ParameterException | CommandException e) {
            throw e;
        } catch (ClassNotFoundException e) {
            throw usage(
                    "no class %s in %s; its name begins with its package, as in com.example.Send"
                            .formatted(program, names()),
                    e);
        } catch (ClassCastException e) {
            throw usage(
                    "class %s does not implement %s".formatted(program, DpaProgram.class.getName()),
                    e);
        } catch (NoClassDefFoundError e) {
            throw usage(
                    "program %s needs %s, which is not in %s"
                            .formatted(program, missing(e), names()),
                    e);
        } catch (RefusedProgramException e) {
            throw usage("program %s is refused. %s".formatted(program, e.getMessage()), e);
        } catch (RuntimeException | LinkageError e) {
            throw usage("program %s cannot be run: %s".formatted(program, reason(program, e)), e);
        }
    }

    private URL[] urls() throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path file : files) {
            if (!Files.exists(file)) {
                throw usage("no such file or directory: " + file, null);
            }
            if (!Files.isDirectory(file)) {
                try {
                    new JarFile(file.toFile()).close();
                } catch (IOException e) {
                    throw usage(file + " is neither a JAR nor a directory of classes", e);
                }
            }
            urls.add(file.toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    private String names() {
        return files.stream().map(Path::toString).collect(Collectors.joining(", "));
    }

    private static String missing(NoClassDefFoundError e) {
        return "class " + String.valueOf(e.getMessage()).replace('/', '.');
    }

    /// What happened first, and where in the program.
    static String reason(String program, Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        boolean wrapped = !root.equals(failure) && failure.getMessage() != null;
        String outermost = program.replaceFirst("\\$.*", "");
        return (wrapped ? failure.getMessage() + ": " : "")
                + root
                + Arrays.stream(root.getStackTrace())
                        .filter(frame -> frame.getClassName().startsWith(outermost))
                        .findFirst()
                        .map(frame -> " at " + frame)
                        .orElse("");
    }

    private ParameterException usage(String problem, @Nullable Throwable cause) {
        return new ParameterException(command, problem, cause);
    }
}
