package dev.outboard.bench.dpa;

import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Kernels of an end of rounds of RDMA, and one that does nothing.
@DpaProgram("rounds")
final class RoundKernels {
    // The words of an end, which the host fills.
    static final int RDMA = 0;
    static final int KEY = 8;
    static final int OUT = 16;
    static final int IN = 24;
    static final int PEER_KEY = 32;
    static final int PEER_IN = 40;
    static final int PEER_EVENT = 48;
    static final int EVENT = 56;
    static final int STOP = 64;

    /// The latest round.
    static final int ROUND = 72;

    /// Messages that were other ones than expected.
    static final int WRONG = 80;

    static final int END_BYTES = 128;

    private RoundKernels() {}

    /// Does nothing.
    @DpaGlobal
    static void empty(DpaThread thread) {
        // That is all.
    }

    /// Leads rounds until it is told to stop.
    @DpaGlobal
    static void lead(DpaThread thread, DpaAddr end) {
        long at = end.value();
        long round = thread.load64(at + ROUND);
        do {
            round++;
            tell(thread, at, round, round);
            DocaDpaDevSyncEvent.waitGt(thread, thread.load64(at + EVENT), round - 1);
            look(thread, at, round);
        } while (thread.load64(at + STOP) == 0);
        last(thread, at, round + 1);
    }

    /// Answers until the last message.
    @DpaGlobal
    static void answer(DpaThread thread, DpaAddr end) {
        long at = end.value();
        long event = thread.load64(at + EVENT);
        long in = thread.load64(at + IN);
        long round = thread.load64(at + ROUND) + 1;
        DocaDpaDevSyncEvent.waitGt(thread, event, round - 1);
        while (thread.load64(in) != RoundEnd.LAST) {
            look(thread, at, round);
            tell(thread, at, round, round);
            round++;
            DocaDpaDevSyncEvent.waitGt(thread, event, round - 1);
        }
        thread.store64(at + ROUND, round);
    }

    /// Writes until it is told to stop. The queue has room for what is on its way at once.
    @DpaGlobal
    static void write(DpaThread thread, DpaAddr end) {
        long at = end.value();
        long count = 0;
        do {
            DocaDpaDevRdma.postWrite(
                    thread,
                    thread.load64(at + RDMA),
                    0,
                    (int) thread.load64(at + PEER_KEY),
                    thread.load64(at + PEER_IN),
                    (int) thread.load64(at + KEY),
                    thread.load64(at + OUT),
                    RoundEnd.LARGE_BYTES,
                    DocaDpaDevRdma.FLUSH);
            count++;
        } while (thread.load64(at + STOP) == 0);
        DocaDpaDevRdma.synchronize(thread, thread.load64(at + RDMA));
        thread.store64(at + STOP, count);
        last(thread, at, thread.load64(at + ROUND) + 1);
    }

    private static void last(DpaThread thread, long at, long round) {
        tell(thread, at, RoundEnd.LAST, round);
        DocaDpaDevRdma.synchronize(thread, thread.load64(at + RDMA));
        thread.store64(at + ROUND, round);
    }

    /// Sends a message with that first word.
    private static void tell(DpaThread thread, long at, long word, long round) {
        long rdma = thread.load64(at + RDMA);
        long out = thread.load64(at + OUT);
        thread.store64(out, word);
        DocaDpaDevRdma.postWrite(
                thread,
                rdma,
                0,
                (int) thread.load64(at + PEER_KEY),
                thread.load64(at + PEER_IN),
                (int) thread.load64(at + KEY),
                out,
                RoundEnd.SMALL_BYTES,
                DocaDpaDevRdma.OPTIMIZE_REPORTS);
        DocaDpaDevRdma.signalSet(thread, rdma, 0, thread.load64(at + PEER_EVENT), round);
    }

    private static void look(DpaThread thread, long at, long round) {
        if (thread.load64(thread.load64(at + IN)) != round) {
            thread.store64(at + WRONG, thread.load64(at + WRONG) + 1);
        }
    }
}
