package dev.outboard.dpa.litmus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The form of the herd tools.
class HerdTest {
    @Test
    @Requirement("DPA-OPM-18")
    void writesColumnsOfInstructionsAndAConditionOfOutcomes() {
        LitmusTest test = LitmusCatalog.test(23);
        assertThat(test.herd(test.variant("a")))
                .isEqualTo(
                        """
                        DPA LIT-23a
                        "Writeback executed by a different thread than the writer: A: fence; B: writeback"
                        BF3=(2:r=1)
                        COHERENT=(2:r=1)
                        {
                         heap uint64_t data=0 @0+0;
                         heap uint64_t flag=0 @1+0;
                        }
                         P0:T1             | P1:T2            | P2:N            ;
                         M[data]=1         | spin M[flag]==1  | onDB(db)        ;
                         fence(MEMORY,W,W) | memory_writeback | r=nicrd M[data] ;
                         M[flag]=1         | DB(db)           |                 ;
                        locations [2:r;]
                        forall ((2:r=0) \\/ (2:r=1))
                        """);
    }

    @Test
    @Requirement("DPA-OPM-18")
    void theTestsOfTheCatalogAreReadBackAsTheyWereWritten() {
        for (LitmusTest test : LitmusCatalog.all()) {
            for (Variant variant : test.variants()) {
                assertReadBack(test, variant);
            }
        }
    }

    @Test
    @Requirement("DPA-OPM-18")
    void generatedProgramsAreReadBackAsTheyWereWritten() {
        LitmusGenerator generator =
                new LitmusGenerator(18, EnumSet.allOf(LitmusGenerator.Feature.class));
        for (int i = 0; i < 1000; i++) {
            LitmusTest test = generator.next();
            assertReadBack(test, test.variants().getFirst());
        }
        CorrectPrograms programs = new CorrectPrograms(18);
        for (int i = 0; i < 200; i++) {
            LitmusTest test = programs.next(3);
            assertReadBack(test, test.variants().getFirst());
        }
    }

    private static void assertReadBack(LitmusTest test, Variant variant) {
        String herd = test.herd(variant);
        LitmusTest again = LitmusTest.parseHerd(herd);
        Variant only = again.variant("");
        assertThat(again.name()).isEqualTo(test.name() + variant.name());
        assertThat(only.listed()).as(herd).isEqualTo(variant.listed());
        assertThat(again.herd(only)).isEqualTo(herd);
        assertThat(plain(only.program())).as(herd).isEqualTo(plain(variant.program()));
    }

    /// The program as text, with what the text says of places and observations.
    private static String plain(LitmusProgram program) {
        Variant variant = new Variant("", "", program, Map.of());
        return new LitmusTest("t", "", List.of(), List.of(variant)).toString();
    }

    @Test
    @Requirement("DPA-OPM-18")
    void readsEverythingThatProgramsCanHave() {
        LitmusTest test =
                LitmusTest.parse(
                        """
                        litmus all "Everything \\"there\\" is"
                        heap {a:4=1 b:4 c=0xff}
                        globals {g}
                        external {x y:4}
                        role entry c of sq
                        role record g
                        T1: r=M[a]; M[a]=r+1; M2[b+2]=(r|4)&7-1; if r==1 {repeat 2 {M[c]=1}} else {r=2};
                            spin W[y]>=2 {read_inv; if r!=3 {break}}; DB(d@CQ_DB,cq); M[c]=5
                        N?: onDB(d); z=arrival order; nicwr{M[c]=1, X[x]=z} any order on q
                        observe r M.c nic.c X.x z
                        observe on HANG r
                        allowed {r=1 M.c=2 nic.c=1 X.x=0 z=d} {r=2 HANG}
                        allowed BF3 {r=2 HANG}
                        """);
        assertReadBack(test, test.variant(""));
    }

