package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Routines that a node takes from JARs.
class RoutineJarTest {
    @TempDir private Path directory;

    @Test
    @Requirement("NAA-KERN-1")
    void servesTheRoutineOfTheGuide() throws IOException {
        Path page = Repository.root().resolve("docs/guide/write-a-routine.md");
        Path jar = RoutineJar.ofGuide(page, directory.resolve("scale.jar"));
        Path factor = floats("factor.bin", 2.5f);
        Path values = floats("values.bin", 1, -2, 100);

        try (OutboardProcess node = OutboardProcess.node("--routines", jar.toString())) {
            Execution scaled = call(node, "42", "--in", factor, "--inout", values);
            assertThat(scaled.exitCode()).as(scaled.toString()).isZero();
            assertThat(Files.mismatch(values, floats("scaled.bin", 2.5f, -5, 250))).isEqualTo(-1);

            Execution wrong = call(node, "42", "--in", values, "--inout", factor);
            assertThat(wrong.exitCode()).isEqualTo(1);
            assertThat(wrong.err()).contains("0x11 (from an Outboard server: the regions");
            node.awaitLine(
                    "client .*: function 42 failed: scale: region 0, 'factor', has 4 bytes, not"
                            + " 12");

            Execution installed = call(node, "1", "--inout", values, "--inout", factor);
            assertThat(installed.exitCode()).as(installed.toString()).isZero();
        }
    }

    @Test
    void listsWhatAJarAdds() throws IOException {
        Path page = Repository.root().resolve("docs/guide/write-a-routine.md");
        Path jar = RoutineJar.ofGuide(page, directory.resolve("scale.jar"));

        Execution run = Execution.ofOutboard("naa", "routines", "--routines", jar.toString());

        assertThat(run.out().lines())
                .contains(
                        "   1  increment   adds 1 to every byte",
                        "  42  scale       multiplies every number by a factor",
                        "                    in    factor: float32");
    }

    @Test
    void saysThatThereIsNoSuchFile() {
        Path jar = directory.resolve("none.jar");

        assertRefused("there is no file " + jar, jar);
    }

    @Test
    void saysThatAFileIsNoJar() throws IOException {
        Path jar = RoutineJar.notAJar(directory.resolve("text.jar"));

        assertRefused(jar + " is not a JAR: zip END header not found", jar);
    }

    @Test
    void saysThatAJarHasNoProvider() throws IOException {
        Path jar = directory.resolve("empty.jar");
        String source = RoutineJar.provider("Mine", 42, "mine", "return 0;");

        assertRefused(
                jar
                        + " offers no routine: it must provide"
                        + " dev.outboard.naa.server.RoutineProvider, in its module-info or in"
                        + " META-INF/services",
                RoutineJar.of("Mine", source, "", jar));
    }

    @Test
    void saysThatAProviderIsNotThere() throws IOException {
        Path jar = directory.resolve("broken.jar");
        String source = RoutineJar.provider("Mine", 42, "mine", "return 0;");

        assertRefused(
                "a provider of routines in "
                        + jar
                        + " cannot be used: dev.outboard.naa.server.RoutineProvider: Provider Other"
                        + " not found",
                RoutineJar.of("Mine", source, "Other", jar));
    }

    @Test
    void saysThatAProviderFails() throws IOException {
        Path jar = directory.resolve("failing.jar");
        String source = RoutineJar.provider("Mine", 300, "mine", "return 0;");

        assertRefused(
                "Mine in "
                        + jar
                        + " fails: java.lang.IllegalArgumentException: function code 300 of routine"
                        + " 'mine'; valid: 1 to 255",
                RoutineJar.of("Mine", source, jar));
    }

    @Test
    void namesBothRoutinesThatHaveTheSameFunctionCode() throws IOException {
        Path jar = directory.resolve("mine.jar");
        String source = RoutineJar.provider("Mine", 1, "mine", "return 0;");

        assertRefused(
                "function code 1 belongs to two routines: 'increment' of"
                        + " dev.outboard.node.routine.RoutineCatalog and 'mine' of Mine in "
                        + jar
                        + "; --no-builtins leaves out the first",
                RoutineJar.of("Mine", source, jar));
    }

