package dev.outboard.dpa.litmus;

import dev.outboard.dpa.json.JsonWriter;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.text.Plural;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/// What EXPLORE found for litmus tests: a verdict for each file, as text or as JSON. Not for
/// several threads.
public final class LitmusReport {
    private static final int VERSION = 1;

    private final List<OfFile> files = new ArrayList<>();

    /// An empty report.
    public LitmusReport() {}

    /// What was found for one file.
    ///
    /// @param file its name
    private record OfFile(String file, LitmusTest test, List<LitmusVerdict> verdicts) {
        boolean passes() {
            return verdicts.stream().allMatch(LitmusVerdict::passes);
        }

        /// `pass`, `fail`, or `open` if the test expects nothing.
        String verdict() {
            if (verdicts.stream().allMatch(verdict -> verdict.expected().isEmpty())) {
                return "open";
            }
            return passes() ? "pass" : "fail";
        }
    }

    /// Explores all variants of a test.
    ///
    /// @param file the name of its file
    /// @param profiles in which profiles; if empty, in each for which the test expects something,
    ///   and in SEED if that is none
    /// @throws IllegalArgumentException if a variant has more than [Explorer#MOST_STATES] states
    public void explore(String file, LitmusTest test, Set<Profile> profiles) {
        List<LitmusVerdict> verdicts = new ArrayList<>();
        for (Variant variant : test.variants()) {
            for (Profile profile : profiles.isEmpty() ? expectedIn(variant) : profiles) {
                verdicts.add(LitmusVerdict.of(variant, profile));
            }
        }
        files.add(new OfFile(file, test, List.copyOf(verdicts)));
    }

    /// BF3_LINES is the same as BF3 but where the test says otherwise.
    private static Set<Profile> expectedIn(Variant variant) {
        Set<Profile> expected = EnumSet.noneOf(Profile.class);
        for (Profile profile : Profile.values()) {
            boolean listed = variant.listed().containsKey(profile);
            if (listed || (profile != Profile.BF3_LINES && variant.allowed(profile).isPresent())) {
                expected.add(profile);
            }
        }
        return expected.isEmpty() ? EnumSet.of(Profile.SEED) : expected;
    }

    /// Whether no outcome is unexpected and none is missing.
    public boolean passes() {
        return files.stream().allMatch(OfFile::passes);
    }

    /// A line for each file, and below it what is not as expected, or, where nothing is expected,
    /// what the outcomes are.
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        int width = files.stream().mapToInt(one -> one.file().length()).max().orElse(0);
        for (OfFile one : files) {
            long states = one.verdicts().stream().mapToLong(LitmusVerdict::states).sum();
            text.append(
                    "%s%s  %s  %s, %s%n"
                            .formatted(
                                    one.file(),
                                    " ".repeat(width - one.file().length()),
                                    one.verdict(),
                                    Plural.of(one.verdicts().size(), "exploration"),
                                    Plural.of(states, "state")));
            one.verdicts().forEach(verdict -> append(text, verdict));
        }
        long failed = files.stream().filter(one -> !one.passes()).count();
        return text.append(
                        "%s: %s%n"
                                .formatted(
                                        Plural.of(files.size(), "file"),
                                        failed == 0
                                                ? "nothing unexpected, and nothing missing"
                                                : failed + " not as expected"))
                .toString();
    }

    private static void append(StringBuilder text, LitmusVerdict verdict) {
        StringJoiner where = new StringJoiner(" ", "    ", ": ");
        if (!verdict.variant().name().isEmpty()) {
            where.add(verdict.variant().name());
        }
        where.add(verdict.profile().name());
        if (verdict.expected().isEmpty()) {
            text.append(where).append(list(List.copyOf(verdict.outcomes()))).append('\n');
        }
        if (!verdict.unexpected().isEmpty()) {
            text.append(where)
                    .append("unexpected ")
                    .append(list(verdict.unexpected()))
                    .append('\n');
        }
        if (!verdict.missing().isEmpty()) {
            text.append(where).append("missing ").append(list(verdict.missing())).append('\n');
        }
    }

    private static String list(List<Outcome> outcomes) {
        return outcomes.stream().map(Outcome::toString).collect(Collectors.joining(" "));
    }

    /// The report as JSON; `litmus-report.schema.json`, a resource beside this class, describes it.
    public String json() {
        return JsonWriter.object(json -> {
            json.member("version", VERSION);
            json.member("passes", passes());
            json.array("files", files, LitmusReport::write);
        });
    }

    private static void write(JsonWriter json, OfFile one) {
        json.member("file", one.file());
        json.member("test", one.test().name());
        json.member("title", one.test().title());
        json.member("verdict", one.verdict());
        json.array("explorations", one.verdicts(), LitmusReport::write);
    }

    private static void write(JsonWriter json, LitmusVerdict verdict) {
        json.member("variant", verdict.variant().name());
        json.member("title", verdict.variant().title());
        json.member("profile", verdict.profile().name());
        json.member("expected", verdict.expected().isPresent());
        json.member("passes", verdict.passes());
        json.strings("outcomes", texts(List.copyOf(verdict.outcomes())));
        json.strings("unexpected", texts(verdict.unexpected()));
        json.strings("missing", texts(verdict.missing()));
        json.member("states", verdict.states());
    }

    private static List<String> texts(List<Outcome> outcomes) {
        return outcomes.stream().map(Outcome::toString).toList();
    }
}
