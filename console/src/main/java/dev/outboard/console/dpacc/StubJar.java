package dev.outboard.console.dpacc;

import dev.outboard.dpa.cc.CStub;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/// A JAR with the stub of a device program, compiled, and the executable beside it.
final class StubJar {
    private StubJar() {}

    static void write(CStub stub, String packageName, byte[] elf, Path jar) throws IOException {
        Path classes = Files.createTempDirectory("outboard-dpacc-");
        try {
            compile(stub, classes);
            Path directory = classes.resolve(packageName.replace('.', '/'));
            Files.write(directory.resolve(stub.resource()), elf);
            try (OutputStream out = Files.newOutputStream(jar);
                    JarOutputStream entries = new JarOutputStream(out);
                    Stream<Path> files = Files.walk(classes)) {
                for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                    ZipEntry entry = new ZipEntry(classes.relativize(file).toString());
                    // The same sources make the same bytes.
                    entry.setTime(0);
                    entries.putNextEntry(entry);
                    entries.write(Files.readAllBytes(file));
                }
            }
        } finally {
            delete(classes);
        }
    }

    private static void compile(CStub stub, Path classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new CommandException(
                    "This Java has no compiler for the stub; valid: a JDK, or an output directory,"
                            + " which gets the source of the stub");
        }
        JavaFileObject source =
                new SimpleJavaFileObject(
                        URI.create("string:///" + stub.className() + ".java"),
                        JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return stub.source();
                    }
                };
        StringWriter said = new StringWriter();
        boolean done =
                compiler.getTask(said, null, null, options(classes), null, List.of(source)).call();
        if (!done) {
            throw new CommandException(
                    "The stub %s does not compile: %s".formatted(stub.className(), said));
        }
    }

    /// With what this program itself was started.
    private static List<String> options(Path classes) {
        String modules = System.getProperty("jdk.module.path", "");
        List<String> seen =
                modules.isEmpty()
                        ? List.of("-classpath", System.getProperty("java.class.path", ""))
                        : List.of("--module-path", modules, "--add-modules", "dev.outboard.dpa");
        return Stream.concat(
                        seen.stream(), Stream.of("-proc:none", "-nowarn", "-d", classes.toString()))
                .toList();
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
