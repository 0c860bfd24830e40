package dev.outboard.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The state of the repository: what a reader of any file should not find in it. It looks at all
/// text files that git tracks or would add.
class TidyTest {
    private static final int MOST_LINES = 700;
    private static final String MODULE_INFO = "src/main/java/module-info.java";
    private static final String SERVICES = "src/main/resources/META-INF/services/";
    private static final List<String> DECISION_SECTIONS =
            List.of("## Context", "## Choice", "## Consequences");

    /// A record of more than [WideRecords#MOST_COMPONENTS] components is better cut into parts with
    /// a meaning of their own. These are not, for the reason given.
    private static final Map<String, List<String>> WIDE_RECORDS =
            Map.of(
                    "options and fields that a builder sets by name",
                    List.of(
                            "DeviceLimits",
                            "NegotiatedAttributes",
                            "PathRecord",
                            "RcConnection",
                            "ServerOptions",
                            "ServerSettings",
                            "SidrReply"),
                    "a few defaults, and methods that change one of them",
                    List.of("AtomicJob", "Event", "Profile", "QueuePairAttributes", "ReadWriteJob"),
                    "a line of a log, a table or a report, as it is written there",
                    List.of(
                            "App",
                            "CoreFile",
                            "Crash",
                            "CrashReport",
                            "Entry",
                            "PacketLine",
                            "ProcessStatus",
                            "Report",
                            "Response",
                            "Summary",
                            "Transaction"),
                    "drawn, asked for or taken in one place only",
                    List.of(
                            "CampaignSettings",
                            "PlannedMessage",
                            "ProcessState",
                            "RdmaCapabilities",
                            "Slot"));

    /// Where programs of any Linux machine live; any other absolute path is somebody's own.
    private static final String SYSTEM_DIRECTORIES =
            "bin|boot|dev|etc|lib|mnt|opt|proc|run|sbin|sys|tmp|usr|var";

