package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.model.Digest;
import dev.outboard.dpa.model.Execution;
import dev.outboard.dpa.model.Steps;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// DPA-OPM-16: EXPLORE: finds every outcome of a litmus program, by going through all states that
/// can be reached.
///
/// ```java
/// Explorer.Result result = Explorer.explore(variant.program(), Profile.SEED);
/// result.outcomes().equals(variant.allowed(Profile.SEED).orElseThrow());
/// ```
public final class Explorer {
    /// How many states are looked at before a program is given up as too large.
    public static final long MOST_STATES = 5_000_000;

    private final LitmusModel model;
    private final long mostStates;
    private final DigestSet visited = new DigestSet();
    private final DigestSet ends = new DigestSet();

    /// By their text, so that they come in its order.
    private final Map<String, Outcome> outcomes = new TreeMap<>();

    private final Digest digest = new Digest();
    private final Digest scratch = new Digest();
    private final Deque<Execution> open = new ArrayDeque<>();

    /// What was found.
    ///
    /// @param outcomes in the order of their texts
    /// @param states the number of different states
    /// @param steps the number of steps between them
    public record Result(Set<Outcome> outcomes, long states, long steps) {}

    private Explorer(LitmusModel model, long mostStates) {
        this.model = model;
        this.mostStates = mostStates;
    }

    /// All outcomes of a program.
    ///
    /// @throws IllegalArgumentException if it has more than [#MOST_STATES] states
    public static Result explore(LitmusProgram program, Profile profile) {
        return explore(program, profile, true);
    }

    /// @param reduced whether interleavings that make no difference are left out
    static Result explore(LitmusProgram program, Profile profile, boolean reduced) {
        return explore(program, profile, reduced, MOST_STATES);
    }

    /// @param mostStates how many states are looked at
    static Result explore(
            LitmusProgram program, Profile profile, boolean reduced, long mostStates) {
        LitmusModel model = new LitmusModel(program);
        return new Explorer(model, mostStates).explore(model.start(profile, reduced));
    }

    private Result explore(Execution start) {
        long taken = 0;
        Steps steps = new Steps();
        visit(start);
        while (!open.isEmpty()) {
            Execution state = open.pop();
            state.steps(steps);
            int count = steps.size();
            assert count > 0 || state.isFinal() || state.isHang() : "no way on";
            for (int i = 0; i < count; i++) {
                Execution next = i == count - 1 ? state : state.copy();
                next.apply(steps.get(i));
                visit(next);
            }
            taken += count;
            if (visited.size() > mostStates) {
                throw new IllegalArgumentException(
                        "The program has more than %d states: make loops shorter"
                                .formatted(mostStates));
            }
        }
        return new Result(new LinkedHashSet<>(outcomes.values()), visited.size(), taken);
    }

    private void visit(Execution state) {
        state.digest(digest.clear(), scratch);
        if (!visited.add(digest.high(), digest.low())) {
            return;
        }
        if (state.isFinal()) {
            end(state, false);
        } else if (state.isHang()) {
            end(state, true);
        }
        open.push(state);
    }

    private void end(Execution state, boolean hang) {
        long[] values = model.observed(state, hang);
        digest.clear().add(hang ? 1 : 0);
        for (long value : values) {
            digest.add(value);
        }
        if (ends.add(digest.high(), digest.low())) {
            Outcome outcome = model.outcome(values, hang);
            outcomes.put(outcome.toString(), outcome);
        }
    }
}
