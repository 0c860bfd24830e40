package dev.outboard.dpa.litmus;

import static dev.outboard.dpa.litmus.Programs.outcomes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// How writes are performed, and how the NIC comes to see them.
class WriteRulesTest {
    @Test
    @Requirement({"DPA-OPM-2", "DPA-MEM-7"})
    void storesToOneLocationArePerformedInTheirOrder() {
        assertThat(outcomes("T1: M[x]=1; M[x]=2 T2: a=M[x]; b=M[x] observe a b M.x"))
                .containsExactly(
                        "{M.x=2 a=0 b=0}",
                        "{M.x=2 a=0 b=1}",
                        "{M.x=2 a=0 b=2}",
                        "{M.x=2 a=1 b=1}",
                        "{M.x=2 a=1 b=2}",
                        "{M.x=2 a=2 b=2}");
        assertThat(outcomes("T: W[x]=1; W[x]=2; window_writeback H: a=H[x]; b=H[x]"))
                .containsExactly(
                        "{a=0 b=0}",
                        "{a=0 b=1}",
                        "{a=0 b=2}",
                        "{a=1 b=1}",
                        "{a=1 b=2}",
                        "{a=2 b=2}");
    }

    @Test
    @Requirement("DPA-OPM-2")
    void storesToDpaMemoryAndDoorbellsArePerformedInTheEnd() {
        assertThat(outcomes("T: M[x]=1 observe M.x")).containsExactly("{M.x=1}");
        assertThat(outcomes("T: DB(d); DB(e@CQ_DB) N: onDB(e); onDB(d); a=1"))
                .containsExactly("{a=1}");
    }

    @Test
    @Requirement({"DPA-OPM-2", "DPA-MEM-12"})
    void aWindowStoreIsPerformedForCertainOnlyIfWrittenBackOrRequired() {
        assertThat(outcomes("T: W[x]=1 observe X.x")).containsExactly("{X.x=0}", "{X.x=1}");
        assertThat(outcomes("T: window_writeback; W[x]=1 observe X.x"))
                .containsExactly("{X.x=0}", "{X.x=1}");
        assertThat(outcomes("T: W[x]=1; window_writeback observe X.x")).containsExactly("{X.x=1}");
        // A store to DPA memory, a doorbell and a load that has to come after it require it.
        assertThat(outcomes("T: W[x]=1; fence(SYSTEM,W,W); M[y]=1 observe X.x"))
                .containsExactly("{X.x=1}");
        assertThat(outcomes("T: W[x]=1; fence(MMIO,W,W); DB(d) observe X.x"))
                .containsExactly("{X.x=1}");
        assertThat(outcomes("T: W[x]=1; fence(MMIO,W,R); r=W[y] observe X.x"))
                .containsExactly("{X.x=1}");
        // So does a window store that is written back, of the one before it to the same bytes.
        assertThat(outcomes("T: W[x]=1; fence(MMIO,W,W); W[y]=1 observe X.x X.y"))
                .containsExactly("{X.x=0 X.y=0}", "{X.x=1 X.y=0}", "{X.x=1 X.y=1}");
    }

    @Test
    @Requirement("DPA-CCH-5")
    void aWritebackIsForTheStoresOfItsOwnThread() {
        String form = "T1: %s=1; M[f]=1 T2: spin M[f]==1; %s observe %s";
        assertThat(outcomes(form.formatted("W[x]", "window_writeback", "X.x")))
                .containsExactly("{X.x=0}", "{X.x=1}");
        assertThat(outcomes(form.formatted("M[x]", "memory_writeback", "nic.x")))
                .containsExactly("{nic.x=0}", "{nic.x=1}");
    }

