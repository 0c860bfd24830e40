package dev.outboard.console.naa;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Routines in a JAR that is a module, with an `outboard` that runs in modules, as users run it.
class RoutineModuleTest {
    private static final String PATH = System.getProperty("java.class.path");

    @TempDir private Path directory;

    @Test
    void aModuleProvidesRoutines() throws Exception {
        String run =
                routines(jar("provides dev.outboard.naa.server.RoutineProvider with mine.Mine;"));

        assertThat(run.lines())
                .anyMatch(line -> line.startsWith("   1  increment"))
                .anyMatch(line -> line.startsWith("  42  mine"));
    }

    @Test
    void saysThatAModuleRequiresOneThatIsNotThere() throws Exception {
        Path jar = jar("provides dev.outboard.naa.server.RoutineProvider with mine.Mine;");
        Path broken = directory.resolve("broken.jar");
        Files.writeString(
                directory.resolve("module-info.java"), "module other { requires my.routines; }");
        tool(
                "javac",
                "--module-path",
                jar.toString(),
                "-d",
                directory.resolve("other").toString(),
                directory.resolve("module-info.java").toString());
        tool(
                "jar",
                "--create",
                "--file",
                broken.toString(),
                "-C",
                directory.resolve("other").toString(),
                ".");

        assertThat(routines(broken))
                .contains(
                        "outboard: module other in "
                                + broken
                                + " cannot be used: Module my.routines");
    }

    @Test
    void saysThatAModuleProvidesNothing() throws Exception {
        Path jar = jar("");

        assertThat(routines(jar)).startsWith("outboard: " + jar + " offers no routine");
    }

    private Path jar(String provides) throws IOException {
        Path source = directory.resolve("source");
        Path classes = directory.resolve("classes");
        Files.createDirectories(source.resolve("mine"));
        Path module =
                Files.writeString(
                        source.resolve("module-info.java"),
                        "module my.routines { requires dev.outboard.naa; " + provides + " }");
        Path provider =
                Files.writeString(
                        source.resolve("mine/Mine.java"),
                        "package mine;\n" + RoutineJar.provider("Mine", 42, "mine", "return 0;"));
        tool(
                "javac",
                "-proc:none",
                "--module-path",
                PATH,
                "-d",
                classes.toString(),
                module.toString(),
                provider.toString());
        Path jar = directory.resolve("mine.jar");
        tool("jar", "--create", "--file", jar.toString(), "-C", classes.toString(), ".");
        return jar;
    }

    private static void tool(String name, String... words) {
        int exitCode =
                ToolProvider.findFirst(name).orElseThrow().run(System.out, System.err, words);
        assertThat(exitCode).as(name).isZero();
    }

    /// What `outboard naa routines --routines JAR` prints.
    private static String routines(Path jar) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin/java")
                                                .toString(),
                                        "--module-path",
                                        PATH,
                                        "--module",
                                        "dev.outboard.console/dev.outboard.console.Main",
                                        "naa",
                                        "routines",
                                        "--routines",
                                        jar.toString()))
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        return said;
    }
}
