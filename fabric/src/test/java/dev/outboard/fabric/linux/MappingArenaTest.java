package dev.outboard.fabric.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.FabricException;
import dev.outboard.testkit.ResidentMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MappingArenaTest {
    private static final long MIB = 1 << 20;

    /// Sizes on both sides of where mapping begins, alignments on both sides of a page.
    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "65535, 4096",
        "65536, 8",
        "65537, 4096",
        "65536, 65536",
        "100000, 2097152"
    })
    void memoryIsZeroWritableAndAligned(long size, long alignment) {
        try (Arena arena = new MappingArena()) {
            MemorySegment memory = arena.allocate(size, alignment);

            assertThat(memory.byteSize()).isEqualTo(size);
            assertThat(memory.address() % alignment).isZero();
            assertThat(memory.mismatch(MemorySegment.ofArray(new byte[(int) size]))).isEqualTo(-1);
            memory.fill((byte) 1);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, size - 1)).isEqualTo((byte) 1);
        }
    }

    /// The C library would keep the memory of regions for the thread that allocated them.
    @Test
    void whatIsClosedGoesBackToTheSystem() {
        Arena arena = new MappingArena();
        long before = ResidentMemory.bytesBesideHeap();
        for (int i = 0; i < 16; i++) {
            arena.allocate(16 * MIB, 4096);
        }
        assertThat(ResidentMemory.bytesBesideHeap() - before).isGreaterThan(200 * MIB);

        arena.close();

        assertThat(ResidentMemory.bytesBesideHeap() - before).isLessThan(100 * MIB);
    }

    @Test
    void accessAfterItIsClosedIsAnException() {
        Arena arena = new MappingArena();
        MemorySegment memory = arena.allocate(MIB, 1);
        assertThat(arena.scope().isAlive()).isTrue();
        arena.close();
        assertThat(arena.scope().isAlive()).isFalse();

        assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> arena.allocate(MIB, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aRefusalNamesTheSizeAndTheReason() {
        try (Arena arena = new MappingArena()) {
            assertThatThrownBy(() -> arena.allocate(1L << 60, 4096))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.SYSTEM))
                    .hasMessageStartingWith(
                            "cannot map 1152921504606846976 bytes of memory: ENOMEM");
        }
    }
}
