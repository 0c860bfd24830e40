package dev.outboard.dpa.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.CheckReport;
import dev.outboard.dpa.checker.Edit;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.ProgramCheck;
import dev.outboard.dpa.checker.ProgramRepair;
import dev.outboard.dpa.checker.Remedy;
import dev.outboard.dpa.checker.Repair;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.checker.Severity;
import dev.outboard.dpa.litmus.Explorer;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// A program at scale: each operation that it needs is taken out, found, and put back.
class StoreTest {
    private static final int RUNS = 10;
    private static final Pattern MARK = Pattern.compile("// removable: (\\S+)");
    private static final Path SOURCES = Path.of("dpa/src/main/java/dev/outboard/dpa/example");

    /// By what is taken out, the row of the finding that names it.
    private static final Map<String, String> ROWS =
            new TreeMap<>(
                    Map.ofEntries(
                            Map.entry("front-config", "5+8"),
                            Map.entry("front-mail", "3"),
                            Map.entry("front-index", "1"),
                            Map.entry("front-last-index", "1"),
                            Map.entry("refill-record", "4"),
                            Map.entry("refill-writeback", "1"),
                            Map.entry("sender-entry", "1"),
                            Map.entry("sender-urgent", "7"),
                            Map.entry("sender-index", "1"),
                            Map.entry("shard-response", "12"),
                            Map.entry("shard-outbox", "3"),
                            Map.entry("shard-clear", "9"),
                            Map.entry("shard-answer", "3"),
                            Map.entry("shard-log", "3"),
                            Map.entry("port-poll", "6"),
                            Map.entry("port-request", "5"),
                            Map.entry("port-mail", "3"),
                            Map.entry("port-data", "3"),
                            Map.entry("port-flag", "2"),
                            Map.entry("port-summary", "2"),
                            Map.entry("logger-record", "3"),
                            Map.entry("logger-index", "2"),
                            Map.entry("logger-snapshot", "2"),
                            Map.entry("stats-snapshot", "5"),
                            Map.entry("stats-values", "1"),
                            Map.entry("stats-flag", "2")));

    /// No fences and no cache operations: no insertion puts them back.
    private static final Set<String> OTHERS = Set.of("front-arm", "front-stop", "sender-ring");

    /// What orders nothing.
    private static final Set<String> NEEDLESS = Set.of("front-needless", "logger-needless");

    private static ProgramCheck store() {
        return ProgramCheck.of(KeyValueStore.class, KeyValueStore.parts());
    }

    private static CheckReport without(CodePlace place) {
        return store().run(Profile.SEED, RUNS, 1, ProgramEdits.without(Set.of(place)));
    }

    @Test
    @Requirement({"DPA-CHK-1", "DPA-CHK-9", "DPA-CHK-13", "DPA-CHK-19", "DPA-CHK-22"})
    void aHundredRunsHaveNoFinding() {
        CheckReport report = store().run(Profile.SEED, 100, 1);
        assertThat(report.toString()).contains("nothing found in 100 runs");
    }

    @Test
    @Requirement(
            value = {
                "DPA-CHK-1",
                "DPA-CHK-2",
                "DPA-CHK-3",
                "DPA-CHK-4",
                "DPA-CHK-5",
                "DPA-CHK-6a",
                "DPA-CHK-7",
                "DPA-CHK-9",
                "DPA-CHK-12"
            },
            table = true)
    void whateverIsTakenOutIsFoundBetweenTheTwoLinesWhereItStood() throws IOException {
        Map<String, CodePlace> places = removable();
        assertThat(places.keySet())
                .containsAll(ROWS.keySet())
                .containsAll(OTHERS)
                .containsAll(NEEDLESS)
                .hasSize(ROWS.size() + OTHERS.size() + NEEDLESS.size());
        assertThat(ROWS).hasSizeGreaterThanOrEqualTo(25);
        ROWS.forEach((name, row) -> {
            CodePlace place = places.get(name);
            CheckReport report = without(place);
            assertThat(report.problems()).as(name).isEmpty();
            assertThat(report.rows()).as(name).containsExactly(row);
            for (CheckReport.Entry entry : report.entries()) {
                assertStoodBetween(name, place, entry.finding());
            }
        });
    }

    private static void assertStoodBetween(String name, CodePlace place, Finding finding) {
        Remedy remedy = finding.remedy().orElseThrow();
        CodePlace after = remedy.after().place();
        boolean told = after.equals(CodePlace.NONE);
        // An invalidation after a loop may stand in another method than the load that needs it.
        boolean alike = after.function().equals(place.function());
        assertThat(told || !alike || after.line() < place.line())
                .as("%s at %s: %s", name, place, finding)
                .isTrue();
        remedy.before()
                .ifPresent(before -> {
                    assertThat(before.place().file()).as(name).isEqualTo(place.file());
                    assertThat(before.place().line()).as(name).isGreaterThan(place.line());
                });
        assertThat(remedy.before().isPresent() || after.file().equals(place.file()))
                .as(name)
                .isTrue();
    }

    @Test
    @Requirement("DPA-CHK-20")
    void everythingThatIsTakenOutIsHealed() throws IOException {
        Map<String, CodePlace> places = removable();
        for (String name : ROWS.keySet()) {
            ProgramEdits edits = ProgramEdits.without(Set.of(places.get(name)));
            CheckReport report = store().run(Profile.SEED, RUNS, 1, edits);
            Repair repair =
                    ProgramRepair.find(
                            tried -> store().run(Profile.SEED, RUNS, 1, tried), report, edits);
            assertThat(repair.cured()).as("%s: %s", name, repair).isTrue();
            assertThat(repair.edits())
                    .as(name)
                    .isNotEmpty()
                    .hasSizeLessThanOrEqualTo(report.entries().size())
                    .allSatisfy(edit -> {
                        CodePlace place = places.get(name);
                        assertThat(edit.at().file()).isEqualTo(place.file());
                        if (edit.where() == Edit.Where.BEFORE) {
                            assertThat(edit.at().line()).isGreaterThan(place.line());
                        } else {
                            assertThat(edit.at().line()).isLessThan(place.line());
                        }
                    });
        }
    }

