package dev.outboard.ccip.litmus;

import dev.outboard.ccip.platform.Mode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// Which outcomes a variant had. Immutable.
///
/// @param variant what ran
/// @param mode in which mode
/// @param runs the outcomes that occurred
/// @param possible all outcomes that can be, if they were looked for
public record LitmusResult(
        Variant variant, Mode mode, Map<String, Runs> runs, Optional<Set<String>> possible) {
    /// What the columns of [#toString] are.
    static final String HEADING =
            "%-9s %-10s %-22s %-6s %9s %8s   %s"
                    .formatted(
                            "Scenario",
                            "Platform",
                            "Channels",
                            "",
                            "Outcomes",
                            "Runs",
                            "Runs with an outcome that is expected");

    /// The runs that had an outcome: how many, and the first seed among them.
    public record Runs(int count, int firstSeed) {
        Runs plus(Runs later) {
            return new Runs(count + later.count, firstSeed);
        }
    }

    public LitmusResult {
        runs = Collections.unmodifiableMap(new TreeMap<>(runs));
        possible = possible.map(Set::copyOf);
    }

    LitmusResult(Variant variant, Mode mode, Map<String, Runs> runs) {
        this(variant, mode, runs, Optional.empty());
    }

    /// This result and all outcomes that can be.
    public LitmusResult with(Set<String> outcomes) {
        return new LitmusResult(variant, mode, runs, Optional.of(outcomes));
    }

    /// In how many runs this was.
    public int count(Expectation expectation) {
        return runs.entrySet().stream()
                .filter(entry -> expectation.matches(entry.getKey()))
                .mapToInt(entry -> entry.getValue().count())
                .sum();
    }

    /// The allowed outcomes that did not occur.
    public List<Expectation> unseen() {
        return variant.expectations().stream()
                .filter(expected -> expected.allowed() && count(expected) == 0)
                .toList();
    }

    /// What is not as it has to be; in TIMED mode not all that is allowed has to occur.
    public List<String> failures() {
        List<String> failures = new ArrayList<>();
        Set<String> outcomes = possible.orElse(runs.keySet());
        for (Map.Entry<String, Runs> entry : runs.entrySet()) {
            String where = " in mode " + mode + ", first with seed " + entry.getValue().firstSeed();
            if (isForbidden(entry.getKey())) {
                failures.add(entry.getKey() + " is forbidden and occurred" + where);
            } else if (!outcomes.contains(entry.getKey())) {
                failures.add(entry.getKey() + " cannot be and occurred" + where);
            }
        }
        if (mode == Mode.ADVERSARIAL) {
            unseen().forEach(never -> failures.add(never + " never occurred"));
        }
        possible.ifPresent(all -> {
            all.stream()
                    .filter(Predicate.not(runs::containsKey))
                    .filter(this::isForbidden)
                    .forEach(outcome -> failures.add(outcome + " is forbidden and can be"));
            variant.expectations().stream()
                    .filter(Expectation::allowed)
                    .filter(expected -> all.stream().noneMatch(expected::matches))
                    .forEach(expected -> failures.add(expected + " cannot be"));
        });
        return failures;
    }

    private boolean isForbidden(String outcome) {
        return outcome.contains(Litmus.TORN)
                || variant.expectations().stream()
                        .anyMatch(expected -> !expected.allowed() && expected.matches(outcome));
    }

    /// All that occurred and all that can be, a line each: how often, and what of it is forbidden.
    public List<String> outcomes() {
        Set<String> all = new TreeSet<>(runs.keySet());
        possible.ifPresent(all::addAll);
        return all.stream()
                .map(outcome ->
                        "%8d  %s%s"
                                .formatted(
                                        runs.getOrDefault(outcome, new Runs(0, 0)).count(),
                                        outcome,
                                        isForbidden(outcome) ? "  forbidden" : ""))
                .toList();
    }

    /// A line of a table: the variant, whether it is as it has to be, how many outcomes occurred,
    /// and how often each that is expected.
    @Override
    public String toString() {
        List<String> counts = new ArrayList<>();
        for (Expectation expected : variant.expectations()) {
            counts.add(expected + ": " + count(expected));
        }
        int total = runs.values().stream().mapToInt(Runs::count).sum();
        String of = possible.map(all -> " of " + all.size()).orElse("");
        return "%-9s %-10s %-22s %-6s %9s %8d   %s"
                .formatted(
                        variant.scenario().name(),
                        variant.profile().name(),
                        variant.channels(),
                        failures().isEmpty() ? "ok" : "FAILED",
                        runs.size() + of,
                        total,
                        String.join("; ", counts));
    }
}
