package dev.outboard.node.offload;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Kernels that end, or fault.
@DpaProgram("moody")
final class MoodyKernels {
    static final int ENDS = 0;
    static final int FAULTS = 1;

    private MoodyKernels() {}

    @DpaGlobal
    static void act(DpaThread thread, int mood) {
        if (mood == FAULTS) {
            thread.store64(0, 1);
        }
    }
}
