package dev.outboard.dpa.machine.turns;

import java.util.Arrays;
import java.util.SplittableRandom;

/// DPA-OPM-16: whose turn is next, and for how long: what a seed decides. Seeds differ in how long
/// turns are, and half of them hold some actors back for long times, so that rare orders come up.
/// In long runs turns become longer, since handing over costs more than an operation.
final class TurnOrder {
    /// Mean lengths of turns, in operations.
    private static final int[] MEANS = {1, 3, 10, 30, 100};

    /// One operation more per turn for so many operations of the run.
    private static final int PATIENCE = 4000;

    private static final int LONGEST_MEAN = 200;

    /// Chances of actors that are held back are down to 2^-6.
    private static final int HELD_BACK = 7;

    /// After so many turns others are held back.
    private static final int TURNS_OF_WEIGHTS = 64;

    private final SplittableRandom random;
    private final int mean;
    private final boolean fair;
    private int[] weights = {};
    private int turns;

    TurnOrder(SplittableRandom random) {
        this.random = random;
        mean = MEANS[random.nextInt(MEANS.length)];
        fair = random.nextBoolean();
    }

    /// There are so many actors.
    void reach(int actors) {
        int before = weights.length;
        weights = Arrays.copyOf(weights, actors);
        if (before < actors) {
            Arrays.fill(weights, before, actors, 1);
        }
    }

    /// How many operations the next turn takes, after so many of the run.
    int length(long operations) {
        int patient = (int) Math.min(LONGEST_MEAN, operations / PATIENCE);
        return 1 + random.nextInt(2 * Math.max(mean, patient));
    }

    /// One of the first `count` actors.
    int pick(int[] actors, int count) {
        if (fair || count == 1) {
            return actors[random.nextInt(count)];
        }
        if (turns++ % TURNS_OF_WEIGHTS == 0) {
            for (int i = 0; i < weights.length; i++) {
                weights[i] = 1 << random.nextInt(HELD_BACK);
            }
        }
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += weights[actors[i]];
        }
        int drawn = random.nextInt(sum);
        int chosen = 0;
        while (drawn >= weights[actors[chosen]]) {
            drawn -= weights[actors[chosen]];
            chosen++;
        }
        return actors[chosen];
    }
}
