package dev.outboard.dpa.litmus;

import static dev.outboard.dpa.litmus.Programs.outcomes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What threads, NIC and host may rely on of what a thread has stored.
class ObserverRulesTest {
    private static void assertOrdered(String form, String operation, String reversed) {
        assertThat(outcomes(form.formatted(operation))).doesNotContain(reversed);
        assertThat(outcomes(form.formatted("fence(MEMORY,R,R)"))).contains(reversed);
    }

    @Test
    @Requirement("DPA-MEM-1")
    void memoryIsCoherentAndWeaklyOrdered() {
        assertThat(outcomes("T1: M[x]=1; M[x]=2 T2: a=M[x]; b=M[x] observe a b"))
                .doesNotContain("{a=2 b=1}", "{a=2 b=0}", "{a=1 b=0}");
        assertOrdered(
                "T1: M[x]=1; %s; M[f]=1 T2: s=M[f]; r=M[x]", "fence(MEMORY,W,W)", "{r=0 s=1}");
        assertThat(outcomes("T: M[x]=1 observe nic.x")).contains("{nic.x=0}");
        assertThat(outcomes("T: M[x]=1; memory_writeback observe nic.x"))
                .containsExactly("{nic.x=1}");
    }

    @Test
    @Requirement("DPA-MEM-7")
    void allAgreeOnTheOrderOfTwoStoresAndNoneSeesItRunBackwards() {
        String readers = " T3: a=M[x]; b=M[x] N: c=nicrd M[x]; d=nicrd M[x] observe a b c d";
        assertAgreed(outcomes("T1: M[x]=1 T2: M[x]=2" + readers));
        assertAgreed(outcomes("T1: M[x]=1 H: h2d M[x]=2" + readers));
        String outside = " T2: a=W[x]; read_inv; b=W[x] H2: c=H[x]; d=H[x] observe a b c d";
        assertAgreed(outcomes("T1: W[x]=1 H1: H[x]=2" + outside));
    }

    private static void assertAgreed(List<String> outcomes) {
        assertThat(outcomes)
                .contains("{a=1 b=2 c=1 d=2}", "{a=2 b=1 c=2 d=1}")
                .doesNotContain("{a=1 b=2 c=2 d=1}", "{a=2 b=1 c=1 d=2}")
                .noneMatch(outcome -> outcome.matches(".*a=[12] b=0.*|.*c=[12] d=0.*"));
    }

    @Test
    @Requirement({"DPA-FEN-1", "DPA-FEN-3"})
    void aFenceOrdersForEveryObserverAndPushesNothing() {
        assertOrdered(
                "T1: M[x]=1; %s; M[f]=1 T2: s=M[f]; r=M[x]", "fence(MEMORY,W,W)", "{r=0 s=1}");
        assertOrdered(
                "T1: M[x]=1; %s; M[f]=1 N: s=nicrd M[f]; r=nicrd M[x]",
                "fence(MEMORY,W,W)", "{r=0 s=1}");
        assertOrdered(
                "T1: W[x]=1; %s; W[f]=1; window_writeback H: s=H[f]; r=H[x]",
                "fence(MMIO,W,W)", "{r=0 s=1}");
        assertOrdered(
                "T1: W[x]=1; %s; W[f]=1; window_writeback T2: s=W[f]; r=W[x]",
                "fence(MMIO,W,W)", "{r=0 s=1}");
        for (String space : List.of("HEAP", "MEMORY", "MMIO", "SYSTEM")) {
            String fence = "fence(%s,RW,RW)".formatted(space);
            assertThat(outcomes("T: M[x]=1; %s observe nic.x".formatted(fence)))
                    .containsExactly("{nic.x=0}", "{nic.x=1}");
            assertThat(outcomes("T: W[x]=1; %s observe X.x".formatted(fence)))
                    .containsExactly("{X.x=0}", "{X.x=1}");
        }
    }

