package dev.outboard.dpa.litmus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Space;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LitmusParserTest {
    private static final String EVERYTHING =
            """
            litmus all-of-it "Everything \\"there\\" is" # and a comment
            note "A sentence."
            heap {a:4=1 b:4 c=0xff}
            globals {g}
            stack {s:1 u:2}
            external {x y:4}
            role entry c g of sq
            role record s

            variant one "the first"
                T1: r=M[a]; M[a]=r+1; M2[b+2]=(r|4)&7-1; W4[x+4]=r;
                    spin W[y]>=2 {read_inv; if r!=3 {break} else {r=r^1}};
                    repeat 3 {memory_writeback; window_writeback};
                    DB(send@CQ_DB,cq); DB(plain);
                    o=amoadd.aqrl(M[c],1); amomaxu(M[a],2); q=lr.aq(M[c]); f=sc.rl(M[c],q+1); sc(M[c],0);
                    spin_lock(g); spin_unlock(g);
                    fence(HEAP,R,W); memory_fence(W,W); window_fence(R,RW); outbox_fence(W,R);
                    system_fence; window_read_inv; writeback_memory
                N: onDB(send); z=arrival order; nicwr M[c]=1; nicwr{M[c]=1, X[x]=z} any order on q1;
                    nicwr{M[c]=2, M[g]=3} in order; k=nicrd M1[c+7]; l=nicrd X[x]; wait M[c]==4;
                    m=nicadd(M[c],1); niccas(X[x],0,m)
                N2?: i=nicrd M[c]
                H: H[x]=1; h=H[x]; h2d M[c]=h; onDB(plain); wait H[x]!=0
                observe r T1.f M.c nic.c X.x z
                observe on HANG r
                allowed SEED BF3 {r=1 T1.f=0 M.c=2 nic.c=0x10 X.x=-1 z=send,plain} {r=2 HANG}
                allowed COHERENT {r=2 HANG}

            variant two
                T: M[a]=1 ∥ N: r=nicrd M[a]
            """;

    @Test
    void readsWhatTheFormHas() {
        LitmusTest test = LitmusTest.parse(EVERYTHING);
        assertThat(test.name()).isEqualTo("all-of-it");
        assertThat(test.title()).isEqualTo("Everything \"there\" is");
        assertThat(test.notes()).containsExactly("A sentence.");
        Variant one = test.variant("one");
        assertThat(one.title()).isEqualTo("the first");
        assertThat(one.program().actors())
                .extracting(Actor::name)
                .containsExactly("T1", "N", "N2", "H");
        assertThat(one.program().actors())
                .extracting(Actor::optional)
                .containsExactly(false, false, true, false);
        assertThat(one.program().roles())
                .extracting(role -> role.kind() + " " + role.variable() + " " + role.queue())
                .containsExactly("ENTRY c sq", "ENTRY g sq", "RECORD s ");
        assertThat(one.program().observed())
                .extracting(Observation::name)
                .containsExactly("r", "T1.f", "M.c", "nic.c", "X.x", "z");
        assertThat(one.program().observedOnHang())
                .extracting(Observation::name)
                .containsExactly("r");
        assertThat(one.allowed(Profile.PARANOID)).isEqualTo(one.allowed(Profile.SEED));
        assertThat(one.allowed(Profile.SEED).orElseThrow())
                .extracting(Outcome::toString)
                .containsExactlyInAnyOrder(
                        "{M.c=2 T1.f=0 X.x=18446744073709551615 nic.c=16 r=1 z=send,plain}",
                        "{r=2 HANG}");
        assertThat(one.listed()).containsOnlyKeys(Profile.SEED, Profile.BF3, Profile.COHERENT);
        assertThat(test.variant("two").allowed(Profile.SEED)).isEmpty();
        assertThat(test.variant("two").program().observed())
                .extracting(Observation::name)
                .containsExactly("r");
    }

    @Test
    void placesVariablesInTheirLines() {
        LitmusProgram program = LitmusTest.parse(EVERYTHING).variant("one").program();
        assertThat(program.variables())
                .extracting(v ->
                        "%s %s %d+%d:%d=%d"
                                .formatted(
                                        v.name(),
                                        v.area(),
                                        v.line(),
                                        v.offset(),
                                        v.sizeBytes(),
                                        v.initial()))
                .containsExactly(
                        "a HEAP 0+0:4=1",
                        "b HEAP 0+4:4=0",
                        "c HEAP 0+8:8=255",
                        "g GLOBALS 1+0:8=0",
                        "s STACK 2+0:1=0",
                        "u STACK 2+2:2=0",
                        "x EXTERNAL 0+0:8=0",
                        "y EXTERNAL 0+8:4=0");
    }

    @Test
    void givesEachStatementItsPlace() {
        String text =
                """
                litmus places
                T1: M[x]=1;
                    spin M[x]==1 { read_inv;
                  DB(db) }
                """;
        Actor actor = LitmusTest.parse(text).variants().getFirst().program().actors().getFirst();
        Statement.Spin spin = (Statement.Spin) actor.body().get(1);
        assertThat(actor.place()).isEqualTo(new Place(2, 1));
        assertThat(actor.body())
                .extracting(Statement::place)
                .containsExactly(new Place(2, 5), new Place(3, 5));
        assertThat(spin.body())
                .extracting(Statement::place)
                .containsExactly(new Place(3, 20), new Place(4, 3));
    }

    @Test
    void readsOrdersSizesAndShortcuts() {
        String text =
                "litmus t\nT: o=amoswap.rl(M4[x+4],1); q=lr(M[x]); outbox_fence(W,R);"
                        + " system_fence; writeback_memory; DB(d@RXT_DB,rq)";
        List<Statement> body =
                LitmusTest.parse(text).variants().getFirst().program().actors().getFirst().body();
        assertThat(body.get(0))
                .isEqualTo(
                        new Statement.Atomic(
                                new Place(2, 4),
                                Optional.of("o"),
                                AtomicOp.SWAP,
                                AtomicOrder.RELEASE,
                                new Access(new Place(2, 17), Via.DPA, "x", 4, 4),
                                new Expression.Constant(1)));
        assertThat(body.get(1)).extracting("order").isEqualTo(AtomicOrder.RELAXED);
        assertThat(body.get(2))
                .isEqualTo(new Statement.Fence(body.get(2).place(), Space.MMIO, Op.W, Op.R));
        assertThat(body.get(3))
                .isEqualTo(new Statement.Fence(body.get(3).place(), Space.SYSTEM, Op.RW, Op.RW));
        assertThat(body.get(4))
                .extracting("operation")
                .isEqualTo(Statement.CacheOperation.Operation.MEMORY_WRITEBACK);
        assertThat(body.get(5))
                .isEqualTo(
                        new Statement.Doorbell(
                                body.get(5).place(),
                                "d",
                                DoorbellRegister.RXT_DB,
                                Optional.of("rq")));
    }

    @Test
    void writesWhatIsReadBackAsTheSame() {
        LitmusTest test = LitmusTest.parse(EVERYTHING);
        LitmusTest again = LitmusTest.parse(test.toString());
        assertThat(again).hasToString(test.toString());
        assertThat(again)
                .usingRecursiveComparison()
                .ignoringFieldsOfTypes(Place.class)
                .isEqualTo(test);
    }

    @Test
    void writesTheTestsOfTheCatalogSoThatTheyAreReadBackAsTheSame() {
        for (LitmusTest test : LitmusCatalog.all()) {
            assertThat(LitmusTest.parse(test.toString()))
                    .as(test.name())
                    .usingRecursiveComparison()
                    .ignoringFieldsOfTypes(Place.class)
                    .isEqualTo(test);
        }
    }

    static List<Arguments> mistakes() {
        return List.of(
                Arguments.of("T: M[x]=1", 1, 1, "expected 'litmus', but found 'T'"),
                Arguments.of("litmus t\n", 2, 1, "expected an actor: T… (DPA thread), N… (NIC) or"),
                Arguments.of("litmus t\nT: M[x]", 2, 8, "expected '=', but found the end"),
                Arguments.of("litmus t\nT: M[x]=;", 2, 9, "expected a number or a register"),
                Arguments.of("litmus t\nT: r=H[x]", 2, 6, "expected M[…] or W[…], but found 'H'"),
                Arguments.of("litmus t\nT: nicwr M[x]=1", 2, 4, "a statement of a DPA thread"),
                Arguments.of("litmus t\nN: M[x]=1", 2, 4, "expected a statement of a NIC"),
                Arguments.of("litmus t\nH: H[x]=1; DB(a)", 2, 12, "a statement of the host"),
                Arguments.of("litmus t\nT: M[x]=1 M[y]=1", 2, 11, "expected 'allowed', 'variant'"),
                Arguments.of("litmus t\nT: M[x]=1; r=W[x]", 2, 16, "'x' is DPA memory since 2:6"),
                Arguments.of("litmus t\nT: r=M4[x+2]", 2, 10, "4 bytes at offset 2 of 'x' is mis"),
                Arguments.of("litmus t\nT: r=M4[x+8]", 2, 10, "byte 11 of variable 'x' is past"),
                Arguments.of("litmus t\nT: fence(MEM,W,W)", 2, 10, "one of HEAP, MEMORY, MMIO, S"),
                Arguments.of("litmus t\nT: fence(MMIO,X,W)", 2, 15, "one of R, W, RW, but found"),
                Arguments.of("litmus t\nT: spin M[x]=1", 2, 13, "expected ==, != or >=, but"),
                Arguments.of("litmus t\nT: DB(d@SQ)", 2, 9, "expected one of SXD, CQ_DB"),
                Arguments.of("litmus t\nT: o=amofoo(M[x],1)", 2, 6, "amoswap, amoadd"),
                Arguments.of("litmus t\nT: o=amoadd.x(M[x],1)", 2, 13, "expected aq, rl or aqrl"),
                Arguments.of("litmus t\nT: o=amoadd(W[x],1)", 2, 13, "expected M[…], but found"),
                Arguments.of("litmus t\nT: o=amoadd(M2[x],1)", 2, 13, "4 or 8 bytes, not 2"),
                Arguments.of("litmus t\nN: nicadd(M4[x],1)", 2, 11, "NIC has 8 bytes, not 4"),
                Arguments.of("litmus t\nT: break", 2, 4, "stands in no repeat and no spin"),
                Arguments.of("litmus t\nT: repeat 0 {}", 2, 11, "1 to 1000 rounds, not 0"),
                Arguments.of("litmus t\nT: M[x]=r", 2, 9, "T sets no register 'r': it sets []"),
                Arguments.of("litmus t\nN: onDB(a)", 2, 4, "no thread rings a doorbell 'a'"),
                Arguments.of("litmus t\nT: r=1\nT: r=2", 3, 1, "there are two actors 'T'"),
                Arguments.of("litmus t\nvariant a T: r=1\nvariant a T: r=1", 3, 9, "two variants"),
                Arguments.of("litmus t\nheap {a a}\nT: r=1", 2, 9, "'a' is declared already, at 2"),
                Arguments.of("litmus t\nheap {a:3}\nT: r=1", 2, 9, "1, 2, 4 or 8 bytes, not 3"),
                Arguments.of("litmus t\nheap {a b c d e f g h i}\nT: r=1", 2, 6, "take 72 bytes"),
                Arguments.of("litmus t\nrole thing x\nT: r=1", 2, 6, "expected entry, record, in"),
                Arguments.of("litmus t\nrole flag x\nT: r=1", 2, 11, "no variable is called 'x'"),
                Arguments.of("litmus t\nT: r=1\nallowed", 3, 8, "an outcome such as {r=0}"),
                Arguments.of("litmus t\nT: r=1\nallowed {s=1}", 3, 10, "sets a register 's'"),
                Arguments.of("litmus t\nT: r=1\nallowed {T.s=1}", 3, 10, "T sets no register 's'"),
                Arguments.of("litmus t\nT: M[x]=1\nallowed {X.x=1}", 3, 10, "nothing to observe"),
                Arguments.of("litmus t\nT: M[x]=1\nallowed {M.y=1}", 3, 10, "no variable is cal"),
                Arguments.of("litmus t\nT: r=1\nallowed {r=1", 3, 13, "expected '}' in this line"),
                Arguments.of("litmus t\nT: r=1\nallowed {r}", 3, 10, "'r' is no part of an outc"),
                Arguments.of("litmus t\nT: r=1\nallowed {r=1} {r=1}", 3, 16, "is listed twice"),
                Arguments.of("litmus t\nT: r=1\nallowed {r=1} {done}", 3, 16, "exactly [r]"),
                Arguments.of("litmus t\nT: r=1\nallowed {r=1}\nallowed {r=1}", 4, 1, "twice"),
                Arguments.of("litmus t\nT: r=1\nallowed FAST {r=1}", 3, 9, "one of SEED, BF3"),
                Arguments.of("litmus t\nT1: r=1\nT2: r=1\nallowed {r=1}", 4, 10, "write T1.r"),
                Arguments.of("litmus t\nT: M[x]=99999999999999999999", 2, 9, "at most 64 bits"),
                Arguments.of("litmus t \"title\nT: r=1", 1, 10, "no closing '\"'"),
                Arguments.of("litmus t\nT: M[x]=1 $", 2, 11, "'$' begins nothing"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void namesPlaceAndRemedyOfAMistake(String text, int line, int column, String message) {
        assertThatThrownBy(() -> LitmusTest.parse(text))
                .isInstanceOfSatisfying(
                        LitmusSyntaxException.class,
                        e -> assertThat(e.place()).isEqualTo(new Place(line, column)))
                .hasMessageStartingWith("Line %d, column %d: ".formatted(line, column))
                .hasMessageContaining(message);
    }
}