    @Test
    @Requirement({"DPA-OPM-3", "DPA-MEM-8"})
    void theNicMaySeeAStoreAtAnyTimeOrNever() {
        assertThat(outcomes("T: M[x]=1 observe nic.x")).containsExactly("{nic.x=0}", "{nic.x=1}");
        assertThat(outcomes("T: memory_writeback; M[x]=1 observe nic.x"))
                .containsExactly("{nic.x=0}", "{nic.x=1}");
        assertThat(outcomes("T: M[x]=1; memory_writeback observe nic.x"))
                .containsExactly("{nic.x=1}");
        assertThat(outcomes("T1: M[x]=1; M[f]=1 T2: spin M[f]==1; memory_writeback observe nic.x"))
                .containsExactly("{nic.x=0}", "{nic.x=1}");
    }

    @Test
    @Requirement({"DPA-OPM-3", "DPA-OPM-15", "DPA-CCH-7"})
    void whatACertainWriteRequiresIsSeenForCertain() {
        String program = "T: M[x]=1; fence(SYSTEM,W,W); DB(d) observe nic.x";
        assertThat(outcomes(program)).containsExactly("{nic.x=1}");
        assertThat(outcomes(Profile.PARANOID, program)).containsExactly("{nic.x=0}", "{nic.x=1}");
        assertThat(outcomes("T: M[x]=1; fence(SYSTEM,W,W); W[y]=1 observe nic.x"))
                .containsExactly("{nic.x=0}", "{nic.x=1}");
        assertThat(
                        outcomes(
                                "T: M[x]=1; fence(SYSTEM,W,W); W[y]=1; window_writeback"
                                        + " observe nic.x"))
                .containsExactly("{nic.x=1}");
        // Through another write to DPA memory that is written back and has to follow it.
        assertThat(
                        outcomes(
                                "T1: M[x]=1; fence(MEMORY,W,W); M[y]=1; memory_writeback"
                                        + " observe nic.x nic.y"))
                .containsExactly("{nic.x=1 nic.y=1}");
    }

    @Test
    @Requirement("DPA-OPM-3")
    void whatAWriteThatIsSkippedRequiresIsRequiredToo() {
        assertThat(
                        outcomes(
                                "T1: M[x]=1; fence(MEMORY,W,W); M[y]=1"
                                        + " T2: spin M[y]==1; M[y]=2"
                                        + " N: a=nicrd M[y]; b=nicrd M[x]"))
                .containsExactly("{a=0 b=0}", "{a=0 b=1}", "{a=1 b=1}", "{a=2 b=1}");
    }

    @Test
    @Requirement("DPA-OPM-3")
    void theViewOfTheNicNeverGoesBack() {
        assertThat(outcomes("T: M[x]=1; M[x]=2 N: a=nicrd M[x]; b=nicrd M[x] observe a b nic.x"))
                .contains("{a=1 b=2 nic.x=2}", "{a=1 b=1 nic.x=1}", "{a=0 b=0 nic.x=0}")
                .noneMatch(outcome -> outcome.contains("a=2 b=1"))
                .noneMatch(outcome -> outcome.contains("b=2 nic.x=1"))
                .noneMatch(outcome -> outcome.contains("a=1 b=0"));
    }

    /// Two threads whose fences order x and y in opposite ways: the NIC sees both at once, and what
    /// was written back does not stay unseen.
    @Test
    @Requirement("DPA-OPM-3")
    void granulesThatHaveToFollowOneAnotherBecomeVisibleTogether() {
        String program =
                "T1: M[x]=1; fence(MEMORY,W,W); M[y]=1; memory_writeback"
                        + " T2: M[y]=2; fence(MEMORY,W,W); M[x]=2; memory_writeback"
                        + " observe M.x nic.x M.y nic.y observe on HANG";
        assertThat(outcomes(program))
                .containsExactly(
                        "{M.x=1 M.y=1 nic.x=1 nic.y=1}",
                        "{M.x=2 M.y=1 nic.x=2 nic.y=1}",
                        "{M.x=2 M.y=2 nic.x=2 nic.y=2}");
        // What one of them has to follow comes first, too.
        String third =
                "heap {x y z} T1: M[y]=1; fence(MEMORY,W,W); M[x]=1"
                        + " T2: M[z]=1; M[x]=2; fence(MEMORY,W,W); M[y]=2"
                        + " N: a=nicrd M[y]; b=nicrd M[z]";
        assertThat(outcomes(third)).contains("{a=2 b=1}").doesNotContain("{a=2 b=0}");
    }

