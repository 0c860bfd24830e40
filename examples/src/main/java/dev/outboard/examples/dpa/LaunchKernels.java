package dev.outboard.examples.dpa;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// The device code of [KernelLaunch].
@DpaProgram("kernel_launch")
final class LaunchKernels {
    private LaunchKernels() {}

    /// Each thread notes in its word of a log what the event was when it began.
    @DpaGlobal
    static void note(DpaThread thread, long event, DpaAddr log) {
        long word = log.value() + (long) DocaDpaDev.threadRank(thread) * Long.BYTES;
        thread.store64(word, DocaDpaDevSyncEvent.get(thread, event));
    }
}
