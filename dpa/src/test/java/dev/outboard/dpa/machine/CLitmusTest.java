package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.litmus.Variant;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// EXPLORE of the litmus tests of the catalog in C.
class CLitmusTest {
    @TempDir private Path directory;

    private static Set<String> explore(CLitmus threads, Variant variant, Profile profile) {
        DpaProcess process = LitmusKernels.open(RunMode.explore(profile));
        LitmusKernels kernels = new LitmusKernels(variant.program(), process, Optional.of(threads));
        return process.explore(result -> kernels.outcome(result.end() == End.STUCK).toString())
                .outcomes();
    }

    /// No more and no less than for the same program as text, and in Java.
    @Test
    @Requirement({"DPA-JK-5", "DPA-FEN-8", "DPA-RV-1", "DPA-RV-8"})
    void functionsInCHaveTheOutcomesOfTheCatalog() throws IOException {
        CLitmus threads = new CLitmus();
        List<LitmusTest> tests = LitmusCatalog.all();
        for (LitmusTest test : tests) {
            test.variants().stream()
                    .filter(variant -> LitmusKernels.canExplore(variant.program()))
                    .forEach(variant -> threads.add(variant.program()));
        }
        threads.compile(Clang.orSkip(), directory);
        for (LitmusTest test : tests) {
            for (Variant variant : test.variants()) {
                if (!LitmusKernels.canExplore(variant.program())) {
                    continue;
                }
                for (Profile profile : Profile.values()) {
                    Set<String> allowed =
                            variant.allowed(profile).orElseThrow().stream()
                                    .map(Outcome::toString)
                                    .collect(Collectors.toCollection(TreeSet::new));
                    assertThat(explore(threads, variant, profile))
                            .as("%s %s %s", test.name(), variant.name(), profile)
                            .isEqualTo(allowed);
                }
            }
        }
    }
}
