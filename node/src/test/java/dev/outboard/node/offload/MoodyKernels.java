package dev.outboard.node.offload;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Kernels that end, or fault.
@DpaProgram("moody")
final class MoodyKernels {
    static final int ENDS = 0;
    static final int FAULTS = 1;

    /// For some tenths of a second.
    static final int COMPUTES = 2;

    private MoodyKernels() {}

    @DpaGlobal
    static void act(DpaThread thread, int mood) {
        if (mood == FAULTS) {
            thread.store64(0, 1);
        }
        int steps = mood == COMPUTES ? 20_000_000 : 0;
        for (int i = 0; i < steps; i++) {
            thread.fence(Space.HEAP, Op.W, Op.W);
        }
    }
}
