package dev.outboard.dpa.litmus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.litmus.cat.SecondOpinion;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What `dpa.cat` allows is what the explorer finds. More programs, or others, with
/// `-Ddpa.cat.programs=10000 -Ddpa.cat.seed=1`.
class SecondOpinionTest {
    private static final int PROGRAMS = Integer.getInteger("dpa.cat.programs", 600);
    private static final long SEED = Long.getLong("dpa.cat.seed", 18);

    /// A line that can be left out: one part of a union, or a check.
    private static final Pattern RULE =
            Pattern.compile(" {2}\\| (?!if ).*|(empty|irreflexive) .* as .*");

    private static final List<String> MISSED_BY_THE_CATALOG =
            List.of(
                    "T: W[x]=1; W[x]=2; r=W[x]",
                    "external {x y} T: r0=W[y]; r1=W[x]; r2=W[x] H: H[x]=1",
                    "T: W[x]=1; fence(MMIO,W,R); r=W[y]; s=W[x] H: H[x]=2; H[y]=1 observe r s X.x",
                    "T1: M[x]=1; fence(SYSTEM,W,W); W[y]=1 T2: r=W[y]; s=M[x] observe r s",
                    "external {x y} T: a=W[x]; f=M[g]; W[y]=1; fence(MMIO,W,R); b=W[x]"
                            + " H: H[x]=1; h2d M[g]=1 observe a f b");

    private static final Pattern CONDITION = Pattern.compile("if \"(\\w+)\"");

    private static final List<LitmusProgram> PROGRAMS_THAT_CAN_BE_SAID = programs();

