package dev.outboard.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The launcher script in a source tree of its own, with a JDK and a Maven that only say what they
/// were asked to do.
class LauncherTest {
    @TempDir Path root;
    @TempDir Path elsewhere;

    private Path jdk;

    @BeforeEach
    void makeASourceTree() throws IOException {
        Files.copy(Repository.root().resolve("outboard"), root.resolve("outboard"));
        write(root.resolve("pom.xml"), "<project/>");
        write(root.resolve(".mvn/jvm.config"), "");
        write(root.resolve("console/pom.xml"), "<project/>");
        write(root.resolve("console/src/main/java/Main.java"), "class Main {}");
        script(root.resolve("mvnw"), "echo maven \"$@\" >>\"$HOME/calls\"; echo Maven speaks");
        jdk = fakeJdk("jdk", "25.0.3");
    }

    @Test
    void buildsOnceThenRuns() throws Exception {
        Execution first = outboard("naa", "two words");
        Execution second = outboard("naa", "two words");

        assertThat(first.err().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("Building Outboard (first run"),
                        line -> assertThat(line).startsWith("Rehearsing"));
        assertThat(second.err()).isEmpty();
        assertThat(first.out()).isEqualTo(second.out());
        assertThat(first.out().lines())
                .contains(
                        "--enable-native-access=dev.outboard.fabric,dev.outboard.ccip",
                        "--module-path",
                        root.resolve("console/target/app").toString(),
                        "dev.outboard.console/dev.outboard.console.Main")
                .endsWith("naa", "two words");
        assertThat(mavenCalls()).singleElement().asString().contains(" package ");
    }

