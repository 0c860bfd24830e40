package dev.outboard.dpa.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Space;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Which steps show something to the NIC, in states that come about at random.
class VisibilityTest {
    private static final int SEEDS = 300;
    private static final int MOVES = 60;
    private static final int THREADS = 3;
    private static final int GRANULES = 6;

    private final Steps steps = new Steps();

    private List<Integer> shown(Execution execution) {
        execution.steps(steps);
        List<Integer> granules = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            if (Steps.kind(steps.get(i)) == Steps.Kind.SHOW) {
                granules.add(Steps.second(steps.get(i)));
            }
        }
        return granules;
    }

    private void move(MemoryState state, Execution execution, SplittableRandom random) {
        int thread = random.nextInt(THREADS);
        switch (random.nextInt(6)) {
            case 0, 1 -> state.store(thread, 8 * random.nextInt(GRANULES), 8, random.nextInt(9));
            case 2 -> {
                Space[] spaces = Space.values();
                state.fence(thread, spaces[random.nextInt(spaces.length)], Op.W, Op.W);
            }
            case 3 -> {
                if (random.nextInt(4) == 0) {
                    state.nicWrite(8 * random.nextInt(GRANULES), 8, 1);
                }
            }
            default -> {
                execution.steps(steps);
                if (steps.size() > 0) {
                    execution.apply(steps.get(random.nextInt(steps.size())));
                }
            }
        }
    }

    /// Each granule that can be shown has one step, and no other has any.
    @ParameterizedTest
    @EnumSource(
            value = Profile.class,
            names = {"SEED", "PARANOID"})
    void aGranuleHasAStepIfItCanBeShown(Profile profile) {
        int some = 0;
        int several = 0;
        int hindered = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Layout layout = new Layout(THREADS, 0, false);
            MemoryState state = new MemoryState(layout, profile, new long[0], new long[0]);
            for (int granule = 0; granule < GRANULES; granule++) {
                state.addMemory(granule % 2 == 0, 0);
            }
            Execution execution = Execution.stepwise(state, new Code[0]);
            for (int i = 0; i < MOVES; i++) {
                move(state, execution, random);
                List<Integer> expected = new ArrayList<>();
                int hidden = 0;
                for (int granule = 0; granule < GRANULES; granule++) {
                    if (state.canShow(granule)) {
                        expected.add(granule);
                    }
                    hidden += isHidden(state, granule) ? 1 : 0;
                }
                assertThat(shown(execution))
                        .as("seed %d move %d", seed, i)
                        .containsExactlyInAnyOrderElementsOf(expected);
                some += expected.isEmpty() ? 0 : 1;
                several += expected.size() > 1 ? 1 : 0;
                hindered += hidden > expected.size() ? 1 : 0;
            }
        }
        assertThat(List.of(some, several, hindered)).allMatch(count -> count > SEEDS);
    }

    private static boolean isHidden(MemoryState state, int granule) {
        for (int thread = 0; thread < THREADS; thread++) {
            if (state.thread(thread).indexOfUnseen(granule) >= 0) {
                return true;
            }
        }
        return false;
    }
}
