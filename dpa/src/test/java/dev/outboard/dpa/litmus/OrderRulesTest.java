package dev.outboard.dpa.litmus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Each pair of writes, with each operation between them: who may see the second and not the first.
/// What is expected is written down from the text of sections 7 and 8, not from the model.
class OrderRulesTest {
    /// A kind of write, and how it is written.
    enum Write {
        HEAP("M[%s]=1"),
        GLOBAL("M[g%s]=1"),
        WINDOW("W[x%s]=1"),
        DOORBELL("DB(%s@%s)");

        private final String form;

        Write(String form) {
            this.form = form;
        }

        boolean isMemory() {
            return this == HEAP || this == GLOBAL;
        }

        String write(String name, String register) {
            return form.formatted(name, register);
        }

        /// How the NIC sees it, in a register that is 1 then.
        String see(String name, String register) {
            return switch (this) {
                case HEAP -> register + "=nicrd M[" + name + "]";
                case GLOBAL -> register + "=nicrd M[g" + name + "]";
                case WINDOW -> register + "=nicrd X[x" + name + "]";
                case DOORBELL -> "";
            };
        }

        boolean isIn(String space) {
            return switch (space) {
                case "HEAP" -> this == HEAP;
                case "MEMORY" -> isMemory();
                case "MMIO" -> !isMemory();
                default -> true;
            };
        }
    }

    record Case(Write first, String between, Write second, Profile profile) {
        @Override
        public String toString() {
            return first + "; " + between + "; " + second + " in " + profile;
        }

        /// DPA-FEN-1, 2 and 4, DPA-CCH-2, 3 and 7.
        boolean isOrdered() {
            if (between.equals("memory_writeback")) {
                return first.isMemory();
            }
            if (between.equals("window_writeback")) {
                return first == Write.WINDOW;
            }
            if (!between.startsWith("fence") || !between.endsWith(",W,W)")) {
                return false;
            }
            String space = between.substring("fence(".length(), between.indexOf(','));
            if (!first.isIn(space)) {
                return false;
            }
            if (profile == Profile.BF3 && first != Write.DOORBELL) {
                return true;
            }
            if (!second.isIn(space)) {
                return false;
            }
            boolean toOutside = second == Write.WINDOW || second == Write.DOORBELL;
            if (profile == Profile.PARANOID && toOutside) {
                return first == Write.DOORBELL || (first == Write.WINDOW && second == Write.WINDOW);
            }
            return true;
        }

        /// Whether the NIC may see the second and after that not the first.
        boolean canBeSeenReversed() {
            String program =
                    "globals {ga gb} T: %s; %s; %s"
                            .formatted(first.write("a", "SXD"), between, second.write("b", "CQ_DB"))
                            .replace("; ;", ";");
            String see = second.see("b", "s") + "; " + first.see("a", "f");
            if (second == Write.DOORBELL) {
                see = "onDB(b); s=1" + see;
            }
            if (first == Write.DOORBELL) {
                see =
                        (second == Write.DOORBELL ? "onDB(b); s=1; " : second.see("b", "s") + "; ")
                                + "f=arrival order";
            }
            List<String> outcomes = Programs.outcomes(profile, program + "\nN: " + see);
            return outcomes.stream()
                    .anyMatch(outcome ->
                            outcome.contains("s=1")
                                    && (first == Write.DOORBELL
                                            ? !outcome.contains("f=a") || outcome.contains("f=b,a")
                                            : outcome.contains("f=0")));
        }
    }