    @Test
    @Requirement("DPA-OPM-18")
    void readsWhatAPersonWritesInThatForm() {
        LitmusTest test =
                LitmusTest.parseHerd(
                        """
                        DPA MP+fence
                        "A flag announces data"
                        (* the data is 7,
                           the flag 1 *)
                        { x; y=0; external uint32_t z = 0x10; }

                         P0                | P1      ;
                         M[x]=7            | r0=M[y] ;
                                           |         ;
                         fence(MEMORY,W,W) | r1=M[x] ;
                         M[y]=1            | q=W[z]  ;
                        exists (1:r0=1 /\\ ~(1:r1=7))
                        """);
        LitmusProgram program = test.variant("").program();
        assertThat(program.actors()).extracting(Actor::name).containsExactly("T0", "T1");
        assertThat(program.observed()).extracting(Observation::name).containsExactly("r0", "r1");
        assertThat(program.variable("x").line()).isNotEqualTo(program.variable("y").line());
        assertThat(program.variable("z"))
                .extracting("sizeBytes", "initial")
                .containsExactly(4, 16L);
        assertThat(program.actors().get(1).body().getFirst().place()).isEqualTo(new Place(8, 22));
        assertThat(test.variant("").allowed(Profile.SEED)).isEmpty();
        assertThat(Explorer.explore(program, Profile.SEED).outcomes())
                .extracting(Outcome::toString)
                .containsExactly("{r0=0 r1=0}", "{r0=0 r1=7}", "{r0=1 r1=7}");
    }

    static List<Arguments> mistakes() {
        return List.of(
                Arguments.of("RISCV x\n{}\n", 1, 1, "expected 'DPA' and the name"),
                Arguments.of("DPA x\n", 2, 1, "the text ends before it is complete"),
                Arguments.of("DPA x\nwhat\n{}", 2, 1, "expected a title in quotes, information"),
                Arguments.of("DPA x\n{ x=0;\n", 3, 1, "'{' of line 2 is not closed"),
                Arguments.of("DPA x\n{\n 7x=0;\n}", 3, 2, "'7x=0' declares no variable"),
                Arguments.of("DPA x\n{\nx=q;\n}", 1, 1, "expected an initial value"),
                Arguments.of("DPA x\n{ x @0+4; }", 2, 1, "8 bytes do not lie at offset 4"),
                Arguments.of("DPA x\n{}\n P0 | P1\n", 3, 2, "'|' between them and ';' at its end"),
                Arguments.of("DPA x\n{}\n P0 | Q1 ;\n", 3, 6, "'Q1' names no actor; valid is 'P1'"),
                Arguments.of("DPA x\n{}\n P0:X ;\n", 3, 1, "'X' is no actor: T…, N… or H…"),
                Arguments.of(
                        "DPA x\n{}\n P0 | P1 ;\n M[x]=1 ;\n", 4, 2, "1 cells, and there are 2"),
                Arguments.of("DPA x\n{}\n P0 ;\n M[x]=1 ;\n M[x ;\n", 5, 6, "expected ']'"),
                Arguments.of("DPA x\n{}\n P0 ;\n r=1 } ;\n", 4, 6, "the end of the column"),
                Arguments.of("DPA x\n{}\n P0 ;\n r=1 ;\nforall (0:s=1)", 5, 1, "no register 's'"),
                Arguments.of("DPA x\n{}\n P0 ;\n r=1 ;\nforall (1:r=1)", 5, 1, "there are 1 act"),
                Arguments.of("DPA x\n{}\n P0 ;\n r=1 ;\nforall (x=1)", 5, 1, "no variable is"),
                Arguments.of(
                        "DPA x\n{}\n P0 ;\n r=1 ;\nlocations [0:r;]\nwhat", 6, 1, "expected 'lo"),
                Arguments.of("DPA x\nRole=thing x\n{}\n", 2, 1, "expected a role such as"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void namesPlaceAndRemedyOfAMistake(String text, int line, int column, String message) {
        assertThatThrownBy(() -> LitmusTest.parseHerd(text))
                .isInstanceOf(LitmusSyntaxException.class)
                .hasMessageContaining(message)
                .hasMessageStartingWith("Line %d, column %d: ".formatted(line, column));
    }
}