    @Test
    @Requirement({"DPA-OPM-10", "DPA-MEM-10"})
    void writesOfOneOperationAppearInOrderOnlyInAStrictRegion() {
        String thread = " T: s=M[b]; f=M[a]";
        assertThat(outcomes("N: nicwr{M[a]=1, M[b]=1} in order" + thread))
                .containsExactly("{f=0 s=0}", "{f=1 s=0}", "{f=1 s=1}");
        assertThat(outcomes("N: nicwr{M[a]=1, M[b]=1} any order" + thread))
                .containsExactly("{f=0 s=0}", "{f=0 s=1}", "{f=1 s=0}", "{f=1 s=1}");
        assertThat(outcomes("N: nicwr{X[a]=1, X[b]=1} any order H: s=H[b]; f=H[a]"))
                .contains("{f=0 s=1}");
    }

    @Test
    @Requirement("DPA-OPM-10")
    void theCompletionComesAfterAllWritesOfItsOperation() {
        assertThat(
                        outcomes(
                                "N: nicwr{M[a]=1, M[b]=1, M[c]=1} any order; nicwr M[cqe]=1"
                                        + " T: s=M[cqe]; x=M[a]; y=M[b]; z=M[c]"))
                .noneMatch(
                        outcome -> outcome.contains("s=1") && !outcome.equals("{s=1 x=1 y=1 z=1}"))
                .contains("{s=1 x=1 y=1 z=1}", "{s=0 x=0 y=0 z=1}");
    }

    @Test
    @Requirement("DPA-OPM-10")
    void operationsOfOneQueueComeInOrderAndThoseOfTwoDoNot() {
        String thread = " T: s=M[b]; f=M[a]";
        assertThat(outcomes("N: nicwr M[a]=1 on q; nicwr M[b]=1 on q" + thread))
                .doesNotContain("{f=0 s=1}");
        assertThat(outcomes("N: nicwr M[a]=1 on q; nicwr M[b]=1 on p" + thread))
                .contains("{f=0 s=1}", "{f=1 s=1}");
        assertThat(outcomes("N: nicwr{M[a]=1, M[b]=1} in order on q" + thread))
                .doesNotContain("{f=0 s=1}");
        assertThat(outcomes("N: nicwr{M[a]=1, M[b]=1} any order on q" + thread))
                .contains("{f=0 s=1}", "{f=1 s=0}");
        assertThat(outcomes("N: nicwr{M[a]=1, M[c]=1} any order on q; nicwr M[b]=1 on q" + thread))
                .doesNotContain("{f=0 s=1}");
        // The NIC goes on at once, and what it posted is done in the end.
        assertThat(outcomes("N: nicwr X[a]=1 on q; r=nicrd X[a] observe r X.a"))
                .containsExactly("{X.a=1 r=0}", "{X.a=1 r=1}");
    }

    /// A write that changes nothing makes another state all the same: it is no longer to come.
    @Test
    @Requirement({"DPA-OPM-10", "DPA-OPM-16"})
    void aPostedWriteOfTheSameValueIsDoneOrNot() {
        assertThat(outcomes("N: nicwr X[a]=0 on q H: H[a]=2 observe X.a"))
                .containsExactly("{X.a=0}", "{X.a=2}");
    }

    @Test
    @Requirement({"DPA-OPM-10", "DPA-MEM-9", "DPA-MEM-11"})
    void threadsAndTheNicSeeWhatTheNicWritesAtOnce() {
        assertThat(outcomes("N: nicwr M[x]=1; r=nicrd M[x] T: spin M[x]==1 observe r nic.x M.x"))
                .containsExactly("{M.x=1 nic.x=1 r=1}");
        assertThat(outcomes("H: h2d M[x]=1 T: spin M[x]==1 observe nic.x"))
                .containsExactly("{nic.x=1}");
    }