    @Test
    void buildsAgainWhenASourceIsNewer() throws Exception {
        outboard();
        Files.setLastModifiedTime(
                root.resolve("console/src/main/java/Main.java"),
                FileTime.from(Instant.now().plusSeconds(60)));

        assertThat(outboard().err().lines())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("Building Outboard (sources changed) …"),
                        line -> assertThat(line).startsWith("Rehearsing"));
        assertThat(mavenCalls()).hasSize(2);
    }

    @Test
    void eachJdkRehearsesOnceAndUsesItsOwnCache() throws Exception {
        String cache = cacheOf(outboard());
        assertThat(Path.of(cache)).hasContent("learnt by jdk");

        jdk = fakeJdk("another", "25.0.4");
        Execution first = outboard();
        assertThat(first.err()).startsWith("Rehearsing");
        assertThat(Path.of(cacheOf(first))).hasContent("learnt by another");
        assertThat(outboard().err()).isEmpty();
        assertThat(Path.of(cache)).as("the first is still there").exists();
    }

    @Test
    void aSingleCallHasTheFirstCompilerAloneAndTheRehearsalBothOfThem() throws Exception {
        script(
                jdk.resolve("bin/java"),
                """
                for word; do case $word in -XX:AOTCacheOutput=*)
                    echo "$*" >"$HOME/rehearsed"
                    echo learnt >"${word#*=}"
                esac; done
                echo "$@"
                """);

        assertThat(outboard("naa", "call").out()).contains("-XX:TieredStopAtLevel=1");

        assertThat(elsewhere.resolve("rehearsed"))
                .content()
                .contains("Rehearsal")
                .doesNotContain("TieredStopAtLevel");
        assertThat(outboard("naa", "call", "--repeat", "9").out())
                .doesNotContain("TieredStopAtLevel");
        assertThat(outboard("naa", "serve").out()).doesNotContain("TieredStopAtLevel");
    }

    private static String cacheOf(Execution run) {
        return run.out()
                .lines()
                .filter(word -> word.startsWith("-XX:AOTCache="))
                .findFirst()
                .orElseThrow()
                .replaceFirst(".*=", "");
    }

    @Test
    void goesWithoutACacheThatCannotBeMade() throws Exception {
        script(jdk.resolve("bin/java"), "echo \"$@\"; echo no loopback >&2");

        Path log = root.resolve("target/rehearsal.log");
        assertThat(outboard().err())
                .contains("outboard: commands start more slowly than they could; why says " + log);
        assertThat(log).content().contains("no loopback");
        Execution second = outboard("naa");
        assertThat(second.err()).as("tried once").isEqualTo("no loopback\n");
        assertThat(second.out()).startsWith("-Xshare:auto ").endsWith(" naa\n");
    }

    @Test
    void namesEachModuleAsItIsBuilt() throws Exception {
        maven(
                "[INFO] Building Outboard testkit 0.1.0-SNAPSHOT                          [2/10]",
                "[INFO] Building jar: testkit.jar");

        assertThat(outboard().err().lines())
                .hasSize(3)
                .element(1)
                .isEqualTo("  2/10 Outboard testkit");
    }

    @Test
    void showsWhatMavenSaidOnlyWhenItFails() throws Exception {
        script(root.resolve("mvnw"), "echo '[INFO] all well'; echo Maven complains; exit 1");

        Execution run = outboard();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("Building Outboard"),
                        line -> assertThat(line).isEqualTo("Maven complains"),
                        line -> assertThat(line).startsWith("outboard: the build failed"));
        assertThat(outboard().exitCode()).as("a failed build is not taken for built").isEqualTo(1);
    }

    @Test
    void testRunsAllOfMavenAndCountsAsBuilt() throws Exception {
        Execution test = outboard("test");
        Execution after = outboard();

        assertThat(test.out()).contains("Maven speaks");
        assertThat(mavenCalls())
                .singleElement()
                .asString()
                .endsWith(" verify --threads 2 --fail-never -Dmaven.test.failure.ignore=true");
        assertThat(after.err()).startsWith("Rehearsing");
    }

    @Test
    void testGoesOnToTheEndAndSumsUp() throws Exception {
        maven(
                "[INFO] Tests run: 30, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s -- in"
                        + " A",
                "[INFO] Tests run: 30, Failures: 0, Errors: 0, Skipped: 0",
                "[ERROR]   RoutineIsolationTest.aRoutineThatHangs:43 expected 1",
                "[ERROR] Tests run: 10, Failures: 1, Errors: 0, Skipped: 2",
                "[INFO] BUILD SUCCESS");

        Execution test = outboard("test");

        assertThat(test.exitCode()).isEqualTo(1);
        assertThat(test.out())
                .containsSubsequence(
                        "BUILD SUCCESS",
                        "What failed, once more:",
                        "RoutineIsolationTest.aRoutineThatHangs:43",
                        "Tests run: 40, Failures: 1, Errors: 0, Skipped: 2");
    }

    @Test
    void testFailsWhenATestJvmDiesThoughNoTestHasFailed() throws Exception {
        maven(
                "[ERROR] The forked VM terminated without properly saying goodbye.",
                "[INFO] Tests run: 30, Failures: 0, Errors: 0, Skipped: 0",
                "[INFO] BUILD SUCCESS");

        assertThat(outboard("test").exitCode()).isEqualTo(1);
    }

    @Test
    void aTestOfWhatDoesNotCompileLeavesNothingBuilt() throws Exception {
        maven("[ERROR] Failed to execute goal compile on project fabric", "[INFO] BUILD SUCCESS");

        assertThat(outboard("test").exitCode()).isEqualTo(1);
        assertThat(outboard().err()).startsWith("Building");
    }

    @Test
    void testFailsWhenMavenDoes() throws Exception {
        script(root.resolve("mvnw"), "exit 3");

        assertThat(outboard("test").exitCode()).isEqualTo(1);
    }

    @Test
    void runsToolsOfTheJdkItHasFound() throws Exception {
        Execution java = outboard("java", "-cp", "two words", "Main");
        assertThat(java.out().lines()).containsExactly("jdk", "-cp", "two words", "Main");
        assertThat(java.err().lines()).as("nothing to rehearse").hasSize(1);
        assertThat(outboard("javac", "-version").exitCode()).as("this JDK's javac fails").isOne();
    }

    @Test
    void testHandsItsArgumentsToMaven() throws Exception {
        outboard("test", "-pl", "fabric");

        assertThat(mavenCalls()).singleElement().asString().endsWith(" verify -pl fabric");
        assertThat(outboard().err()).as("a part is not the whole").startsWith("Building");
    }

    @Test
    void testAgainstRealPeersRunsThoseTestsAlone() throws Exception {
        script(root.resolve("interop/rxe-vm"), "[ \"$1\" = check ]");

        assertThat(outboard("test", "--interop", "-o").exitCode()).isZero();
        assertThat(mavenCalls())
                .singleElement()
                .asString()
                .contains(" verify --projects interop --also-make ", "-Dinterop.skip=false")
                .endsWith(" -o");
    }

    @Test
    void testAgainstRealPeersSaysWhyItCannotRun() throws Exception {
        script(root.resolve("interop/rxe-vm"), "echo rxe-vm: must be run as root >&2; exit 1");

        Execution run = outboard("test", "--interop");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines().toList()).first().isEqualTo("rxe-vm: must be run as root");
        assertThat(elsewhere.resolve("calls")).doesNotExist();
    }

    @Test
    void passesOverAJdkThatIsTooOld() throws Exception {
        Path old = fakeJdk("old", "17.0.15");
        jdk = fakeJdk("new", "26");

        assertThat(run(List.of("version"), old, jdk).out()).startsWith("new");
    }

    @Test
    void worksThroughASymbolicLink() throws Exception {
        Path link = Files.createSymbolicLink(elsewhere.resolve("ob"), root.resolve("outboard"));

        assertThat(start(List.of(link.toString()), jdk, jdk).exitCode()).isZero();
    }

    private Execution outboard(String... words) throws Exception {
        return run(List.of(words), jdk, jdk);
    }

    private Execution run(List<String> words, Path outboardJdk, Path javaHome) throws Exception {
        List<String> command = new ArrayList<>(List.of(root.resolve("outboard").toString()));
        command.addAll(words);
        return start(command, outboardJdk, javaHome);
    }

    private Execution start(List<String> command, Path outboardJdk, Path javaHome)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(elsewhere.toFile())
                        .redirectError(root.resolve("stderr").toFile());
        builder.environment().put("OUTBOARD_JDK", outboardJdk.toString());
        builder.environment().put("JAVA_HOME", javaHome.toString());
        builder.environment().put("HOME", elsewhere.toString());
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new Execution(process.waitFor(), out, Files.readString(root.resolve("stderr")));
    }

    private List<String> mavenCalls() throws IOException {
        return Files.readAllLines(elsewhere.resolve("calls"));
    }

    private Path fakeJdk(String name, String version) throws IOException {
        Path home = elsewhere.resolve(name);
        write(
                home.resolve("release"),
                "IMPLEMENTOR=\"nobody\"\nJAVA_VERSION=\"" + version + "\"\n");
        script(home.resolve("bin/javac"), "exit 1");
        script(
                home.resolve("bin/java"),
                """
                for word; do case $word in -XX:AOTCacheOutput=*)
                    echo learnt by NAME >"${word#*=}" ;;
                esac; done
                echo NAME
                printf '%s\\n' "$@"
                """
                        .replace("NAME", name));
        return home;
    }

    /// A Maven that says `lines` and ends well.
    private void maven(String... lines) throws IOException {
        script(root.resolve("mvnw"), "cat <<'END'\n%s\nEND".formatted(String.join("\n", lines)));
    }

    private static void script(Path file, String commands) throws IOException {
        write(file, "#!/bin/sh\n" + commands + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
