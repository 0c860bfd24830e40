package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevCompletion;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Kernels that write to a peer and tell it of it, and that look whether what they are told is
/// true.
@DpaProgram("rdma_order")
final class RdmaOrder {
    // Words of a side.
    static final int RDMA = 0;
    static final int OWN_KEY = 8;
    static final int OWN = 16;
    static final int PEER_KEY = 24;
    static final int PEER = 32;
    static final int PEER_EVENT = 40;
    static final int EVENT = 48;
    static final int ROUNDS = 56;

    /// How the peer is told.
    static final int WAY = 64;

    static final int COMPLETIONS = 72;
    static final int BAD_WORDS = 80;

    /// How often it has looked, or how many entries did not end in their turn.
    static final int LOOKS = 88;

    static final int SIDE_BYTES = 128;

    // Ways.
    static final long SET = 0;
    static final long ADD = 1;
    static final long FLAG = 2;
    static final long MESSAGE = 3;
    static final long IMMEDIATE = 4;

    /// More than there are rounds in the send queue at once.
    static final int SLOTS = 32;

    /// How many come before the thread gives its unit away, which it may not keep for ever.
    private static final int ROUNDS_IN_A_GO = 1000;

    static final int SLOT_WORDS = 8;
    static final int SLOT_BYTES = SLOT_WORDS * Long.BYTES;

    /// What is sent is there, behind the slots, and what comes, behind that.
    static final int OUT = SLOTS * SLOT_BYTES;

    /// Where flags are told.
    static final int FLAGS = 2 * OUT;

    /// Messages of several packets come there, or go from there.
    static final int LONG_MESSAGES = 1 << 15;

    static final int LONG_BYTES = 1 << 12;
    static final int LONG_RECEIVES = 8;

    /// As many as there are before long messages.
    static final int MOST_NOTES = LONG_MESSAGES / Long.BYTES;

    private RdmaOrder() {}

    /// Writes rounds, several at once, and tells of each when it is not known to have ended.
    @DpaGlobal
    static void writeRounds(DpaThread thread, DpaAddr side) {
        long at = side.value();
        long rounds = thread.load64(at + ROUNDS);
        for (long round = 1; round <= rounds; round++) {
            long slot = (round % SLOTS) * SLOT_BYTES;
            long out = thread.load64(at + OWN) + OUT + slot;
            for (int i = 0; i < SLOT_WORDS; i++) {
                thread.store64(out + (long) i * Long.BYTES, round);
            }
            DocaDpaDevRdma.postWrite(
                    thread,
                    thread.load64(at + RDMA),
                    0,
                    (int) thread.load64(at + PEER_KEY),
                    thread.load64(at + PEER) + slot,
                    (int) thread.load64(at + OWN_KEY),
                    out,
                    SLOT_BYTES,
                    0);
            tell(thread, at, round);
            if (round % ROUNDS_IN_A_GO == 0) {
                DocaDpaDev.yieldUnit(thread);
            }
        }
        if (thread.load64(at + COMPLETIONS) == 0) {
            DocaDpaDevRdma.synchronize(thread, thread.load64(at + RDMA));
        }
    }

    private static void tell(DpaThread thread, long at, long round) {
        long rdma = thread.load64(at + RDMA);
        long way = thread.load64(at + WAY);
        int key = (int) thread.load64(at + OWN_KEY);
        long out = thread.load64(at + OWN) + OUT + (round % SLOTS) * SLOT_BYTES;
        if (way == SET) {
            DocaDpaDevRdma.signalSet(thread, rdma, 0, thread.load64(at + PEER_EVENT), round);
        } else if (way == ADD) {
            DocaDpaDevRdma.signalAdd(thread, rdma, 0, thread.load64(at + PEER_EVENT), 1);
        } else if (way == FLAG) {
            DocaDpaDevRdma.postWrite(
                    thread,
                    rdma,
                    0,
                    (int) thread.load64(at + PEER_KEY),
                    thread.load64(at + PEER) + FLAGS,
                    key,
                    out,
                    Long.BYTES,
                    DocaDpaDevRdma.FLUSH);
        } else if (way == MESSAGE) {
            DocaDpaDevRdma.postSend(thread, rdma, 0, key, out, Long.BYTES, DocaDpaDevRdma.FLUSH);
        } else {
            DocaDpaDevRdma.postSendImm(
                    thread, rdma, 0, key, out, 0, (int) round, DocaDpaDevRdma.FLUSH);
        }
    }

