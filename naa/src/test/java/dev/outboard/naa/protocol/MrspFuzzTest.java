package dev.outboard.naa.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Malformed;
import dev.outboard.naa.NaaMemory;
import dev.outboard.testkit.FuzzCorpus;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/// No bytes make the codec of region setup read elsewhere or fail, nor the rules that a server
/// applies to what it has read.
class MrspFuzzTest {
    private static final int MUTATIONS = 20_000;
    private static final List<ServerSettings> SERVERS =
            List.of(
                    new SettingsBuilder().memory(new NaaMemory(1L << 30, 2)).build(),
                    new SettingsBuilder().dialect(Dialect.AP1_2023).build(),
                    new SettingsBuilder().anyDialect().maxRegions(255).build());

    /// What a fuzzer calls. The memory ends where the message does.
    public static void fuzzerTestOneInput(byte[] bytes) {
        MrspMessage message = MrspCodec.decode(MemorySegment.ofArray(bytes));
        if (message instanceof Malformed malformed) {
            assertThat(malformed.why()).isNotBlank().doesNotContain("\n");
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment into = arena.allocate(MrspCodec.MAX_LENGTH);
            int length = MrspCodec.encode(message, into);
            assertThat(length).isLessThanOrEqualTo(bytes.length);
            assertThat(MrspCodec.decode(into.asSlice(0, length))).isEqualTo(message);
        }
        if (message instanceof AdvertiseRequest request) {
            SERVERS.forEach(settings -> admits(request, settings));
        }
    }

    private static void admits(AdvertiseRequest request, ServerSettings settings) {
        boolean refused =
                RegionRules.check(request, RegionRules.dialectOf(request), settings).isPresent();
        long total = request.entries().stream().mapToLong(MrspMessage.Entry::size).sum();
        if (!refused) {
            assertThat(request.entries()).hasSizeLessThanOrEqualTo(settings.maxRegions());
            assertThat(total).isBetween(0L, settings.maxBytes());
        }
    }

    @Test
    @Requirement({"NAA-ROB-1", "NAA-MRSP-21"})
    void survivesItsCorpusAndWhatIsNearIt() {
        FuzzCorpus corpus = FuzzCorpus.of("mrsp");
        corpus.replay(MrspFuzzTest::fuzzerTestOneInput);
        corpus.mutate(MUTATIONS, MrspFuzzTest::fuzzerTestOneInput);
    }
}
