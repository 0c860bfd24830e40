package dev.outboard.naa.protocol;

import static dev.outboard.naa.RegionFlags.INPUT;
import static dev.outboard.naa.RegionFlags.INTERNAL;
import static dev.outboard.naa.RegionFlags.OUTPUT;
import static dev.outboard.naa.RegionFlags.SINGLE_SEND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.NaaMemory;
import dev.outboard.testkit.Requirement;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RegionRulesTest {
    private static final ServerSettings ANY = new SettingsBuilder().anyDialect().build();
    private static final ServerSettings UP = new SettingsBuilder().build();
    private static final ServerSettings AP1 =
            new SettingsBuilder().dialect(Dialect.AP1_2023).build();

    @Test
    @Requirement("NAA-SCOPE-8")
    void recognisesAp1ByUnmarkedRegionsAndTheMetadataRegion() {
        assertThat(dialectOf(entry(0, 8), entry(0, 100))).isEqualTo(Dialect.AP1_2023);
        assertThat(dialectOf(entry(0, 8), entry(INTERNAL | INPUT, 100)))
                .isEqualTo(Dialect.AP1_2023);
        assertThat(dialectOf(entry(SINGLE_SEND, 8), entry(0, 100))).isEqualTo(Dialect.AP1_2023);
        assertThat(dialectOf(entry(0, 9), entry(0, 100))).isEqualTo(Dialect.UPSTREAM_2026);
        assertThat(dialectOf(entry(INPUT, 8), entry(0, 100))).isEqualTo(Dialect.UPSTREAM_2026);
        assertThat(dialectOf(entry(0, 8), entry(OUTPUT, 100))).isEqualTo(Dialect.UPSTREAM_2026);
        assertThat(dialectOf(entry(INTERNAL, 8), entry(0, 100))).isEqualTo(Dialect.UPSTREAM_2026);
    }

    @Test
    @Requirement("NAA-SCOPE-11")
    void aServerOfOneDialectRefusesTheOther() {
        assertThat(code(AP1, entry(0, 8), entry(INPUT, 100))).hasValue(0xff);
        assertThat(code(AP1, entry(0, 8), entry(OUTPUT, 100))).hasValue(0xff);
        assertThat(code(UP, entry(0, 8), entry(0, 100))).hasValue(0xff);
        assertThat(code(AP1, entry(0, 8), entry(0, 100))).isEmpty();
        assertThat(code(UP, entry(INPUT, 8), entry(OUTPUT, 100))).isEmpty();
        assertThat(code(ANY, entry(0, 8), entry(0, 100))).isEmpty();
        assertThat(code(ANY, entry(INPUT, 8), entry(OUTPUT, 100))).isEmpty();
    }

    @Test
    void refusesRequestsThatNoAnswerCanSatisfy() {
        assertThat(code(UP, entry(INTERNAL, 8))).hasValue(MrspException.MALFORMED);
        assertThat(code(AP1, entry(0, 100), entry(0, 100))).hasValue(MrspException.MALFORMED);
        assertThat(code(AP1, entry(INTERNAL, 8), entry(0, 100))).hasValue(MrspException.MALFORMED);
    }

    @Test
    @Requirement("NAA-FLAG-6")
    void internalTakesPrecedence() {
        Entry entry = entry(INTERNAL | INPUT | OUTPUT | SINGLE_SEND, 8);
        assertThat(entry.isInternal()).isTrue();
        assertThat(dialectOf(entry(0, 8), entry)).isEqualTo(Dialect.AP1_2023);
        assertThat(code(ANY, entry(0, 8), entry)).isEmpty();
    }

    @Test
    @Requirement("NAA-LIM-5")
    void limitsRegionsAndBytesOfAConnection() {
        ServerSettings small = new SettingsBuilder().maxRegions(2).maxBytes(100).build();
        assertThat(code(small, entry(INPUT, 50), entry(INTERNAL, 50))).isEmpty();
        assertThat(code(small, entry(INPUT, 1), entry(INPUT, 1), entry(INTERNAL, 1)))
                .hasValue(MrspException.TOO_MANY_REGIONS);
        assertThat(code(small, entry(INPUT, 50), entry(INTERNAL, 51)))
                .hasValue(MrspException.NO_MEMORY);
        Entry huge = entry(INPUT, 0xffff_ffffL);
        AdvertiseRequest most = new AdvertiseRequest(Collections.nCopies(255, huge));
        ServerSettings wide = new SettingsBuilder().maxRegions(255).build();
        assertThat(RegionRules.check(most, Dialect.UPSTREAM_2026, wide)).isPresent();
    }

    @Test
    @Requirement({"NAA-ADDR-6", "NAA-LIM-5"})
    void checksAddressesAgainstTheMemoryOfTheNaa() {
        ServerSettings memory = new SettingsBuilder().memory(new NaaMemory(0x4000, 2)).build();
        assertThat(code(memory, at(0x1000, 0x1000))).isEmpty();
        assertThat(code(memory, at(0x2000, 0x2000))).isEmpty();
        assertThat(code(memory, at(0x1000, 0x1001))).hasValue(MrspException.NO_MEMORY);
        assertThat(code(memory, at(0x3fff, 2))).hasValue(MrspException.NO_MEMORY);
        assertThat(code(memory, at(0x3fff, 1), at(0x4000, 0)))
                .hasValue(MrspException.INVALID_ADDRESS);
        assertThat(code(memory, at(0x4000, 1))).hasValue(MrspException.INVALID_ADDRESS);
        assertThat(code(UP, at((1L << 56) - 10, 10))).isEmpty();
        assertThat(code(UP, at((1L << 56) - 10, 11))).hasValue(MrspException.NO_MEMORY);
    }

    @Test
    @Requirement("NAA-LIM-5")
    void tooManyRegionsAreThatWhateverElseIsWrong() {
        ServerSettings one = new SettingsBuilder().maxRegions(1).maxBytes(1).build();
        assertThat(code(one, entry(INTERNAL, 8), entry(INTERNAL, 8)))
                .hasValue(MrspException.TOO_MANY_REGIONS);
    }

    private static Entry entry(int flags, long size) {
        return new Entry(flags, 0, 0x1000, 1, size);
    }

    private static Entry at(long naaAddress, long size) {
        return new Entry(INPUT, naaAddress, 0x1000, 1, size);
    }

    private static Dialect dialectOf(Entry... entries) {
        return RegionRules.dialectOf(new AdvertiseRequest(List.of(entries)));
    }

    private static Optional<Integer> code(ServerSettings settings, Entry... entries) {
        AdvertiseRequest request = new AdvertiseRequest(List.of(entries));
        return RegionRules.check(request, RegionRules.dialectOf(request), settings)
                .map(Refusal::code);
    }
}
