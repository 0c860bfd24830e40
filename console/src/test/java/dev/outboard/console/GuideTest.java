package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThatCode;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.console.Guide.Step;
import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Follows the guides and the README: writes down the files they show, runs their commands in order
/// in a directory that looks like a clone, and compares what they print. Servers take a free
/// address instead of the one they are given. A command fails if the page shows that it does.
/// Numbers are compared where they come again in each run: those of a simulation or a checker.
@BesideOthers
class GuideTest {
    /// Commands that cannot run here, and why.
    private static final Map<String, String> PASSED_OVER =
            Map.of(
                    "srun --gres=naa:1 sh -c 'echo $NAA_SPEC'",
                    "needs a Slurm: see SlurmTest",
                    "sbatch --wait job.sh README.md",
                    "needs a Slurm: see SlurmTest",
                    "./mvnw install -pl naa,doca,ccip -am -DskipTests",
                    "builds once more: see LibraryGuideTest",
                    "./mvnw install -pl fabric-contract -am -DskipTests",
                    "builds once more: see LibraryGuideTest",
                    "./mvnw package javadoc:javadoc -pl fabric,naa,doca,ccip -am -DskipTests",
                    "builds once more: see LibraryGuideTest and JavadocTest");

    private static final String SERVE = "./outboard naa serve";
    private static final String TOOL = "./outboard verbs ";
    private static final String LOOPBACK = "127.0.0.1";

    @TempDir private Path clone;
    private final List<OutboardProcess> servers = new ArrayList<>();
    private final List<String> exports = new ArrayList<>();
    private String address = LOOPBACK + ":12345";

    /// Whether the page shows the numbers that come out.
    private boolean exact;

    static Stream<Path> pages() throws IOException {
        Path root = Repository.root();
        List<Path> pages =
                new ArrayList<>(
                        Stream.of("README.md", "docs/doca.md", "examples/README.md")
                                .map(root::resolve)
                                .toList());
        try (Stream<Path> guides = Files.list(root.resolve("docs/guide"));
                Stream<Path> kits = Files.walk(root.resolve("contrib"))) {
            guides.sorted().forEach(pages::add);
            kits.filter(path -> path.endsWith("README.md")).sorted().forEach(pages::add);
        }
        return pages.stream();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyCommandWorks(Path page) throws IOException {
        Guide guide = Guide.read(page);
        exact = Stream.of("afu.md", "dpa.md", "dpa-c.md", "dpa-litmus.md").anyMatch(page::endsWith);
        assumeProgramsFor(guide);
        makeClone(guide);
        try {
            for (Step step : guide.steps()) {
                if (step.command().startsWith("export ")) {
                    exports.add(reaching(address, step.command()));
                } else if (isServer(step.command())) {
                    serve(step);
                } else if (!PASSED_OVER.containsKey(step.command())) {
                    writeDown(guide.sources());
                    run(step);
                }
            }
        } finally {
            servers.forEach(OutboardProcess::close);
        }
    }

    @Test
    void nothingIsPassedOverThatNoPageHas() throws IOException {
        Set<String> commands = new HashSet<>();
        for (Path page : pages().toList()) {
            Guide.read(page).steps().forEach(step -> commands.add(step.command()));
        }
        assertThat(commands).containsAll(PASSED_OVER.keySet()).hasSizeGreaterThan(15);
    }

    @Test
    @Requirement("NAA-LIM-2")
    void tellsHowManyRegionsTheReferenceManages() throws IOException {
        String page = Files.readString(Repository.root().resolve("docs/guide/naa.md"));

        assertThat(page).contains("reference implementation of the protocol manages at most 31");
    }

    private static void assumeProgramsFor(Guide guide) {
        for (Step step : guide.steps()) {
            if (step.command().startsWith("./outboard afu build")) {
                assumeVerilator();
            }
            if (step.command().startsWith("./outboard dpacc")) {
                assumeThatCode(DeviceCompiler::onThisMachine).doesNotThrowAnyException();
            }
            String program = step.program();
            assumeTrue(
                    !program.equals("tshark") || Files.isExecutable(Path.of("/usr/bin", program)),
                    program + " is not installed");
        }
    }

    private static void assumeVerilator() {
        try {
            RtlBuild.onThisMachine();
        } catch (RtlException e) {
            abort("needs Verilator and a C++ compiler: " + e.getMessage());
        }
    }

    // ---- the clone ------------------------------------------------------------------------------

    private void makeClone(Guide guide) throws IOException {
        Path root = Repository.root();
        Files.copy(root.resolve("README.md"), clone.resolve("README.md"));
        for (String directory : List.of("contrib", "examples")) {
            Files.createSymbolicLink(clone.resolve(directory), root.resolve(directory));
        }
        for (String input : List.of("bytes.bin", "factor.bin", "values.bin")) {
            Files.write(clone.resolve(input), new byte[input.startsWith("factor") ? 4 : 1000]);
        }
        ClonedLauncher.makeIn(clone);
        if (guide.steps().stream()
                .anyMatch(step ->
                        step.command().contains("console/target/app")
                                || step.command().startsWith("./outboard new "))) {
            ClonedLauncher.makeAppIn(clone);
        }
    }

    /// What calls the default port calls the server's instead.
    private void writeDown(Map<String, String> sources) throws IOException {
        int colon = address.lastIndexOf(':');
        String server =
                "\"%s\", %s".formatted(address.substring(0, colon), address.substring(colon + 1));
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Files.writeString(
                    clone.resolve(source.getKey()),
                    source.getValue().replace('"' + LOOPBACK + '"', server));
        }
    }

