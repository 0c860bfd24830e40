package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/// JARs with routines, made from source while the test runs.
public final class RoutineJar {
    private static final String SERVICE =
            "META-INF/services/dev.outboard.naa.server.RoutineProvider";

    private RoutineJar() {}

    /// Compiles the Java code of a page of the guide, whose class is the provider.
    public static Path ofGuide(Path page, Path jar) throws IOException {
        Matcher code =
                Pattern.compile("```java\n(import .*?)```", Pattern.DOTALL)
                        .matcher(Files.readString(page));
        assertThat(code.find()).as("Java code in " + page).isTrue();
        return of("Scale", code.group(1), jar);
    }

    /// Compiles one class, which is the provider.
    static Path of(String className, String source, Path jar) throws IOException {
        return of(className, source, className, jar);
    }

    /// Compiles one class.
    ///
    /// @param provider what the JAR names as provider; empty to name none
    static Path of(String className, String source, String provider, Path jar) throws IOException {
        Path classes = Files.createTempDirectory(jar.toAbsolutePath().getParent(), "classes");
        compile(className, source, classes);
        if (!provider.isEmpty()) {
            Path service = classes.resolve(SERVICE);
            Files.createDirectories(service.getParent());
            Files.writeString(service, provider + "\n");
        }
        pack(classes, jar);
        return jar;
    }

    private static void compile(String className, String source, Path classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileObject file =
                new SimpleJavaFileObject(
                        URI.create("string:///" + className + ".java"),
                        JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        StringWriter said = new StringWriter();
        boolean compiled =
                compiler.getTask(
                                said,
                                null,
                                null,
                                List.of(
                                        "-proc:none",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        "-d",
                                        classes.toString()),
                                null,
                                List.of(file))
                        .call();
        assertThat(compiled).as(said.toString()).isTrue();
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> content = Files.walk(classes)) {
            for (Path entry : content.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(entry).toString()));
                out.write(Files.readAllBytes(entry));
            }
        }
    }

    /// The source of a provider of one routine.
    ///
    /// @param body of the routine, which has the context as `rpc`
    static String provider(String className, int functionCode, String name, String body) {
        return """
        import dev.outboard.naa.*;
        import dev.outboard.naa.server.*;
        import java.util.List;

        public final class %s implements RoutineProvider {
            @Override
            public List<RoutineSpec> routines() {
                return List.of(RoutineSpec.of(%d, "%s", %s::run));
            }

            private static int run(RpcContext rpc) throws Exception {
                %s
            }
        }
        """
                .formatted(className, functionCode, name, className, body);
    }

    /// Text as the bytes of a file.
    static Path notAJar(Path file) throws IOException {
        return Files.write(file, "not a JAR".getBytes(StandardCharsets.US_ASCII));
    }
}
