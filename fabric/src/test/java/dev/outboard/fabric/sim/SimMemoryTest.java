package dev.outboard.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.memory.Placement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// In which order bytes can be seen that were written with relaxed ordering.
class SimMemoryTest {
    private static final int SEEDS = 50;
    private static final int LINE = 64;

    /// A region that begins at a line.
    private static final class Region implements Placement.Target {
        private final MemorySegment memory = Arena.ofAuto().allocate(2 * LINE, LINE);
        private final List<Long> stored = new ArrayList<>();

        @Override
        public long address() {
            return memory.address();
        }

        @Override
        public void store(long offset, MemorySegment source, long position, int length) {
            MemorySegment.copy(source, position, memory, offset, length);
            stored.add(offset);
        }

        byte at(long offset) {
            return memory.get(ValueLayout.JAVA_BYTE, offset);
        }
    }

    private static MemorySegment bytes(int length, int value) {
        return MemorySegment.ofArray(new byte[length]).fill((byte) value);
    }

    /// Two pieces that overlap and begin at different bytes of the line.
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 63})
    void whatGoesToOneLineKeepsItsOrder(int second) {
        for (int seed = 0; seed < SEEDS; seed++) {
            SimMemory memory = new SimMemory(new Random(seed));
            Region region = new Region();
            memory.place(region, 0, bytes(LINE, 1), 0, LINE);
            memory.place(region, second, bytes(LINE - second, 2), 0, LINE - second);
            memory.settle();

            assertThat(region.at(0)).isEqualTo((byte) 1);
            assertThat(region.at(second)).isEqualTo((byte) 2);
            assertThat(region.at(LINE - 1)).isEqualTo((byte) 2);
        }
    }

    @Test
    void whatGoesToTwoLinesCanBeSeenInEitherOrder() {
        Set<List<Long>> orders = new HashSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            SimMemory memory = new SimMemory(new Random(seed));
            Region region = new Region();
            memory.place(region, LINE - 4, bytes(8, 1), 0, 8);
            assertThat(region.stored).isEmpty();
            while (!memory.isEmpty()) {
                memory.step();
            }
            orders.add(region.stored);

            assertThat(region.memory.asSlice(LINE - 4, 8).mismatch(bytes(8, 1))).isEqualTo(-1);
            assertThat(region.at(LINE - 5)).isZero();
            assertThat(region.at(LINE + 4)).isZero();
        }
        assertThat(orders)
                .containsExactlyInAnyOrder(
                        List.of(LINE - 4L, (long) LINE), List.of((long) LINE, LINE - 4L));
    }
}
