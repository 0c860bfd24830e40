package dev.outboard.dpa.litmus;

import static dev.outboard.dpa.litmus.Programs.outcomes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What loads give, and when.
class LoadRulesTest {
    private static final List<String> DEKKER_HOLDS =
            List.of("{r1=0 r2=1}", "{r1=1 r2=0}", "{r1=1 r2=1}");

    @Test
    @Requirement({"DPA-OPM-4", "DPA-MEM-2", "DPA-CCH-1"})
    void aLoadGivesTheThreadsOwnNewestStore() {
        assertThat(outcomes("T: M[x]=1; M[x]=2; r=M[x]")).containsExactly("{r=2}");
        assertThat(outcomes("T: W[x]=1; W[x]=2; r=W[x]")).containsExactly("{r=2}");
        assertThat(outcomes("T1: M[x]=1; r=M[x] T2: M[x]=2 observe r M.x"))
                .containsExactly("{M.x=1 r=1}", "{M.x=2 r=1}", "{M.x=2 r=2}");
        for (String operation :
                List.of("read_inv", "window_writeback", "fence(SYSTEM,RW,RW)", "fence(MMIO,R,R)")) {
            assertThat(outcomes("T: W[x]=1; %s; r=W[x]".formatted(operation)))
                    .containsExactly("{r=1}");
        }
        for (String operation :
                List.of("memory_writeback", "fence(SYSTEM,RW,RW)", "fence(HEAP,R,R)", "read_inv")) {
            assertThat(outcomes("T: M[x]=1; %s; r=M[x]".formatted(operation)))
                    .containsExactly("{r=1}");
            assertThat(outcomes("T: M[x]=1; %s; r=M[x] H: h2d M[x]=2".formatted(operation)))
                    .containsExactly("{r=1}", "{r=2}");
        }
    }

    @Test
    @Requirement({"DPA-OPM-4", "DPA-MEM-13"})
    void loadsBindInProgramOrderAndBeforeLaterStores() {
        assertThat(outcomes("T1: a=M[y]; b=M[x] T2: M[x]=1; fence(MEMORY,W,W); M[y]=1"))
                .doesNotContain("{a=1 b=0}");
        assertThat(outcomes("T1: a=M[x]; M[y]=1 T2: b=M[y]; M[x]=1")).doesNotContain("{a=1 b=1}");
        assertThat(outcomes("T1: a=M[x]; W[y]=1 H: b=H[y]; h2d M[x]=1"))
                .doesNotContain("{a=1 b=1}");
        assertThat(outcomes("T: a=W[x]; b=M[go] H: h2d M[go]=1; H[x]=1"))
                .doesNotContain("{a=1 b=0}");
    }

    /// A Dekker between two threads, or with the host, for each space and pair of operations.
    @Test
    @Requirement({"DPA-OPM-4", "DPA-FEN-1", "DPA-FEN-2"})
    void aLoadWaitsForStoresBeforeAFenceFromStoresToLoadsOfItsSpace() {
        String threads = "globals {g h} T1: M[%s]=1; %s; r1=M[%s] T2: M[%s]=1; %s; r2=M[%s]";
        for (String pair : List.of("W,R", "RW,R", "W,RW", "RW,RW")) {
            assertThat(dekker(threads, "fence(MEMORY," + pair + ")", "x", "y"))
                    .isEqualTo(DEKKER_HOLDS);
            assertThat(dekker(threads, "fence(SYSTEM," + pair + ")", "g", "y"))
                    .isEqualTo(DEKKER_HOLDS);
            assertThat(dekker(threads, "fence(HEAP," + pair + ")", "x", "y"))
                    .isEqualTo(DEKKER_HOLDS);
            assertThat(dekker(threads, "fence(HEAP," + pair + ")", "x", "g")).hasSize(4);
            assertThat(dekker(threads, "fence(HEAP," + pair + ")", "g", "h")).hasSize(4);
            assertThat(dekker(threads, "fence(MMIO," + pair + ")", "x", "y")).hasSize(4);
        }
        // Only one of the two is of the space.
        String other = " T2: M[%s]=1; fence(MEMORY,W,R); r2=M[%s]";
        assertThat(
                        outcomes(
                                "globals {g} T1: M[x]=1; fence(HEAP,W,R); r1=M[g]"
                                        + other.formatted("g", "x")))
                .contains("{r1=0 r2=0}");
        assertThat(
                        outcomes(
                                "globals {g} T1: M[g]=1; fence(HEAP,W,R); r1=M[x]"
                                        + other.formatted("x", "g")))
                .contains("{r1=0 r2=0}");
        for (String pair : List.of("W,W", "R,R", "R,W", "RW,W", "R,RW")) {
            assertThat(dekker(threads, "fence(MEMORY," + pair + ")", "x", "y")).hasSize(4);
        }
    }

