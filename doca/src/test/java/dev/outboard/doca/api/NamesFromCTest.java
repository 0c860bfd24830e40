package dev.outboard.doca.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The guide has a Java name, or the word that there is none, for each family of C functions that
/// the catalog lists.
class NamesFromCTest {
    private static final Pattern FAMILY = Pattern.compile("doca_[a-z]\\w*?(?=_?\\W)");

    @Test
    void theGuideNamesEachFamilyOfFunctions() throws IOException {
        List<String> families =
                part("spec/doca-rdma.md", "## 12. ", "## 13. ")
                        .lines()
                        .filter(line -> line.startsWith("| doca_"))
                        .flatMap(line ->
                                FAMILY.matcher(line.substring(0, line.indexOf('|', 1)))
                                        .results()
                                        .map(MatchResult::group))
                        .distinct()
                        .toList();
        assertThat(families).hasSizeGreaterThan(30);

        assertThat(part("docs/doca.md", "## Names from C", "\0")).contains(families);
    }

    private static String part(String file, String from, String to) throws IOException {
        String text = Files.readString(Repository.root().resolve(file));
        int end = text.indexOf(to);
        return text.substring(text.indexOf(from), end < 0 ? text.length() : end);
    }
}
