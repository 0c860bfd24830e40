package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The documentation of the modules that programs use: each reference in it leads somewhere, or the
/// JDK's tool would refuse to write it.
class JavadocTest {
    private static final List<String> LIBRARIES =
            List.of("fabric", "naa", "doca", "ccip", "dpacc", "dpa");

    @TempDir private Path pages;

    @Test
    void theDocumentationOfTheLibrariesIsWritten() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-quiet", "-Xdoclint:all,-missing"));
        arguments.addAll(List.of("-encoding", "UTF-8", "-d", pages.toString()));
        arguments.addAll(List.of("--module-path", annotations().toString()));
        for (String library : LIBRARIES) {
            arguments.add("--module-source-path");
            arguments.add(
                    module(library)
                            + "="
                            + Repository.root().resolve(library).resolve("src/main/java"));
        }
        arguments.add("--module");
        arguments.add(String.join(",", LIBRARIES.stream().map(JavadocTest::module).toList()));
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);

        int status =
                ToolProvider.findFirst("javadoc")
                        .orElseThrow()
                        .run(out, out, arguments.toArray(String[]::new));

        assertThat(said.toString()).isEmpty();
        assertThat(status).isZero();
        for (String library : LIBRARIES) {
            assertThat(pages.resolve(module(library))).isDirectory();
        }
    }

    private static String module(String library) {
        return "dev.outboard." + library;
    }

    /// The only library that these modules are compiled with.
    private static Path annotations() throws Exception {
        return Path.of(
                NullMarked.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