    private static List<String> dekker(String form, String fence, String first, String second) {
        return outcomes(form.formatted(first, fence, second, second, fence, first));
    }

    @Test
    @Requirement("DPA-OPM-4")
    void aWindowLoadWaitsForWindowStoresAndNotForOthers() {
        String host = " H: H[y]=1; r2=H[x]";
        assertThat(outcomes("T: W[x]=1; fence(MMIO,W,R); r1=W[y]" + host)).isEqualTo(DEKKER_HOLDS);
        assertThat(outcomes("T: W[x]=1; fence(SYSTEM,W,R); r1=W[y]" + host))
                .isEqualTo(DEKKER_HOLDS);
        assertThat(outcomes("T: W[x]=1; fence(MEMORY,W,R); r1=W[y]" + host)).hasSize(4);
        assertThat(outcomes("T: W[x]=1; fence(MMIO,W,R); r1=M[y] H: h2d M[y]=1; r2=H[x]"))
                .hasSize(4);
        assertThat(outcomes("T: W[x]=1; fence(SYSTEM,W,R); r1=M[y] H: h2d M[y]=1; r2=H[x]"))
                .isEqualTo(DEKKER_HOLDS);
        String third = " T2: spin W[y]==1 {read_inv}; r2=M[x] H: H[y]=1";
        assertThat(outcomes("T: M[x]=1; fence(MEMORY,W,R); r1=W[y]" + third))
                .contains("{r1=0 r2=0}");
        assertThat(outcomes("T: M[x]=1; fence(SYSTEM,W,R); r1=W[y]" + third))
                .doesNotContain("{r1=0 r2=0}");
        String nic = " N: nicwr X[y]=1; r2=arrival order";
        assertThat(outcomes("T: DB(d); fence(MMIO,W,R); r1=W[y]" + nic))
                .containsExactly("{r1=0 r2=d}", "{r1=1 r2=d}", "{r1=1 r2=}");
        assertThat(outcomes("T: DB(d); fence(MEMORY,W,R); r1=W[y]" + nic)).contains("{r1=0 r2=}");
    }

