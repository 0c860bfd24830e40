package dev.outboard.dpa.litmus;

import static dev.outboard.dpa.litmus.Programs.outcomes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Atomics, reservations and spin locks, in all interleavings.
class AtomicRulesTest {
    @Test
    @Requirement({"DPA-OPM-8", "DPA-FEN-9c"})
    void onlyAReleaseComesAfterEarlierStores() {
        String form = "T1: M[x]=7; o=amoswap%s(M[f],1) T2: spin M[f]==1; r=M[x] observe o r";
        for (String order : List.of("", ".aq")) {
            assertThat(outcomes(form.formatted(order))).containsExactly("{o=0 r=0}", "{o=0 r=7}");
        }
        for (String order : List.of(".rl", ".aqrl")) {
            assertThat(outcomes(form.formatted(order))).containsExactly("{o=0 r=7}");
        }
        String conditional = "T1: M[x]=7; q=lr(M[f]); s=sc%s(M[f],1) T2: spin M[f]==1; r=M[x]";
        assertThat(outcomes(conditional.formatted("") + " observe r s"))
                .containsExactly("{r=0 s=0}", "{r=7 s=0}");
        assertThat(outcomes(conditional.formatted(".rl") + " observe r s"))
                .containsExactly("{r=7 s=0}");
        String reserved = "T1: M[x]=7; q=lr%s(M[f]); r=M[y] T2: M[y]=1; fence(MEMORY,W,R); s=M[x]";
        assertThat(outcomes(reserved.formatted("") + " observe r s")).contains("{r=0 s=0}");
        assertThat(outcomes(reserved.formatted(".aqrl") + " observe r s"))
                .doesNotContain("{r=0 s=0}");
    }

    @Test
    @Requirement({"DPA-OPM-8", "DPA-FEN-9c"})
    void noLaterAccessComesBeforeAnAtomic() {
        for (String order : List.of("", ".aq", ".rl", ".aqrl")) {
            assertThat(
                            outcomes(
                                    ("T1: o=amoswap%s(M[f],1); M[x]=7 T2: r=M[x]; s=M[f]"
                                                    + " observe r s")
                                            .formatted(order)))
                    .doesNotContain("{r=7 s=0}");
            assertThat(
                            outcomes(
                                    ("T1: o=amoswap%s(M[x],1); r1=M[y]"
                                                    + " T2: p=amoswap%s(M[y],1); r2=M[x]"
                                                    + " observe r1 r2")
                                            .formatted(order, order)))
                    .containsExactly("{r1=0 r2=1}", "{r1=1 r2=0}", "{r1=1 r2=1}");
        }
    }

    @Test
    @Requirement({"DPA-OPM-8", "DPA-FXS-1"})
    void anAtomicReadsAndWritesInOneStep() {
        assertThat(
                        outcomes(
                                "T1: amoadd(M[c],1) T2: amoadd(M[c],2) T3: amoxor(M[c],4)"
                                        + " observe M.c"))
                .containsExactly("{M.c=7}");
        assertThat(
                        outcomes(
                                "heap {c=12} T: a=amoand(M[c],10); b=amoor(M[c],1); d=amomin(M[c],-1);"
                                        + " e=amomaxu(M[c],5); f=amominu(M[c],5); g=amomax(M[c],6)"
                                        + " observe a b d e f g M.c"))
                .containsExactly(
                        "{M.c=6 a=12 b=8 d=9 e=18446744073709551615 f=18446744073709551615 g=5}");
        // Stores of its own thread to the word come before it.
        assertThat(outcomes("T: M[c]=5; a=amoadd(M[c],1); b=M[c]")).containsExactly("{a=5 b=6}");
    }

    @Test
    @Requirement("DPA-OPM-8")
    void aReservationIsLostWhereAnotherWritesTheGranule() {
        assertThat(outcomes("T1: a=lr(M[c]); s=sc(M[c],a+1) T2: M[c]=9 observe a s M.c"))
                .containsExactly("{M.c=10 a=9 s=0}", "{M.c=9 a=0 s=0}", "{M.c=9 a=0 s=1}");
        assertThat(outcomes("T1: a=lr(M[c]); s=sc(M[c],a+1) H: h2d M[c]=9 observe a s M.c"))
                .containsExactly("{M.c=10 a=9 s=0}", "{M.c=9 a=0 s=0}", "{M.c=9 a=0 s=1}");
        assertThat(outcomes("heap {c:4 d:4} T1: a=lr(M[c]); s=sc(M[c],1) T2: M[d]=9 observe a s"))
                .containsExactly("{a=0 s=0}", "{a=0 s=1}");
    }