    static List<Case> cases() {
        List<String> between = new ArrayList<>(List.of("", "memory_writeback", "window_writeback"));
        for (String space : List.of("HEAP", "MEMORY", "MMIO", "SYSTEM")) {
            for (String operations : List.of("W,W", "R,R", "R,W", "W,R")) {
                between.add("fence(%s,%s)".formatted(space, operations));
            }
        }
        between.add("read_inv");
        List<Case> cases = new ArrayList<>();
        for (Profile profile : List.of(Profile.SEED, Profile.BF3, Profile.PARANOID)) {
            for (Write first : Write.values()) {
                for (String operation : between) {
                    for (Write second : Write.values()) {
                        cases.add(new Case(first, operation, second, profile));
                    }
                }
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Requirement({"DPA-OPM-7", "DPA-FEN-1", "DPA-FEN-2", "DPA-FEN-3", "DPA-FEN-4"})
    void ordersTwoWritesForTheNicExactlyWhereTheCatalogSaysSo(Case pair) {
        assertThat(pair.canBeSeenReversed()).isEqualTo(!pair.isOrdered());
    }

    @Test
    @Requirement({"DPA-FEN-7", "DPA-CCH-8"})
    void shortcutsAndTheOtherSpellingMeanTheSame() {
        assertThat(
                        StatementPrinter.print(
                                Programs.of(
                                                "T: system_fence; memory_fence(R,W); window_fence(W,RW);"
                                                        + " outbox_fence(RW,R); writeback_memory")
                                        .actors()
                                        .getFirst()
                                        .body()))
                .isEqualTo(
                        "fence(SYSTEM,RW,RW); fence(MEMORY,R,W); fence(MMIO,W,RW);"
                                + " fence(MMIO,RW,R); memory_writeback");
    }

    /// RW on either side means both.
    @Test
    void aFenceFromLoadsAndStoresToLoadsAndStoresOrdersStores() {
        String form = "T1: M[a]=1; fence(MEMORY,%s,%s); M[b]=1 T2: s=M[b]; f=M[a]";
        assertThat(Programs.outcomes(form.formatted("RW", "RW"))).doesNotContain("{f=0 s=1}");
        assertThat(Programs.outcomes(form.formatted("RW", "W"))).doesNotContain("{f=0 s=1}");
        assertThat(Programs.outcomes(form.formatted("W", "RW"))).doesNotContain("{f=0 s=1}");
        assertThat(Programs.outcomes(form.formatted("RW", "R"))).contains("{f=0 s=1}");
    }

    /// DPA-OPM-7 asks of two writes to DPA memory that both orders hold, for threads and for the
    /// NIC.
    @Test
    @Requirement({"DPA-OPM-7", "DPA-FEN-1", "DPA-FEN-2"})
    void aMemoryFenceOrdersTwoStoresForThreadsToo() {
        String form = "globals {g} T1: M[a]=1; %s; M[%s]=1 T2: s=M[%s]; f=M[a]";
        assertThat(Programs.outcomes(form.formatted("fence(MEMORY,W,W)", "g", "g")))
                .containsExactly("{f=0 s=0}", "{f=1 s=0}", "{f=1 s=1}");
        assertThat(Programs.outcomes(form.formatted("fence(HEAP,W,W)", "b", "b")))
                .containsExactly("{f=0 s=0}", "{f=1 s=0}", "{f=1 s=1}");
        assertThat(Programs.outcomes(form.formatted("fence(HEAP,W,W)", "g", "g")))
                .contains("{f=0 s=1}");
        assertThat(Programs.outcomes(form.formatted("fence(MMIO,W,W)", "b", "b")))
                .contains("{f=0 s=1}");
    }

    /// What was issued before an earlier fence is still covered after a later one, and a fence says
    /// nothing of what comes after it.
    @Test
    @Requirement("DPA-OPM-1")
    void aFenceConcernsAllStoresBeforeItAndNoneAfterIt() {
        assertThat(
                        Programs.outcomes(
                                "T1: M[a]=1; fence(MEMORY,W,W); M[b]=1; M[c]=1"
                                        + " T2: s=M[c]; f=M[a]; t=M[b]"))
                .contains("{f=1 s=1 t=0}")
                .noneMatch(outcome -> outcome.contains("f=0 s=1"));
        assertThat(
                        Programs.outcomes(
                                "T1: fence(MEMORY,W,W); M[a]=1; M[b]=1; fence(MEMORY,W,W)"
                                        + " T2: s=M[b]; f=M[a]"))
                .contains("{f=0 s=1}");
    }

    @ParameterizedTest
    @EnumSource(Profile.class)
    @Requirement("DPA-FXO-9")
    void doorbellsAreNeitherMergedNorLostAndOnlyAFenceOrdersTwoRegisters(Profile profile) {
        String nic = " N: onDB(a); onDB(b); o=arrival order";
        assertThat(Programs.outcomes(profile, "T: DB(a@SXD); DB(b@SXD)" + nic))
                .containsExactly("{o=a,b}");
        assertThat(
                        Programs.outcomes(
                                profile,
                                "T: repeat 3 {DB(a)} N: onDB(a); onDB(a); onDB(a); o=arrival order"))
                .containsExactly("{o=a,a,a}");
        for (String between :
                List.of("", "memory_writeback; ", "window_writeback; ", "fence(MEMORY,W,W); ")) {
            assertThat(Programs.outcomes(profile, "T: DB(a@SXD); " + between + "DB(b@CQ_DB)" + nic))
                    .as(between)
                    .containsExactlyInAnyOrder("{o=a,b}", "{o=b,a}");
        }
        for (String between : List.of("fence(MMIO,W,W); ", "fence(SYSTEM,W,W); ")) {
            assertThat(Programs.outcomes(profile, "T: DB(a@SXD); " + between + "DB(b@CQ_DB)" + nic))
                    .as(between)
                    .containsExactly("{o=a,b}");
        }
    }
}
