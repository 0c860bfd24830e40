package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Kernels that operate on memory of a peer.
@DpaProgram("rdma_steps")
final class RdmaSteps {
    /// What a side has: words in DPA memory.
    static final int RDMA = 0;

    static final int OWN_KEY = 8;
    static final int OUT = 16;
    static final int IN = 24;
    static final int PEER_KEY = 32;
    static final int PEER_IN = 40;
    static final int PEER_EVENT = 48;
    static final int EVENT = 56;
    static final int ROUNDS = 64;
    static final int SEED = 72;
    static final int PEER_SEED = 80;
    static final int BAD_WORDS = 88;
    static final int SIDE_BYTES = 128;

    /// A buffer has two slots, one for odd rounds and one for even ones.
    static final int SLOT_WORDS = 8;

    private RdmaSteps() {}

    /// The seed's ping-pong, in rounds: writes to the peer, tells it, waits for it, and looks at
    /// what it has written.
    @DpaGlobal
    static void pingPong(DpaThread thread, DpaAddr side) {
        long at = side.value();
        long rounds = thread.load64(at + ROUNDS);
        for (long round = 1; round <= rounds; round++) {
            long slot = (round & 1) * SLOT_WORDS * Long.BYTES;
            long out = thread.load64(at + OUT) + slot;
            for (int i = 0; i < SLOT_WORDS; i++) {
                thread.store64(
                        out + (long) i * Long.BYTES, thread.load64(at + SEED) + round * 100 + i);
            }
            DocaDpaDevRdma.postWrite(
                    thread,
                    thread.load64(at + RDMA),
                    0,
                    (int) thread.load64(at + PEER_KEY),
                    thread.load64(at + PEER_IN) + slot,
                    (int) thread.load64(at + OWN_KEY),
                    out,
                    SLOT_WORDS * Long.BYTES,
                    0);
            DocaDpaDevRdma.signalSet(
                    thread, thread.load64(at + RDMA), 0, thread.load64(at + PEER_EVENT), round);
            DocaDpaDevSyncEvent.waitGt(thread, thread.load64(at + EVENT), round - 1);
            look(thread, at, round, thread.load64(at + IN) + slot);
            DocaDpaDevRdma.synchronize(thread, thread.load64(at + RDMA));
        }
    }

    private static void look(DpaThread thread, long at, long round, long in) {
        for (int i = 0; i < SLOT_WORDS; i++) {
            long expected = thread.load64(at + PEER_SEED) + round * 100 + i;
            if (thread.load64(in + (long) i * Long.BYTES) != expected) {
                thread.store64(at + BAD_WORDS, thread.load64(at + BAD_WORDS) + 1);
            }
        }
    }

    /// Signals an event of the peer.
    @DpaRpc
    static long signal(DpaThread thread, long rdma, long event, long value, int isAdd) {
        if (isAdd != 0) {
            DocaDpaDevRdma.signalAdd(thread, rdma, 0, event, value);
        } else {
            DocaDpaDevRdma.signalSet(thread, rdma, 0, event, value);
        }
        DocaDpaDevRdma.synchronize(thread, rdma);
        return 0;
    }
}
