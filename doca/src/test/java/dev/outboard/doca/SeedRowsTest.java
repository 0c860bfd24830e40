package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.spi.FabricProvider;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Which provider runs which tests. A provider's suites are the classes whose names begin with its
/// scheme: `RoceRdmaTest` runs every contract on `roce`, `SimRdmaTest` on `sim` all but those of
/// several processes, which have no simulated network in common, and of allocation, which a
/// simulated network does. Tests outside the suites do not depend on the provider: they count for
/// each.
@Requirement("DTEST-1")
class SeedRowsTest {
    private static final Path ROOT = Repository.root();
    private static final Pattern ROW =
            Pattern.compile(
                    "\\| *(?<id>[A-Z]+(-[A-Z0-9]+)*-[0-9]+) *\\|.*\\|(?<mark>[^|]*)\\|\\s*");
    private static final Pattern EXPLANATION = Pattern.compile("(SD|DD)-.*");

    /// Of programs of a DPA, in whose module it is tested.
    private static final String OF_PROGRAMS = "DRDMA-DPA-4";

    @Test
    void everyRowOfTheSeedsHasATestOnEachProvider() throws Exception {
        Set<String> seeds = seedRows();
        assertThat(seeds).hasSizeGreaterThan(150);
        Set<String> ofLiveDevices = new HashSet<>();
        for (Class<?> contract : contracts()) {
            if (isOfLiveDevices(contract)) {
                addRows(contract, ofLiveDevices);
            }
        }
        for (String scheme : schemes()) {
            Set<String> proven = new HashSet<>(isLive(scheme) ? Set.of() : ofLiveDevices);
            for (Class<?> test : testsOn(scheme)) {
                addRows(test, proven);
            }
            assertThat(proven).as("rows with a test on " + scheme).containsAll(seeds);
        }
    }

    @Test
    void everyContractRunsOnEachProvider() throws Exception {
        List<Class<?>> contracts = contracts();
        assertThat(contracts).hasSizeGreaterThan(20);
        for (String scheme : schemes()) {
            Set<Class<?>> run = new HashSet<>();
            testsOn(scheme).forEach(test -> addWithNested(test, run));
            assertThat(contracts)
                    .filteredOn(contract -> isLive(scheme) || !isOfLiveDevices(contract))
                    .allMatch(
                            contract -> run.stream().anyMatch(contract::isAssignableFrom),
                            "runs on " + scheme);
        }
    }

    private static List<Class<?>> contracts() throws IOException, URISyntaxException {
        return classes().stream()
                .filter(type -> Modifier.isAbstract(type.getModifiers()))
                .filter(type -> type.getSimpleName().endsWith("Contract"))
                .filter(SeedRowsTest::hasTests)
                .toList();
    }

    /// Whether devices of that scheme are on a network that several processes share, and allocate
    /// nothing per packet.
    private static boolean isLive(String scheme) {
        return !scheme.equals("sim");
    }

    private static boolean isOfLiveDevices(Class<?> contract) {
        return contract.getSimpleName().matches(".*(Process|Allocation)Contract");
    }

    private static List<String> schemes() {
        List<String> schemes =
                ServiceLoader.load(FabricProvider.class).stream()
                        .map(provider -> provider.get().scheme())
                        .toList();
        assertThat(schemes).contains("roce", "sim");
        return schemes;
    }

    /// The rows that a seed states and that are not out of scope.
    private static Set<String> seedRows() throws IOException {
        Pattern outOfScope = outOfScope();
        Set<String> rows = new TreeSet<>();
        for (String line : Files.readAllLines(ROOT.resolve("spec/doca-rdma.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()
                    && row.group("mark").contains("seed")
                    && !EXPLANATION.matcher(row.group("id")).matches()
                    && !row.group("id").equals(OF_PROGRAMS)
                    && !outOfScope.matcher(row.group("id")).matches()) {
                rows.add(row.group("id"));
            }
        }
        return rows;
    }

    private static Pattern outOfScope() throws IOException {
        List<String> ids =
                Files.readAllLines(ROOT.resolve("spec/out-of-scope.tsv")).stream()
                        .filter(line -> !line.startsWith("#"))
                        .map(line -> line.split("\t")[0].replace("*", ".*"))
                        .toList();
        return Pattern.compile(String.join("|", ids));
    }

    private static List<Class<?>> testsOn(String scheme) throws Exception {
        String prefix = scheme.substring(0, 1).toUpperCase(Locale.ROOT) + scheme.substring(1);
        return classes().stream()
                .filter(type -> type.getSimpleName().endsWith("Test"))
                .filter(type ->
                        type.getSimpleName().startsWith(prefix)
                                || !type.getSimpleName().matches("(Roce|Sim)[A-Z].*"))
                .toList();
    }

    /// The classes of all tests of this module that stand in files of their own.
    private static List<Class<?>> classes() throws IOException, URISyntaxException {
        Path root =
                Path.of(
                        SeedRowsTest.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(".class") && !name.contains("$"))
                    .map(name -> name.substring(0, name.lastIndexOf('.')).replace('/', '.'))
                    .<Class<?>>map(SeedRowsTest::load)
                    .toList();
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, SeedRowsTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void addWithNested(Class<?> test, Set<Class<?>> into) {
        into.add(test);
        for (Class<?> nested : test.getDeclaredClasses()) {
            addWithNested(nested, into);
        }
    }

    private static boolean hasTests(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .anyMatch(method -> method.isAnnotationPresent(Requirement.class));
    }

    private static void addRows(Class<?> test, Set<String> into) {
        Set<Class<?>> all = new HashSet<>();
        addWithNested(test, all);
        for (Class<?> each : all) {
            for (Class<?> type = each; type != null; type = type.getSuperclass()) {
                add(type.getAnnotation(Requirement.class), into);
                for (Method method : type.getDeclaredMethods()) {
                    add(method.getAnnotation(Requirement.class), into);
                }
            }
        }
    }

    private static void add(Requirement marks, Set<String> into) {
        if (marks != null) {
            for (String mark : marks.value()) {
                // A mark of one clause, with its letter, counts for the row.
                into.add(mark.replaceFirst("[a-z]$", ""));
            }
        }
    }
}
