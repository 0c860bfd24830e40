package dev.outboard.examples.dpa;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Device code of an all-to-all: each rank writes a block to every rank, itself included, and
/// signals an event of it. Nobody else tells a rank anything: that its event has counted all ranks
/// means that their blocks are there.
///
/// Rounds take turns between two sets of blocks and two events. With one event, a rank that is a
/// round ahead could be counted for one that is late; two rounds ahead is nobody, since each waits
/// for all.
@DpaProgram("all_to_all")
final class AllToAllKernels {
    static final int BLOCK_WORDS = 8;
    static final int BLOCK_BYTES = BLOCK_WORDS * Long.BYTES;

    // What a member has: words that the host fills, then a part for each rank here, then one for
    // each rank there is.
    static final int ALL_RANKS = 0;
    static final int FIRST_RANK = 8;
    static final int RANKS_OF_A_MEMBER = 16;
    static final int ROUNDS = 24;
    static final int KEY = 32;
    static final int MEMBER_BYTES = 64;

    // Of a rank here. It alone uses its RDMA context.
    static final int RDMA = 0;
    static final int OUT = 8;
    static final int IN = 16;
    static final int EVENTS = 24;
    static final int BAD_WORDS = 40;
    static final int OWN_BYTES = 64;

    // Of any rank.
    static final int THEIR_KEY = 0;
    static final int THEIR_IN = 8;
    static final int THEIR_EVENTS = 16;
    static final int ANY_BYTES = 32;

    private AllToAllKernels() {}

    /// Each thread of the kernel is a rank.
    @DpaGlobal
    static void exchange(DpaThread thread, DpaAddr member) {
        long at = member.value();
        long own = at + MEMBER_BYTES + (long) DocaDpaDev.threadRank(thread) * OWN_BYTES;
        long ranks = thread.load64(at + ALL_RANKS);
        long rounds = thread.load64(at + ROUNDS);
        for (long round = 1; round <= rounds; round++) {
            long parity = round & 1;
            send(thread, at, own, round);
            long event = thread.load64(own + EVENTS + parity * Long.BYTES);
            long roundsOfEvent = (round + 1) / 2;
            DocaDpaDevSyncEvent.waitGt(thread, event, roundsOfEvent * ranks - 1);
            look(thread, at, own, round);
            DocaDpaDevRdma.synchronize(thread, thread.load64(own + RDMA));
            // A kernel may keep its unit for some time only.
            DocaDpaDev.yieldUnit(thread);
        }
    }

    /// Begins with the next rank, so that not all write to the same one first.
    private static void send(DpaThread thread, long at, long own, long round) {
        long ranks = thread.load64(at + ALL_RANKS);
        long from = rank(thread, at);
        for (long i = 1; i <= ranks; i++) {
            long to = (from + i) % ranks;
            long out = block(thread, at, thread.load64(own + OUT), round, to);
            for (int word = 0; word < BLOCK_WORDS; word++) {
                thread.store64(out + (long) word * Long.BYTES, value(round, from, to, word));
            }
            sendTo(thread, at, own, round, to, out);
        }
    }

    private static void sendTo(DpaThread thread, long at, long own, long round, long to, long out) {
        long rdma = thread.load64(own + RDMA);
        int connection = (int) (to / thread.load64(at + RANKS_OF_A_MEMBER));
        long any = any(thread, at, to);
        DocaDpaDevRdma.postWrite(
                thread,
                rdma,
                connection,
                (int) thread.load64(any + THEIR_KEY),
                block(thread, at, thread.load64(any + THEIR_IN), round, rank(thread, at)),
                (int) thread.load64(at + KEY),
                out,
                BLOCK_BYTES,
                0);
        long event = thread.load64(any + THEIR_EVENTS + (round & 1) * Long.BYTES);
        DocaDpaDevRdma.signalAdd(thread, rdma, connection, event, 1);
    }

    private static void look(DpaThread thread, long at, long own, long round) {
        long ranks = thread.load64(at + ALL_RANKS);
        long to = rank(thread, at);
        long bad = 0;
        for (long from = 0; from < ranks; from++) {
            long in = block(thread, at, thread.load64(own + IN), round, from);
            for (int word = 0; word < BLOCK_WORDS; word++) {
                if (thread.load64(in + (long) word * Long.BYTES) != value(round, from, to, word)) {
                    bad++;
                }
            }
        }
        thread.store64(own + BAD_WORDS, thread.load64(own + BAD_WORDS) + bad);
    }

    private static long rank(DpaThread thread, long at) {
        return thread.load64(at + FIRST_RANK) + DocaDpaDev.threadRank(thread);
    }

    private static long any(DpaThread thread, long at, long rank) {
        return at
                + MEMBER_BYTES
                + thread.load64(at + RANKS_OF_A_MEMBER) * OWN_BYTES
                + rank * ANY_BYTES;
    }

    /// In a buffer of two sets, each of a block for each rank.
    private static long block(DpaThread thread, long at, long buffer, long round, long rank) {
        long ranks = thread.load64(at + ALL_RANKS);
        return buffer + ((round & 1) * ranks + rank) * BLOCK_BYTES;
    }

    private static long value(long round, long from, long to, long word) {
        return ((round * 1000 + from) * 1000 + to) * BLOCK_WORDS + word;
    }
}
