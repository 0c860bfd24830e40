package dev.outboard.dpa.checker;

import dev.outboard.dpa.json.JsonWriter;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.text.Plural;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The findings of several runs of one program, each once for the same rule and the same two
/// places, with all actors that it is true of. Not for several threads.
public final class CheckReport {
    private final String program;
    private final Profile profile;
    private final Map<Key, Entry> entries = new LinkedHashMap<>();
    private final Map<String, Long> problems = new LinkedHashMap<>();
    private int runs;

    /// Which of two places of a race comes first differs from run to run, and who is there too.
    private record Key(Rule rule, Set<Place> places) {
        static Key of(Finding finding) {
            return new Key(
                    finding.rule(),
                    Set.copyOf(List.of(Place.of(finding.first()), Place.of(finding.second()))));
        }
    }

    private record Place(String action, CodePlace place) {
        static Place of(Spot spot) {
            return new Place(spot.action(), spot.place());
        }
    }

    /// A finding, and the run that shows it again.
    ///
    /// @param others who else did the same at the same places, in the order in which they were
    ///   found
    /// @param seed of the first run that had it
    /// @param count of the runs that had it
    public record Entry(Finding finding, List<String> others, long seed, int count) {
        /// Copies the list.
        public Entry {
            others = List.copyOf(others);
        }

        /// The same place again, in this run or another one.
        private Entry with(Finding again, int runs) {
            Set<String> all = new LinkedHashSet<>(others);
            all.add(again.first().actor());
            all.add(again.second().actor());
            all.remove(finding.first().actor());
            all.remove(finding.second().actor());
            return new Entry(finding, List.copyOf(all), seed, runs);
        }
    }

    /// An empty report.
    public CheckReport(String program, Profile profile) {
        this.program = program;
        this.profile = profile;
    }

    /// Adds the findings of a run.
    public void add(List<Finding> findings, long seed) {
        runs++;
        Set<Key> ofThisRun = new HashSet<>();
        for (Finding finding : findings) {
            Key key = Key.of(finding);
            int more = ofThisRun.add(key) ? 1 : 0;
            entries.merge(
                    key,
                    new Entry(finding, List.of(), seed, 1),
                    (old, any) -> old.with(finding, old.count() + more));
        }
    }

    /// Adds something else that went wrong in a run, so that it did not come to its end.
    ///
    /// @param seed of the run
    public void addProblem(String problem, long seed) {
        problems.putIfAbsent(problem, seed);
    }

    /// What was checked.
    public String program() {
        return program;
    }

    /// By which profile.
    public Profile profile() {
        return profile;
    }

    /// How many runs were made.
    public int runs() {
        return runs;
    }

    /// The findings, in the order in which they were found.
    public List<Entry> entries() {
        return new ArrayList<>(entries.values());
    }

    /// What kept runs from their end.
    public Set<String> problems() {
        return Collections.unmodifiableSet(problems.keySet());
    }

    /// Whether nothing was found, and every run came to its end.
    public boolean isClean() {
        return entries.isEmpty() && problems.isEmpty();
    }

    /// Whether any finding is of that severity.
    public boolean has(Severity severity) {
        return entries.values().stream().anyMatch(entry -> entry.finding().severity() == severity);
    }

    /// The rows of the catalog that were found, such as `1+8`.
    public Set<String> rows() {
        Set<String> rows = new TreeSet<>();
        entries.values().forEach(entry -> rows.add(entry.finding().rows()));
        return rows;
    }

    /// The report for a reader.
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(500);
        for (Entry entry : entries.values()) {
            text.append(
                    "%s%n%s  Seed %d shows it again; %d of %d runs had it.%n%n"
                            .formatted(
                                    entry.finding(),
                                    others(entry),
                                    entry.seed(),
                                    entry.count(),
                                    runs));
        }
        problems.forEach((problem, first) ->
                text.append(
                        "problem: %s%n  Seed %d shows it again.%n%n".formatted(problem, first)));
        long errors = count(Severity.ERROR);
        long warnings = count(Severity.WARNING);
        String summary =
                isClean()
                        ? "nothing found"
                        : "%s, %s"
                                        .formatted(
                                                Plural.of(errors, "error"),
                                                Plural.of(warnings, "warning"))
                                + (problems.isEmpty()
                                        ? ""
                                        : ", " + Plural.of(problems.size(), "problem"));
        return text.append(
                        "%s: %s in %s (%s)%n"
                                .formatted(program, summary, Plural.of(runs, "run"), profile))
                .toString();
    }

    private static String others(Entry entry) {
        return entry.others().isEmpty()
                ? ""
                : "  The same at the same places: %s.%n"
                        .formatted(String.join(", ", entry.others()));
    }

    private long count(Severity severity) {
        return entries.values().stream()
                .filter(entry -> entry.finding().severity() == severity)
                .count();
    }

    /// The members of the report in JSON.
    void write(JsonWriter json) {
        json.member("program", program);
        json.member("profile", profile.name());
        json.member("runs", runs);
        json.array(
                "findings",
                entries.values(),
                (members, entry) -> {
                    write(members, entry.finding());
                    members.strings("others", entry.others());
                    members.member("seed", entry.seed());
                    members.member("runs", entry.count());
                });
        json.strings("problems", problems.keySet());
    }

    private static void write(JsonWriter json, Finding finding) {
        json.member("rule", finding.rule().name());
        json.member("row", finding.rule().row());
        json.member("severity", finding.severity().toString());
        json.member("first", members -> write(members, finding.first()));
        json.member("second", members -> write(members, finding.second()));
        json.member("location", finding.location());
        json.member("missing", finding.rule().missing());
        json.member("reason", finding.reason());
        finding.mismatch()
                .ifPresent(mismatch ->
                        json.member(
                                "mismatch",
                                members -> {
                                    members.member("kind", mismatch.kind().name());
                                    members.member("found", mismatch.found());
                                    members.member("needed", mismatch.needed().litmus());
                                    members.member("at", inner -> write(inner, mismatch.spot()));
                                }));
        finding.remedy()
                .ifPresent(remedy ->
                        json.member(
                                "remedy",
                                members -> {
                                    members.member("operation", remedy.operation().litmus());
                                    members.member("java", remedy.operation().java());
                                    members.member("after", inner -> write(inner, remedy.after()));
                                    remedy.before()
                                            .ifPresent(end ->
                                                    members.member(
                                                            "before", inner -> write(inner, end)));
                                }));
    }

    static void write(JsonWriter json, CodePlace place) {
        json.member("file", place.file());
        json.member("line", place.line());
        json.member("column", place.column());
        json.member("function", place.function());
    }

    private static void write(JsonWriter json, Spot spot) {
        json.member("actor", spot.actor());
        json.member("action", spot.action());
        write(json, spot.place());
    }
}
