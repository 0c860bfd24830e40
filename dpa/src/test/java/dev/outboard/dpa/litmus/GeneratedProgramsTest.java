package dev.outboard.dpa.litmus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Profile;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What holds of every program, tried with generated ones.
class GeneratedProgramsTest {
    private static final long SEED = 17;
    private static final Set<LitmusGenerator.Feature> FEW =
            EnumSet.of(
                    LitmusGenerator.Feature.WINDOW,
                    LitmusGenerator.Feature.HOST,
                    LitmusGenerator.Feature.GLOBALS,
                    LitmusGenerator.Feature.ATOMICS);

    private static LitmusGenerator generator() {
        return new LitmusGenerator(SEED, EnumSet.allOf(LitmusGenerator.Feature.class));
    }

    private static Set<Outcome> outcomes(LitmusProgram program, Profile profile) {
        return Explorer.explore(program, profile).outcomes();
    }

    @Test
    void leavingOutInterleavingsLeavesOutNoOutcome() {
        LitmusGenerator generator = generator();
        long all = 0;
        long reduced = 0;
        for (int i = 0; i < 200; i++) {
            LitmusTest test = generator.next();
            LitmusProgram program = test.variants().getFirst().program();
            Profile profile = Profile.values()[i % Profile.values().length];
            Explorer.Result full = Explorer.explore(program, profile, false);
            Explorer.Result less = Explorer.explore(program, profile, true);
            assertThat(less.outcomes()).as("%s in %s", test, profile).isEqualTo(full.outcomes());
            all += full.states();
            reduced += less.states();
        }
        assertThat(reduced).isLessThan(all / 3);
    }

    /// BF3 and COHERENT promise more than SEED, and PARANOID less.
    @Test
    void profilesThatPromiseMoreAllowLess() {
        LitmusGenerator generator = generator();
        Set<Profile> stricter = EnumSet.noneOf(Profile.class);
        for (int i = 0; i < 80; i++) {
            LitmusTest test = generator.next();
            LitmusProgram program = test.variants().getFirst().program();
            Set<Outcome> seed = outcomes(program, Profile.SEED);
            assertThat(seed).as("%s", test).isNotEmpty();
            for (Profile profile : List.of(Profile.BF3, Profile.COHERENT)) {
                Set<Outcome> less = outcomes(program, profile);
                assertThat(seed).as("%s in %s", test, profile).containsAll(less);
                if (less.size() < seed.size()) {
                    stricter.add(profile);
                }
            }
            Set<Outcome> paranoid = outcomes(program, Profile.PARANOID);
            assertThat(paranoid).as("%s", test).containsAll(seed);
            assertThat(outcomes(program, Profile.BF3_LINES))
                    .as("%s", test)
                    .containsAll(outcomes(program, Profile.BF3));
        }
        assertThat(stricter).contains(Profile.BF3, Profile.COHERENT);
    }

    @Test
    void aProgramWithoutOneOfItsOrderingOperationsAllowsAllThatItDidBefore() {
        LitmusGenerator generator = new LitmusGenerator(SEED, FEW);
        int more = 0;
        for (int i = 0; i < 300; i++) {
            LitmusProgram program = generator.next().variants().getFirst().program();
            Set<Outcome> before = outcomes(program, Profile.SEED);
            for (LitmusProgram without : withoutEachOrder(program)) {
                Set<Outcome> after = outcomes(without, Profile.SEED);
                assertThat(after).as("%s", without).containsAll(before);
                more += after.size() > before.size() ? 1 : 0;
            }
        }
        assertThat(more).isGreaterThan(35);
    }

    private static List<LitmusProgram> withoutEachOrder(LitmusProgram program) {
        List<LitmusProgram> all = new ArrayList<>();
        for (int actor = 0; actor < program.actors().size(); actor++) {
            Actor old = program.actors().get(actor);
            for (int i = 0; i < old.body().size(); i++) {
                if (old.body().get(i) instanceof Statement.Fence
                        || old.body().get(i) instanceof Statement.CacheOperation) {
                    List<Statement> body = new ArrayList<>(old.body());
                    body.remove(i);
                    List<Actor> actors = new ArrayList<>(program.actors());
                    actors.set(
                            actor,
                            new Actor(old.place(), old.kind(), old.name(), old.optional(), body));
                    all.add(
                            new LitmusProgram(
                                    program.variables(),
                                    program.roles(),
                                    actors,
                                    program.observed(),
                                    program.observedOnHang()));
                }
            }
        }
        return all;
    }

    @Test
    void whatIsWrittenIsReadBackAsTheSame() {
        LitmusGenerator generator = generator();
        for (int i = 0; i < 300; i++) {
            LitmusTest test = generator.next();
            LitmusTest again = LitmusTest.parse(test.toString());
            assertThat(again).hasToString(test.toString());
            assertThat(places(again)).isEqualTo(places(test));
        }
    }

    private static List<String> places(LitmusTest test) {
        return test.variants().getFirst().program().variables().stream()
                .map(one ->
                        "%s %s %d %d %d %d"
                                .formatted(
                                        one.name(),
                                        one.area(),
                                        one.line(),
                                        one.offset(),
                                        one.sizeBytes(),
                                        one.initial()))
                .toList();
    }

    @Test
    void theSameSeedMakesTheSamePrograms() {
        LitmusGenerator generator = generator();
        LitmusGenerator again = generator();
        Set<String> texts = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            String text = generator.nextText();
            assertThat(again.nextText()).isEqualTo(text);
            texts.add(text.substring(text.indexOf('\n')));
        }
        assertThat(texts).hasSizeGreaterThan(195);
    }

    /// A correct program has one outcome, whatever the profile.
    @Test
    void programsThatAreCorrectByConstructionAreCorrect() {
        CorrectPrograms programs = new CorrectPrograms(SEED);
        for (int i = 0; i < 150; i++) {
            LitmusTest test = programs.next(1 + i % 2);
            LitmusProgram program = onlyData(test);
            for (Profile profile : Profile.values()) {
                assertThat(outcomes(program, profile))
                        .as("%s in %s", test, profile)
                        .singleElement()
                        .satisfies(outcome -> assertThat(outcome.hang()).isFalse());
            }
        }
    }

    /// The program without the registers that hold a counter under a lock, which depend on who
    /// comes first.
    private static LitmusProgram onlyData(LitmusTest test) {
        LitmusProgram program = test.variants().getFirst().program();
        return new LitmusProgram(
                program.variables(),
                program.roles(),
                program.actors(),
                program.observed().stream()
                        .filter(one ->
                                !(one instanceof Observation.OfRegister of
                                        && of.register().startsWith("t")))
                        .toList(),
                List.of());
    }
}
