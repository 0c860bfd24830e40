package dev.outboard.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.LauncherConstants;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class RequirementListenerTest {
    private static final Clock CLOCK = Clock.fixed(Instant.ofEpochSecond(7), ZoneOffset.UTC);

    @TempDir Path target;

    @BeforeEach
    void tellTheInnerTests() {
        BreaksOff.directory = target;
    }

    @Test
    void recordsPassedFailedAndSkippedTests() throws IOException {
        run(selectClass(Outcomes.class));

        assertThat(rows(Outcomes.class))
                .containsExactly(
                        "A-1 passes PASSED",
                        "A-2 passes PASSED",
                        "B-1 fails FAILED",
                        "C-1 skips SKIPPED");
    }

    @Test
    void failsAMethodWhenOneOfItsRunsFails() throws IOException {
        run(selectClass(SeveralRuns.class));

        assertThat(rows(SeveralRuns.class))
                .containsExactly(
                        "P-1 dynamic FAILED", "P-1 oneRunFails FAILED", "P-2 allPass PASSED");
    }

    @Test
    void countsAnAnnotatedClassForItsInheritedTests() throws IOException {
        run(selectClass(Subclass.class));

        assertThat(rows(Subclass.class))
                .containsExactly("I-1 inherited PASSED", "I-2 inherited PASSED");
    }

    @Test
    void provesNothingInAClassThatCannotStart() throws IOException {
        run(selectClass(BrokenClass.class));

        assertThat(rows(BrokenClass.class)).containsExactly("X-1 neverRuns FAILED");
    }

    @Test
    void forgetsWhatTheLastRunDidNotRepeat() throws IOException {
        run(selectClass(Outcomes.class));
        run(selectMethod(Outcomes.class, "fails"));

        assertThat(rows(Outcomes.class)).containsExactly("B-1 fails FAILED");
    }

    @Test
    void saysWhenItRanAndThatItWasAPart() throws IOException {
        run(selectClass(Outcomes.class));

        assertThat(header())
                .matches("#\tPART\t1970-01-01T00:00:07Z\t1\t\\d+")
                .doesNotEndWith("\t0");
    }

    @Test
    void aHelperWithTheNameOfATestIsNone() {
        TestPlan plan =
                LauncherFactory.create(LauncherConfig.DEFAULT)
                        .discover(
                                LauncherDiscoveryRequestBuilder.request()
                                        .selectors(selectClass(RequirementListenerTest.class))
                                        .build());

        assertThat(TestClasses.of(plan).all())
                .contains(RequirementListenerTest.class.getName())
                .doesNotContain(NothingToTest.class.getName());
    }

    @Test
    void aRunOfAllTestClassesIsWhole() {
        assertThat(new TestClasses(Set.of("a.ATest", "a.Also"), Set.of("a.ATest")).isWhole())
                .isTrue();
        assertThat(new TestClasses(Set.of("a.ATest"), Set.of("a.ATest", "a.BTest")).isWhole())
                .isFalse();
    }

    @Test
    void aRunThatIsBrokenOffLeavesNoOldResults() throws IOException {
        run(selectClass(Outcomes.class));
        run(selectClass(BreaksOff.class));

        assertThat(header()).startsWith("#\tPART");
        assertThat(BreaksOff.seen).startsWith("#\tUNFINISHED\t1970").doesNotContain("PASSED");
    }

    private String header() throws IOException {
        return Files.readAllLines(target.resolve("requirements.tsv")).getFirst();
    }

    private void run(DiscoverySelector selector) {
        // The listener of this very run must not hear of the inner one, which fails on purpose.
        LauncherConfig config =
                LauncherConfig.builder().enableTestExecutionListenerAutoRegistration(false).build();
        LauncherFactory.create(config)
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selector)
                                .configurationParameter(
                                        LauncherConstants.CAPTURE_STDOUT_PROPERTY_NAME, "false")
                                .build(),
                        new RequirementListener(target, CLOCK));
    }

    private List<String> rows(Class<?> testClass) throws IOException {
        return Files.readAllLines(target.resolve("requirements.tsv")).stream()
                .skip(1)
                .map(line -> line.replace(testClass.getName() + "#", "").replace('\t', ' '))
                .toList();
    }

    // The classes below are run by the tests above only: their names do not end in Test.

    static class Outcomes {
        @Test
        @Requirement({"A-1", "A-2"})
        void passes() {}

        @Test
        @Requirement("B-1")
        void fails() {
            throw new AssertionError("on purpose");
        }

        @Test
        @Requirement("C-1")
        void skips() {
            assumeTrue(false);
        }

        @Test
        void provesNothing() {}
    }

    static class SeveralRuns {
        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3})
        @Requirement("P-1")
        void oneRunFails(int value) {
            assertThat(value).isNotEqualTo(1);
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        @Requirement("P-2")
        void allPass(int value) {
            assertThat(value).isPositive();
        }

        @TestFactory
        @Requirement("P-1")
        Stream<DynamicTest> dynamic() {
            return Stream.of(1, 2)
                    .map(value ->
                            DynamicTest.dynamicTest(
                                    "run " + value, () -> assertThat(value).isEqualTo(2)));
        }
    }

    @Requirement("I-1")
    abstract static class Contract {
        @Test
        @Requirement("I-2")
        void inherited() {}
    }

    static class Subclass extends Contract {}

    static class BrokenClass {
        @BeforeAll
        static void cannotStart() {
            throw new IllegalStateException("on purpose");
        }

        @Test
        @Requirement("X-1")
        void neverRuns() {}
    }

    /// Reads what a run leaves that ends here.
    static class BreaksOff {
        static Path directory = Path.of("");
        static String seen = "";

        @Test
        @Requirement("E-1")
        void readsTheFileDuringTheRun() throws IOException {
            seen = Files.readString(directory.resolve("requirements.tsv"));
        }
    }
}
