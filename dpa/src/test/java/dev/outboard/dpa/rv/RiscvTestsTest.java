package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.dpa.elf.Clang;
import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// DPA-RV-5: the public RISC-V tests, if `-Driscv.tests=DIRECTORY` says where they are built, as
/// `interop/riscv-tests/build` does it.
class RiscvTestsTest {
    private static final String PROPERTY = "riscv.tests";
    private static final long LIMIT = 10_000_000;

    @TempDir private Path directory;

    private static String result(Path elf) {
        try {
            ElfProgram program = ElfProgram.parse(Files.readAllBytes(elf));
            BareRun.Result result = BareRun.of(program).run(LIMIT);
            return result.crash().isPresent()
                    ? result.crash().get().text()
                    : "exit code " + result.exitCode().orElseThrow();
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void thePublicTestsPass() throws IOException {
        String named = System.getProperty(PROPERTY, "");
        assumeTrue(!named.isEmpty(), "-D%s names no directory".formatted(PROPERTY));
        Map<String, String> failed = new TreeMap<>();
        int count = 0;
        try (Stream<Path> files = Files.list(Path.of(named))) {
            for (Path elf : files.filter(Files::isRegularFile).sorted().toList()) {
                String result = result(elf);
                count++;
                if (!result.equals("exit code 0")) {
                    failed.put(elf.getFileName().toString(), result);
                }
            }
        }
        assertThat(failed).isEmpty();
        assertThat(count).as("tests in %s", named).isPositive();
    }

    /// A test of our own, in the form of the public ones.
    @ParameterizedTest
    @CsvSource({"42, 0", "43, 5"})
    void theEnvironmentOfTheTestsTellsWhichCaseFailed(int expected, int code) throws Exception {
        Path include = Repository.root().resolve("interop/riscv-tests");
        String source =
                """
                #include "riscv_test.h"
                RVTEST_RV64U
                RVTEST_CODE_BEGIN
                    li TESTNUM, 2
                    la t0, word
                    ld t1, 0(t0)
                    addi t1, t1, 2
                    sd t1, 0(t0)
                    li t2, %d
                    bne t1, t2, fail
                    RVTEST_PASS
                fail:
                    RVTEST_FAIL
                RVTEST_CODE_END
                    .data
                RVTEST_DATA_BEGIN
                word: .dword 40
                RVTEST_DATA_END
                """
                        .formatted(expected);
        Path elf =
                Clang.bare(
                        directory,
                        "test.S",
                        source,
                        List.of("-Ttext=0x80000000"),
                        "-I" + include.toAbsolutePath());
        assertThat(result(elf)).isEqualTo("exit code " + code);
    }
}
