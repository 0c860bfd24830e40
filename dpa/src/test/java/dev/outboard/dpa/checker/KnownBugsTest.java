package dev.outboard.dpa.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.litmus.Explorer;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.LitmusReport;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/// The bugs in `examples/dpa/bugs`, of kinds that people report of network cards: each is found
/// with its two places, can go wrong, and is mended.
class KnownBugsTest {
    private static final Path FILES = Repository.root().resolve("examples/dpa/bugs");
    private static final String BUG = "bug";
    private static final String MENDED = "mended";

    /// @param outcome the bad one
    /// @param in a profile that has it
    /// @param edits how many lines `--fix` proposes; 0 if the program has to be rewritten
    /// @param findings row, first and second place of each
    record Bug(String name, String outcome, Profile in, int edits, String... findings) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Bug bug(String name, String outcome, int edits, String... findings) {
        return new Bug(name, outcome, Profile.SEED, edits, findings);
    }

    static final List<Bug> BUGS =
            List.of(
                    bug("atomic-of-the-wrong-order", "{o=0 r=0}", 1, "3: M[slot]=7; … r=M[slot]"),
                    bug("batch-never-rung", "{HANG}", 0, "22: M[wqe]=1; … spin M[owner]==1"),
                    bug("buffer-reused-too-soon", "{p=2}", 1, "9: DB(db@SXD,sq); … M[payload]=2;"),
                    bug(
                            "cached-producer-index",
                            "{first=0 last=0}",
                            1,
                            "5: first=W[index]; … last=W[slot]"),
                    bug("clear-drains-late", "{r=1}", 1, "9: M[data]=1; … DB(read@SXD,sq);"),
                    bug(
                            "doorbell-before-data",
                            "{p=0 w=1}",
                            1,
                            "1: M[payload]=7; … DB(db@SXD,sq)",
                            "1: M[wqe]=1; … DB(db@SXD,sq)"),
                    new Bug(
                            "fence-as-writeback",
                            "{r=0}",
                            Profile.PARANOID,
                            1,
                            "7: M[wqe]=1; … DB(db@SXD,sq)"),
                    bug("flag-before-payload", "{r=0}", 1, "3: M[message]=7; … r=M[message]"),
                    bug(
                            "half-a-descriptor",
                            "{a=4096 n=0 o=1}",
                            1,
                            "4: M[address]=4096; … M[own]=1;",
                            "4: M[length]=64; … M[own]=1;"),
                    bug("index-after-arm", "{r=0}", 1, "1: M[consumer]=8; … DB(arm@CQ_DB,cq)"),
                    bug(
                            "last-byte-poll",
                            "{r=0}",
                            0,
                            "18: nicwr {M[first]=1, M[last]=1} any order; nicwr M[owner]=1"
                                    + " … r=M[first]"),
                    bug(
                            "lost-slot",
                            "{a=0 b=0}",
                            0,
                            "11: M[next]=b+1 … M[next]=a+1",
                            "11: M[next]=a+1 … b=M[next];",
                            "11: M[next]=b+1 … a=M[next];"),
                    new Bug(
                            "one-line-two-writers",
                            "{X.device=1 X.host=0}",
                            Profile.BF3_LINES,
                            0,
                            "10: W[device]=1; … H[host]=1"),
                    bug(
                            "own-store-hides-the-answer",
                            "{X.mailbox=0 HANG}",
                            1,
                            "6: W[mailbox]=0; … spin W[mailbox]==1 {read_inv}",
                            "9: W[mailbox]=0; … DB(ask@RXT_DB);"),
                    bug("poll-of-a-copy", "{HANG}", 1, "6: spin W[go]==1; … spin W[go]==1;"),
                    bug("record-before-entries", "{d=1 w=0}", 1, "4: M[rwqe]=1; … M[record]=1;"),
                    bug(
                            "result-left-in-the-window",
                            "{r=0}",
                            1,
                            "2+8: W[result]=42; … DB(irq@RXT_DB)"),
                    bug(
                            "stale-after-wake-up",
                            "{after=0 before=0}",
                            1,
                            "5: before=W[table]; … after=W[table]"),
                    bug("two-fences-no-order", "{r=0}", 1, "1+8: M[data]=1; … W[flag]=1;"),
                    bug(
                            "unlock-without-writeback",
                            "{p=0 w=2}",
                            1,
                            "12: M[message]=7; … memory_writeback;"),
                    bug(
                            "wait-blind-to-error",
                            "{HANG}",
                            0,
                            "19: nicwr M[owner]=2 … spin M[owner]==1;",
                            "21: nicwr M[owner]=2 … spin M[owner]==1;"),
                    bug("writeback-too-early", "{n=0 w=1}", 1, "1: M[length]=64; … DB(db@SXD,sq)"),
                    bug(
                            "wrong-fence-before-doorbell",
                            "{r=0}",
                            1,
                            "1+8: M[wqe]=1; … DB(db@SXD,sq)"));

