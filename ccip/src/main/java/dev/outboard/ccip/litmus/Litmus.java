package dev.outboard.ccip.litmus;

import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.ResponseFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/// Runs litmus tests: clocked behind the port of a simulation, and through all orders there are.
///
/// ```java
/// for (Variant variant : Variant.of(Scenario.all().getFirst(), Profile.INTEGRATED)) {
///     LitmusResult result = Litmus.run(variant, Mode.ADVERSARIAL, 4).with(Litmus.outcomes(variant));
///     System.out.println(result);
/// }
/// ```
///
/// All of it is a function of what is given; methods may be called by any thread.
public final class Litmus {
    /// What an outcome has in place of the value of a line that is of two writes.
    public static final String TORN = "torn";

    /// How often a scenario runs with one seed.
    public static final int RUNS_PER_SEED = 40;

    /// How many times as many seeds are tried, at most, until all has occurred that has to.
    private static final int PATIENCE = 500;

    private Litmus() {}

    /// Runs a variant in a simulation for each of the seeds 1 to `seeds`, and for more if something
    /// that has to occur in ADVERSARIAL mode has not.
    public static LitmusResult run(Variant variant, Mode mode, int seeds) {
        Map<String, LitmusResult.Runs> runs = new TreeMap<>();
        int limit = mode == Mode.ADVERSARIAL ? seeds * PATIENCE : seeds;
        for (int seed = 1; seed <= limit; seed++) {
            if (seed > seeds && new LitmusResult(variant, mode, runs).unseen().isEmpty()) {
                break;
            }
            try (PortRun run = new PortRun(variant, mode, seed)) {
                for (int i = 0; i < RUNS_PER_SEED; i++) {
                    LitmusResult.Runs one = new LitmusResult.Runs(1, seed);
                    runs.merge(run.next(), one, LitmusResult.Runs::plus);
                }
            }
        }
        return new LitmusResult(variant, mode, runs);
    }

    /// All outcomes that a variant can have, in whatever order things happen.
    public static Set<String> outcomes(Variant variant) {
        Set<String> all = new TreeSet<>(Explorer.outcomes(variant, ResponseFormat.UNPACKED));
        boolean burst =
                variant.scenario().afu().stream()
                        .anyMatch(step -> step instanceof AfuStep.Write write && write.lines() > 1);
        if (burst) {
            all.addAll(Explorer.outcomes(variant, ResponseFormat.PACKED));
        }
        return all;
    }

    /// Runs variants in ADVERSARIAL mode and writes a table of them, a line each, and at the end
    /// what is not as it has to be.
    ///
    /// @param seeds for each variant, at least
    /// @param exhaustive whether all outcomes that can be are looked for too, and listed beside the
    ///   programs
    /// @return whether all is as it has to be
    public static boolean table(
            List<Variant> variants, int seeds, boolean exhaustive, Consumer<String> out) {
        List<String> failures = new ArrayList<>();
        out.accept(LitmusResult.HEADING);
        String last = "";
        for (Variant variant : variants) {
            Scenario scenario = variant.scenario();
            LitmusResult result = run(variant, Mode.ADVERSARIAL, seeds);
            if (exhaustive) {
                if (!scenario.name().equals(last)) {
                    out.accept("");
                    out.accept(scenario.name() + ": " + scenario.title());
                    scenario.program().forEach(line -> out.accept("  " + line));
                }
                last = scenario.name();
                result = result.with(outcomes(variant));
                out.accept(result.toString());
                result.outcomes().forEach(out);
            } else {
                out.accept(result.toString());
            }
            result.failures().forEach(failure -> failures.add(variant + ": " + failure));
        }
        if (failures.isEmpty()) {
            out.accept(
                    "All %d variants had every allowed outcome and no forbidden one."
                            .formatted(variants.size()));
        }
        failures.forEach(out);
        return failures.isEmpty();
    }
}