    // ---- commands -------------------------------------------------------------------------------

    private static boolean isServer(String command) {
        return command.startsWith(SERVE)
                || (command.startsWith(TOOL) && !command.contains(LOOPBACK));
    }

    private void serve(Step step) {
        String port = step.command().startsWith(TOOL) ? " -p 0" : " --port 0";
        String command = step.command().replaceAll(" --(bind|port) \\S+", "");
        OutboardProcess server = shell(command + " --bind auto" + port);
        servers.add(server);
        address = server.address();
        step.output().forEach(line -> server.awaitLine(".*" + shape(line) + ".*"));
    }

    private void run(Step step) {
        try (OutboardProcess process = shell(reaching(address, step.command()))) {
            Execution run = process.awaitEnd();
            boolean fails = step.output().stream().anyMatch(line -> line.startsWith("outboard: "));
            assertThat(run.exitCode()).as(step.command() + ": " + run).isEqualTo(fails ? 1 : 0);
            String all =
                    step.output().stream()
                            .map(line -> exact ? text(line) : shape(line))
                            .collect(Collectors.joining(".*\\R(?s:.*)", "(?s:.*)", "(?s:.*)"));
            assertThat(run.out() + run.err()).as(step.command()).matches(Pattern.compile(all));
        }
    }

    private OutboardProcess shell(String command) {
        String script = String.join("\n", exports) + "\n" + command;
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", script).directory(clone.toFile());
        // Designs are compiled once per build of the project.
        builder.environment()
                .put("XDG_CACHE_HOME", Path.of("target/guide-cache").toAbsolutePath().toString());
        return OutboardProcess.ofProgram(builder);
    }

    /// Tools take the port as an option of its own.
    private static String reaching(String address, String command) {
        int colon = address.lastIndexOf(':');
        return command.startsWith(TOOL)
                ? command.replace(LOOPBACK, address.substring(0, colon))
                        + " -p "
                        + address.substring(colon + 1)
                : command.replaceAll(LOOPBACK + "(:12345)?", address);
    }

    /// A pattern for lines that differ from this one in spaces only.
    private static String text(String line) {
        return Arrays.stream(line.strip().split("\\s+"))
                .map(word -> word.equals("…") ? ".*" : Pattern.quote(word))
                .collect(Collectors.joining("\\s+"));
    }

    /// A pattern for lines that differ from this one in numbers, addresses and times only.
    private static String shape(String line) {
        return Arrays.stream(line.strip().split("\\s+"))
                .map(word ->
                        word.equals("…")
                                ? ".*"
                                : word.matches(".*\\d.*") ? wordShape(word) : Pattern.quote(word))
                .collect(Collectors.joining("\\s+"));
    }

    /// Brackets and the like around a number stay.
    private static String wordShape(String word) {
        return Arrays.stream(word.split("(?<=[\\[\\](),=])|(?=[\\[\\](),=])"))
                .map(part -> part.matches(".*\\d.*") ? "[\\w.:/-]+" : Pattern.quote(part))
                .collect(Collectors.joining());
    }
}