    @Test
    @Requirement({"DPA-OPM-8", "DPA-FXS-1"})
    void countersMadeOfReservationsLoseNothing() {
        String loop = "repeat 3 {a=lr(M[c]); s=sc(M[c],a+1); if s==0 {break}}";
        assertThat(outcomes("T1: " + loop + " T2: " + loop + " observe T1.s T2.s M.c"))
                .containsExactly("{M.c=2 T1.s=0 T2.s=0}");
    }

    @Test
    @Requirement("DPA-OPM-8")
    void whatAnAtomicWritesReachesTheNicOnlyByChanceOrWriteback() {
        assertThat(outcomes("T: amoswap.aqrl(M[x],1) observe nic.x"))
                .containsExactly("{nic.x=0}", "{nic.x=1}");
        assertThat(outcomes("T: amoswap.aqrl(M[x],1); memory_writeback observe nic.x"))
                .containsExactly("{nic.x=1}");
        assertThat(
                        outcomes(
                                "T: M[x]=1; fence(MEMORY,W,W); amoswap(M[y],1)"
                                        + " N: s=nicrd M[y]; f=nicrd M[x]"))
                .doesNotContain("{f=0 s=1}");
        assertThat(
                        outcomes(
                                "T: M[x]=1; memory_writeback; amoswap(M[y],1)"
                                        + " N: s=nicrd M[y]; f=nicrd M[x]"))
                .doesNotContain("{f=0 s=1}");
        // A release orders for threads; it promises the NIC nothing.
        assertThat(outcomes("T: M[x]=1; amoswap.rl(M[y],1) N: s=nicrd M[y]; f=nicrd M[x]"))
                .contains("{f=0 s=1}");
    }

    @Test
    @Requirement({"DPA-FXS-2", "DPA-FXS-3"})
    void aSpinLockExcludesAndPublishesAndWritesNothingBack() {
        String body = "spin_lock(l); t=M[c]; M[c]=t+1; spin_unlock(l)";
        assertThat(
                        outcomes(
                                "T1: %s T2: %s T3: %s observe M.c M.l nic.c"
                                        .formatted(body, body, body)))
                .containsExactly(
                        "{M.c=3 M.l=0 nic.c=0}",
                        "{M.c=3 M.l=0 nic.c=1}",
                        "{M.c=3 M.l=0 nic.c=2}",
                        "{M.c=3 M.l=0 nic.c=3}");
        // Without the lock the increments get lost.
        String open = "t=M[c]; M[c]=t+1";
        assertThat(outcomes("T1: %s T2: %s observe M.c".formatted(open, open)))
                .containsExactly("{M.c=1}", "{M.c=2}");
    }

    @Test
    void aLoopOfRoundsRunsThatOften() {
        assertThat(outcomes("T: repeat 4 {amoadd(M[c],1); r=r+2; if r==6 {break}} observe M.c r"))
                .containsExactly("{M.c=3 r=6}");
        assertThat(outcomes("T: repeat 2 {repeat 3 {r=r+1}}")).containsExactly("{r=6}");
        assertThat(outcomes("T: r=M[x]; if r==0 {s=1} else {s=2} H: h2d M[x]=1 observe r s"))
                .containsExactly("{r=0 s=1}", "{r=1 s=2}");
        assertThat(outcomes("T: spin M[x]>=2 {n=1} H: h2d M[x]=1; h2d M[x]=3 observe n"))
                .containsExactly("{n=0}", "{n=1}");
        assertThat(outcomes("heap {x=1} T: spin M[x]!=1; r=M[x] H: h2d M[x]=2"))
                .containsExactly("{r=2}");
        assertThat(
                        outcomes(
                                "T: spin M[x]==1 {e=M[err]; if e==1 {break}}; r=M[x]"
                                        + " H: h2d M[err]=1 observe r"))
                .containsExactly("{r=0}");
    }

    @Test
    void eachWaitForADoorbellTakesAnotherArrival() {
        assertThat(outcomes("T: repeat 2 {DB(d)} N: onDB(d); onDB(d); r=arrival order"))
                .containsExactly("{r=d,d}");
        assertThat(outcomes("T: DB(d) N: onDB(d); onDB(d)")).containsExactly("{HANG}");
    }
}
