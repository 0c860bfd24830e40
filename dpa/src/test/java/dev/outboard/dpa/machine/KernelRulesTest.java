package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.litmus.Explorer;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Requirement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the tests of the catalog leave aside, as kernels in each run mode: the outcomes are those
/// of the same program as text.
class KernelRulesTest {
    private static final int MOST_SEEDS = 5000;
    private static final int BEYOND = 100;

    private static final String COUNT = "repeat 3 {a=lr(M[c]); s=sc(M[c],a+1); if s==0 {break}}";

    static List<String> programs() {
        return List.of(
                // Reservations: who ends them, and what they wait for.
                "T1: %s T2: %s observe T1.s T2.s M.c".formatted(COUNT, COUNT),
                "T1: a=lr(M[c]); s=sc(M[c],a+1) T2: M[c]=9 observe a s M.c",
                "T1: a=lr(M[c]); s=sc(M[c],a+1) N: nicwr M[c]=9 observe a s M.c",
                "T: a=lr(M[c]); M[c]=5; s=sc(M[c],7) observe a s M.c",
                "T: a=lr(M[c]); b=amoadd(M[c],5); s=sc(M[c],7) observe a b s M.c",
                "heap {c:4 d:4} T: a=lr(M4[c]); M4[d]=5; s=sc(M4[c],7); b=M4[d] observe a b s M.c",
                "T: a=lr(M[c]); b=lr(M[d]); s=sc(M[c],7); t=sc(M[d],7) observe s t M.c",
                "T: a=lr(M[c]); s=sc(M[c],5); t=sc(M[c],7) observe s t M.c",
                "heap {c:4=3 d:4} T: a=lr(M4[c]); s=sc(M4[d],7) observe a s M.c M.d",
                "heap {c:4 d:4} T1: a=lr(M4[c]); s=sc(M4[c],7) T2: M4[d]=9 observe a s M.c M.d",
                "T1: M[x]=7; q=lr(M[f]); s=sc.rl(M[f],1) T2: r=M[f]; t=M[x] observe r s t",
                "T1: M[x]=7; q=lr.aqrl(M[f]); r=M[y] T2: M[y]=1; fence(MEMORY,W,R); s=M[x]"
                        + " observe r s",
                "globals {x} T1: M[x]=7; q=lr.aqrl(M[f]); r=M[y]"
                        + " T2: M[y]=1; fence(MEMORY,W,R); s=M[x] observe r s",
                "T1: M[x]=1; fence(MEMORY,W,R); r=lr(M[y]) T2: M[y]=1; fence(MEMORY,W,R); s=M[x]"
                        + " observe r s",
                // Atomics of both sizes and all orders, and locks.
                "T1: M[x]=7; o=amoswap.rl(M[f],1) T2: r=M[f]; s=M[x] observe r s",
                "T1: M[x]=7; o=amoswap.aq(M[f],1) T2: r=M[f]; s=M[x] observe r s",
                "heap {f:4 g:4=9} T1: M[x]=7; o=amoadd.aqrl(M4[f],-1) T2: r=M4[f]; s=M[x]"
                        + " observe o r s M.f M.g",
                "T1: M[x]=7; spin_lock(l); spin_unlock(l); M[y]=1 T2: r=M[y]; s=M[x] observe r s",
                // Spaces.
                "globals {g} T1: M[g]=1; fence(HEAP,W,W); M[f]=1 T2: r=M[f]; s=M[g] observe r s",
                "globals {g} T1: M[g]=1; fence(MEMORY,W,W); M[f]=1 T2: r=M[f]; s=M[g] observe r s",
                "T1: M[x]=1; fence(MEMORY,W,W); M[f]=1 T2: spin M[f]==1; memory_writeback; DB(d)"
                        + " N: onDB(d); a=nicrd M[x] observe a nic.x",
                // Words of each size, in memory and through the window.
                "T1: M[x]=0x1122334455667788 T2: a=M4[x]; b=M2[x+6]; c=M1[x+7] observe a b c",
                "T: W[x]=0x1122334455667788; W2[x+2]=0xfedc; a=W4[x]; b=W1[x+3]; window_writeback"
                        + " observe a b X.x",
                // A line of the window, and who writes it.
                "external {x y} T: a=W[x]; b=W[y]; c=W[x] H: H[y]=1; H[x]=2 observe a b c",
                "external {x y} T: h=W[x]; spin M[go]==1; r=W[y] H: H[y]=1; h2d M[go]=1 observe r",
                "external {x y} T: W[x]=1; window_writeback; DB(d) H: onDB(d); a=H[x]; H[y]=2"
                        + " observe a X.x X.y",
                "external {x y} T: W[x]=1; window_writeback H: H[y]=2 observe X.x X.y",
                // NIC and host.
                "N: nicwr{M[x]=1, M[y]=3} any order; nicwr M[x]=2 T: r=M[y]; s=M[x] observe r s M.x",
                "N: nicwr{M[x]=1, M[y]=3} in order T: r=M[y]; s=M[x] observe r s",
                "N: nicwr M[x]=1; r=nicadd(M[x],4); nicwr M[y]=r T: a=M[y]; b=M[x] observe a b",
                "H: H[x]=1; H[y]=2 T: r=W[y]; read_inv; s=W[x] observe r s",
                "T: M[x]=1; r=M[x] N: s=nicrd M[x]; t=nicrd M[x] observe r s t nic.x",
                "T: M[x]=1; memory_writeback; DB(d); M[x]=2; DB(d) N: onDB(d); onDB(d);"
                        + " a=nicrd M[x] observe a");
    }

