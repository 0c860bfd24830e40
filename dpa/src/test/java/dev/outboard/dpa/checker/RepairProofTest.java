package dev.outboard.dpa.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// What is proven of a repair: the original is one store that somebody reads.
class RepairProofTest {
    private static final LitmusProgram ORIGINAL = program("T1: M[x]=1 T2: r=M[x] observe r");

    private final RepairProof proof = new RepairProof(ORIGINAL, Profile.SEED);

    private static LitmusProgram program(String text) {
        return LitmusTest.parse("litmus test " + text).variants().getFirst().program();
    }

    @Test
    @Requirement("DPA-CHK-20")
    void anOutcomeThatWasNotPossibleIsSeen() {
        assertThat(proof.addsNothing(ORIGINAL)).isTrue();
        assertThat(proof.addsNothing(program("T1: M[x]=1 T2: spin M[x]==1; r=M[x] observe r")))
                .isTrue();
        assertThat(proof.addsNothing(program("T1: M[x]=2 T2: r=M[x] observe r"))).isFalse();
    }

    @Test
    @Requirement("DPA-CHK-20")
    void anOutcomeThatIsGoneIsSeen() {
        assertThat(proof.removesAny(ORIGINAL)).isFalse();
        assertThat(proof.removesAny(program("T1: M[x]=1 T2: spin M[x]==1; r=M[x] observe r")))
                .isTrue();
    }

    @Test
    @Requirement("DPA-CHK-20")
    void outcomesThatNoConsistentRunHasAreTold() {
        LitmusProgram racy = program("T1: M[x]=1; a=M[y] T2: M[y]=1; b=M[x] observe a b");
        assertThat(new RepairProof(racy, Profile.SEED).of(racy, 20))
                .isEqualTo(
                        "Proven by EXPLORE: no outcome is added; gone are SEED: none, PARANOID: none;"
                                + " other outcomes of unordered accesses are left.");
        assertThat(proof.of(ORIGINAL, 20)).endsWith("what is left is sequentially consistent.");
    }
}
