package dev.outboard.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.LauncherConstants;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class RequirementListenerTest {
    @TempDir Path target;

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
                        new RequirementListener(target));
    }

    private List<String> rows(Class<?> testClass) throws IOException {
        return Files.readAllLines(target.resolve("requirements.tsv")).stream()
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
}
