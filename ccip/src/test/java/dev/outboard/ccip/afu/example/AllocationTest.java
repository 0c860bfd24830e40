package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import java.lang.management.ManagementFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AllocationTest {
    private static final int LINES = 1 << 16;
    private static final int CYCLES = 20_000;
    private static final int COPIES = 10;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /// Not before the compiler is done, which on a busy machine takes several copies.
    @ParameterizedTest
    @EnumSource(Mode.class)
    void aCopyAllocatesNothingPerCycle(Mode mode) {
        assertThat(IntStream.range(0, COPIES).anyMatch(_ -> allocatedPerCycle(mode) == 0))
                .as("a copy among %d that allocates nothing", COPIES)
                .isTrue();
    }

    private int allocatedPerCycle(Mode mode) {
        MemoryCopy afu = new MemoryCopy();
        try (Rig rig = new Rig(Profile.INTEGRATED, mode, 1, afu, MemoryCopy.AFU_ID)) {
            Buffer source = rig.buffer(LINES, 1);
            Buffer target = rig.buffer(LINES, 2);
            rig.setLines(source.lineAddress(), target.lineAddress(), LINES);
            rig.start();
            rig.fpga.step(CYCLES);
            long before = threads.getCurrentThreadAllocatedBytes();
            rig.fpga.step(CYCLES);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(rig.isDone()).isFalse();
            rig.awaitDone();
            // The call and the measurement cost a little themselves.
            return (int) (allocated / CYCLES);
        }
    }
}
