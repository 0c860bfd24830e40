package dev.outboard.interop;

import dev.outboard.testkit.Repository;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Command lines of our programs: the product from the module path that its launcher uses, in a
/// Java machine that is set to start fast.
final class OurProgram {
    static final Path MODULES = Repository.root().resolve("console/target/app");
    static final String JAVA = Path.of(System.getProperty("java.home"), "bin/java").toString();
    private static final Path TESTS = Path.of("target/test-classes").toAbsolutePath();

    private OurProgram() {}

    /// `outboard verbs words`, split at blanks.
    static List<String> verbs(String words) {
        return verbs(MODULES, words);
    }

    /// The same from copies of the modules elsewhere.
    static List<String> verbs(Path modules, String words) {
        List<String> command =
                java(
                        modules,
                        "--module",
                        "dev.outboard.console/dev.outboard.console.Main",
                        "verbs");
        command.addAll(List.of(words.split(" +")));
        return command;
    }

    /// A program of these tests, which sees the fabric's exported packages.
    static List<String> test(Class<?> program, String... words) {
        List<String> command = java(MODULES, "--class-path", TESTS.toString(), program.getName());
        command.addAll(Arrays.asList(words));
        return command;
    }

    private static List<String> java(Path modules, String option, String value, String... words) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                JAVA,
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=dev.outboard.fabric",
                                "--module-path",
                                modules.toString(),
                                "--add-modules",
                                "dev.outboard.fabric",
                                option,
                                value));
        command.addAll(Arrays.asList(words));
        return command;
    }
}
