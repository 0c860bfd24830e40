package dev.outboard.console.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// The page about limits against the program: every limit with its option, setting, default and
/// counter, and none that is not there.
class LimitsPageTest {
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final int DEFAULT = 1;
    private static final int SETTING = 2;
    private static final int COUNTER = 4;

    /// How the page writes what a setting is by default.
    private static final Map<String, Function<ServerOptions, String>> DEFAULTS =
            new LinkedHashMap<>();

    static {
        DEFAULTS.put("admission", _ -> "all|everything");
        DEFAULTS.put("maxConnections", options -> "" + options.maxConnections());
        DEFAULTS.put(
                "maxAddressConnections",
                options ->
                        share(
                                options.maxConnections(),
                                options.share().connections(),
                                options.loopbackShare().connections()));
        DEFAULTS.put("maxRegions", options -> "" + options.maxRegions());
        DEFAULTS.put("maxConnectionBytes", options -> ofMachine(options.maxConnectionBytes()));
        DEFAULTS.put("maxTotalBytes", options -> ofMachine(options.maxTotalBytes()));
        DEFAULTS.put(
                "maxAddressBytes",
                options ->
                        share(
                                options.maxTotalBytes(),
                                options.share().bytes(),
                                options.loopbackShare().bytes()));
        DEFAULTS.put(
                "memory",
                options ->
                        "below 2^%d|%d"
                                .formatted(
                                        Long.numberOfTrailingZeros(options.memory().bytes()),
                                        options.memory().bytes() / options.memory().bankBytes()));
        DEFAULTS.put("setupLimit", options -> time(options.setupLimit()));
        DEFAULTS.put("transferLimit", options -> time(options.transferLimit()));
        DEFAULTS.put("idleLimit", options -> time(options.idleLimit()));
        DEFAULTS.put("evictAfter", options -> time(options.evictAfter()));
        DEFAULTS.put("probeInterval", options -> time(options.probeInterval()));
        DEFAULTS.put("probeLimit", options -> time(options.probeLimit()));
        DEFAULTS.put("routineLimit", options -> time(options.routineLimit()));
        DEFAULTS.put("shortLimit", options -> time(options.shortLimit()));
        DEFAULTS.put("workers", options -> ofProcessors(options.workers()));
        DEFAULTS.put(
                "maxAddressWorkers",
                options -> options.share().workers() == options.workers() - 1 ? "all but one" : "");
        DEFAULTS.put(
                "maxQueuedRpcs",
                options -> options.maxQueuedRpcs() + ", from one address three quarters");
    }

    /// Settings of other parts of the page, or of no limit.
    private static final Set<String> ELSEWHERE =
            Set.of("dialect", "spin", "shutdownLimit", "observer", "share", "loopbackShare");

    private record Row(String fault, List<String> cells) {
        List<String> quoted(int cell) {
            return QUOTED.matcher(cells.get(cell)).results().map(match -> match.group(1)).toList();
        }

        List<String> options() {
            return quoted(SETTING).stream().filter(word -> word.startsWith("--")).toList();
        }

        List<String> settings() {
            return quoted(SETTING).stream().filter(word -> !word.startsWith("--")).toList();
        }
    }

    private static String page() throws IOException {
        return Files.readString(Repository.root().resolve("docs/guide/limits-and-tuning.md"));
    }

    private static List<Row> rows() throws IOException {
        return page().lines()
                .filter(line -> line.startsWith("|") && !line.startsWith("| ---"))
                .map(line -> line.substring(1, line.length() - 1).split("\\|"))
                .filter(cells -> cells.length == COUNTER + 1 && !cells[0].isBlank())
                .map(cells -> Arrays.stream(cells).map(String::strip).toList())
                .filter(cells -> !cells.getFirst().equals("limit"))
                .map(cells -> new Row(String.join(" | ", cells), cells))
                .toList();
    }

    private static ServerOptions fromTheCommandLine() {
        return NodePlan.of(new Settings(List.of()), new Problems(Path.of(""))).server().build();
    }

    private static String time(Duration time) {
        if (time.isZero()) {
            return "none";
        }
        return time.toMillis() < 1000 ? time.toMillis() + " ms" : time.toSeconds() + " s";
    }

    private static String share(long all, long far, long near) {
        return far == all - all / 4 && near == all ? "three quarters; on this machine all" : "";
    }