    private static String text(String name) throws IOException {
        return Files.readString(FILES.resolve(name + ".dpa"));
    }

    private static CheckReport check(LitmusProgram program) {
        return LitmusCheck.of(program, "bug.dpa").run(Profile.SEED, LitmusCheck.RUNS, 1);
    }

    private static Set<String> outcomes(LitmusProgram program, Profile profile) {
        return Explorer.explore(program, profile).outcomes().stream()
                .map(Outcome::toString)
                .collect(Collectors.toSet());
    }

    /// What stands there, up to the end of its line.
    private static String at(CodePlace place, String text) {
        return text.lines()
                .skip(place.line() - 1L)
                .findFirst()
                .orElseThrow()
                .substring(place.column() - 1);
    }

    private static String told(Finding finding, String text) {
        return "%s: %s … %s"
                .formatted(
                        finding.rows(),
                        at(finding.first().place(), text),
                        at(finding.second().place(), text));
    }

    @ParameterizedTest
    @FieldSource("BUGS")
    @Requirement({"DPA-CHK-9", "DPA-CHK-12", "DPA-CHK-18", "DPA-CHK-19", "DPA-CHK-22"})
    void isFoundWithItsTwoPlacesAndNothingElse(Bug bug) throws IOException {
        String text = text(bug.name());
        LitmusTest test = LitmusTest.parse(text);
        assertThat(check(test.variant(BUG).program()).entries())
                .extracting(entry -> told(entry.finding(), text))
                .containsExactlyInAnyOrder(bug.findings());
        assertThat(check(test.variant(MENDED).program()).isClean()).isTrue();
    }

    @ParameterizedTest
    @FieldSource("BUGS")
    void canGoWrong(Bug bug) throws IOException {
        LitmusTest test = LitmusTest.parse(text(bug.name()));
        assertThat(outcomes(test.variant(BUG).program(), bug.in())).contains(bug.outcome());
        for (Profile profile : Profile.values()) {
            assertThat(outcomes(test.variant(MENDED).program(), profile))
                    .doesNotContain(bug.outcome());
        }
    }

    @ParameterizedTest
    @FieldSource("BUGS")
    @Requirement("DPA-CHK-20")
    void isMended(Bug bug) throws IOException {
        String text = text(bug.name());
        LitmusProgram program = LitmusTest.parse(text).variant(BUG).program();
        Repair repair = LitmusRepair.find(text, BUG, "bug.dpa", check(program), 1);
        assertThat(repair.edits()).hasSize(bug.edits());
        assertThat(repair.cured()).isEqualTo(bug.edits() > 0);
        if (repair.cured()) {
            LitmusProgram healed = LitmusEditor.apply(program, repair.edits());
            assertThat(check(healed).isClean()).isTrue();
            assertThat(outcomes(healed, bug.in())).doesNotContain(bug.outcome());
        }
    }

    /// Each says what it is before it begins, and all its outcomes.
    @Test
    void theFilesAreAsTheySay() throws IOException {
        LitmusReport report = new LitmusReport();
        try (Stream<Path> files = Files.list(FILES)) {
            for (Path file : files.sorted().toList()) {
                String text = Files.readString(file);
                LitmusTest test = LitmusTest.parse(text);
                assertThat(text).startsWith("# ");
                assertThat(file.getFileName()).hasToString(test.name() + ".dpa");
                assertThat(test.variants())
                        .allMatch(variant -> variant.allowed(Profile.SEED).isPresent())
                        .extracting("name")
                        .containsExactly(BUG, MENDED);
                report.explore(test.name(), test, Set.of());
            }
        }
        assertThat(report.passes()).as(report.toString()).isTrue();
        assertThat(report.toString().lines().filter(line -> line.contains(" pass ")))
                .extracting(line -> line.replaceFirst(" .*", ""))
                .containsExactlyInAnyOrderElementsOf(names());
    }

    private static List<String> names() {
        return Stream.concat(BUGS.stream().map(Bug::name), Stream.of("lost-wake-up")).toList();
    }

    /// No access of it is wrong by itself: only the explorer can tell.
    @Test
    void aLostWakeUpHasNoRule() throws IOException {
        LitmusProgram program = LitmusTest.parse(text("lost-wake-up")).variant(BUG).program();
        assertThat(check(program).isClean()).isTrue();
        assertThat(outcomes(program, Profile.SEED)).contains("{asleep=0 seen=0}");
    }
}
