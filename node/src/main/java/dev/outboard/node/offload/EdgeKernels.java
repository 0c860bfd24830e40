package dev.outboard.node.offload;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevBuf;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Edge detection on a data-path accelerator, as
/// [EdgeDetection][dev.outboard.node.routine.EdgeDetection] has it: each thread takes a band of
/// rows.
@DpaProgram("edges")
final class EdgeKernels {
    // Words of what a thread is told.

    static final int PIXELS_KEY = 0;
    static final int PIXELS = 8;
    static final int EDGES_KEY = 16;
    static final int EDGES = 24;
    static final int WIDTH = 32;
    static final int HEIGHT = 40;
    static final int CHANNELS = 48;

    /// Where the rows of all threads are.
    static final int ROWS = 56;

    static final int ROWS_OF_A_THREAD = 3;

    private EdgeKernels() {}

    @DpaGlobal
    static void detect(DpaThread thread, DpaAddr job) {
        long at = job.value();
        long height = thread.load64(at + HEIGHT);
        long rank = DocaDpaDev.threadRank(thread);
        long ranks = DocaDpaDev.numThreads(thread);
        long first = height * rank / ranks;
        long end = height * (rank + 1) / ranks;
        if (first == end) {
            return;
        }
        long bytes = EdgeRows.bytes(thread.load64(at + WIDTH));
        long above = thread.load64(at + ROWS) + rank * ROWS_OF_A_THREAD * bytes;
        long here = above + bytes;
        long below = here + bytes;
        load(thread, at, Math.max(first - 1, 0), above);
        load(thread, at, first, here);
        for (long y = first; y < end; y++) {
            load(thread, at, Math.min(y + 1, height - 1), below);
            store(thread, at, y, above, here, below);
            long free = above;
            above = here;
            here = below;
            below = free;
        }
    }

    private static void load(DpaThread thread, long at, long y, long row) {
        long pixels =
                DocaDpaDevBuf.mmapGetExternalPtr(
                        thread, (int) thread.load64(at + PIXELS_KEY), thread.load64(at + PIXELS));
        EdgeRows.load(
                thread, pixels, thread.load64(at + WIDTH), thread.load64(at + CHANNELS), y, row);
    }

    private static void store(
            DpaThread thread, long at, long y, long above, long here, long below) {
        long width = thread.load64(at + WIDTH);
        long edges =
                DocaDpaDevBuf.mmapGetExternalPtr(
                        thread, (int) thread.load64(at + EDGES_KEY), thread.load64(at + EDGES));
        EdgeRows.store(thread, edges + y * width, width, above, here, below);
    }
}
