package dev.outboard.dpa.litmus;

import static dev.outboard.dpa.litmus.Programs.outcomes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Accesses of different sizes to the same granule, as descriptors have them.
class MixedSizeTest {
    private static final long BOTH = 0x1_0000_0001L;
    private static final long UPPER = 0x1_0000_0000L;

    @Test
    @Requirement("DPA-OPM-12")
    void storesToDifferentBytesOfAGranuleArePerformedInAnyOrder() {
        assertThat(outcomes("T1: M4[x]=1; M4[x+4]=1 T2: r=M[x]"))
                .containsExactlyInAnyOrder(
                        "{r=0}", "{r=1}", "{r=" + UPPER + "}", "{r=" + BOTH + "}");
        assertThat(outcomes("T1: M4[x]=1; fence(MEMORY,W,W); M4[x+4]=1 T2: r=M[x]"))
                .containsExactlyInAnyOrder("{r=0}", "{r=1}", "{r=" + BOTH + "}");
        assertThat(outcomes("T: W4[x]=1; W4[x+4]=1; window_writeback H: r=H[x]"))
                .containsExactlyInAnyOrder(
                        "{r=0}", "{r=1}", "{r=" + UPPER + "}", "{r=" + BOTH + "}");
    }

    @Test
    @Requirement("DPA-OPM-12")
    void storesThatOverlapArePerformedInTheirOrder() {
        assertThat(outcomes("T1: M[x]=0x0101; M1[x]=2 T2: r=M2[x]"))
                .containsExactly("{r=0}", "{r=257}", "{r=258}");
        assertThat(outcomes("T1: M1[x]=2; M[x]=0x0101 T2: r=M2[x]"))
                .containsExactly("{r=0}", "{r=257}", "{r=2}");
        // The narrow one waits for the wide one, and what comes after both for the narrow one only
        // where they overlap.
        assertThat(outcomes("T1: M1[x]=1; M2[x]=0x0202; M1[x+1]=3; M1[x+2]=4 T2: r=M4[x]"))
                .contains("{r=262144}", "{r=262658}")
                .doesNotContain("{r=768}", "{r=769}");
    }

    @Test
    @Requirement({"DPA-OPM-12", "DPA-MEM-3", "DPA-MEM-7"})
    void aWideStoreAppearsAtOnceToNarrowLoads() {
        for (String pair : List.of("a=M4[x]; b=M4[x+4]", "a=M4[x+4]; b=M4[x]")) {
            assertThat(outcomes("T1: M[x]=" + BOTH + " T2: " + pair))
                    .containsExactly("{a=0 b=0}", "{a=0 b=1}", "{a=1 b=1}");
            assertThat(outcomes("N: nicwr M[x]=" + BOTH + " T2: " + pair))
                    .containsExactly("{a=0 b=0}", "{a=0 b=1}", "{a=1 b=1}");
        }
        for (String pair :
                List.of("a=nicrd M4[x]; b=nicrd M4[x+4]", "a=nicrd M4[x+4]; b=nicrd M4[x]")) {
            assertThat(outcomes("T1: M[x]=" + BOTH + " N: " + pair))
                    .containsExactly("{a=0 b=0}", "{a=0 b=1}", "{a=1 b=1}");
        }
        for (String writer : List.of("H: H[x]=", "N: nicwr X[x]=", "T1: W[x]=")) {
            assertThat(outcomes(writer + BOTH + " T2: r=W[x]"))
                    .containsExactly("{r=0}", "{r=" + BOTH + "}");
        }
        assertThat(outcomes("T: W[x]=" + BOTH + "; window_writeback H: a=H4[x+4]; b=H4[x]"))
                .containsExactly("{a=0 b=0}", "{a=0 b=1}", "{a=1 b=1}");
    }

    @Test
    @Requirement({"DPA-OPM-12", "DPA-MEM-2"})
    void aWideLoadJoinsOwnPendingBytesWithThoseOfOthers() {
        assertThat(outcomes("T1: M4[x]=1; r=M[x] T2: M4[x+4]=1 observe r"))
                .containsExactly("{r=1}", "{r=" + BOTH + "}");
        assertThat(outcomes("T1: M4[x]=1; r=M[x] T2: M[x]=0x200000002 observe r"))
                .containsExactly("{r=1}", "{r=8589934593}", "{r=8589934594}");
        assertThat(outcomes("T: W4[x]=1; r=W[x] H: H4[x+4]=1 observe r"))
                .containsExactly("{r=1}", "{r=" + BOTH + "}");
        // The copy fetched for the upper bytes is kept, and the own bytes lie over it.
        assertThat(outcomes("T: W4[x]=1; r=W[x]; s=W[x] H: H4[x+4]=1 observe r s"))
                .containsExactly(
                        "{r=1 s=1}", "{r=1 s=" + BOTH + "}", "{r=" + BOTH + " s=" + BOTH + "}");
    }

