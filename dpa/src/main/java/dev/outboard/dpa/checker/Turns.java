package dev.outboard.dpa.checker;

import java.util.List;
import java.util.SplittableRandom;

/// Whose turn it is in a run of a litmus program. Most seeds let one actor take a few steps, then
/// all others in some order as far as they come, and then the first one again: each of the mistakes
/// that the checker knows shows after one such interruption. Every fourth seed is a random walk.
final class Turns {
    private static final int EIGHTH = 8;
    private static final int WALKS = 4;

    private final SplittableRandom random;
    private final boolean walk;
    private final int loyalty;
    private final int interrupted;
    private final int steps;
    private final int[] ranks;
    private int taken;
    private int latest = -1;

    /// Turns of that many actors, by a seed.
    Turns(int actors, long seed, SplittableRandom random) {
        this.random = random;
        walk = Math.floorMod(seed, WALKS) == 0;
        // How often out of 8 times an actor goes on where it could be another one's turn.
        loyalty = random.nextInt(EIGHTH + 1);
        // Counts the seeds that are no walks.
        int turn = (int) (seed - Math.floorDiv(seed, WALKS) - 1);
        interrupted = Math.floorMod(turn, actors);
        steps = Math.floorMod(Math.floorDiv(turn, actors), Math.max(1, EIGHTH - actors / 2));
        ranks = new int[actors];
        for (int i = 0; i < actors; i++) {
            int other = random.nextInt(i + 1);
            ranks[i] = ranks[other];
            ranks[other] = i;
        }
    }

    /// One of those that can go on.
    int next(List<Integer> ready) {
        latest = walk ? step(ready) : leader(ready);
        return latest;
    }

    private int step(List<Integer> ready) {
        if (ready.contains(latest) && random.nextInt(EIGHTH) < loyalty) {
            return latest;
        }
        return ready.get(random.nextInt(ready.size()));
    }

    private int leader(List<Integer> ready) {
        if (taken < steps && ready.contains(interrupted)) {
            taken++;
            return interrupted;
        }
        int best = ready.getFirst();
        for (int candidate : ready) {
            if (best == interrupted || (candidate != interrupted && rank(candidate) > rank(best))) {
                best = candidate;
            }
        }
        return best;
    }

    private int rank(int actor) {
        return ranks[actor];
    }
}
