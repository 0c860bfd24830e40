package dev.outboard.dpa.kernel;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// A program that calls a class which is none of its own.
@DpaProgram("foreign")
final class Foreign {
    private Foreign() {}

    @DpaRpc
    static long run(DpaThread thread) {
        return Foreigner.now();
    }
}
