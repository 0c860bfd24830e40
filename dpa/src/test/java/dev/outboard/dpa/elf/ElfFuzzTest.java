package dev.outboard.dpa.elf;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.testkit.FuzzCorpus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// No bytes make the reader of ELF files and of their DWARF fail otherwise than with its own
/// exception, run without end, or take much more room than they have themselves.
class ElfFuzzTest {
    private static final int MUTATIONS = 20_000;
    private static final long MOST_ADDED_BYTES = 8 << 20;

    /// What a fuzzer calls.
    public static void fuzzerTestOneInput(byte[] bytes) {
        try {
            ProgramImage image = DeviceElf.parse(bytes).image();
            assertThat((long) image.code().length + image.data().length)
                    .isLessThan(bytes.length + MOST_ADDED_BYTES);
        } catch (ElfException refused) {
            assertThat(refused.getMessage()).isNotBlank().doesNotContain("\n");
        }
        try {
            ElfProgram program = ElfProgram.parse(bytes);
            program.symbols().all().forEach(symbol -> program.symbols().at(symbol.address() + 1));
            look(program);
        } catch (ElfException refused) {
            assertThat(refused.getMessage()).isNotBlank().doesNotContain("\n");
        }
    }

    private static void look(ElfProgram program) {
        DebugInfo debug = program.debug();
        for (DebugType type : debug.types()) {
            assertThat(type.sizeBytes()).isNotNegative();
            assertThat(type.name()).isNotNull();
            assertThat(type.plain()).isNotNull();
        }
        for (DebugFunction function : debug.functions()) {
            assertThat(function.place()).isNotNull();
            debug.place(function.code().from());
            debug.place(function.code().to() - 1);
        }
    }

    @Test
    @Timeout(value = 120, unit = SECONDS)
    void survivesItsCorpusAndWhatIsNearIt() {
        FuzzCorpus corpus = FuzzCorpus.of("elf");
        corpus.replay(ElfFuzzTest::fuzzerTestOneInput);
        corpus.mutate(MUTATIONS, ElfFuzzTest::fuzzerTestOneInput);
    }
}