    private static String ofProcessors(int count) {
        int more = count - Runtime.getRuntime().availableProcessors();
        return more == 0 ? "processors" : "processors + " + more;
    }

    private static String ofMachine(long bytes) {
        long machine =
                ((com.sun.management.OperatingSystemMXBean)
                                ManagementFactory.getOperatingSystemMXBean())
                        .getTotalMemorySize();
        return bytes == machine / 2
                ? "half of the machine's memory"
                : bytes == machine / 4 ? "a quarter of the machine's memory" : bytes + " bytes";
    }

    @Test
    @Requirement("NAA-MULTI-2b")
    void everyDefaultIsTheOneThatThePageStates() throws IOException {
        ServerOptions java = ServerOptions.builder().build();
        ServerOptions command = fromTheCommandLine();
        Set<String> seen = new TreeSet<>(ELSEWHERE);
        for (Row row : rows()) {
            for (String setting : row.settings()) {
                Function<ServerOptions, String> text = DEFAULTS.get(setting);
                assertThat(text).as("setting of %s", row.fault()).isNotNull();
                String ofJava = text.apply(java);
                String ofCommand = text.apply(command);
                String stated = row.cells().get(DEFAULT);
                if (ofCommand.equals(ofJava)) {
                    assertThat(ofJava.split("\\|")).as(row.fault()).contains(stated);
                } else {
                    assertThat(stated).as(row.fault()).endsWith("; " + ofJava + " from Java");
                }
                seen.add(setting);
            }
        }
        assertThat(seen).containsAll(DEFAULTS.keySet());
        // The program has no limit that the page does not know.
        Set<String> components =
                Arrays.stream(ServerOptions.class.getRecordComponents())
                        .map(component -> component.getName())
                        .collect(Collectors.toSet());
        assertThat(seen).containsAll(components);
    }

    @Test
    void everyOptionOfTheCommandIsOnThePageAndTheOtherWayRound() throws IOException {
        Set<String> names =
                NodeKeys.OF_LIMITS.stream()
                        .map(NodeKey::option)
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> onThePage =
                QUOTED.matcher(page())
                        .results()
                        .map(match -> match.group(1))
                        .filter(word -> word.startsWith("--") && !word.equals("--stats"))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(onThePage).isEqualTo(names);
        for (Row row : rows()) {
            boolean isHook = row.settings().equals(List.of("admission"));
            if (!isHook) {
                assertThat(row.options()).as(row.fault()).hasSameSizeAs(row.settings());
            }
        }
    }

    /// The default in an option's help text is the one in the table.
    @Test
    void theHelpTextsSayTheSameDefaultTimes() throws IOException {
        Map<String, OptionSpec> options =
                new KeyOptions.All().transform(CommandSpec.create()).optionsMap();
        int checked = 0;
        for (Row row : rows()) {
            String stated = row.cells().get(DEFAULT);
            if (stated.matches("[0-9]+ (s|ms)|[0-9]+")) {
                for (String name : row.options()) {
                    String help = String.join(" ", options.get(name).description());
                    assertThat(help).as(name).containsIgnoringCase("default");
                    assertThat(help).as(name).contains(stated.replace(" ", ""));
                    checked++;
                }
            }
        }
        assertThat(checked).isGreaterThan(8);
    }

    @Test
    @Requirement("NAA-ROB-6c")
    void everyCounterOnThePageIsCountedAndTheOtherWayRound() throws IOException {
        Set<String> counted;
        try (NaaServer server =
                NaaServer.start(
                        "roce://auto?peer=127.0.0.1",
                        0,
                        RoutineSet.of(RoutineCatalog.ROUTINES.find(3).orElseThrow()),
                        ServerOptions.builder().build())) {
            counted = server.counters().keySet();
        }
        Set<String> onThePage =
                rows().stream()
                        .flatMap(row -> row.quoted(COUNTER).stream())
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(counted).containsAll(onThePage);

        Set<String> named =
                QUOTED.matcher(page())
                        .results()
                        .map((MatchResult match) -> match.group(1))
                        .collect(Collectors.toSet());
        assertThat(named)
                .containsAll(
                        counted.stream()
                                .filter(name ->
                                        name.matches(
                                                "(rejected|evicted|refused|limit|routines|memory|workers)\\..*"))
                                .toList());
    }
}