    /// A writeback between the store and the fence makes the load wait until the NIC sees the
    /// store.
    @Test
    @Requirement({"DPA-OPM-4", "DPA-CCH-4"})
    void aWritebackBeforeTheFenceMakesADekkerWithTheNicHold() {
        String nic = " N: nicwr M[y]=1; r2=nicrd M[x]";
        assertThat(outcomes("T: M[x]=1; memory_writeback; r1=M[y]" + nic)).hasSize(4);
        assertThat(outcomes("T: M[x]=1; fence(MEMORY,W,R); r1=M[y]" + nic)).hasSize(4);
        assertThat(outcomes("T: M[x]=1; fence(MEMORY,W,R); memory_writeback; r1=M[y]" + nic))
                .hasSize(4);
        assertThat(outcomes("T: memory_writeback; M[x]=1; fence(MEMORY,W,R); r1=M[y]" + nic))
                .hasSize(4);
        for (String space : List.of("MEMORY", "HEAP", "SYSTEM")) {
            String program =
                    "T: M[x]=1; memory_writeback; fence(%s,W,R); r1=M[y]".formatted(space) + nic;
            assertThat(outcomes(program)).isEqualTo(DEKKER_HOLDS);
            assertThat(outcomes(Profile.PARANOID, program)).isEqualTo(DEKKER_HOLDS);
        }
        assertThat(outcomes("T: M[x]=1; memory_writeback; fence(MMIO,W,R); r1=M[y]" + nic))
                .hasSize(4);
        // In BF3 a fence between stores is a writeback: one before, but not the same one.
        assertThat(
                        outcomes(
                                Profile.BF3,
                                "T: M[x]=1; fence(HEAP,W,W); fence(HEAP,W,R); r1=M[y]" + nic))
                .isEqualTo(DEKKER_HOLDS);
        assertThat(
                        outcomes(
                                Profile.BF3,
                                "T: M[x]=1; fence(HEAP,W,W); fence(MEMORY,W,R); r1=M[y]" + nic))
                .isEqualTo(DEKKER_HOLDS);
        assertThat(
                        outcomes(
                                Profile.BF3,
                                "globals {x} T: M[x]=1; fence(HEAP,W,W); fence(MEMORY,W,R); r1=M[y]"
                                        + nic))
                .hasSize(4);
        assertThat(outcomes(Profile.BF3, "T: M[x]=1; fence(MEMORY,RW,RW); r1=M[y]" + nic))
                .hasSize(4);
    }

    @Test
    @Requirement("DPA-CCH-4")
    void aWindowWritebackOrdersNoLaterLoads() {
        String host = " H: H[y]=1; r2=H[x]";
        assertThat(outcomes("T: W[x]=1; window_writeback; r1=W[y]" + host)).hasSize(4);
        assertThat(outcomes("T: W[x]=1; window_writeback; fence(MMIO,W,R); r1=W[y]" + host))
                .isEqualTo(DEKKER_HOLDS);
    }

    @Test
    @Requirement({"DPA-OPM-5", "DPA-MEM-6"})
    void allOtherThreadsSeeAStoreAtTheSameMoment() {
        assertThat(
                        outcomes(
                                "T1: M[x]=1 T2: a=M[x]; b=M[y] T3: c=M[y]; d=M[x] T4: M[y]=1"
                                        + " observe a b c d"))
                .hasSize(15)
                .doesNotContain("{a=1 b=0 c=1 d=0}");
        // The thread itself may see its own earlier.
        assertThat(outcomes("T1: M[x]=1; a=M[x]; b=M[y] T2: M[y]=1; c=M[y]; d=M[x]"))
                .contains("{a=1 b=0 c=1 d=0}");
    }

    @Test
    @Requirement({"DPA-OPM-6", "DPA-MEM-12", "DPA-CCH-1"})
    void aCachedCopyStaysUntilItVanishesOrIsDropped() {
        String form = "T: a=W[x]; spin M[go]==1; %s r=W[x] H: H[x]=1; h2d M[go]=1 observe r";
        assertThat(outcomes(form.formatted(""))).containsExactly("{r=0}", "{r=1}");
        assertThat(outcomes(form.formatted("read_inv;"))).containsExactly("{r=1}");
        for (String operation :
                List.of(
                        "window_writeback;",
                        "memory_writeback;",
                        "fence(MMIO,R,R);",
                        "fence(MMIO,W,R);",
                        "fence(MEMORY,R,R);")) {
            assertThat(outcomes(form.formatted(operation))).containsExactly("{r=0}", "{r=1}");
        }
    }

