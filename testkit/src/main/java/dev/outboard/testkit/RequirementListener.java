package dev.outboard.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/// Writes which requirements a test run proved: `target/requirements.tsv` of the module, one row
/// `ID <tab> class#method <tab> PASSED|FAILED|SKIPPED` per requirement and test method.
///
/// The first line says what the rows are worth: `# <tab> WHOLE|PART|UNFINISHED <tab> start <tab>
/// test classes that ran <tab> test classes of the module`, the start as an ISO instant. It is
/// there from the start of a run, so one that is broken off leaves UNFINISHED.
///
/// JUnit finds and owns it through `META-INF/services`. Every run writes the file afresh, so a run
/// of one test leaves the rows of that test only and never vouches for tests that it did not run.
/// There is one test JVM per module, and readers merge the modules' files: a requirement is proven
/// when some row says PASSED and none says FAILED.
///
/// A method that runs several times (parameterized, repeated, dynamic) fails when any of its runs
/// fails, and is skipped only when all are.
public final class RequirementListener implements TestExecutionListener {
    private static final Path TARGET = Path.of("target");
    private static final String FILE_NAME = "requirements.tsv";

    /// The worst outcome has the highest ordinal.
    private enum Outcome {
        SKIPPED,
        PASSED,
        FAILED
    }

    /// One line of the file without its outcome. Ordered as the file is.
    private record Row(String id, String test) implements Comparable<Row> {
        @Override
        public int compareTo(Row other) {
            int byId = id.compareTo(other.id);
            return byId != 0 ? byId : test.compareTo(other.test);
        }
    }

    private final Path target;
    private final Clock clock;
    private Instant start = Instant.EPOCH;
    private TestClasses classes = TestClasses.NONE;
    private final SortedMap<Row, Outcome> rows = new TreeMap<>();
    private @Nullable TestPlan plan;

    /// Writes to the working directory's `target`, which is the module's when Maven runs the tests.
    public RequirementListener() {
        this(TARGET, Clock.systemUTC());
    }

    RequirementListener(Path target, Clock clock) {
        this.target = target;
        this.clock = clock;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
        rows.clear();
        start = clock.instant();
        classes = TestClasses.of(testPlan);
        write("UNFINISHED");
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        recordAll(test, Outcome.SKIPPED);
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        switch (result.getStatus()) {
            case FAILED -> recordAll(test, Outcome.FAILED);
            case ABORTED -> recordAll(test, Outcome.SKIPPED);
            case SUCCESSFUL -> {
                // A container succeeds even when it ran nothing: only tests prove something.
                if (test.isTest()) {
                    record(test, Outcome.PASSED);
                }
            }
        }
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan testPlan) {
        write(classes.isWhole() ? "WHOLE" : "PART");
    }

    /// A class that fails or is skipped takes the tests below it along.
    private void recordAll(TestIdentifier test, Outcome outcome) {
        record(test, outcome);
        if (plan != null) {
            plan.getDescendants(test).forEach(below -> record(below, outcome));
        }
    }

    private void record(TestIdentifier test, Outcome outcome) {
        MethodSource method = methodOf(test).orElse(null);
        if (method == null) {
            return;
        }
        String name = method.getClassName() + "#" + method.getMethodName();
        for (String id : requirements(method)) {
            rows.merge(new Row(id, name), outcome, RequirementListener::worse);
        }
    }

    /// A dynamic test has no method of its own: it counts for the factory method above it.
    private Optional<MethodSource> methodOf(TestIdentifier test) {
        Optional<TestIdentifier> at = Optional.of(test);
        while (at.isPresent()) {
            if (at.get().getSource().orElse(null) instanceof MethodSource method) {
                return Optional.of(method);
            }
            at = plan == null ? Optional.empty() : at.flatMap(plan::getParent);
        }
        return Optional.empty();
    }

    private static List<String> requirements(MethodSource method) {
        List<String> ids = new ArrayList<>();
        addRequirements(ids, method.getJavaMethod().getAnnotation(Requirement.class));
        addRequirements(ids, method.getJavaClass().getAnnotation(Requirement.class));
        return ids;
    }

    private static void addRequirements(List<String> ids, @Nullable Requirement requirement) {
        if (requirement != null) {
            ids.addAll(List.of(requirement.value()));
        }
    }

    private static Outcome worse(Outcome a, Outcome b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    private void write(String extent) {
        // Outside Maven there may be no such directory, and nobody to read the file.
        if (!Files.isDirectory(target)) {
            return;
        }
        List<String> lines = new ArrayList<>();
        lines.add(
                String.join(
                        "\t",
                        "#",
                        extent,
                        start.toString(),
                        Integer.toString(classes.run().size()),
                        Integer.toString(classes.all().size())));
        rows.forEach((row, outcome) -> lines.add(row.id + "\t" + row.test + "\t" + outcome));
        try {
            // A reader sees the old file or the new one, never half of it.
            Path fresh = Files.createTempFile(target, FILE_NAME, ".tmp");
            Files.write(fresh, lines);
            Files.move(fresh, target.resolve(FILE_NAME), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + target.resolve(FILE_NAME), e);
        }
    }
}
