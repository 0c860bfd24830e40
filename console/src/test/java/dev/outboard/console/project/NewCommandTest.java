package dev.outboard.console.project;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.BesideOthers;
import dev.outboard.console.ClonedLauncher;
import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Projects as a user gets, builds and serves them.
@BesideOthers
class NewCommandTest {
    @TempDir private static Path clone;
    @TempDir private Path directory;

    @BeforeAll
    static void makeAClone() throws IOException {
        ClonedLauncher.makeIn(clone);
        ClonedLauncher.makeAppIn(clone);
    }

    @ParameterizedTest
    @CsvSource({
        "routine, Resample, ",
        "afu, mirrorImage, ",
        "dpa, Blur2, ",
        "dpa, Shade, --target shade=dpa-handler"
    })
    void aProjectIsBuiltAndTestedAndServedByANode(String kind, String name, @Nullable String target)
            throws IOException {
        Path project = directory.resolve("my project");
        Execution made = Execution.ofOutboard("new", kind, name, "--dir", project.toString());
        assertThat(made.exitCode()).as(made.toString()).isZero();
        assertThat(made.out())
                .isEqualTo(
                        "%s is there; %s/README.md says how to go on%n"
                                .formatted(project, project));
        assertThat(project.resolve("README.md").toFile()).content().hasLineCount(12);

        Execution built = build(project);
        assertThat(built.exitCode()).as(built.toString()).isZero();
        assertThat(built.out()).endsWith("Test: all is well" + System.lineSeparator());
        assertThat(built.err()).isEmpty();

        Path jar = project.resolve(name.toLowerCase(Locale.ROOT) + ".jar");
        byte[] bytes = new byte[1000];
        Path file = Files.write(directory.resolve("bytes.bin"), bytes);
        List<String> words = new ArrayList<>(List.of("--routines", jar.toString()));
        if (target != null) {
            words.addAll(List.of(target.split(" ")));
        }
        try (OutboardProcess node = OutboardProcess.node(words.toArray(String[]::new));
                OutboardProcess call = node.call(64, "--inout", file.toString())) {
            Execution called = call.awaitEnd();
            assertThat(called.exitCode()).as(called.toString()).isZero();
        }
        Arrays.fill(bytes, (byte) -1);
        assertThat(file).hasBinaryContent(bytes);
    }

    /// Otherwise the test that comes with it would be worth nothing.
    @ParameterizedTest
    @CsvSource({
        "routine, src/BlurRoutines.java",
        "afu, src/BlurAfu.java",
        "dpa, src/BlurKernel.java"
    })
    void theTestFindsThatNothingIsInverted(String kind, String source) throws IOException {
        Path project = directory.resolve("blur");
        Execution.ofOutboard("new", kind, "Blur", "--dir", project.toString());
        Path computes = project.resolve(source);
        Files.writeString(computes, Files.readString(computes).replace("~", ""));

        Execution built = build(project);

        assertThat(built.exitCode()).isNotZero();
        assertThat(built.err()).contains("AssertionError: byte 0 of 1 is 0");
        assertThat(project.resolve("blur.jar")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2blur", "my-blur", "blur_2", "class", "true", "a b", "bl$r", "übel"})
    void saysWhatIsNoName(String name) {
        Execution run =
                Execution.ofOutboard(
                        "new", "routine", name, "--dir", directory.resolve("p").toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo(
                        "outboard: name '%s'; valid: a letter, then letters and digits, 64 at most, and no word of Java's own%n"
                                .formatted(name));
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void writesOverNothing() throws IOException {
        Path readme = Files.writeString(directory.resolve("README.md"), "mine");

        Execution run = Execution.ofOutboard("new", "afu", "Blur", "--dir", directory.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo(
                        "outboard: %s exists; name another directory with --dir%n"
                                .formatted(directory));
        assertThat(directory.toFile().list()).containsExactly("README.md");
        assertThat(readme).hasContent("mine");
    }

    private static Execution build(Path project) {
        ProcessBuilder build = new ProcessBuilder(List.of(project.resolve("build").toString()));
        build.environment().put("OUTBOARD", clone.toString());
        try (OutboardProcess process = OutboardProcess.ofProgram(build)) {
            return process.awaitEnd();
        }
    }
}
