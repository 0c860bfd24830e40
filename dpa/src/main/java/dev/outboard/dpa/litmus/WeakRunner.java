package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.model.Execution;
import dev.outboard.dpa.model.Steps;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// DPA-OPM-16: WEAK: runs a litmus program once by the operational model, one step after the other,
/// as a seed has it. The same seed gives the same run. Not thread-safe.
///
/// ```java
/// WeakRunner runner = new WeakRunner(variant.program(), Profile.SEED);
/// Outcome outcome = runner.run(seed);
/// ```
///
/// Seeds differ in their manner. Most give each kind of step a weight, often a small one or none
/// for steps that need not happen, so that stores stay pending and copies stale for long. The
/// others are of the kind that is known as PCT: every actor and every buffer has a priority, and
/// few times in a run the one that is first becomes the last.
public final class WeakRunner {
    /// A run that has so often come to where it may hang does hang.
    private static final int MOST_HANGS = 100;

    /// A run that is longer than any of a program that ends.
    private static final int MOST_STEPS = 1_000_000;

    /// The weights of steps that nobody asks for, against 16 for an action.
    private static final int[] WEIGHTS = {0, 0, 1, 4, 16};

    private static final int ACTION_WEIGHT = 16;
    private static final int CHANGES = 3;
    private static final int CHANGE_WITHIN = 40;

    private final LitmusModel model;
    private final Execution start;
    private final Steps steps = new Steps();

    /// A runner for a program.
    public WeakRunner(LitmusProgram program, Profile profile) {
        model = new LitmusModel(program);
        start = model.start(profile, false);
    }

    /// One run.
    ///
    /// @throws IllegalStateException if it does not come to an end
    public Outcome run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Manner manner = random.nextInt(3) == 0 ? new Priorities(random) : new Weights(random);
        Execution execution = start.copy();
        int hangs = 0;
        for (int i = 0; i < MOST_STEPS; i++) {
            boolean ended = execution.isFinal();
            execution.steps(steps);
            if (ended && (steps.size() == 0 || random.nextBoolean())) {
                return end(execution, false);
            }
            hangs += execution.isHang() ? 1 : 0;
            if (steps.size() == 0 || hangs > MOST_HANGS) {
                return end(execution, true);
            }
            execution.apply(manner.choose(execution, i));
        }
        throw new IllegalStateException(
                "The run of seed %d has more than %d steps".formatted(seed, MOST_STEPS));
    }

    /// The outcomes of many seeds, and how often each came up.
    ///
    /// @param first the first seed
    public Map<Outcome, Integer> run(long first, int seeds) {
        Map<Outcome, Integer> counts = new TreeMap<>();
        for (int i = 0; i < seeds; i++) {
            counts.merge(run(first + i), 1, Integer::sum);
        }
        return counts;
    }

    private Outcome end(Execution execution, boolean hang) {
        return model.outcome(model.observed(execution, hang), hang);
    }

    /// How a seed chooses the next step.
    private interface Manner {
        long choose(Execution execution, int number);
    }

    /// By weights.
    private final class Weights implements Manner {
        private final SplittableRandom random;
        private final int[] byKind = new int[Steps.Kind.values().length];

        Weights(SplittableRandom random) {
            this.random = random;
            byKind[Steps.Kind.RUN.ordinal()] = ACTION_WEIGHT;
            byKind[Steps.Kind.PERFORM.ordinal()] = WEIGHTS[random.nextInt(WEIGHTS.length)];
            byKind[Steps.Kind.POSTED.ordinal()] = WEIGHTS[random.nextInt(WEIGHTS.length)];
            byKind[Steps.Kind.SHOW.ordinal()] = WEIGHTS[random.nextInt(WEIGHTS.length)];
            byKind[Steps.Kind.VANISH.ordinal()] = WEIGHTS[random.nextInt(WEIGHTS.length)];
        }

        @Override
        public long choose(Execution execution, int number) {
            int sum = 0;
            for (int i = 0; i < steps.size(); i++) {
                sum += byKind[Steps.kind(steps.get(i)).ordinal()];
            }
            // Where actors only wait, all that has to happen happens.
            if (sum == 0 || onlyPolls(execution)) {
                return steps.get(random.nextInt(steps.size()));
            }
            int drawn = random.nextInt(sum);
            int i = 0;
            while (drawn >= byKind[Steps.kind(steps.get(i)).ordinal()]) {
                drawn -= byKind[Steps.kind(steps.get(i)).ordinal()];
                i++;
            }
            return steps.get(i);
        }
    }

    /// Whether no actor can do anything but poll, and something has to happen.
    private boolean onlyPolls(Execution execution) {
        for (int i = 0; i < steps.size(); i++) {
            long step = steps.get(i);
            if (Steps.kind(step) == Steps.Kind.RUN && !execution.code(Steps.first(step)).isPoll()) {
                return false;
            }
        }
        return execution.memory().hasMandatory();
    }

    /// By priorities of actors and of the buffers of threads.
    private final class Priorities implements Manner {
        private final SplittableRandom random;
        private final Map<Long, Integer> priorities = new TreeMap<>();
        private final int[] changes = new int[CHANGES];
        private int lowest;

        Priorities(SplittableRandom random) {
            this.random = random;
            Arrays.setAll(changes, i -> random.nextInt(CHANGE_WITHIN));
        }

        @Override
        public long choose(Execution execution, int number) {
            int first = 0;
            for (int i = 1; i < steps.size(); i++) {
                if (priority(steps.get(i)) > priority(steps.get(first))) {
                    first = i;
                }
            }
            long step = steps.get(first);
            boolean poll =
                    Steps.kind(step) == Steps.Kind.RUN
                            && execution.code(Steps.first(step)).isPoll();
            if (poll || Arrays.stream(changes).anyMatch(change -> change == number)) {
                // Whoever polls lets the others go first the next time.
                priorities.put(owner(step), --lowest);
            }
            return step;
        }

        private int priority(long step) {
            return priorities.computeIfAbsent(
                    owner(step), any -> random.nextInt(Integer.MAX_VALUE));
        }

        /// Who takes a step: an actor, or what is pending or cached of a thread.
        private long owner(long step) {
            long kind = Steps.kind(step).ordinal();
            return (kind << Integer.SIZE) | Steps.first(step);
        }
    }
}