    // The patterns are put together so that this file does not match them.
    private static final Pattern MARKER =
            Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X|HA" + "CK)\\b");
    private static final Pattern LAZY_TEST =
            Pattern.compile("@Dis" + "abled\\b|Thread\\.sl" + "eep\\b");
    private static final Pattern OWN_PATH =
            Pattern.compile(
                    "(?<![^\\s\"'`(=])/(?!(" + SYSTEM_DIRECTORIES + ")/)[a-z]\\w*/[\\w./-]*");
    private static final Pattern RESTRICTED =
            Pattern.compile("@Suppress" + "Warnings\\([^)]*\"restricted\"");
    private static final Pattern PROVIDES =
            Pattern.compile("provides\\s+([\\w.]+)\\s+with\\s+([^;]+);");
    private static final Pattern PROVIDER =
            Pattern.compile("(?m)^(?! *///).*(\\broce\\b|\\b4791\\b)");
    private static final Pattern LINK =
            Pattern.compile("\\]\\((?!\\w+:)([^)#\\s]+)(#[^)\\s]*)?\\)");
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`\n]*`");

    private static final List<TextFile> FILES = new ArrayList<>();

    /// @param name the path below the root, with slashes
    private record TextFile(String name, Path path, String text) {
        boolean isJava() {
            return name.endsWith(".java");
        }

        boolean isMarkdown() {
            return name.endsWith(".md");
        }

        boolean isTest() {
            return name.contains("src/test/");
        }

        /// `name:line: what` for every match, for people to click on.
        Stream<String> places(Pattern pattern) {
            return pattern.matcher(text)
                    .results()
                    .map(hit -> "%s:%d: %s".formatted(name, lineAt(hit.start()), hit.group()));
        }

        /// The name: failures list files, and nobody wants to read them whole.
        @Override
        public String toString() {
            return name;
        }

        private long lineAt(int position) {
            return 1 + text.substring(0, position).chars().filter(c -> c == '\n').count();
        }
    }

    @BeforeAll
    static void readTheRepository() throws IOException, InterruptedException {
        Path root = Repository.root();
        assumeTrue(Files.exists(root.resolve(".git")), "not a git work tree: " + root);
        Process git =
                new ProcessBuilder(
                                "git",
                                "ls-files",
                                "-z",
                                "--cached",
                                "--others",
                                "--exclude-standard")
                        .directory(root.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String names = new String(git.getInputStream().readAllBytes(), UTF_8);
        assertThat(git.waitFor()).as("exit code of git ls-files").isZero();
        for (String name : names.split("\0")) {
            read(name, root.resolve(name));
        }
        assertThat(FILES).isNotEmpty();
    }

    /// Passes over what is no text, and what git still lists but somebody has just deleted.
    private static void read(String name, Path path) throws IOException {
        if (!Files.isRegularFile(path)) {
            return;
        }
        try {
            FILES.add(new TextFile(name, path, Files.readString(path)));
        } catch (CharacterCodingException e) {
            assertThat(name)
                    .as("a text file in UTF-8")
                    .doesNotEndWith(".java")
                    .doesNotEndWith(".md");
        }
    }

    @Test
    void nothingIsLeftForLater() {
        assertThat(places(file -> true, MARKER)).isEmpty();
    }

    @Test
    void testsNeitherSleepNorRest() {
        assertThat(places(TextFile::isTest, LAZY_TEST)).isEmpty();
    }

    @Test
    void nothingNamesADirectoryOfOneMachine() {
        assertThat(places(file -> file.isJava() || file.isMarkdown(), OWN_PATH)).isEmpty();
        Pattern root = Pattern.compile(Pattern.quote(Repository.root() + "/"));
        assertThat(places(file -> true, root)).isEmpty();
    }

    @Test
    void relativeLinksLeadSomewhere() {
        List<String> dead = new ArrayList<>();
        for (TextFile file : FILES) {
            if (file.isMarkdown()) {
                LINK.matcher(CODE.matcher(file.text()).replaceAll(""))
                        .results()
                        .map(link -> link.group(1))
                        .filter(target -> !isInRepository(file.path().resolveSibling(target)))
                        .forEach(target -> dead.add(file.name() + ": " + target));
            }
        }
        assertThat(dead).isEmpty();
    }

    private static boolean isInRepository(Path path) {
        return path.normalize().startsWith(Repository.root()) && Files.exists(path);
    }

    @Test
    void aJavaFileHoldsOneSubject() {
        assertThat(FILES)
                .filteredOn(TextFile::isJava)
                .filteredOn(file -> file.text().lines().count() > MOST_LINES)
                .extracting(TextFile::name)
                .as("files of more than %d lines", MOST_LINES)
                .isEmpty();
    }

    /// Many values in a row are confused sooner or later, above all neighbours of one type. Whoever
    /// makes a wide record has its components under their own names, as a builder and a `with…`
    /// method have; everybody else uses those.
    @Test
    void theComponentsOfAWideRecordAreGivenByName() {
        WideRecords records = new WideRecords();
        List<TextFile> java = FILES.stream().filter(TextFile::isJava).toList();
        java.forEach(file -> records.addDeclarationsOf(file.text()));
        assertThat(records.names())
                .containsExactlyInAnyOrderElementsOf(
                        WIDE_RECORDS.values().stream().flatMap(List::stream).toList());
        assertThat(java)
                .flatExtracting(file ->
                        records.confusableCallsIn(file.text()).stream()
                                .map(call -> file.name() + ": " + call)
                                .toList())
                .isEmpty();
    }

    @Test
    void decisionsHaveTheirSections() {
        assertThat(FILES)
                .filteredOn(file -> file.name().startsWith("docs/decisions/"))
                .allSatisfy(file -> {
                    assertThat(file.name()).matches("docs/decisions/\\d{4}-[a-z0-9-]+\\.md");
                    assertThat(file.text().lines())
                            .as(file.name())
                            .containsSubsequence(DECISION_SECTIONS);
                });
    }

    @Test
    void restrictedMethodsAreCalledInTwoPlaces() {
        assertThat(
                        places(
                                file ->
                                        file.isJava()
                                                && !file.name()
                                                        .contains("dev/outboard/fabric/linux/")
                                                && !file.name().endsWith("ccip/rtl/Shim.java")
                                                // Programs of their own that nothing imports.
                                                && !file.name().startsWith("bench/peers/"),
                                RESTRICTED))
                .isEmpty();
    }

    /// Which scheme, which route and which port is the affair of a provider.
    @Test
    void protocolsAboveTheFabricNameNoProvider() {
        assertThat(places(file -> file.name().matches("(naa|doca)/src/main/.*\\.java"), PROVIDER))
                .isEmpty();
    }

    /// The command runs on the module path, its tests on the class path.
    @Test
    void modulesProvideTheSameServicesOnBothPaths() {
        List<String> onModulePath = new ArrayList<>();
        List<String> onClassPath = new ArrayList<>();
        for (TextFile file : FILES) {
            String module = file.name().split("src/main/")[0];
            if (file.name().equals(module + MODULE_INFO)) {
                PROVIDES.matcher(file.text())
                        .results()
                        .forEach(service ->
                                Stream.of(service.group(2).split(","))
                                        .map(type -> service(module, service.group(1), type))
                                        .forEach(onModulePath::add));
            } else if (file.name().startsWith(module + SERVICES) && isModule(module)) {
                file.text()
                        .lines()
                        .map(type -> service(module, file.path().getFileName().toString(), type))
                        .forEach(onClassPath::add);
            }
        }
        assertThat(onClassPath).isNotEmpty().containsExactlyInAnyOrderElementsOf(onModulePath);
    }

    private static boolean isModule(String directory) {
        return FILES.stream().anyMatch(file -> file.name().equals(directory + MODULE_INFO));
    }

    /// Without packages: a module descriptor may import them.
    private static String service(String module, String service, String provider) {
        return "%s: %s with %s"
                .formatted(
                        module,
                        service.replaceFirst(".*\\.", ""),
                        provider.strip().replaceFirst(".*\\.", ""));
    }

    private static List<String> places(Predicate<TextFile> where, Pattern pattern) {
        return FILES.stream().filter(where).flatMap(file -> file.places(pattern)).toList();
    }
}