    private static LitmusProgram parse(String text) {
        return LitmusTest.parse("litmus test " + text).variants().getFirst().program();
    }

    private static Outcome run(LitmusProgram program, RunMode mode) {
        DpaProcess process = LitmusKernels.open(mode);
        LitmusKernels kernels = new LitmusKernels(program, process);
        return kernels.outcome(process.run().end() == End.STUCK);
    }

    @ParameterizedTest
    @MethodSource("programs")
    @Requirement({"DPA-HW-13", "DPA-OPM-8", "DPA-OPM-10", "DPA-OPM-12", "DPA-OPM-16"})
    void exploreShowsWhatTheTextShows(String text) {
        LitmusProgram program = parse(text);
        for (Profile profile : Profile.values()) {
            DpaProcess process = LitmusKernels.open(RunMode.explore(profile));
            LitmusKernels kernels = new LitmusKernels(program, process);
            Set<String> outcomes =
                    process.explore(result -> kernels.outcome(result.end() == End.STUCK).toString())
                            .outcomes();
            assertThat(outcomes).as("%s", profile).isEqualTo(outcomes(program, profile));
        }
    }

    private static Set<String> outcomes(LitmusProgram program, Profile profile) {
        return Explorer.explore(program, profile).outcomes().stream()
                .map(Outcome::toString)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @MethodSource("programs")
    @Requirement({"DPA-HW-13", "DPA-OPM-8", "DPA-OPM-10", "DPA-OPM-12", "DPA-OPM-16"})
    void weakShowsAllOfItAndNothingElse(String text) {
        LitmusProgram program = parse(text);
        for (Profile profile : List.of(Profile.SEED, Profile.BF3_LINES)) {
            Set<String> allowed = outcomes(program, profile);
            Set<String> missing = new HashSet<>(allowed);
            for (long seed = 0;
                    seed < BEYOND || (seed < MOST_SEEDS && !missing.isEmpty());
                    seed++) {
                String outcome = run(program, RunMode.weak(profile, seed)).toString();
                assertThat(allowed).as("%s seed %d", profile, seed).contains(outcome);
                missing.remove(outcome);
            }
            assertThat(missing).as("%s", profile).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("programs")
    @Requirement({"DPA-HW-13", "DPA-OPM-8", "DPA-OPM-17"})
    void fastAndItsTurnsShowSomeOfIt(String text) {
        LitmusProgram program = parse(text);
        Set<String> allowed = outcomes(program, Profile.SEED);
        for (int i = 0; i < BEYOND; i++) {
            RunMode turns = RunMode.check(Observer.NONE, i);
            assertThat(allowed).contains(run(program, turns).toString());
            assertThat(allowed).contains(run(program, RunMode.fast()).toString());
        }
    }
}
