package dev.outboard.console.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

/// Programs as their users compile them: not on the class path of the tests.
final class Programs {
    /// A class for others to need.
    static final String GONE = "class Gone { void run() {} }";

    /// Its kernel does what the machine forbids.
    static final String FAULTY =
            "class Faulty implements DpaProgram { public void setUp(DpaProcess p) {"
                    + " p.thread(\"t\", t -> t.load64(5)); } }";

    /// Its kernel waits for a word that nobody writes.
    static final String WAITING =
            "class Waiting implements DpaProgram { public void setUp(DpaProcess p) {"
                    + " long a = p.heap().allocate(8); p.write64(a, 0);"
                    + " p.thread(\"t\", t -> { while (t.load64(a) == 0) {} }); } }";

    /// Its kernel never ends, in a class of its own.
    static final String ENDLESS =
            "class Endless implements DpaProgram { public void setUp(DpaProcess p) {"
                    + " p.thread(\"t\", t -> Loop.run()); } }";

    /// What it does.
    static final String LOOP = "class Loop { static void run() { while (true) {} } }";

    /// Its kernel calls itself without end.
    static final String DEEP =
            "class Deep implements DpaProgram { public void setUp(DpaProcess p) {"
                    + " p.thread(\"t\", t -> run(1)); }"
                    + " static int run(int n) { return run(n + 1) + 1; } }";

    private Programs() {}

    /// Compiles classes, each a line behind two of imports.
    static Path compile(Path directory, String... sources) throws IOException {
        Path classes = Files.createDirectories(directory.resolve("classes"));
        List<String> words = new ArrayList<>(List.of("-g", "-proc:full", "-d", classes.toString()));
        words.addAll(List.of("-cp", System.getProperty("java.class.path")));
        for (String source : sources) {
            String name = source.replaceFirst("(?s).*?\\bclass (\\w+).*", "$1");
            Path file = directory.resolve(name + ".java");
            Files.writeString(
                    file,
                    """
                    import dev.outboard.dpa.process.DpaProcess;
                    import dev.outboard.dpa.process.DpaProgram;
                    """
                            + source);
            words.add(file.toString());
        }
        int code =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, words.toArray(String[]::new));
        assertThat(code).isZero();
        return classes;
    }
}
