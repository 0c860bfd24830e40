package dev.outboard.dpacc.processor;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.annotation.processing.Processor;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/// Sources compiled in memory with the processor, and what came of them. A comment `// !` marks the
/// line that an error is expected at.
final class Compilation {
    private static final String THREAD =
            """
            package dev.outboard.dpa.machine;
            public interface DpaThread { void got(Object value); }
            """;

    private static final Pattern TYPE =
            Pattern.compile(
                    "(?m)^(?:public |abstract |final )*"
                            + "(?:class|interface|enum|record|@interface) (\\w+)");

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /// What the compiler said.
    final DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();

    private final Map<String, ByteArrayOutputStream> classes = new TreeMap<>();
    private final Map<String, ByteArrayOutputStream> stubs = new TreeMap<>();
    private final List<String> written = new ArrayList<>();
    private final int expectedLine;

    private Compilation(int expectedLine) {
        this.expectedLine = expectedLine;
    }

    /// Compiles sources, each beginning with its package.
    static Compilation of(String... sources) {
        return of(List.of(new StubProcessor()), Map.of(), sources);
    }

    /// @param before classes of an earlier compilation
    static Compilation of(
            List<Processor> processors, Map<String, byte[]> before, String... sources) {
        int line = 0;
        List<JavaFileObject> files = new ArrayList<>();
        if (before.isEmpty()) {
            files.add(new Source("dev.outboard.dpa.machine.DpaThread", THREAD));
        }
        for (String source : sources) {
            files.add(new Source(nameOf(source), source));
            List<String> lines = source.lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                line = lines.get(i).endsWith("// !") ? i + 1 : line;
            }
        }
        Compilation made = new Compilation(line);
        var task =
                COMPILER.getTask(
                        null,
                        made.new Files(before),
                        made.said,
                        List.of("-Xlint:all,-processing", "-proc:full", "-parameters"),
                        null,
                        files);
        task.setProcessors(processors);
        task.call();
        return made;
    }

    private static String nameOf(String source) {
        String packageName = source.startsWith("package ") ? source.split("[ ;]")[1] + "." : "";
        return packageName
                + TYPE.matcher(source)
                        .results()
                        .findFirst()
                        .map(type -> type.group(1))
                        .orElseThrow(() -> new IllegalArgumentException("no type: " + source));
    }

    /// All that was said, each as `kind line: message`, the expected line as `!`.
    List<String> diagnostics() {
        return said.getDiagnostics().stream().map(this::text).toList();
    }

    private String text(Diagnostic<? extends JavaFileObject> diagnostic) {
        long line = diagnostic.getLineNumber();
        return "%s %s: %s"
                .formatted(
                        diagnostic.getKind(),
                        line == expectedLine ? "!" : String.valueOf(line),
                        diagnostic.getMessage(null));
    }

    /// The text of a stub.
    String stub(String name) {
        return String.valueOf(stubs.get(name));
    }

    /// Names of the classes whose source was written, one for each time.
    List<String> written() {
        return written;
    }

    Map<String, byte[]> classes() {
        Map<String, byte[]> bytes = new TreeMap<>();
        classes.forEach((name, out) -> bytes.put(name, out.toByteArray()));
        return bytes;
    }

    /// A loader of what was compiled.
    ClassLoader load() {
        return new ClassLoader(Compilation.class.getClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                ByteArrayOutputStream out = classes.get(name);
                if (out == null) {
                    throw new ClassNotFoundException(name);
                }
                return defineClass(name, out.toByteArray(), 0, out.size());
            }
        };
    }

    /// A constant of a class.
    static Object constant(Class<?> type, String name) throws ReflectiveOperationException {
        var field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(null);
    }

    /// Calls the only static method of that name.
    static Object call(Class<?> type, String name, Object... arguments)
            throws ReflectiveOperationException {
        Method method =
                Arrays.stream(type.getDeclaredMethods())
                        .filter(each -> each.getName().equals(name))
                        .findFirst()
                        .orElseThrow();
        method.setAccessible(true);
        return method.invoke(null, arguments);
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("mem:///" + name.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Output extends SimpleJavaFileObject {
        private final ByteArrayOutputStream out;

        Output(String name, Kind kind, ByteArrayOutputStream out) {
            super(URI.create("mem:///" + name.replace('.', '/') + kind.extension), kind);
            this.out = out;
        }

        @Override
        public OutputStream openOutputStream() {
            return out;
        }

        @Override
        public java.io.InputStream openInputStream() {
            return new java.io.ByteArrayInputStream(out.toByteArray());
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return out.toString(UTF_8);
        }
    }

    private final class Files extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, byte[]> before;

        Files(Map<String, byte[]> before) {
            super(COMPILER.getStandardFileManager(null, null, null));
            this.before = before;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, Kind kind, FileObject sibling) {
            var files = kind == Kind.SOURCE ? stubs : classes;
            if (kind == Kind.SOURCE) {
                written.add(name);
            }
            return new Output(
                    name, kind, files.computeIfAbsent(name, each -> new ByteArrayOutputStream()));
        }

        @Override
        public Iterable<JavaFileObject> list(
                Location location, String packageName, Set<Kind> kinds, boolean recurse)
                throws IOException {
            List<JavaFileObject> found = new ArrayList<>();
            super.list(location, packageName, kinds, recurse).forEach(found::add);
            if (location == StandardLocation.CLASS_PATH && kinds.contains(Kind.CLASS)) {
                before.forEach((name, bytes) -> {
                    if (name.substring(0, Math.max(0, name.lastIndexOf('.'))).equals(packageName)) {
                        ByteArrayOutputStream out = new ByteArrayOutputStream();
                        out.writeBytes(bytes);
                        found.add(new Output(name, Kind.CLASS, out));
                    }
                });
            }
            return found;
        }

        @Override
        public String inferBinaryName(Location location, JavaFileObject file) {
            return file instanceof Output
                    ? file.toUri().getPath().substring(1).replace(".class", "").replace('/', '.')
                    : super.inferBinaryName(location, file);
        }
    }
}
