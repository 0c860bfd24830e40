package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.spi.FabricProvider;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What `docs/doca.md` has to say to users.
class DocaPageTest {
    private String page;

    @BeforeEach
    void read() throws IOException {
        page = Files.readString(Repository.root().resolve("docs/doca.md"));
    }

    /// The text below a heading, on one line.
    private String section(String heading) {
        String start = "\n## " + heading + "\n";
        assertThat(page).contains(start);
        String rest = page.substring(page.indexOf(start) + start.length());
        return rest.substring(0, rest.indexOf("\n## ")).replaceAll("\\s+", " ");
    }

    @Test
    @Requirement("DRDMA-CONN-14")
    void advisesASecuredNetwork() {
        assertThat(section("Security"))
                .contains("not protected")
                .contains("in production")
                .contains("secured network");
    }

    @Test
    @Requirement({"DRDMA-CONN-9c", "DCORE-MMAP-14"})
    void saysThatExportsAndConnectionDetailsAreSensitive() {
        assertThat(section("Security"))
                .contains("whoever has an export or the details of a connection can use them")
                .contains("Carry exports and details over a secure channel");
    }

    @Test
    @Requirement("DRDMA-CAS-9")
    void namesTheAtomicityOfEachProvider() {
        for (FabricProvider provider : ServiceLoader.load(FabricProvider.class)) {
            assertThat(section("What is atomic")).contains("| `" + provider.scheme() + "` |");
        }
    }

    @Test
    @Requirement("DCORE-THR-9")
    void promisesNoAtomicityBesidesThatOfAtomics() {
        assertThat(section("What is atomic"))
                .contains("Nothing else is atomic")
                .contains("have to synchronise");
    }
}
