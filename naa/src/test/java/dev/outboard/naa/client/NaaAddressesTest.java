package dev.outboard.naa.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.InternalRegion;
import dev.outboard.naa.RegionSpec;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;

class NaaAddressesTest {
    private static final List<InternalRegion> INTERNALS = List.of(InternalRegion.of(32));
    private static final List<RegionSpec> PARAMETERS = List.of(spec(64), spec(5000), spec(4096));

    @Test
    @Requirement("NAA-ADDR-3")
    void upstreamAssignsWholePagesInternalRegionsFirst() {
        NaaAddresses.Assigned assigned =
                NaaAddresses.assign(Dialect.UPSTREAM_2026, 0, INTERNALS, PARAMETERS);
        assertThat(assigned.internals()).containsExactly(0x0L);
        assertThat(assigned.parameters()).containsExactly(0x1000L, 0x2000L, 0x4000L);
    }

    @Test
    @Requirement("NAA-ADDR-3")
    void upstreamStartsAtTheOffset() {
        NaaAddresses.Assigned assigned =
                NaaAddresses.assign(Dialect.UPSTREAM_2026, 0x10000, INTERNALS, PARAMETERS);
        assertThat(assigned.internals()).containsExactly(0x10000L);
        assertThat(assigned.parameters()).containsExactly(0x11000L, 0x12000L, 0x14000L);
    }

    @Test
    @Requirement("NAA-ADDR-4")
    void ap1SendsZero() {
        NaaAddresses.Assigned assigned =
                NaaAddresses.assign(Dialect.AP1_2023, 0x10000, INTERNALS, PARAMETERS);
        assertThat(assigned.internals()).containsExactly(0L);
        assertThat(assigned.parameters()).containsExactly(0L, 0L, 0L);
    }

    @Test
    @Requirement("NAA-ADDR-2")
    void keepsTheAddressesThatWereGiven() {
        for (Dialect dialect : Dialect.values()) {
            NaaAddresses.Assigned assigned =
                    NaaAddresses.assign(
                            dialect,
                            0,
                            List.of(InternalRegion.of(32).at(0x7000)),
                            List.of(spec(64).at(0x9000), spec(64)));
            assertThat(assigned.internals()).containsExactly(0x7000L);
            assertThat(assigned.parameters()).containsExactly(0x9000L, 0L);
        }
    }

    @Test
    @Requirement("NAA-ADDR-1")
    void refusesAddressesBeyond56Bits() {
        long max = (1L << 56) - 1;
        assertThat(spec(1).at(max).naaAddress()).hasValue(max);
        assertThatThrownBy(() -> spec(1).at(max + 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> spec(1).at(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> InternalRegion.of(1).at(max + 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() ->
                        NaaAddresses.assign(Dialect.UPSTREAM_2026, max, INTERNALS, PARAMETERS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("56 bits");
    }

    private static RegionSpec spec(long size) {
        return RegionSpec.input(Arena.ofAuto().allocate(size));
    }
}