    /// Before any later write, for each observer; and in the end without one.
    @Test
    @Requirement("DPA-CCH-2")
    void whatAWindowWritebackCoversEverybodySeesBeforeLaterWrites() {
        for (String form :
                List.of(
                        "T1: W[x]=1; %s; M[f]=1 T2: s=M[f]; r=W[x]",
                        "T1: W[x]=1; %s; M[f]=1 N: s=nicrd M[f]; r=nicrd X[x]",
                        "T1: W[x]=1; %s; W[f]=1 H: s=H[f]; r=H[x]",
                        "T1: W[x]=1; %s; W[f]=1 T2: s=W[f]; r=W[x]",
                        "T1: W[x]=1; %s; DB(d) N: onDB(d); s=1; r=nicrd X[x]",
                        "T1: W[x]=1; %s; DB(d@RXT_DB) H: onDB(d); s=1; r=H[x]")) {
            assertOrdered(form, "window_writeback", "{r=0 s=1}");
        }
        assertThat(outcomes("T: W[x]=1; window_writeback observe X.x")).containsExactly("{X.x=1}");
    }

    @Test
    @Requirement("DPA-CCH-3")
    void whatAMemoryWritebackCoversTheNicSeesBeforeLaterWrites() {
        for (String form :
                List.of(
                        "T1: M[x]=1; %s; M[f]=1 T2: s=M[f]; r=M[x]",
                        "T1: M[x]=1; %s; M[f]=1 N: s=nicrd M[f]; r=nicrd M[x]",
                        "T1: M[x]=1; %s; W[f]=1 N: s=nicrd X[f]; r=nicrd M[x]",
                        "T1: M[x]=1; %s; W[f]=1 T2: s=W[f]; r=M[x]",
                        "globals {x} T1: M[x]=1; %s; DB(d) N: onDB(d); s=1; r=nicrd M[x]",
                        "T1: M[x]=1; %s; DB(d) N: onDB(d); s=1; r=nicrd M[x]")) {
            assertOrdered(form, "memory_writeback", "{r=0 s=1}");
        }
        assertThat(outcomes("T: M[x]=1; memory_writeback observe nic.x"))
                .containsExactly("{nic.x=1}");
    }

    @Test
    @Requirement("DPA-CCH-5")
    void aWritebackIsForTheStoresOfItsOwnThread() {
        String memory =
                "T1: M[x]=1; fence(MEMORY,W,W); %s M[f]=1"
                        + " T2: spin M[f]==1; M[y]=1; %s observe nic.x nic.y";
        assertThat(outcomes(memory.formatted("", "memory_writeback")))
                .containsExactly("{nic.x=0 nic.y=1}", "{nic.x=1 nic.y=1}");
        assertThat(outcomes(memory.formatted("memory_writeback;", "")))
                .containsExactly("{nic.x=1 nic.y=0}", "{nic.x=1 nic.y=1}");
        String window = "T1: W[x]=1; M[f]=1 T2: spin M[f]==1; W[y]=1; window_writeback";
        assertThat(outcomes(window + " observe X.x X.y"))
                .containsExactly("{X.x=0 X.y=1}", "{X.x=1 X.y=1}");
    }

    /// Both kinds of region, and the copy of a window that no completion refreshes.
    @Test
    @Requirement("DPA-MEM-11")
    void aCompletionShowsTheDataInDpaMemoryAndNoNewCopyOfAWindow() {
        for (String order : List.of("any order", "in order")) {
            assertThat(
                            outcomes(
                                    "N: nicwr{M[a]=1, M[b]=1} %s; nicwr M[cqe]=1".formatted(order)
                                            + " T: spin M[cqe]==1; x=M[a]; y=M[b] observe x y"))
                    .containsExactly("{x=1 y=1}");
        }
        String window = "T: q=W[a]; spin M[cqe]==1; %s r=W[a] N: nicwr X[a]=1; nicwr M[cqe]=1";
        assertThat(outcomes(window.formatted("") + " observe r")).containsExactly("{r=0}", "{r=1}");
        assertThat(outcomes(window.formatted("read_inv;") + " observe r")).containsExactly("{r=1}");
    }
}
