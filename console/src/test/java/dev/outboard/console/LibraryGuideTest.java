package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// What the page on using Outboard as a library names is there; [GuideTest] follows its commands.
class LibraryGuideTest {
    private static final Pattern ARTIFACT =
            Pattern.compile("\\| `(dev\\.outboard):(\\w+)` \\| `([\\w.]+)` \\|");

    private static String read(String file) throws IOException {
        return Files.readString(Repository.root().resolve(file));
    }

    private static String page() throws IOException {
        return read("docs/guide/use-as-a-library.md");
    }

    @Test
    void theArtifactsAndModulesAreThoseOfTheBuild() throws IOException {
        List<MatchResult> artifacts = ARTIFACT.matcher(page()).results().toList();
        assertThat(artifacts).hasSize(4);
        for (MatchResult artifact : artifacts) {
            String directory = artifact.group(2);
            String module = "%s/src/main/java/module-info.java".formatted(directory);
            assertThat(read(directory + "/pom.xml"))
                    .contains("<groupId>" + artifact.group(1) + "</groupId>")
                    .contains("<artifactId>" + directory + "</artifactId>");
            assertThat(read(module)).contains("module " + artifact.group(3) + " {");
        }
    }

    @Test
    void theVersionIsThatOfTheBuild() throws IOException {
        String version =
                Pattern.compile("<version>([^<]+)</version>")
                        .matcher(read("doca/pom.xml"))
                        .results()
                        .findFirst()
                        .orElseThrow()
                        .group(1);

        assertThat(page())
                .contains("<version>" + version + "</version>")
                .contains("dev.outboard:doca:" + version);
    }

    @Test
    void theCommandsOfMavenNameModulesAndPluginsOfTheBuild() throws IOException {
        String build = read("pom.xml");
        assertThat(page()).contains("./mvnw install -pl naa,doca,ccip -am -DskipTests");
        assertThat(page()).contains("javadoc:javadoc -pl fabric,naa,doca,ccip");
        assertThat(read("docs/guide/write-a-provider.md"))
                .contains("./mvnw install -pl fabric-contract -am -DskipTests");
        assertThat(build).contains("<artifactId>maven-javadoc-plugin</artifactId>");
        for (String module : List.of("fabric", "fabric-contract", "naa", "doca", "ccip")) {
            assertThat(build).containsPattern("<(module|subproject)>" + module + "</");
        }
        assertThat(Files.isExecutable(Repository.root().resolve(Path.of("mvnw")))).isTrue();
    }
}
