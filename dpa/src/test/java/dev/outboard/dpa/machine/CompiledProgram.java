package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.process.DpaProgram;
import dev.outboard.dpacc.DpaAddr;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/// A program `P` that is compiled in the test, as its user would do it, in a class loader of its
/// own.
record CompiledProgram(URLClassLoader loader) implements AutoCloseable {
    private static final String IMPORTS =
            """
            import dev.outboard.dpa.machine.*;
            import dev.outboard.dpa.nic.layout.*;
            import dev.outboard.dpa.process.*;
            """;

    static CompiledProgram of(Path directory, String source) throws IOException {
        Path file = directory.resolve("P.java");
        Files.writeString(file, IMPORTS + source);
        int code =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-g",
                                "-proc:none",
                                "-d",
                                directory.toString(),
                                "-cp",
                                classPath(),
                                file.toString());
        assertThat(code).as(source).isZero();
        return new CompiledProgram(
                new URLClassLoader(
                        new URL[] {directory.toUri().toURL()},
                        CompiledProgram.class.getClassLoader()));
    }

    private static String classPath() {
        return Stream.of(DpaProgram.class, DpaAddr.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /// The line of some text in the file.
    static int line(String source, String text) {
        return (IMPORTS + source).lines().takeWhile(line -> !line.contains(text)).toList().size()
                + 1;
    }

    Class<? extends DpaProgram> type() {
        try {
            return loader.loadClass("P").asSubclass(DpaProgram.class);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
