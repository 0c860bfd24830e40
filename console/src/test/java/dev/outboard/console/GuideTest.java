package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.naa.RoutineJar;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Runs the commands of the guide: every indented line that starts with `./outboard`, in order, in
/// a directory with the files they name. Servers take a free address instead of 127.0.0.1.
class GuideTest {
    private static final String PROMPT = "    ./outboard ";
    private static final String SERVE = "naa serve";
    private static final String TOOL = "verbs ";
    private static final String LOOPBACK = "127.0.0.1";

    @TempDir private Path directory;

    static Stream<Path> pages() throws IOException {
        Path root = Repository.root();
        try (Stream<Path> guide = Files.list(root.resolve("docs/guide"))) {
            return Stream.concat(
                    Stream.of(root.resolve("README.md")), guide.sorted().toList().stream());
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyCommandWorks(Path page) throws IOException {
        Files.writeString(directory.resolve("README.md"), "something to hash");
        Files.write(directory.resolve("bytes.bin"), new byte[1000]);
        Files.write(directory.resolve("factor.bin"), new byte[4]);
        Files.write(directory.resolve("values.bin"), new byte[400]);
        RoutineJar.ofGuide(
                Repository.root().resolve("docs/guide/write-a-routine.md"),
                directory.resolve("scale.jar"));
        List<OutboardProcess> nodes = new ArrayList<>();
        String address = LOOPBACK;
        try {
            for (String command : commands(page)) {
                if (command.startsWith(SERVE) || isServerOfATool(command)) {
                    OutboardProcess node = start(command);
                    nodes.add(node);
                    address = node.address();
                } else {
                    run(reaching(address, command));
                }
            }
        } finally {
            nodes.forEach(OutboardProcess::close);
        }
    }

    @Test
    @Requirement("NAA-LIM-2")
    void tellsHowManyRegionsTheReferenceManages() throws IOException {
        String page = Files.readString(Repository.root().resolve("docs/guide/naa.md"));

        assertThat(page).contains("reference implementation of the protocol manages at most 31");
    }

    private OutboardProcess start(String command) {
        return isServerOfATool(command)
                ? OutboardProcess.startIn(directory, (command + " --bind auto -p 0").split(" +"))
                : OutboardProcess.startIn(
                        directory, (command + " --bind auto --port 0").split(" +"));
    }

    private static boolean isServerOfATool(String command) {
        return command.startsWith(TOOL) && !command.contains(LOOPBACK);
    }

    /// Tools take the port as an option of its own.
    private static String reaching(String address, String command) {
        int colon = address.lastIndexOf(':');
        return command.startsWith(TOOL)
                ? command.replace(LOOPBACK, address.substring(0, colon))
                        + " -p "
                        + address.substring(colon + 1)
                : command.replace(LOOPBACK, address);
    }

    private void run(String command) {
        try (OutboardProcess process = OutboardProcess.startIn(directory, command.split(" +"))) {
            Execution run = process.awaitEnd();
            assertThat(run.exitCode()).as(command + ": " + run).isZero();
        }
    }

    private static List<String> commands(Path page) throws IOException {
        List<String> commands =
                Files.readAllLines(page).stream()
                        .filter(line -> line.startsWith(PROMPT))
                        .map(line -> line.substring(PROMPT.length()).strip())
                        .toList();
        assertThat(commands).as("commands of " + page).isNotEmpty();
        return commands;
    }
}
