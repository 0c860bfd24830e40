package dev.outboard.examples.doca;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.element.Element;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The tables of the README that count the calls of the DOCA API, in C and in Java.
class CallTablesTest {
    private static final Path EXAMPLES = Repository.root().resolve("examples");
    private static final Pattern CALL = Pattern.compile("`([^`]+)`(?: ×(\\d+))?");

    /// Calls and how often each stands there.
    private record Column(Map<String, Integer> calls, int total) {
        int counted() {
            return calls.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PingPong", "NotifiedWrite", "Counter", "FileCopy"})
    void theTableHasTheCallsOfTheProgram(String example) throws IOException {
        Column java = column(example, 3);

        assertThat(java.calls()).isEqualTo(callsIn(example));
        assertThat(java.total()).isEqualTo(java.counted());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PingPong", "NotifiedWrite", "Counter", "FileCopy"})
    void theProgramIsShorterThanInC(String example) throws IOException {
        Column c = column(example, 2);

        assertThat(c.total()).isEqualTo(c.counted()).isGreaterThan(column(example, 3).total());
    }

    /// A column of the table whose head is the name of the example; its last row has the totals.
    private static Column column(String example, int index) throws IOException {
        List<String> rows =
                Files.readString(EXAMPLES.resolve("README.md"))
                        .lines()
                        .dropWhile(line -> !line.startsWith("| " + example + " |"))
                        .takeWhile(line -> line.startsWith("|"))
                        .toList();
        assertThat(rows).as("table of %s", example).hasSizeGreaterThan(3);
        Map<String, Integer> calls = new TreeMap<>();
        for (String row : rows) {
            Matcher call = CALL.matcher(cell(row, index));
            while (call.find()) {
                String name = call.group(1).substring(call.group(1).lastIndexOf('.') + 1);
                calls.merge(
                        name, call.group(2) == null ? 1 : number(call.group(2)), Math::addExact);
            }
        }
        return new Column(calls, number(cell(rows.getLast(), index)));
    }

    private static String cell(String row, int index) {
        return row.split("\\|")[index].strip();
    }

    private static int number(String digits) {
        return Integer.parseInt(digits);
    }

    /// The calls of the API in the source of an example.
    private static Map<String, Integer> callsIn(String example) throws IOException {
        Path sources = EXAMPLES.resolve("src/main/java/dev/outboard/examples/doca");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Map<String, Integer> calls = new TreeMap<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of("-proc:none", "-cp", System.getProperty("java.class.path"));
            Path source = sources.resolve(example + ".java");
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    options,
                                    null,
                                    files.getJavaFileObjects(source));
            Iterable<? extends CompilationUnitTree> parsed = task.parse();
            task.analyze();
            Trees trees = Trees.instance(task);
            new TreePathScanner<Void, Void>() {
                @Override
                public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
                    count(trees.getElement(getCurrentPath()).getSimpleName().toString());
                    return super.visitMethodInvocation(call, null);
                }

                @Override
                public Void visitNewClass(NewClassTree call, Void none) {
                    count("new " + call.getIdentifier());
                    return super.visitNewClass(call, null);
                }

                private void count(String name) {
                    Element called = trees.getElement(getCurrentPath());
                    String type = called.getEnclosingElement().toString();
                    if (type.startsWith("dev.outboard.doca.")
                            || called.toString().equals("device()")) {
                        calls.merge(name, 1, Math::addExact);
                    }
                }
            }.scan(parsed, null);
        }
        return Collections.unmodifiableMap(calls);
    }
}