    /// The NIC's write makes the whole granule visible as it is then.
    @Test
    @Requirement("DPA-OPM-10")
    void aWriteOfTheNicShowsItWhatElseIsInTheGranule() {
        assertThat(
                        outcomes(
                                "T: M4[x]=1; fence(MEMORY,W,W); M[f]=1"
                                        + " H: h2d M4[x+4]=1"
                                        + " observe nic.x M.x"))
                .containsExactly(
                        "{M.x=4294967297 nic.x=4294967296}", "{M.x=4294967297 nic.x=4294967297}");
    }

    @Test
    @Requirement("DPA-OPM-11")
    void theNicReadsItsOwnViewOfDpaMemoryAndExternalMemoryItself() {
        assertThat(
                        outcomes(
                                "T1: M[x]=1; M[f]=1 T2: spin M[f]==1; spin M[x]==1; DB(d)"
                                        + " N: onDB(d); r=nicrd M[x] observe r M.x"))
                .containsExactly("{M.x=1 r=0}", "{M.x=1 r=1}");
        assertThat(
                        outcomes(
                                "H: H[x]=1; h2d M[go]=1 T: spin M[go]==1; DB(d)"
                                        + " N: onDB(d); r=nicrd X[x]"))
                .containsExactly("{r=1}");
    }

    @Test
    void anAtomicOfTheNicWorksOnWhatTheNicSees() {
        assertThat(outcomes("T: M[x]=5 N: r=nicadd(M[x],1) observe r M.x nic.x"))
                .containsExactly(
                        "{M.x=1 nic.x=1 r=0}",
                        "{M.x=5 nic.x=1 r=0}",
                        "{M.x=5 nic.x=5 r=0}",
                        "{M.x=6 nic.x=6 r=5}");
        assertThat(
                        outcomes(
                                "external {x=3} N1: a=nicadd(X[x],1) N2: b=niccas(X[x],3,9)"
                                        + " N3: c=niccas(X[x],0,7) observe a b c X.x"))
                .containsExactly(
                        "{X.x=10 a=9 b=3 c=10}",
                        "{X.x=10 a=9 b=3 c=3}",
                        "{X.x=10 a=9 b=3 c=9}",
                        "{X.x=4 a=3 b=4 c=3}",
                        "{X.x=4 a=3 b=4 c=4}");
    }

    @Test
    @Requirement("DPA-CCH-6")
    void aWindowStoreLeavesOtherBytesOfTheLineAlone() {
        String program =
                "external {x y} T: W4[x]=1; window_writeback H: H4[x+4]=2; H[y]=3"
                        + " observe X.x X.y";
        assertThat(outcomes(program)).containsExactly("{X.x=8589934593 X.y=3}");
        assertThat(outcomes(Profile.BF3, program)).containsExactly("{X.x=8589934593 X.y=3}");
        assertThat(outcomes(Profile.BF3_LINES, program))
                .containsExactly(
                        "{X.x=1 X.y=0}",
                        "{X.x=1 X.y=3}",
                        "{X.x=8589934593 X.y=0}",
                        "{X.x=8589934593 X.y=3}");
    }

    @Test
    @Requirement("DPA-CCH-6")
    void aRewrittenLineNeverTakesBackWhatTheThreadItselfStored() {
        assertThat(
                        outcomes(
                                Profile.BF3_LINES,
                                "external {x y} T: W[x]=1; W[y]=2; window_writeback"
                                        + " observe X.x X.y"))
                .containsExactly("{X.x=1 X.y=2}");
        assertThat(
                        outcomes(
                                Profile.BF3_LINES,
                                "external {x y z} T: W[x]=1; W[y]=2; window_writeback; W[x]=3;"
                                        + " window_writeback observe X.x X.y"))
                .containsExactly("{X.x=3 X.y=2}");
    }

