package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AllocationTest {
    private static final int LINES = 1 << 16;
    private static final int CYCLES = 20_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aCopyAllocatesNothingPerCycle(Mode mode) {
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
            // The call and the measurement cost a little themselves.
            assertThat(allocated / CYCLES).isZero();
            assertThat(rig.isDone()).isFalse();
            rig.awaitDone();
        }
    }
}
