package dev.outboard.naa.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.MemoryRegion;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.RegionFlags;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The regions of both sides, and what a server of `ap1-2023` reads in the metadata region.
class ServerRegionsTest {
    private static final ValueLayout.OfLong ADDRESS =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /// What a later routine may say there comes after the return address, and is not read as one.
    @Test
    @Requirement({"NAA-META-9a", "NAA-META-6"})
    void theMetadataRegionMayBeLonger() {
        for (int length : new int[] {Dialect.METADATA_BYTES, 24, 4096}) {
            MemoryRegion metadata = PlainRegion.of(length, 1);
            ServerRegions regions =
                    new ServerRegions(
                            new AdvertiseRequest(
                                    List.of(
                                            entry(0x1000, length),
                                            entry(0x5000, 10),
                                            entry(0x7000, 20))),
                            List.of(metadata, PlainRegion.of(10, 2), PlainRegion.of(20, 3)),
                            new WritePlan(3, 1000, 3));
            metadata.segment().fill((byte) 0x5a);
            assertThat(regions.returnRegion(Dialect.AP1_2023)).isEmpty();
            metadata.segment().set(ADDRESS, 0, 0x7000);
            assertThat(regions.returnRegion(Dialect.AP1_2023)).hasValue(2);
            metadata.segment().set(ADDRESS, 0, 0x1000);
            assertThat(regions.returnRegion(Dialect.AP1_2023)).isEmpty();
        }
    }

    @Test
    void theRegionsOfBothSidesStandInTheClientsOrderWithoutTheInternalOnes() {
        PlainRegion first = PlainRegion.of(10, 2);
        PlainRegion second = PlainRegion.of(20, 3);
        ServerRegions regions =
                new ServerRegions(
                        new AdvertiseRequest(
                                List.of(
                                        entry(0x1000, 10),
                                        new Entry(RegionFlags.INTERNAL, 0, 0, 0, 99),
                                        entry(0x7000, 20))),
                        List.of(first, second),
                        new WritePlan(2, 1000, 2));

        assertThat(regions.announced())
                .containsExactly(new PeerRegion(0x1000, 1, 10), new PeerRegion(0x7000, 1, 20));
        assertThat(regions.announcement())
                .containsExactly(
                        new PeerRegion(first.address(), 2, 10),
                        new PeerRegion(second.address(), 3, 20));
    }

    private static Entry entry(long address, long size) {
        return new Entry(0, 0, address, 1, size);
    }
}