    /// Looks at the slot of the last round of which it has been told, each time that it is told of
    /// one, until it is told of the last one. Later rounds may be there.
    @DpaGlobal
    static void watch(DpaThread thread, DpaAddr side) {
        long at = side.value();
        long event = thread.load64(at + EVENT);
        long rounds = thread.load64(at + ROUNDS);
        long bad = 0;
        long looks = 0;
        long told = 0;
        while (told < rounds) {
            DocaDpaDevSyncEvent.waitGt(thread, event, told);
            told = DocaDpaDevSyncEvent.get(thread, event);
            bad += older(thread, at, told);
            looks++;
            if (looks % ROUNDS_IN_A_GO == 0) {
                DocaDpaDev.yieldUnit(thread);
            }
        }
        thread.store64(at + BAD_WORDS, bad);
        thread.store64(at + LOOKS, looks);
    }

    private static long older(DpaThread thread, long at, long round) {
        long slot = thread.load64(at + OWN) + (round % SLOTS) * SLOT_BYTES;
        long older = 0;
        for (int i = 0; i < SLOT_WORDS; i++) {
            if (thread.load64(slot + (long) i * Long.BYTES) < round) {
                older++;
            }
        }
        return older;
    }

    /// Waits for the last round, in whatever way it is told, and looks at all of them.
    @DpaGlobal
    static void awaitRounds(DpaThread thread, DpaAddr side) {
        long at = side.value();
        long rounds = thread.load64(at + ROUNDS);
        long way = thread.load64(at + WAY);
        if (way == SET || way == ADD) {
            DocaDpaDevSyncEvent.waitGt(thread, thread.load64(at + EVENT), rounds - 1);
        } else if (way == FLAG) {
            long flag = thread.load64(at + OWN) + FLAGS;
            while (thread.load64(flag) != rounds) {
                thread.pause();
            }
            thread.systemFence();
        } else {
            awaitMessages(thread, at, rounds);
        }
        long bad = 0;
        for (long round = 1; round <= rounds; round++) {
            bad += older(thread, at, round);
        }
        thread.store64(at + BAD_WORDS, bad);
        thread.store64(at + LOOKS, rounds);
    }

    private static void awaitMessages(DpaThread thread, long at, long rounds) {
        long completions = thread.load64(at + COMPLETIONS);
        for (long taken = 0; taken < rounds; ) {
            long element = DocaDpaDevCompletion.next(thread, completions);
            if (element != 0) {
                DocaDpaDevCompletion.ack(thread, completions, 1);
                taken++;
            }
        }
    }

    /// Posts receives, each of a slot.
    @DpaRpc
    static long postReceives(DpaThread thread, DpaAddr side, long first, int count) {
        long at = side.value();
        for (long i = first; i < first + count; i++) {
            DocaDpaDevRdma.postReceive(
                    thread,
                    thread.load64(at + RDMA),
                    (int) thread.load64(at + OWN_KEY),
                    thread.load64(at + OWN) + OUT + (i % SLOTS) * SLOT_BYTES,
                    SLOT_BYTES);
        }
        return count;
    }

    /// Sends a word with an immediate, and waits until it is sent.
    @DpaRpc
    static long send(DpaThread thread, DpaAddr side, int connection, long word, int immediate) {
        long at = side.value();
        long rdma = thread.load64(at + RDMA);
        long out = thread.load64(at + OWN);
        thread.store64(out, word);
        DocaDpaDevRdma.postSendImm(
                thread,
                rdma,
                connection,
                (int) thread.load64(at + OWN_KEY),
                out,
                Long.BYTES,
                immediate,
                DocaDpaDevRdma.FLUSH);
        DocaDpaDevRdma.synchronize(thread, rdma);
        return 0;
    }

    /// Waits for the next message.
    ///
    /// @return its word, its immediate, the connection and the entry that it has taken, of 16 bits
    ///   each
    @DpaRpc
    static long take(DpaThread thread, DpaAddr side) {
        long at = side.value();
        long completions = thread.load64(at + COMPLETIONS);
        long element = DocaDpaDevCompletion.next(thread, completions);
        while (element == 0) {
            element = DocaDpaDevCompletion.next(thread, completions);
        }
        if (DocaDpaDevCompletion.type(thread, element) != DocaDpaDevCompletion.RECV_SEND_IMM) {
            return -1;
        }
        long counter = DocaDpaDevCompletion.workCounter(thread, element);
        long slot = thread.load64(at + OWN) + OUT + (counter % SLOTS) * SLOT_BYTES;
        long result =
                thread.load64(slot) << 48
                        | (long) DocaDpaDevCompletion.immediate(thread, element) << 32
                        | (long) DocaDpaDevCompletion.userData(thread, element) << 16
                        | counter;
        DocaDpaDevCompletion.ack(thread, completions, 1);
        return result;
    }

