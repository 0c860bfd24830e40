package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.afu.example.MemoryCopy;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A run allocates nothing per cycle, the checker on.
class AllocationTest {
    private static final int LINES = 1024;
    private static final int CYCLES = 200_000;

    /// What the virtual machine itself may take meanwhile.
    private static final int ALLOWED = 4096;

    @ParameterizedTest
    @EnumSource(Mode.class)
    void cyclesAllocateNothing(Mode mode) {
        for (Profile profile : new Profile[] {Profile.PAC_A10, Profile.INTEGRATED}) {
            Simulation simulation = Simulation.of(profile, new MemoryCopy()).mode(mode).build();
            try (Fpga fpga = Fpga.open(simulation, MemoryCopy.AFU_ID)) {
                Buffer from = fpga.prepareBuffer(LINES * 64L);
                Buffer to = fpga.prepareBuffer(LINES * 64L);
                fpga.writeMmio64(JobRegisters.SOURCE, from.lineAddress());
                fpga.writeMmio64(JobRegisters.DESTINATION, to.lineAddress());
                fpga.writeMmio64(JobRegisters.LINES, LINES);
                copy(fpga, simulation, CYCLES);
                assertThat(copy(fpga, simulation, CYCLES))
                        .as(simulation.checker().counts().toString())
                        .isLessThan(ALLOWED);
            }
        }
    }

    /// Copies again and again; what the host's own MMIO takes does not count.
    ///
    /// @return the bytes that the cycles allocated
    private static long copy(Fpga fpga, Simulation simulation, int cycles) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        long end = simulation.cycle() + cycles;
        while (simulation.cycle() < end) {
            fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
            while (fpga.readMmio64(JobRegisters.STATUS) != JobRegisters.DONE) {
                long before = threads.getCurrentThreadAllocatedBytes();
                simulation.step(1000);
                allocated += threads.getCurrentThreadAllocatedBytes() - before;
            }
        }
        return allocated;
    }
}