    /// The classic descriptor: an owner byte beside its payload, in one granule and in two.
    @Test
    @Requirement("DPA-OPM-12")
    void anOwnerByteBesideItsPayloadNeedsTheSameFenceAsOneElsewhere() {
        assertThat(outcomes("T1: M4[x]=7; M1[x+7]=1 T2: o=M1[x+7]; p=M4[x]")).contains("{o=1 p=0}");
        assertThat(outcomes("T1: M4[x]=7; fence(MEMORY,W,W); M1[x+7]=1 T2: o=M1[x+7]; p=M4[x]"))
                .doesNotContain("{o=1 p=0}");
        // One load of the granule sees both or neither of one store, and never the byte alone after
        // a fence.
        assertThat(outcomes("T1: M4[x]=7; fence(MEMORY,W,W); M1[x+7]=1 T2: p=M[x]"))
                .containsExactlyInAnyOrder("{p=0}", "{p=7}", "{p=" + ((1L << 56) + 7) + "}");
        // The NIC sees a granule as a whole: with the owner byte it sees the payload.
        assertThat(
                        outcomes(
                                "T: M4[x]=7; fence(MEMORY,W,W); M1[x+7]=1"
                                        + " N: o=nicrd M1[x+7]; p=nicrd M4[x]"))
                .contains("{o=0 p=7}", "{o=1 p=7}")
                .doesNotContain("{o=1 p=0}");
    }

    @Test
    @Requirement({"DPA-OPM-12", "DPA-OPM-3"})
    void theNicSeesAllBytesOfAGranuleThatArePerformedAtOnce() {
        assertThat(
                        outcomes(
                                "T1: M4[x]=1; fence(MEMORY,W,W); M[f]=1"
                                        + " T2: spin M[f]==1; M4[x+4]=1; memory_writeback"
                                        + " observe nic.x"))
                .containsExactly("{nic.x=" + BOTH + "}");
        // Pushed by the writeback of one thread, the pending half of another stays unseen.
        assertThat(
                        outcomes(
                                "T1: M4[x]=1 T2: M4[x+4]=1; memory_writeback; DB(d)"
                                        + " N: onDB(d); r=nicrd M[x]"))
                .containsExactly("{r=" + UPPER + "}", "{r=" + BOTH + "}");
    }

    /// A granule that holds a store from before a fence and one from after it has to be seen before
    /// what comes after the fence.
    @Test
    @Requirement({"DPA-OPM-12", "DPA-OPM-3"})
    void aGranuleWithAnEarlierAndALaterStoreIsOrderedByTheEarlierOne() {
        assertThat(
                        outcomes(
                                "T: M4[x]=1; fence(MEMORY,W,W); M4[x+4]=1; M[y]=1"
                                        + " N: s=nicrd M[y]; f=nicrd M4[x]"))
                .containsExactly("{f=0 s=0}", "{f=1 s=0}", "{f=1 s=1}");
        assertThat(outcomes("T: M4[x]=1; memory_writeback; M4[x+4]=1 observe nic.x"))
                .containsExactlyInAnyOrder("{nic.x=1}", "{nic.x=" + BOTH + "}");
    }

    @Test
    @Requirement({"DPA-OPM-12", "DPA-OPM-8"})
    void anAtomicOfHalfAGranuleDoesNotWaitForTheOtherHalf() {
        assertThat(outcomes("T1: M4[x]=1; o=amoswap(M4[x+4],1) T2: r=M[x] observe o r"))
                .contains("{o=0 r=" + UPPER + "}");
        assertThat(outcomes("T1: M[x]=1; o=amoswap(M4[x+4],1) T2: r=M[x] observe o r"))
                .doesNotContain("{o=0 r=" + UPPER + "}");
        assertThat(outcomes("T1: M4[x+4]=1; q=lr(M4[x]); s=sc(M4[x],1) observe q s M.x"))
                .containsExactly("{M.x=" + BOTH + " q=0 s=0}");
    }

    @Test
    @Requirement({"DPA-OPM-12", "DPA-OPM-7"})
    void fencesAndWritebacksCoverStoresOfEverySize() {
        for (String size : List.of("1", "2", "4", "")) {
            assertThat(
                            outcomes(
                                    "T: M%s[x]=1; memory_writeback; DB(d) N: onDB(d); r=nicrd M[x]"
                                            .formatted(size)))
                    .containsExactly("{r=1}");
            assertThat(
                            outcomes(
                                    "T: W%s[x]=1; window_writeback; DB(d) N: onDB(d); r=nicrd X[x]"
                                            .formatted(size)))
                    .containsExactly("{r=1}");
            assertThat(
                            outcomes(
                                    "T1: M%s[x]=1; fence(MEMORY,W,R); r1=M[y]".formatted(size)
                                            + " T2: M[y]=1; fence(MEMORY,W,R); r2=M1[x]"))
                    .doesNotContain("{r1=0 r2=0}");
        }
    }

    @Test
    @Requirement("DPA-OPM-12")
    void aCopyIsOfAWholeGranule() {
        assertThat(
                        outcomes(
                                "T: a=W1[x]; spin M[go]==1; b=W1[x+7] H: H[x]=-1; h2d M[go]=1"
                                        + " observe b"))
                .containsExactly("{b=0}", "{b=255}");
        assertThat(
                        outcomes(
                                Profile.PARANOID,
                                "T: a=W1[x]; spin M[go]==1; read_inv; b=W1[x+7]"
                                        + " H: H[x]=-1; h2d M[go]=1 observe b"))
                .containsExactly("{b=255}");
    }

    @Test
    void initialValuesOfNeighboursAreKept() {
        assertThat(
                        outcomes(
                                "heap {a:1=1 b:1=2 c:2=3 d:4=4} T: M[b]=9; r=M[c] observe r M.a M.b"
                                        + " M.c M.d"))
                .containsExactly("{M.a=1 M.b=9 M.c=3 M.d=4 r=3}");
    }
}
