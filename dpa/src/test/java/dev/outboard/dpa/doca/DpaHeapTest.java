package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.BufArray;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Blocks of the heap of the DPA.
class DpaHeapTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-DM-1", "DPA-DM-2a"})
    void aBlockIsForAnyTypeAndNotZeroed(RunMode mode) {
        try (MovesSide side = new MovesSide(mode)) {
            for (int bytes : new int[] {1, 3, 64, 65, 4096}) {
                DpaAddr block = side.dpa.memAlloc(bytes);
                assertThat(block.value() % 64).isZero();
                side.dpa.memset(block, 7, bytes);
            }
            DpaAddr block = side.dpa.memAlloc(8);
            side.dpa.memset(block, 7, 8);
            assertThat(side.words(block, 1)).containsExactly(0x0707_0707_0707_0707L);
            assertThat(side.dpa.rpc(MovesStub.wordAt(block))).isEqualTo(0x0707_0707_0707_0707L);
            side.dpa.memFree(block);
            DpaAddr again = side.dpa.memAlloc(8);
            assertThat(side.words(again, 1)[0]).isNotZero();
            MovesSide.refused(
                    DocaError.NO_MEMORY, () -> side.dpa.memAlloc(1L << 30), "has no room");
        }
    }

    /// The user's error: a checker reports it, nobody else does.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-2c")
    void freeingABlockThatAKernelUsesIsReported(RunMode mode) throws InterruptedException {
        try (MovesSide side = new MovesSide(mode)) {
            DpaAddr block = side.zeros(8);
            SyncEvent event = side.event();
            SyncEvent done = side.event();
            side.dpa.launchUpdateAdd(
                    null, 0, done, 1, 1, MovesStub.addLater(event.handle(side.dpa), block));
            assertThat(side.dpa.rpc(MovesStub.nothing(1))).isEqualTo(1);
            side.dpa.memFree(block);
            event.updateSet(1);
            done.waitGt(0, -1, Spin.YIELD, LONG);
            boolean checks = mode instanceof RunMode.Turns turns && turns.weak().isEmpty();
            if (checks) {
                assertThat(side.findings())
                        .isNotEmpty()
                        .allSatisfy(
                                found -> assertThat(found.rule()).isEqualTo(Rule.USE_AFTER_FREE))
                        .anySatisfy(found -> assertThat(found.toString()).contains("Moves"));
            }
        }
    }

    /// What is not memory of one block has no mmap.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-1")
    void anMmapOfTheHeapIsOneBlock(RunMode mode) {
        try (MovesSide side = new MovesSide(mode)) {
            DpaAddr block = side.zeros(8);
            Mmap mmap = side.heap(block, 64);
            assertThat(mmap.addressFor(side.dpa)).isEqualTo(block.value());
            for (long[] range : new long[][] {{0, 65}, {8, 64}, {0, 1L << 40}}) {
                MovesSide.refused(
                        DocaError.INVALID_VALUE,
                        () -> side.heap(block.plus(range[0]), range[1]),
                        "do not lie in one live block");
            }
            // Threads load it as what it is.
            BufArray array = side.array(mmap, 8, 0, 8);
            side.faults(
                    () -> side.dpa.rpc(MovesStub.wordOf(array.dpaHandle(), 0, 0)),
                    7,
                    "none of memory outside");
        }
    }
}
