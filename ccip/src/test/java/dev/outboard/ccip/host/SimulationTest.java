package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.fiu.HostMemory;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.Translation;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SimulationTest {
    /// What may still follow once a wire is almost full: each line read becomes a write.
    private static final int WINDOW = 8;

    /// Copies line after line: each read response becomes a write in the same cycle.
    static final class Copy implements Afu {
        private final long from;
        private final long to;
        private final long lines;
        private final int window;
        private long read;
        long answered;

        Copy(long from, long to, long lines, int window) {
            this.from = from;
            this.to = to;
            this.lines = lines;
            this.window = window;
        }

        @Override
        public void clock(Rx rx, Tx tx) {
            if (rx.softReset) {
                return;
            }
            if (rx.c1.isWriteResponse()) {
                answered++;
            }
            if (rx.c0.isReadResponse()) {
                System.arraycopy(rx.c0.data, 0, tx.c1.data, 0, 8);
                int line = rx.c0.mdata();
                tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, to + line, line);
            }
            boolean full = rx.c0TxAlmFull || rx.c1TxAlmFull;
            if (read < lines && read - answered < window && !full) {
                tx.c0.read(
                        ReadType.RDLINE_I,
                        VirtualChannel.VA,
                        LineCount.ONE,
                        from + read,
                        (int) read);
                read++;
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-MOD-1", "CCIP-MEM-9", "CCIP-HST-3", "CCIP-PLT-2", "CCIP-PLT-25"})
    void copiesMemoryWhateverTheAddressesMean(Mode mode) {
        int lines = 1024;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(lines * 64L, 4096);
            MemorySegment target = arena.allocate(lines * 64L, 4096);
            for (long i = 0; i < lines * 8L; i++) {
                source.setAtIndex(ValueLayout.JAVA_LONG, i, i * 31);
            }
            for (Profile profile : List.of(Profile.PAC_A10, Profile.INTEGRATED)) {
                for (Translation translation : Translation.values()) {
                    copy(profile, mode, translation, source, target);
                    assertThat(target.mismatch(source)).isEqualTo(-1);
                    target.fill((byte) 0);
                }
            }
        }
    }

    private static void copy(
            Profile profile,
            Mode mode,
            Translation translation,
            MemorySegment source,
            MemorySegment target) {
        Copy[] copy = new Copy[1];
        Simulation simulation =
                Simulation.of(profile, (rx, tx) -> copy[0].clock(rx, tx))
                        .mode(mode)
                        .translation(translation)
                        .build();
        HostMemory memory = simulation.memory();
        long from = memory.map(List.of(source), PageSize.MIB_2, Access.READ_WRITE) / Line.BYTES;
        long to = memory.map(List.of(target), PageSize.MIB_2, Access.READ_WRITE) / Line.BYTES;
        long lines = source.byteSize() / Line.BYTES;
        copy[0] = new Copy(from, to, lines, WINDOW);
        assertThat(simulation.stepUntil(() -> copy[0].answered == lines, 1_000_000)).isTrue();
        // A write that is answered need not be in memory yet.
        assertThat(simulation.stepUntil(simulation::isIdle, 100_000)).isTrue();
    }
}
