package dev.outboard.naa.server;

import static dev.outboard.naa.RegionFlags.INPUT;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.NaaMemory;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RegionLayoutTest {
    private static final NaaMemory LARGEST = NaaMemory.largest();

    @Test
    @Requirement({"NAA-ADDR-2", "NAA-ADDR-6"})
    void regionsLieWhereTheClientWantsThem() {
        assertThat(addresses(LARGEST, at(0, 10), at(0x1000, 5), at((1L << 56) - 1, 1)))
                .containsExactly(0L, 0x1000L, (1L << 56) - 1);
    }

    @Test
    @Requirement("NAA-ADDR-4")
    void regionsThatDoNotCareGetTheFirstFreePages() {
        assertThat(addresses(LARGEST, at(0, 8), at(0, 5000), at(0x1000, 1), at(0, 0), at(0, 10)))
                .containsExactly(0L, 0x2000L, 0x1000L, 0L, 0x4000L);
    }

    @Test
    void regionsThatDoNotCareStayWithinABank() {
        NaaMemory banks = new NaaMemory(0x6000, 2);
        assertThat(addresses(banks, at(0, 0x2000), at(0, 0x2000), at(0, 0x1000)))
                .containsExactly(0L, 0x3000L, 0x2000L);
        assertThat(layout(banks, at(0, 0x2000), at(0, 0x2000), at(0, 0x2000))).isEmpty();
        assertThat(layout(banks, at(0, 0x3001), at(0, 1))).isEmpty();
    }

    @Test
    @Requirement({"NAA-ADDR-6", "NAA-MRSP-9"})
    void regionsThatOverlapShareTheirBytesAndOthersDoNot() {
        try (Arena arena = Arena.ofConfined()) {
            List<RegionLayout.Piece> pieces =
                    RegionLayout.of(
                                    List.of(
                                            at(0x2000, 10),
                                            at(0x1005, 10),
                                            at(0x1000, 10),
                                            at(0x100f, 1),
                                            at(0x1003, 0)),
                                    LARGEST)
                            .orElseThrow()
                            .allocate(arena, RegionAllocator.ON_HOST);
            List<MemorySegment> memory = pieces.stream().map(RegionLayout.Piece::memory).toList();
            assertThat(memory)
                    .extracting(MemorySegment::byteSize)
                    .containsExactly(10L, 10L, 10L, 1L, 0L);
            assertThat(pieces)
                    .extracting(piece -> piece.pages().map(MemorySegment::byteSize).orElse(0L))
                    .containsExactly(4096L, 0L, 0L, 4096L, 0L);
            assertThat(memory.get(2).toArray(JAVA_BYTE)).containsOnly(0);
            memory.get(2).asSlice(5).fill((byte) 7);
            assertThat(memory.get(1).toArray(JAVA_BYTE))
                    .containsExactly(7, 7, 7, 7, 7, 0, 0, 0, 0, 0);
            assertThat(memory.get(0).toArray(JAVA_BYTE)).containsOnly(0);
            assertThat(memory.get(3).toArray(JAVA_BYTE)).containsOnly(0);
        }
    }

    @Test
    void aMemoryHasBanksOfEqualSizeWithin56Bits() {
        assertThat(new NaaMemory(0x4000, 4).bankBytes()).isEqualTo(0x1000);
        assertThatIllegalArgumentException().isThrownBy(() -> new NaaMemory(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new NaaMemory((1L << 56) + 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new NaaMemory(10, 3));
        assertThatIllegalArgumentException().isThrownBy(() -> new NaaMemory(10, 0));
    }

    private static Entry at(long naaAddress, long size) {
        return new Entry(INPUT, naaAddress, 0, 1, size);
    }

    private static Optional<RegionLayout> layout(NaaMemory memory, Entry... entries) {
        return RegionLayout.of(Arrays.asList(entries), memory);
    }

    private static List<Long> addresses(NaaMemory memory, Entry... entries) {
        RegionLayout layout = layout(memory, entries).orElseThrow();
        List<Long> addresses = new ArrayList<>();
        for (int i = 0; i < entries.length; i++) {
            addresses.add(layout.address(i));
        }
        return addresses;
    }
}