    @Test
    void twoJarsWithTheSameFunctionCodeCannotBeHelpedThatWay() throws IOException {
        Path first =
                RoutineJar.of(
                        "Mine",
                        RoutineJar.provider("Mine", 42, "first", "return 0;"),
                        directory.resolve("first.jar"));
        Path second =
                RoutineJar.of(
                        "Mine",
                        RoutineJar.provider("Mine", 42, "second", "return 0;"),
                        directory.resolve("second.jar"));

        assertThat(
                        Execution.ofOutboard(
                                        "naa",
                                        "routines",
                                        "--routines",
                                        first.toString(),
                                        "--routines",
                                        second.toString())
                                .err())
                .isEqualTo(
                        "outboard: function code 42 belongs to two routines: 'first' of Mine in %s and 'second' of Mine in %s%n"
                                .formatted(first, second));
    }

    @Test
    @Requirement("NAA-KERN-1")
    void withoutBuiltinsTheFunctionCodesAreAllYours() throws IOException {
        Path jar =
                RoutineJar.of(
                        "Mine",
                        RoutineJar.provider(
                                "Mine",
                                1,
                                "mine",
                                "rpc.parameter(0).memory().fill((byte) 7); return 0;"),
                        directory.resolve("mine.jar"));
        Path file = Files.write(directory.resolve("bytes.bin"), new byte[] {1, 2, 3});

        try (OutboardProcess node =
                OutboardProcess.node("--no-builtins", "--routines", jar.toString())) {
            node.awaitLine("ready at .*, 1 routines, .*");
            Execution own = call(node, "1", "--inout", file, "--in", file);
            assertThat(own.exitCode()).as(own.toString()).isZero();
            assertThat(Files.readAllBytes(file)).containsExactly(7, 7, 7);
            assertThat(call(node, "2", "--inout", file, "--in", file).err())
                    .contains("no routine with function code 2");
        }
        assertThat(
                        Execution.ofOutboard(
                                        "naa",
                                        "routines",
                                        "--no-builtins",
                                        "--routines",
                                        jar.toString())
                                .out()
                                .lines()
                                .filter(line -> line.matches(" +[0-9]+ .*")))
                .singleElement()
                .asString()
                .contains(" mine");
        assertThat(Execution.ofOutboard("naa", "serve", "--no-builtins").err())
                .isEqualTo(
                        "outboard: --no-builtins leaves no routine; add yours with --routines JAR or --systemverilog NAME=FILE"
                                + System.lineSeparator());
    }

    @Test
    void twoJarsMayHaveClassesOfTheSameName() throws IOException {
        Path first =
                RoutineJar.of(
                        "Mine",
                        RoutineJar.provider("Mine", 42, "first", "return 0x21;"),
                        directory.resolve("first.jar"));
        Path second =
                RoutineJar.of(
                        "Mine",
                        RoutineJar.provider("Mine", 43, "second", "return 0x22;"),
                        directory.resolve("second.jar"));
        Path file = floats("file.bin", 1);

        try (OutboardProcess node =
                OutboardProcess.node(
                        "--routines", first.toString(), "--routines", second.toString())) {
            assertThat(call(node, "42", "--in", file, "--inout", file).err()).contains("0x21");
            assertThat(call(node, "43", "--in", file, "--inout", file).err()).contains("0x22");
        }
    }

    private static void assertRefused(String why, Path jar) {
        Execution run = Execution.ofOutboard("naa", "serve", "--routines", jar.toString());

        assertThat(run.err()).isEqualTo("outboard: " + why + System.lineSeparator());
        assertThat(run.exitCode()).isEqualTo(1);
    }

    private static Execution call(
            OutboardProcess node, String function, String role, Path in, String other, Path out) {
        return Execution.ofOutboard(
                "naa",
                "call",
                node.address(),
                "--function",
                function,
                role,
                in.toString(),
                other,
                out.toString());
    }

    private Path floats(String name, float... values) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putFloat(value);
        }
        return Files.write(directory.resolve(name), bytes.array());
    }
}
