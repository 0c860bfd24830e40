package dev.outboard.examples.dpa;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevBuf;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Device code of two hosts that write their buffers to each other: the example of the DPA guide,
/// in rounds. A buffer has a half for odd rounds and one for even ones, since the peer may be a
/// round ahead.
@DpaProgram("exchange")
final class ExchangeKernels {
    static final int ELEMENT_BYTES = 64;

    /// Elements: two to write from, and two that the peer writes to.
    static final int ELEMENTS = 4;

    private static final int WORDS = ELEMENT_BYTES / Long.BYTES;
    private static final int ROUND = 1000;

    private ExchangeKernels() {}

    /// Writes to the peer, tells it, waits until it has done so, and looks at what it has written.
    ///
    /// @param seed of what is written; the peer has the other one of 1 and 2
    /// @param wrong counts words that are not as the peer has written them
    @DpaGlobal
    static void exchange(
            DpaThread thread,
            long rdma,
            long localBuffers,
            long remoteBuffers,
            long localEvent,
            long remoteEvent,
            int rounds,
            int seed,
            DpaAddr wrong) {
        for (int round = 1; round <= rounds; round++) {
            int half = round & 1;
            long local = DocaDpaDevBuf.arrayGetBuf(thread, localBuffers, half);
            fill(thread, DocaDpaDevBuf.getExternalPtr(thread, local), seed, round);
            long remote = DocaDpaDevBuf.arrayGetBuf(thread, remoteBuffers, 2 + half);
            DocaDpaDevRdma.write(thread, rdma, remote, local, ELEMENT_BYTES);
            DocaDpaDevRdma.signalSet(thread, rdma, remoteEvent, round);
            DocaDpaDevSyncEvent.waitGt(thread, localEvent, round - 1);
            long written = DocaDpaDevBuf.arrayGetBuf(thread, localBuffers, 2 + half);
            check(thread, DocaDpaDevBuf.getExternalPtr(thread, written), 3 - seed, round, wrong);
            DocaDpaDevRdma.synchronize(thread, rdma);
            // A kernel may keep its unit for some time only.
            DocaDpaDev.yieldUnit(thread);
        }
    }

    private static void fill(DpaThread thread, long words, int seed, int round) {
        for (int i = 0; i < WORDS; i++) {
            thread.store64(words + (long) i * Long.BYTES, word(seed, round, i));
        }
    }

    private static void check(DpaThread thread, long words, int seed, int round, DpaAddr wrong) {
        for (int i = 0; i < WORDS; i++) {
            if (thread.load64(words + (long) i * Long.BYTES) != word(seed, round, i)) {
                thread.store64(wrong.value(), thread.load64(wrong.value()) + 1);
            }
        }
    }

    private static long word(int seed, int round, int index) {
        return ((long) seed * ROUND * ROUND + round) * ROUND + index;
    }
}