    /// Sends long messages, as many as there are rounds, whose immediates and last words agree.
    @DpaGlobal
    static void sendLong(DpaThread thread, DpaAddr side, int firstImmediate) {
        long at = side.value();
        long rdma = thread.load64(at + RDMA);
        long rounds = thread.load64(at + ROUNDS);
        for (int i = 0; i < rounds; i++) {
            long message = longMessage(thread, at, i);
            thread.store64(message + LONG_BYTES - Long.BYTES, firstImmediate + i);
            DocaDpaDevRdma.postSendImm(
                    thread,
                    rdma,
                    0,
                    (int) thread.load64(at + OWN_KEY),
                    message,
                    LONG_BYTES,
                    firstImmediate + i,
                    DocaDpaDevRdma.FLUSH);
            if (i % LONG_RECEIVES == LONG_RECEIVES - 1) {
                DocaDpaDevRdma.synchronize(thread, rdma);
            }
        }
        DocaDpaDevRdma.synchronize(thread, rdma);
    }

    private static long longMessage(DpaThread thread, long at, long index) {
        return thread.load64(at + OWN) + LONG_MESSAGES + index % LONG_RECEIVES * LONG_BYTES;
    }

    /// Receives long messages, as many as there are rounds, and posts each receive again. It notes
    /// which buffer an entry is of, since they end in another order than they were posted in.
    @DpaGlobal
    static void receiveLong(DpaThread thread, DpaAddr side) {
        long at = side.value();
        long completions = thread.load64(at + COMPLETIONS);
        long rounds = thread.load64(at + ROUNDS);
        for (int i = 0; i < LONG_RECEIVES; i++) {
            postLong(thread, at, i, i);
        }
        for (long taken = 0; taken < rounds; ) {
            long element = DocaDpaDevCompletion.next(thread, completions);
            if (element != 0) {
                long entry = DocaDpaDevCompletion.workCounter(thread, element);
                long buffer = thread.load64(note(thread, at, entry));
                long last = longMessage(thread, at, buffer) + LONG_BYTES - Long.BYTES;
                boolean isGood =
                        DocaDpaDevCompletion.type(thread, element)
                                        == DocaDpaDevCompletion.RECV_SEND_IMM
                                && thread.load64(last)
                                        == DocaDpaDevCompletion.immediate(thread, element);
                count(thread, at + BAD_WORDS, isGood ? 0 : 1);
                count(thread, at + LOOKS, entry == taken ? 0 : 1);
                DocaDpaDevCompletion.ack(thread, completions, 1);
                postLong(thread, at, LONG_RECEIVES + taken, buffer);
                taken++;
            }
        }
    }

    private static void count(DpaThread thread, long counter, int more) {
        thread.store64(counter, thread.load64(counter) + more);
    }

    /// Where it is noted of which buffer an entry is.
    private static long note(DpaThread thread, long at, long entry) {
        return thread.load64(at + OWN) + entry % MOST_NOTES * Long.BYTES;
    }

    private static void postLong(DpaThread thread, long at, long entry, long buffer) {
        thread.store64(note(thread, at, entry), buffer);
        DocaDpaDevRdma.postReceive(
                thread,
                thread.load64(at + RDMA),
                (int) thread.load64(at + OWN_KEY),
                longMessage(thread, at, buffer),
                LONG_BYTES);
    }

    /// Signals an event of the peer twice.
    @DpaRpc
    static long signalTwice(DpaThread thread, DpaAddr side, int isAdd) {
        long rdma = thread.load64(side.value() + RDMA);
        long event = thread.load64(side.value() + PEER_EVENT);
        for (int i = 0; i < 2; i++) {
            if (isAdd != 0) {
                DocaDpaDevRdma.signalAdd(thread, rdma, 0, event, 1);
            } else {
                DocaDpaDevRdma.signalSet(thread, rdma, 0, event, 1);
            }
        }
        DocaDpaDevRdma.synchronize(thread, rdma);
        return 0;
    }
}