    @Test
    @Requirement({"DPA-OPM-6", "DPA-FEN-5", "DPA-OPM-15", "DPA-CCH-7"})
    void aFenceBetweenLoadsDropsCopiesOlderThanTheNewestFetch() {
        String form =
                "T: a=W[x]; b=W[y]; spin M[go]==1; %s; r=W[x]; s=W[y]"
                        + " H: H[x]=1; H[y]=1; h2d M[go]=1 observe r s";
        for (String fence : List.of("fence(MMIO,R,R)", "fence(SYSTEM,RW,R)", "fence(MMIO,R,RW)")) {
            assertThat(outcomes(form.formatted(fence))).containsExactly("{r=1 s=0}", "{r=1 s=1}");
            assertThat(outcomes(Profile.COHERENT, form.formatted(fence)))
                    .containsExactly("{r=1 s=0}", "{r=1 s=1}");
            assertThat(outcomes(Profile.BF3, form.formatted(fence))).containsExactly("{r=1 s=1}");
            assertThat(outcomes(Profile.PARANOID, form.formatted(fence))).hasSize(4);
        }
        for (String fence : List.of("fence(MEMORY,R,R)", "fence(MMIO,R,W)", "fence(MMIO,W,R)")) {
            assertThat(outcomes(form.formatted(fence))).hasSize(4);
        }
    }

    @Test
    @Requirement({"DPA-OPM-6", "DPA-FEN-5"})
    void aFenceAfterAnOwnMmioWriteDropsAllCopies() {
        String form = "T: a=W[x]; spin M[go]==1; %s; %s; r=W[x] H: H[x]=1; h2d M[go]=1 observe r";
        for (String write : List.of("W[z]=1", "DB(d)")) {
            for (String fence : List.of("fence(MMIO,W,R)", "fence(SYSTEM,RW,RW)")) {
                assertThat(outcomes(form.formatted(write, fence))).containsExactly("{r=1}");
                assertThat(outcomes(Profile.PARANOID, form.formatted(write, fence))).hasSize(2);
            }
            assertThat(outcomes(form.formatted(write, "fence(MMIO,R,R)"))).hasSize(2);
            assertThat(outcomes(form.formatted(write, "fence(MMIO,W,W)"))).hasSize(2);
            assertThat(outcomes(form.formatted(write, "fence(MEMORY,W,R)"))).hasSize(2);
        }
        assertThat(outcomes(form.formatted("M[z]=1", "fence(SYSTEM,W,R)"))).hasSize(2);
    }

    @Test
    @Requirement("DPA-OPM-9")
    void aFetchMayCaptureTheRestOfTheLine() {
        String form =
                "%s T: h=W[a]; spin M[go]==1; r=W[b]; s=W[c]"
                        + " H: H[b]=1; H[c]=1; h2d M[go]=1 observe r s";
        assertThat(outcomes(form.formatted("external {a b c}"))).hasSize(4);
        assertThat(outcomes(form.formatted("external {a b}")))
                .containsExactly("{r=0 s=1}", "{r=1 s=1}");
        assertThat(outcomes(form.formatted(""))).containsExactly("{r=1 s=1}");
        assertThat(outcomes(form.formatted("external {b a}")))
                .containsExactly("{r=0 s=1}", "{r=1 s=1}");
        assertThat(outcomes(form.formatted("external {b a c}"))).hasSize(4);
    }

    /// While the host reads 0 the own store is pending, so that it was when a was loaded.
    @Test
    @Requirement("DPA-OPM-9")
    void whatAPendingOwnStoreHidesIsCapturedToo() {
        String form =
                "%s T: W4[b]=1; h=W[a]; DB(d); spin M[go]==1; r=W4[b+4]"
                        + " H: onDB(d); o=H4[b]; H4[b+4]=2; h2d M[go]=1 observe o r";
        assertThat(outcomes(form.formatted("external {a b}"))).contains("{o=0 r=0}", "{o=0 r=2}");
        assertThat(outcomes(form.formatted(""))).containsExactly("{o=0 r=2}", "{o=1 r=2}");
    }