    @Test
    @Requirement({"DPA-OPM-15", "DPA-CCH-7"})
    void inCoherentTheNicSeesEveryStoreWhenItIsPerformed() {
        assertThat(outcomes(Profile.COHERENT, "T: M[x]=1 observe nic.x"))
                .containsExactly("{nic.x=1}");
        assertThat(
                        outcomes(
                                Profile.COHERENT,
                                "T1: M[x]=1; M[y]=1 T2: spin M[y]==1; spin M[x]==1; DB(d)"
                                        + " N: onDB(d); a=nicrd M[x]"))
                .containsExactly("{a=1}");
        // It is still weakly ordered.
        assertThat(outcomes(Profile.COHERENT, "T: M[x]=1; DB(d) N: onDB(d); a=nicrd M[x]"))
                .containsExactly("{a=0}", "{a=1}");
    }

    @Test
    @Requirement({"DPA-OPM-15", "DPA-CCH-7"})
    void inBf3AFenceBetweenStoresWritesItsSpaceBack() {
        String form = "globals {g} T: M[x]=1; M[g]=1; W[y]=1; %s observe nic.x nic.g X.y";
        assertThat(outcomes(Profile.BF3, form.formatted("fence(HEAP,W,W)")))
                .containsExactly(
                        "{X.y=0 nic.g=0 nic.x=1}",
                        "{X.y=0 nic.g=1 nic.x=1}",
                        "{X.y=1 nic.g=0 nic.x=1}",
                        "{X.y=1 nic.g=1 nic.x=1}");
        assertThat(outcomes(Profile.BF3, form.formatted("fence(MEMORY,RW,RW)")))
                .containsExactly("{X.y=0 nic.g=1 nic.x=1}", "{X.y=1 nic.g=1 nic.x=1}");
        assertThat(outcomes(Profile.BF3, form.formatted("fence(MMIO,W,W)")))
                .hasSize(4)
                .allMatch(outcome -> outcome.contains("X.y=1"));
        assertThat(outcomes(Profile.BF3, form.formatted("fence(SYSTEM,W,W)")))
                .containsExactly("{X.y=1 nic.g=1 nic.x=1}");
        assertThat(outcomes(Profile.BF3, form.formatted("fence(SYSTEM,W,R)"))).hasSize(8);
        assertThat(outcomes(Profile.BF3, form.formatted("fence(SYSTEM,R,W)"))).hasSize(8);
    }

    @Test
    @Requirement({"DPA-OPM-15", "DPA-CCH-7"})
    void inBf3AFenceBetweenLoadsInvalidatesAndNoOther() {
        String form = "T: h=W[x]; spin M[go]==1; %s; r=W[x] H: H[x]=1; h2d M[go]=1 observe r";
        for (String fence : List.of("fence(MMIO,R,R)", "fence(SYSTEM,RW,RW)")) {
            assertThat(outcomes(Profile.BF3, form.formatted(fence))).containsExactly("{r=1}");
            assertThat(outcomes(form.formatted(fence))).containsExactly("{r=0}", "{r=1}");
        }
        for (String fence : List.of("fence(MMIO,W,R)", "fence(MMIO,R,W)", "fence(MEMORY,R,R)")) {
            assertThat(outcomes(Profile.BF3, form.formatted(fence)))
                    .containsExactly("{r=0}", "{r=1}");
        }
    }

    @Test
    @Requirement({"DPA-OPM-15", "DPA-CCH-7"})
    void inParanoidAFenceToTheOutsideOrdersDpaMemoryForThreadsAlone() {
        String write = "T1: M[x]=1; fence(SYSTEM,W,W); W[y]=1; window_writeback ";
        String thread = write + "T2: spin W[y]==1 {read_inv}; r=M[x] observe r";
        assertThat(outcomes(Profile.PARANOID, thread)).containsExactly("{r=1}");
        String nic = write + "N: wait X[y]==1; r=nicrd M[x] observe r";
        assertThat(outcomes(Profile.PARANOID, nic)).containsExactly("{r=0}", "{r=1}");
    }
}