    private static Set<Outcome> ended(Set<Outcome> outcomes) {
        return outcomes.stream()
                .filter(outcome -> !outcome.hang())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @EnumSource(names = {"SEED", "BF3", "PARANOID", "COHERENT"})
    @Requirement("DPA-OPM-18")
    void agreesWithTheCatalogOnAllThatItCanSay(Profile profile) {
        SecondOpinion opinion = new SecondOpinion(profile);
        List<String> outside = new ArrayList<>();
        for (LitmusTest test : LitmusCatalog.all()) {
            for (Variant variant : test.variants()) {
                String name = test.name() + variant.name();
                try {
                    assertThat(opinion.outcomes(variant.program()))
                            .as("%s in %s", name, profile)
                            .isEqualTo(ended(variant.allowed(profile).orElseThrow()));
                } catch (UnsupportedOperationException e) {
                    outside.add(name);
                }
            }
        }
        // A spin lock.
        assertThat(outside).containsExactly("LIT-27a");
    }

    @ParameterizedTest
    @EnumSource(names = {"SEED", "BF3", "PARANOID", "COHERENT"})
    @Requirement("DPA-OPM-18")
    void agreesWithTheExplorerOnGeneratedPrograms(Profile profile) {
        Set<LitmusGenerator.Feature> features = EnumSet.allOf(LitmusGenerator.Feature.class);
        features.remove(LitmusGenerator.Feature.MIXED_SIZES);
        features.remove(LitmusGenerator.Feature.RESERVATIONS);
        features.remove(LitmusGenerator.Feature.LOCKS);
        LitmusGenerator generator = new LitmusGenerator(SEED + profile.ordinal(), features);
        SecondOpinion opinion = new SecondOpinion(profile);
        int agreed = 0;
        for (int tried = 0; agreed < PROGRAMS / 4; tried++) {
            // All but those with posted operations.
            assertThat(tried).as("programs for %d agreed", agreed).isLessThan(PROGRAMS);
            LitmusTest test = generator.next();
            LitmusProgram program = test.variants().getFirst().program();
            Set<Outcome> outcomes;
            try {
                outcomes = opinion.outcomes(program);
            } catch (UnsupportedOperationException e) {
                continue;
            }
            assertThat(outcomes)
                    .as("%s in %s", test, profile)
                    .isEqualTo(ended(Explorer.explore(program, profile).outcomes()));
            agreed++;
        }
    }

    /// Programs that need `OneCopy`, `NewestOwnStore`, and that copies are in the order of time.
    @ParameterizedTest
    @EnumSource(names = {"SEED", "BF3", "PARANOID", "COHERENT"})
    @Requirement("DPA-OPM-18")
    void agreesWithTheExplorerOnWindowCopies(Profile profile) {
        SecondOpinion opinion = new SecondOpinion(profile);
        for (String text : MISSED_BY_THE_CATALOG) {
            LitmusProgram program = Programs.of(text);
            assertThat(opinion.outcomes(program))
                    .as("%s in %s", text, profile)
                    .isEqualTo(ended(Explorer.explore(program, profile).outcomes()));
        }
    }

    /// None of its rules could be left out: each line that forbids something is missed.
    @Test
    @Requirement("DPA-OPM-18")
    void eachRuleForbidsSomething() {
        List<String> lines = SecondOpinion.text().lines().toList();
        int rules = 0;
        for (int line = 0; line < lines.size(); line++) {
            if (RULE.matcher(lines.get(line)).matches()) {
                rules++;
                List<String> without = new ArrayList<>(lines);
                without.remove(line);
                assertThat(differs(Profile.SEED, String.join("\n", without)))
                        .as(lines.get(line))
                        .isTrue();
            }
        }
        assertThat(rules).isGreaterThan(20);
    }

    /// No profile could do without what is said of it alone.
    @Test
    @Requirement({"DPA-OPM-18", "DPA-CCH-7"})
    void eachConditionIsOneOfItsProfile() {
        String text = SecondOpinion.text();
        List<MatchResult> conditions = CONDITION.matcher(text).results().toList();
        List<String> idle = new ArrayList<>();
        for (MatchResult condition : conditions) {
            String without =
                    text.substring(0, condition.start(1))
                            + "NOBODY"
                            + text.substring(condition.end(1));
            if (!differs(Profile.valueOf(condition.group(1)), without)) {
                idle.add(text.substring(condition.start(), text.indexOf('\n', condition.end())));
            }
        }
        assertThat(idle).isEmpty();
        assertThat(conditions).hasSize(9);
    }

    /// Whether a model with another text says something else of any program.
    private static boolean differs(Profile profile, String text) {
        SecondOpinion opinion = new SecondOpinion(profile, text);
        return PROGRAMS_THAT_CAN_BE_SAID.stream()
                .anyMatch(program ->
                        !opinion.outcomes(program)
                                .equals(ended(Explorer.explore(program, profile).outcomes())));
    }

    private static List<LitmusProgram> programs() {
        List<LitmusProgram> programs = new ArrayList<>();
        MISSED_BY_THE_CATALOG.forEach(text -> programs.add(Programs.of(text)));
        LitmusCatalog.all()
                .forEach(test ->
                        test.variants().forEach(variant -> programs.add(variant.program())));
        programs.removeIf(program -> !canSay(program));
        return programs;
    }

    private static boolean canSay(LitmusProgram program) {
        try {
            new SecondOpinion(Profile.SEED).outcomes(program);
            return true;
        } catch (UnsupportedOperationException e) {
            return false;
        }
    }

    @Test
    void refusesWhatItCannotSay() {
        SecondOpinion opinion = new SecondOpinion(Profile.SEED);
        for (String text :
                List.of(
                        "T: r=lr(M[x]); s=sc(M[x],1)",
                        "T: spin_lock(l)",
                        "T: M4[x]=1",
                        "heap {x:4 y:4} T: M[x]=1",
                        "T: DB(d); DB(d) N: onDB(d)",
                        "N: r=nicadd(M[x],1)",
                        "N: nicwr M[x]=1 on q")) {
            assertThatThrownBy(() -> opinion.outcomes(Programs.of(text)))
                    .as(text)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("outside of the fragment of dpa.cat");
        }
    }
}