    @Test
    @Requirement({"DPA-CHK-13", "DPA-FXE-12"})
    void aHandlerThatDoesNotArmItsQueueIsFound() throws IOException {
        CodePlace arm = removable().get("front-arm");
        CheckReport report = without(arm);
        assertThat(findings(report, Rule.UNARMED_RESCHEDULE))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.ERROR);
                    assertThat(finding.first().place().line()).isEqualTo(arm.line() + 1);
                });
    }

    @Test
    @Requirement("DPA-CHK-22")
    void anEntryThatIsNeverRungForIsFound() throws IOException {
        CodePlace ring = removable().get("sender-ring");
        CheckReport report = without(ring);
        assertThat(findings(report, Rule.POSTED_NEVER_RUNG))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.ERROR);
                    assertThat(finding.first().place().function()).isEqualTo("post");
                    assertThat(finding.second().place().function()).isEqualTo("complete");
                });
        assertThat(findings(report, Rule.WAIT_FOR_NOTHING))
                .extracting(finding -> finding.second().actor())
                .doesNotContain("sender");
    }

    @Test
    @Requirement("DPA-CHK-21")
    void threadsThatNobodyStopsAreFound() throws IOException {
        CheckReport report = without(removable().get("front-stop"));
        assertThat(findings(report, Rule.WAIT_FOR_NOTHING))
                .extracting(finding -> finding.second().actor())
                .contains("refill", "sender", "logger", "statistics");
    }

    @Test
    @Requirement("DPA-CHK-19")
    void aLoopThatDoesNotSeeFailuresIsFound() {
        CheckReport report =
                ProgramCheck.of(BlindStore.class, KeyValueStore.parts()).run(Profile.SEED, RUNS, 1);
        assertThat(findings(report, Rule.WAIT_BLIND_TO_ERROR))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.first().actor()).isEqualTo("transmitter");
                    assertThat(finding.second().actor()).isEqualTo("sender");
                    assertThat(finding.second().place().function()).isEqualTo("complete");
                });
    }

    /// `front-needless` stands between two loads, which are in order anyway; `logger-needless`
    /// between loads and later stores, which are so too (DPA-MEM-13). The explorer agrees.
    @Test
    @Requirement({"DPA-CHK-17", "DPA-MEM-13"})
    void whatOrdersNothingIsNotMissed() throws IOException {
        Map<String, CodePlace> places = removable();
        for (String name : NEEDLESS) {
            assertThat(without(places.get(name)).isClean()).as(name).isTrue();
        }
        String front =
                """
                litmus front
                N: nicwr M[buffer]=1; nicwr M[own]=1
                T: spin M[own]==1;%s r=M[buffer]
                """;
        String logger =
                """
                litmus logger
                T1: M[value]=1; fence(HEAP,W,W); M[mail]=1; spin M[answer]==1; M[value]=2
                T2: spin M[mail]==1; r=M[value];%s M[answer]=1
                """;
        for (Profile profile : Profile.values()) {
            assertThat(explore(front, " fence(MEMORY,R,R);", profile))
                    .isEqualTo(explore(front, "", profile));
            assertThat(explore(logger, " fence(SYSTEM,R,W);", profile))
                    .isEqualTo(explore(logger, "", profile));
        }
    }

    private static Set<?> explore(String text, String fence, Profile profile) {
        LitmusProgram program =
                LitmusTest.parse(text.formatted(fence)).variants().getFirst().program();
        return Explorer.explore(program, profile).outcomes();
    }

    private static List<Finding> findings(CheckReport report, Rule rule) {
        return report.entries().stream()
                .map(CheckReport.Entry::finding)
                .filter(finding -> finding.rule() == rule)
                .toList();
    }

    /// The operations that are marked in the sources, as places that the program was loaded with.
    private static Map<String, CodePlace> removable() throws IOException {
        Map<String, CodePlace> byLine = new HashMap<>();
        for (CodePlace place : places()) {
            byLine.put(place.file() + ":" + place.line(), place);
        }
        Map<String, CodePlace> marked = new TreeMap<>();
        for (String file : List.of("StoreKernels.java", "StoreWorkers.java")) {
            List<String> lines =
                    Files.readAllLines(Repository.root().resolve(SOURCES).resolve(file));
            for (int i = 0; i < lines.size(); i++) {
                Matcher mark = MARK.matcher(lines.get(i));
                if (mark.find()) {
                    marked.put(mark.group(1), byLine.get(file + ":" + (i + 1)));
                }
            }
        }
        return marked;
    }

    private static List<CodePlace> places() {
        DpaProcess process =
                DpaProcess.open(
                        MachineOptions.DEFAULT,
                        ProgramImage.EMPTY,
                        RunMode.check(new Observer() {}, 1));
        process.load(KeyValueStore.class, KeyValueStore.parts()).setUp(process);
        process.run();
        List<CodePlace> places = new ArrayList<>();
        try {
            for (int site = 1; ; site++) {
                places.add(process.sites().place(site));
            }
        } catch (IndexOutOfBoundsException end) {
            return places;
        }
    }
}
