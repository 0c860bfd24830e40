package dev.outboard.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/// Which test classes a run covers, of those that stand beside them.
///
/// @param run the top-level classes of the run
/// @param all the classes that Maven would run, from the same directory
record TestClasses(Set<String> run, Set<String> all) {
    static final TestClasses NONE = new TestClasses(Set.of(), Set.of());

    /// What Maven takes for a test by its name.
    private static final Pattern TEST =
            Pattern.compile("([^$]+\\.)?(Test[^$.]*|[^$.]*(Test|Tests|TestCase))");

    static TestClasses of(TestPlan plan) {
        Set<Class<?>> classes =
                plan.getRoots().stream()
                        .flatMap(root -> plan.getDescendants(root).stream())
                        .flatMap(test -> classOf(test).stream())
                        .map(TestClasses::topLevel)
                        .collect(Collectors.toSet());
        Set<String> all = new HashSet<>();
        classes.stream()
                .flatMap(type -> rootOf(type).stream())
                .distinct()
                .forEach(root -> {
                    all.addAll(testsBelow(root, classes.iterator().next().getClassLoader()));
                });
        return new TestClasses(
                classes.stream().map(Class::getName).collect(Collectors.toSet()), all);
    }

    /// Whether nothing was left out. A part of a class cannot be seen from here, but Maven says so.
    boolean isWhole() {
        return run.containsAll(all) && !System.getProperty("test", "").contains("#");
    }

    private static Optional<Class<?>> classOf(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        if (source instanceof MethodSource method) {
            return Optional.of(method.getJavaClass());
        }
        return source instanceof ClassSource type
                ? Optional.of(type.getJavaClass())
                : Optional.empty();
    }

    private static Class<?> topLevel(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return outer == null ? type : topLevel(outer);
    }

    private static Optional<Path> rootOf(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        try {
            return source == null
                    ? Optional.empty()
                    : Optional.of(Path.of(source.getLocation().toURI())).filter(Files::isDirectory);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("no path: " + source, e);
        }
    }

    private static Set<String> testsBelow(Path root, ClassLoader loader) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith(".class"))
                    .map(file -> file.replaceFirst("\\.class$", "").replace('/', '.'))
                    .filter(name -> TEST.matcher(name).matches() && hasTests(name, loader))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + root, e);
        }
    }

    /// Whether there is anything to run: neither a suite for others to extend nor a helper with the
    /// name of a test.
    private static boolean hasTests(String name, ClassLoader loader) {
        try {
            Class<?> type = Class.forName(name, false, loader);
            return !Modifier.isAbstract(type.getModifiers()) && hasTests(type);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("a class file without its class: " + name, e);
        }
    }

    private static boolean hasTests(Class<?> type) {
        return !ReflectionSupport.findMethods(
                                type,
                                method -> AnnotationSupport.isAnnotated(method, Testable.class),
                                HierarchyTraversalMode.TOP_DOWN)
                        .isEmpty()
                || !ReflectionSupport.findNestedClasses(type, TestClasses::hasTests).isEmpty();
    }
}
