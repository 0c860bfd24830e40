package dev.outboard.dpa.litmus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WeakRunnerTest {
    private static final int SEEDS = 10_000;

    record Case(LitmusTest test, Variant variant, Profile profile) {
        @Override
        public String toString() {
            return test.name() + variant.name() + " " + profile;
        }

        Set<Outcome> allowed() {
            return variant.allowed(profile).orElseThrow();
        }

        Map<Outcome, Integer> run(int seeds) {
            return new WeakRunner(variant.program(), profile).run(1, seeds);
        }
    }

    private static List<Case> cases(int first, int last, List<Profile> profiles) {
        List<Case> cases = new ArrayList<>();
        for (int number : LitmusCatalog.NUMBERS) {
            if (number >= first && number <= last) {
                LitmusTest test = LitmusCatalog.test(number);
                for (Variant variant : test.variants()) {
                    profiles.forEach(profile -> cases.add(new Case(test, variant, profile)));
                }
            }
        }
        return cases;
    }

    static List<Case> firstEight() {
        return cases(1, 8, List.of(Profile.SEED, Profile.BF3, Profile.PARANOID));
    }

    @ParameterizedTest
    @MethodSource("firstEight")
    @Requirement("DPA-OPM-16")
    void reachesEveryOutcomeAndNoOther(Case one) {
        assertThat(one.run(SEEDS).keySet()).isEqualTo(one.allowed());
    }

    static List<Case> theOthers() {
        return cases(9, 53, List.of(Profile.values()));
    }

    @ParameterizedTest
    @MethodSource("theOthers")
    @Requirement("DPA-OPM-16")
    void reachesNoOutcomeThatIsNotAllowed(Case one) {
        assertThat(one.allowed()).containsAll(one.run(300).keySet());
    }

    /// By weights alone each of the two would take a million seeds: that one thread does all before
    /// the other begins, and all between two steps of it.
    @Test
    @Requirement("DPA-OPM-16")
    void priorityAndFewPreemptionsReachLongStretchesOfOneThread() {
        LitmusProgram program =
                Programs.of("T1: r=M[y]; s=M[y] T2: repeat 20 {o=amoadd(M[y],1)} observe r s");
        assertThat(new WeakRunner(program, Profile.SEED).run(1, 3000).keySet())
                .extracting(Outcome::toString)
                .contains("{r=20 s=20}", "{r=0 s=20}", "{r=0 s=0}");
    }

    @Test
    @Requirement("DPA-HW-14")
    void theSameSeedGivesTheSameRun() {
        for (Case one : firstEight()) {
            WeakRunner runner = new WeakRunner(one.variant().program(), one.profile());
            for (long seed = 0; seed < 20; seed++) {
                assertThat(runner.run(seed)).isEqualTo(runner.run(seed));
            }
        }
    }
}