    @Test
    @Requirement("DPA-OPM-9")
    void whatIsCapturedIsOfTheSameMomentAndReplacesNoCopy() {
        // If b was captured together with a = 1, it is what it was then: 1 already.
        assertThat(outcomes("external {a b} T: h=W[a]; r=W[b] H: H[b]=1; H[a]=1" + " observe h r"))
                .doesNotContain("{h=1 r=0}");
        // A fence keeps what was fetched together.
        assertThat(
                        outcomes(
                                "external {a b} T: h=W[a]; spin M[go]==1; fence(MMIO,R,R); r=W[b]"
                                        + " H: H[b]=1; h2d M[go]=1 observe r"))
                .containsExactly("{r=0}", "{r=1}");
        assertThat(
                        outcomes(
                                "external {a b} T: q=W[b]; spin M[go]==1; h=W[a]; r=W[b]"
                                        + " H: H[b]=1; h2d M[go]=1 observe r q"))
                .containsExactly("{q=0 r=0}", "{q=0 r=1}", "{q=1 r=1}");
    }

    @Test
    @Requirement({"DPA-OPM-14", "DPA-FEN-5"})
    void aLoopThatChangesNothingHangs() {
        assertThat(outcomes("T: spin W[x]==1 H: H[x]=1")).containsExactly("{HANG}", "{done}");
        assertThat(outcomes("T: spin W[x]==1 {fence(MMIO,R,R)} H: H[x]=1"))
                .containsExactly("{HANG}", "{done}");
        assertThat(outcomes("T: spin W[x]==1 {read_inv} H: H[x]=1")).containsExactly("{done}");
        assertThat(outcomes("T: spin W[x]==1 {read_inv}")).containsExactly("{HANG}");
        assertThat(outcomes("T: spin M[x]==1 H: h2d M[x]=1")).containsExactly("{done}");
        // What hangs is the test of the loop, not something in its middle.
        assertThat(outcomes("T: spin M[x]==1 {n=1; e=M[y]; n=0} observe n observe on HANG n"))
                .containsExactly("{n=0 HANG}");
        // Each waits for the other.
        assertThat(
                        outcomes(
                                "T1: spin M[x]==1; M[y]=1 T2: spin M[y]==1; M[x]=1"
                                        + " observe M.x observe on HANG M.x"))
                .containsExactly("{M.x=0 HANG}");
        // A writeback after the loop is never reached.
        assertThat(
                        outcomes(
                                "T: W[x]=1; spin M[go]==1; window_writeback N: wait X[x]==1;"
                                        + " nicwr M[go]=1 observe X.x observe on HANG X.x"))
                .containsExactly("{X.x=0 HANG}", "{X.x=1}");
    }

    @Test
    @Requirement("DPA-OPM-14")
    void waitingForeverIsAHangAndTellsWhatItIsAskedFor() {
        assertThat(outcomes("T: W[x]=1 N: wait X[x]==1; r=1 observe r observe on HANG r X.x"))
                .containsExactly("{X.x=0 r=0 HANG}", "{r=1}");
        assertThat(outcomes("T: if M==1 {DB(d)} H: onDB(d)".replace("if M==1", "r=M[x]; if r==1")))
                .containsExactly("{HANG}");
        assertThat(outcomes("T1: spin_lock(l) T2: spin_lock(l)")).containsExactly("{HANG}");
    }

    @Test
    @Requirement("DPA-OPM-14")
    void anOptionalReaderMayStopAnywhere() {
        assertThat(outcomes("T: r=M[x]; if r==1 {DB(d)} N?: onDB(d); s=1 observe r s"))
                .containsExactly("{r=0 s=0}");
        assertThat(outcomes("N?: nicwr M[x]=1; nicwr M[y]=1 T: r=M[z] observe M.x M.y"))
                .containsExactly("{M.x=0 M.y=0}", "{M.x=1 M.y=0}", "{M.x=1 M.y=1}");
        assertThat(outcomes("N?: nicwr M[x]=1 T: spin M[x]==1"))
                .containsExactly("{HANG}", "{done}");
    }

    @Test
    @Requirement("DPA-MEM-15")
    void theHostIsSequentiallyConsistent() {
        assertThat(outcomes("H1: H[x]=1; r1=H[y] H2: H[y]=1; r2=H[x]")).isEqualTo(DEKKER_HOLDS);
        assertThat(outcomes("H1: H[x]=1; H[y]=1 H2: a=H[y]; b=H[x]")).doesNotContain("{a=1 b=0}");
    }
}
