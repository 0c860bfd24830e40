package dev.outboard.dpa.litmus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LitmusCatalogTest {
    /// LIT-39 and LIT-40 have no table.
    private static final Set<Integer> WITHOUT_TABLE = Set.of(39, 40);

    @Test
    void hasTheTestsThatTheCatalogListsAndNoOther() throws IOException {
        assertThat(CatalogTables.read())
                .extracting(CatalogTables.Table::number)
                .filteredOn(number -> number != 39)
                .isEqualTo(LitmusCatalog.NUMBERS);
    }

    @Test
    void saysRowByRowWhatTheTablesOfTheCatalogSay() throws IOException {
        int rows = 0;
        for (CatalogTables.Table table : CatalogTables.read()) {
            if (WITHOUT_TABLE.contains(table.number())) {
                assertThat(table.rows()).isEmpty();
                continue;
            }
            LitmusTest test = LitmusCatalog.test(table.number());
            assertThat(test.name()).isEqualTo("LIT-" + table.number());
            assertThat(test.title()).isEqualTo(table.title());
            assertThat(test.variants())
                    .extracting(Variant::name)
                    .isEqualTo(table.rows().stream().map(CatalogTables.Row::variant).toList());
            for (CatalogTables.Row row : table.rows()) {
                assertSame(test.variant(row.variant()), row, test.name() + row.variant());
                rows++;
            }
        }
        assertThat(rows).isEqualTo(106);
    }

    private static void assertSame(Variant variant, CatalogTables.Row row, String name) {
        assertThat(variant.title()).as(name).isEqualTo(row.title());
        String allowed =
                row.outcomes().entrySet().stream()
                        .map(entry -> " allowed " + entry.getKey() + " " + entry.getValue())
                        .collect(Collectors.joining("\n"));
        String text = "litmus table\n" + row.program() + "\n" + allowed;
        Variant expected = LitmusTest.parse(text).variants().getFirst();
        assertThat(bodies(variant)).as(name).isEqualTo(bodies(expected));
        EnumSet<Profile> profiles = EnumSet.of(Profile.SEED, Profile.BF3, Profile.PARANOID);
        for (Profile profile : profiles) {
            assertThat(variant.allowed(profile)).as(name).isEqualTo(expected.allowed(profile));
        }
        assertThat(variant.program().observed())
                .as(name)
                .containsExactlyInAnyOrderElementsOf(expected.program().observed());
    }

    private static List<Map.Entry<String, String>> bodies(Variant variant) {
        return variant.program().actors().stream()
                .map(actor -> Map.entry(actor.name(), StatementPrinter.print(actor.body())))
                .toList();
    }

    @Test
    @Requirement("DPA-LIT-40")
    void holdsTheProgramOfTheTestOfRewrittenLines() {
        Variant variant = LitmusCatalog.test(40).variant("");
        assertThat(bodies(variant))
                .containsExactly(
                        Map.entry("T", "W[x]=1; window_writeback"), Map.entry("H", "H[y]=1"));
        LitmusProgram program = variant.program();
        assertThat(program.variable("x").line()).isEqualTo(program.variable("y").line());
        assertThat(variant.allowed(Profile.BF3)).isEqualTo(variant.allowed(Profile.SEED));
        assertThat(variant.allowed(Profile.BF3_LINES).orElseThrow())
                .extracting(Outcome::toString)
                .containsExactlyInAnyOrder("{X.x=1 X.y=1}", "{X.x=1 X.y=0}");
    }

    @Test
    void placesVariablesAsTheCatalogSays() {
        LitmusProgram heap = LitmusCatalog.test(9).variant("a").program();
        assertThat(heap.variable("flag").area()).isEqualTo(Area.HEAP);
        LitmusProgram outside = LitmusCatalog.test(9).variant("b").program();
        assertThat(outside.variable("flag").area()).isEqualTo(Area.GLOBALS);
        LitmusProgram capture = LitmusCatalog.test(25).variant("a").program();
        assertThat(capture.variable("hdr").line()).isEqualTo(capture.variable("data").line());
        assertThat(capture.variable("flag").line()).isNotEqualTo(capture.variable("data").line());
    }

    @Test
    void allOtherVariablesLieAloneInTheirLines() {
        for (LitmusTest test : LitmusCatalog.all()) {
            for (Variant variant : test.variants()) {
                if (!Set.of("LIT-25", "LIT-40").contains(test.name())) {
                    assertThat(variant.program().variables())
                            .extracting(one -> one.inDpaMemory() + " " + one.line())
                            .doesNotHaveDuplicates();
                }
                assertThat(variant.program().variables())
                        .allMatch(one -> one.sizeBytes() == 8 && one.initial() == 0);
            }
        }
    }

    @Test
    void saysWhichNumbersThereAre() {
        assertThatThrownBy(() -> LitmusCatalog.test(39))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("There is no LIT-39: the numbers are [1, 2, 3");
    }
}
