package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
                                "| A-RC-12 | said again |"));

        assertThat(catalog.rows())
                .containsExactly(
                        Map.entry("A-RC-12", "first"),
                        Map.entry("B-2a", "second"),
                        Map.entry("LIT-4", "third"),
                        Map.entry("A-CCH-20.1", "part of a table"),
                        Map.entry("A-HDR-5", "MMIO read response, 9 bits"));
    }

    @Test
    void readsEveryCatalogOfThisRepository() throws IOException {
        assertThat(Catalog.readAll(Repository.root().resolve("spec")))
                .filteredOn(catalog -> !catalog.rows().isEmpty())
                .extracting(Catalog::name)
                .containsExactly("ccip", "doca-rdma", "dpa", "naaice", "roce");
    }
}
