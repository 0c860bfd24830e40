package dev.outboard.fabric.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.MemoryAccess;
import dev.outboard.fabric.MemoryWatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// When writes to a region with relaxed ordering are settled on a device that shows it.
class PlacementTest {
    private static final int QPN = 17;

    private final Late late = new Late();
    private final RegionTable table = new RegionTable(8, new SplittableRandom(1), late);
    private final Arena arena = Arena.ofAuto();
    private final List<String> told = new ArrayList<>();
    private final RegisteredRegion relaxed = region(Access.LOCAL_WRITE, Access.RELAXED_ORDERING);
    private final RegisteredRegion strict = region(Access.LOCAL_WRITE);
    private final MemorySegment word = arena.allocate(8, 8);

    /// Stores nothing before it must, and then the newest first.
    private static final class Late implements Placement {
        private final List<Runnable> held = new ArrayList<>();

        @Override
        public void place(
                Target target, long offset, MemorySegment source, long position, int length) {
            MemorySegment copy = Arena.ofAuto().allocate(length);
            MemorySegment.copy(source, position, copy, 0, length);
            held.addFirst(() -> target.store(offset, copy, 0, length));
        }

        @Override
        public void settle() {
            held.forEach(Runnable::run);
            held.clear();
        }
    }

    private RegisteredRegion region(Access... access) {
        MemoryWatch watch =
                new MemoryWatch() {
                    @Override
                    public void after(MemoryAccess access) {
                        told.add(access.toString());
                    }
                };
        return table.register(1, arena.allocate(64, 8), watch, Set.of(access));
    }

    private void write(RegisteredRegion region, long offset, long value) {
        word.set(ValueLayout.JAVA_LONG, 0, value);
        region.write(offset, word, 0, 8, QPN, true);
    }

    private long at(long offset) {
        return relaxed.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    private void assertSettledBy(Runnable action) {
        write(relaxed, 0, 1);
        write(relaxed, 8, 2);
        assertThat(at(0) + at(8)).as("before").isZero();
        action.run();
        assertThat(at(0)).isEqualTo(1);
        assertThat(at(8)).isEqualTo(2);
    }

    @Test
    void aWriteToARegionWithoutItComesAfterThem() {
        assertSettledBy(() -> write(strict, 0, 3));
        assertThat(strict.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(3);
    }

    @Test
    void theDeviceReadsWhatItWrote() {
        assertSettledBy(() -> relaxed.read(0, word, 0, 8, QPN, true));
        assertThat(word.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1);
    }

    /// Of a region that nobody watches, whose bytes a packet fetches by itself.
    @Test
    void whatTheDeviceSendsShowsWhatItWrote() {
        RegisteredRegion plain =
                table.register(
                        1, relaxed.segment(), Set.of(Access.LOCAL_WRITE, Access.RELAXED_ORDERING));
        List<Long> sent = new ArrayList<>();

        write(plain, 16, 7);
        assertThat(at(16)).as("before").isZero();
        plain.append(
                (payload, offset, length) ->
                        sent.add(payload.segment().get(ValueLayout.JAVA_LONG, offset)),
                16,
                8,
                QPN,
                true);
        assertThat(sent).containsExactly(7L);
    }

    @Test
    void anAtomicOperationComesAfterThem() {
        assertSettledBy(() -> strict.update(0, false, 0, 5, QPN));
    }

    @Test
    void whatEndsARequestSettlesThem() {
        assertSettledBy(table::settle);
    }

    @Test
    void theWatchIsToldWhenTheyCanBeSeen() {
        write(relaxed, 0, 1);
        write(relaxed, 8, 2);
        assertThat(told).isEmpty();
        table.settle();
        assertThat(told)
                .containsExactly(
                        "WRITE of 8 bytes at 8 by queue pair 17 for its peer",
                        "WRITE of 8 bytes at 0 by queue pair 17 for its peer");
    }

    @Test
    void withoutTheFlagWritesAreSeenAtOnce() {
        write(strict, 0, 9);
        assertThat(strict.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(9);
        assertThat(late.held).isEmpty();
    }

    @Test
    void memoryThatIsGoneWhenTheyAreSettledIsLeftAlone() {
        Arena shortLived = Arena.ofShared();
        RegisteredRegion region =
                table.register(
                        1,
                        shortLived.allocate(64, 8),
                        Set.of(Access.LOCAL_WRITE, Access.RELAXED_ORDERING));
        write(region, 0, 1);
        shortLived.close();
        table.settle();
        assertThat(late.held).isEmpty();
    }
}
