package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CatalogTest {
    @Test
    void readsTheRowsThatStartWithAnId() {
        Catalog catalog =
                Catalog.parse(
                        "x",
                        List.of(
                                "| ID | requirement |",
                                "| --- | --- |",
                                "| A-RC-12 | first | more |",
                                "| `B-2a` | second |",
                                "| LIT-4, LIT-5 | third |",
                                "| A-CCH-20.1 | part of a table |",
                                "### 4.5 MMIO read response, 9 bits (A-HDR-5, seed 1.3.7)",
                                "text in passing (A-HDR-6) and (A-HDR-7, as above)",
                                "| AMB-1 | explains only |",
                                "text that names A-RC-13",
                                "| A-RC-12 | said again |",
                                "| A-RC-14 | this \\| that | more |"));

        assertThat(catalog.rows().values())
                .extracting(Row::id, Row::text, Row::line)
                .containsExactly(
                        tuple("A-RC-12", "first", 3),
                        tuple("B-2a", "second", 4),
                        tuple("LIT-4", "third", 5),
                        tuple("A-CCH-20.1", "part of a table", 6),
                        tuple("A-HDR-5", "MMIO read response, 9 bits", 7),
                        tuple("A-RC-14", "this | that", 12));
    }

    @Test
    void lettersTheClausesOfARow() {
        assertThat(row("(a) wet; not dry; (b) clear. (c) is no clause").clauses())
                .containsExactly(
                        new Row.Clause("A-1a", "wet; not dry"),
                        new Row.Clause("A-1b", "clear. (c) is no clause"));
        assertThat(row("Water: (a) wet; (b) clear; (c) cold, unlike (a); warm").marks())
                .containsExactly("A-1a", "A-1b", "A-1c");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no clause at all",
                "(a) alone is prose",
                "(a) one, (b) a comma is no semicolon",
                "(a) one and (b) two",
                "(b) begins late; (c) goes on",
                "(a) one; (c) leaves out a letter",
                "word(a) one; (b) two"
            })
    void anyOtherLetterIsProse(String text) {
        assertThat(row(text).clauses()).isEmpty();
        assertThat(row(text).marks()).containsExactly("A-1");
    }

    @Test
    void findsTheRowOfAMark() {
        Catalog catalog =
                Catalog.parse(
                        "x",
                        List.of("| A-1 | (a) one; (b) two |", "| A-2 | whole |", "| A-2b | own |"));

        assertThat(catalog.rowOf("A-1b")).map(Row::id).contains("A-1");
        assertThat(catalog.text("A-1b")).isEqualTo("two");
        assertThat(catalog.text("A-1")).isEqualTo("(a) one; (b) two");
        assertThat(catalog.rowOf("A-2b")).map(Row::id).contains("A-2b");
        assertThat(Stream.of("A-1c", "A-2a", "A-3", "A-", "").map(catalog::rowOf))
                .allMatch(Optional::isEmpty);
    }

    private static Row row(String text) {
        return new Row("A-1", 1, List.of(text));
    }

    /// Whoever letters clauses in another form than the one that counts is told.
    @Test
    void noRowLooksAsIfItHadClausesThatAreNone() throws IOException {
        Set<String> prose = Set.of("CCIP-ERR-7", "DPA-CC-1");

        assertThat(Catalog.readAll(Repository.root().resolve("spec")))
                .flatMap(catalog -> catalog.rows().values())
                .filteredOn(row -> row.clauses().isEmpty() && !prose.contains(row.id()))
                .filteredOn(row -> String.join(" ", row.cells()).contains("(b) "))
                .extracting(Row::id)
                .as("rows whose clauses are not written '(a) …; (b) …'")
                .isEmpty();
    }

    @Test
    void readsEveryCatalogOfThisRepository() throws IOException {
        assertThat(Catalog.readAll(Repository.root().resolve("spec")))
                .filteredOn(catalog -> !catalog.rows().isEmpty())
                .extracting(Catalog::name)
                .containsExactly("ccip", "doca-rdma", "dpa", "naaice", "roce");
    }

    /// Its litmus tests stand as headings, and a table of their results names them once more.
    @Test
    void countsTheLitmusTestsOfTheDpaOnce() throws IOException {
        Catalog dpa =
                Catalog.readAll(Repository.root().resolve("spec")).stream()
                        .filter(catalog -> catalog.name().equals("dpa"))
                        .findFirst()
                        .orElseThrow();

        assertThat(dpa.rows()).hasSize(350);
        assertThat(dpa.rows().keySet())
                .containsAll(IntStream.rangeClosed(1, 53).mapToObj(n -> "DPA-LIT-" + n).toList())
                .allMatch(id -> id.startsWith("DPA-"));
        assertThat(dpa.text("DPA-LIT-1")).endsWith("Send WQE in DPA memory, then doorbell");
    }
}
