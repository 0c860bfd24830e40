package dev.outboard.dpa.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// clang and ld.lld for tests, which are skipped without them.
public final class Clang {
    /// The sources that tests compile; where the compiler runs.
    static final Path SOURCES = Path.of("src", "test", "elf").toAbsolutePath();

    private static final List<String> OPTIONS =
            List.of(
                    "--target=riscv64",
                    "-march=rv64imac",
                    "-mabi=lp64",
                    "-mcmodel=medany",
                    "-mno-relax",
                    "-ffreestanding",
                    "-nostdlib",
                    "-Wno-ignored-attributes",
                    "-fdebug-compilation-dir=.");
    private static final int MOST_SECONDS = 60;

    private Clang() {}

    /// A source of [#SOURCES], compiled with these options and linked.
    static byte[] program(String source, Path directory, String... options) throws Exception {
        Path object = object(source, directory, options);
        return linked(object, directory);
    }

    static Path object(String source, Path directory, String... options) throws Exception {
        Path object = directory.resolve("object.o");
        List<String> command = new ArrayList<>(OPTIONS);
        command.addAll(List.of(options));
        command.addAll(List.of("-c", source, "-o", object.toString()));
        run("clang", command);
        return object;
    }

    static byte[] linked(Path object, Path directory, String... options) throws Exception {
        Path elf = directory.resolve("program.elf");
        List<String> command = new ArrayList<>(List.of("-T", "kernel.ld"));
        command.addAll(List.of(options));
        command.addAll(List.of(object.toString(), "-o", elf.toString()));
        run("ld.lld", command);
        return Files.readAllBytes(elf);
    }

    /// A program that knows nothing of the DPA, linked as ld.lld does it by itself.
    ///
    /// @param name of its source, with the ending of its language
    /// @param linked options of the linker
    /// @param options of the compiler, beside those of all tests
    public static Path bare(
            Path directory, String name, String source, List<String> linked, String... options)
            throws Exception {
        Path file = Files.writeString(directory.resolve(name), source);
        Path object = object(file.toString(), directory, options);
        Path elf = directory.resolve(name + ".elf");
        List<String> command = new ArrayList<>(linked);
        command.addAll(List.of(object.toString(), "-o", elf.toString()));
        run("ld.lld", command);
        return elf;
    }

    /// What the tool prints.
    public static List<String> run(String tool, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(installed(tool)));
        command.addAll(arguments);
        Process process =
                new ProcessBuilder(command)
                        .directory(SOURCES.toFile())
                        .redirectErrorStream(true)
                        .start();
        List<String> lines = process.inputReader().readAllLines();
        assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
        return lines;
    }

    private static String installed(String tool) {
        boolean found =
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, tool)));
        assumeTrue(found, "needs " + tool);
        return tool;
    }
}
