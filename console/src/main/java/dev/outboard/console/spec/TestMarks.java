package dev.outboard.console.spec;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewArrayTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// The tests of a source tree that name requirements: every `@Requirement` of its test sources, and
/// of the suites that a module offers to the tests of others.
///
/// @param marks in the order of the files and of their lines
record TestMarks(List<Mark> marks) {
    private static final String ANNOTATION = "@Requirement(";

    /// One ID of one annotation.
    ///
    /// @param type the simple name of the class that it is on or in
    /// @param method the method that it is on, or empty if it counts for all methods of the class
    /// @param isTable whether the test says that it is a table with a row for each ID
    /// @param maySkip whether the test, or what it runs first, may decide that it cannot run here
    record Mark(
            String id,
            Path file,
            long line,
            String type,
            String method,
            boolean isTable,
            boolean maySkip) {
        /// Whether `outcome` is one of this mark: a contract's method counts for the class that
        /// inherits it, so the names of classes do not tell.
        boolean isOf(TestRun.Outcome outcome) {
            return outcome.id().equals(id) && (method.isEmpty() || outcome.method().equals(method));
        }
    }

    static TestMarks read(SourceTree tree) throws IOException {
        List<Path> files = new ArrayList<>(tree.files("src/test/java", ".java"));
        for (Path file : tree.files("src/main/java", ".java")) {
            if (Files.readString(file).contains(ANNOTATION)) {
                files.add(file);
            }
        }
        return files.isEmpty() ? new TestMarks(List.of()) : parse(files);
    }

    private static TestMarks parse(List<Path> files) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    manager,
                                    diagnostic -> {},
                                    List.of("-proc:none"),
                                    null,
                                    manager.getJavaFileObjectsFromPaths(files));
            List<CompilationUnitTree> units = new ArrayList<>();
            task.parse().forEach(units::add);
            SkipRules rules = new SkipRules();
            units.forEach(rules::add);
            List<Mark> marks = new ArrayList<>();
            for (CompilationUnitTree unit : units) {
                new Finder(unit, Trees.instance(task), rules, marks).scan(unit, null);
            }
            return new TestMarks(List.copyOf(marks));
        }
    }

    /// The marks of a row and of its clauses.
    List<Mark> of(List<String> ids) {
        return marks.stream().filter(mark -> ids.contains(mark.id())).toList();
    }

    /// Walks one file.
    private static final class Finder extends TreeScanner<@Nullable Void, @Nullable Void> {
        private final CompilationUnitTree unit;
        private final Trees trees;
        private final SkipRules rules;
        private final List<Mark> marks;
        private String type = "";

        Finder(CompilationUnitTree unit, Trees trees, SkipRules rules, List<Mark> marks) {
            this.unit = unit;
            this.trees = trees;
            this.rules = rules;
            this.marks = marks;
        }

        @Override
        public @Nullable Void visitClass(ClassTree node, @Nullable Void nothing) {
            String outer = type;
            type = node.getSimpleName().toString();
            node.getModifiers().getAnnotations().forEach(each -> add(each, ""));
            super.visitClass(node, null);
            type = outer;
            return null;
        }

        @Override
        public @Nullable Void visitMethod(MethodTree node, @Nullable Void nothing) {
            String method = node.getName().toString();
            node.getModifiers().getAnnotations().forEach(each -> add(each, method));
            return super.visitMethod(node, null);
        }

        private void add(AnnotationTree annotation, String method) {
            if (!annotation.getAnnotationType().toString().equals("Requirement")) {
                return;
            }
            long line =
                    unit.getLineMap()
                            .getLineNumber(
                                    trees.getSourcePositions().getStartPosition(unit, annotation));
            boolean isTable = annotation.getArguments().toString().contains("table = true");
            boolean maySkip = rules.maySkip(type, method);
            Path file = Path.of(unit.getSourceFile().toUri());
            annotation.getArguments().stream()
                    .flatMap(Finder::strings)
                    .map(id -> new Mark(id, file, line, type, method, isTable, maySkip))
                    .forEach(marks::add);
        }

        private static Stream<String> strings(ExpressionTree argument) {
            return switch (argument) {
                case AssignmentTree named -> strings(named.getExpression());
                case NewArrayTree array ->
                        Objects.requireNonNullElse(
                                        array.getInitializers(), List.<ExpressionTree>of())
                                .stream()
                                .flatMap(Finder::strings);
                case LiteralTree literal when literal.getKind() == Tree.Kind.STRING_LITERAL ->
                        Stream.of(String.valueOf(literal.getValue()));
                default -> Stream.empty();
            };
        }
    }
}
