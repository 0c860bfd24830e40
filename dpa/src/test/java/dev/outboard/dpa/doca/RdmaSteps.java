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

    /// How many rounds have been played.
    static final int PLAYED = 96;

    static final int SIDE_BYTES = 128;

    /// A buffer has two slots, one for odd rounds and one for even ones.
    static final int SLOT_WORDS = 8;

    private RdmaSteps() {}

    /// The seed's ping-pong, in rounds: writes to the peer, tells it, waits for it, and looks at
    /// what it has written.
    @DpaGlobal
    static void pingPong(DpaThread thread, DpaAddr side) {
        long at = side.value();
        long played = thread.load64(at + PLAYED);
        long last = played + thread.load64(at + ROUNDS);
        for (long round = played + 1; round <= last; round++) {
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
            // A kernel may keep its unit for some time only.
            DocaDpaDev.yieldUnit(thread);
        }
        thread.store64(at + PLAYED, last);
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

    // Words of the desk of a thread that serves messages.
    static final int COMPLETION = 0;
    static final int SERVED = 8;
    static final int MMAP = 16;
    static final int BUFFERS = 24;
    static final int BUFFER_BYTES = 32;
    static final int COUNT = 40;
    static final int SUM = 48;
    static final int BAD = 56;
    static final int TOLD = 64;
    static final int KIND = 72;
    static final int DESK_WORDS = 10;

    /// Posts a receive for each of the buffers.
    @DpaRpc
    static long postReceives(DpaThread thread, long desk, int count) {
        for (int i = 0; i < count; i++) {
            receive(thread, desk, i);
        }
        return 0;
    }

    private static void receive(DpaThread thread, long desk, long index) {
        long bytes = thread.load64(desk + BUFFER_BYTES);
        DocaDpaDevRdma.postReceive(
                thread,
                thread.load64(desk + SERVED),
                (int) thread.load64(desk + MMAP),
                thread.load64(desk + BUFFERS) + index * bytes,
                bytes);
    }

    /// Serves messages: adds up their immediates, looks at what came, posts the receive again and
    /// tells an event. There are four receives.
    @DpaGlobal
    static void serve(DpaThread thread, long desk) {
        long completion = thread.load64(desk + COMPLETION);
        long element = DocaDpaDevCompletion.next(thread, completion);
        while (element != 0) {
            if (DocaDpaDevCompletion.type(thread, element) != DocaDpaDevCompletion.RECV_ERR) {
                answer(thread, desk, element);
            }
            DocaDpaDevCompletion.ack(thread, completion, 1);
            element = DocaDpaDevCompletion.next(thread, completion);
        }
        DocaDpaDevCompletion.requestNotification(thread, completion);
        DocaDpaDev.threadReschedule(thread);
    }

    private static void answer(DpaThread thread, long desk, long element) {
        long count = thread.load64(desk + COUNT);
        int immediate = DocaDpaDevCompletion.immediate(thread, element);
        boolean fits = DocaDpaDevCompletion.type(thread, element) == thread.load64(desk + KIND);
        long buffer = (count & 3) * thread.load64(desk + BUFFER_BYTES);
        long word = thread.load64(thread.load64(desk + BUFFERS) + buffer);
        if (!fits || word != 7 * count || immediate != count) {
            thread.store64(desk + BAD, thread.load64(desk + BAD) + 1);
        }
        thread.store64(desk + SUM, thread.load64(desk + SUM) + immediate);
        thread.store64(desk + COUNT, count + 1);
        receive(thread, desk, count & 3);
        DocaDpaDevSyncEvent.updateAdd(thread, thread.load64(desk + TOLD), 1);
    }

    /// Sends messages, each with its number as its immediate.
    @DpaGlobal
    static void sendMany(DpaThread thread, DpaAddr side, int count) {
        long at = side.value();
        long rdma = thread.load64(at + RDMA);
        for (int i = 0; i < count; i++) {
            thread.store64(thread.load64(at + OUT), 7L * i);
            DocaDpaDevRdma.postSendImm(
                    thread,
                    rdma,
                    0,
                    (int) thread.load64(at + OWN_KEY),
                    thread.load64(at + OUT),
                    Long.BYTES,
                    i,
                    DocaDpaDevRdma.FLUSH);
            DocaDpaDevRdma.synchronize(thread, rdma);
        }
    }

    // Words of operations on memory of a peer.
    static final int LOCAL = 8;
    static final int LOCAL_KEY = 16;
    static final int REMOTE = 24;
    static final int REMOTE_KEY = 32;
    static final int OPERATIONS_WORDS = 5;

    /// Writes a word there, adds to it, and reads it back, all held back until the read.
    @DpaRpc
    static long writeAddRead(DpaThread thread, long words, long value, long addend) {
        return writeAddReadOn(thread, words, 0, value, addend);
    }

    /// The same on any connection.
    @DpaRpc
    static long writeAddReadOn(DpaThread thread, long words, int to, long value, long addend) {
        long rdma = thread.load64(words);
        long local = thread.load64(words + LOCAL);
        int localKey = (int) thread.load64(words + LOCAL_KEY);
        long remote = thread.load64(words + REMOTE);
        int remoteKey = (int) thread.load64(words + REMOTE_KEY);
        thread.store64(local, value);
        DocaDpaDevRdma.postWrite(thread, rdma, to, remoteKey, remote, localKey, local, 8, 0);
        DocaDpaDevRdma.postAtomicFetchAdd(
                thread, rdma, to, remoteKey, remote, addend, DocaDpaDevRdma.OPTIMIZE_REPORTS);
        DocaDpaDevRdma.postRead(
                thread, rdma, to, localKey, local + 8, remoteKey, remote, 8, DocaDpaDevRdma.FLUSH);
        DocaDpaDevRdma.synchronize(thread, rdma);
        return thread.load64(local + 8);
    }

    /// Writes a word there many times over, which is more than a queue holds.
    @DpaRpc
    static long overAndOver(DpaThread thread, long words, int times) {
        long rdma = thread.load64(words);
        long local = thread.load64(words + LOCAL);
        int localKey = (int) thread.load64(words + LOCAL_KEY);
        long remote = thread.load64(words + REMOTE);
        int remoteKey = (int) thread.load64(words + REMOTE_KEY);
        for (int i = 0; i < times; i++) {
            DocaDpaDevRdma.postWrite(thread, rdma, 0, remoteKey, remote, localKey, local, 8, 0);
        }
        DocaDpaDevRdma.synchronize(thread, rdma);
        return times;
    }

    /// The same as a kernel.
    @DpaGlobal
    static void writeMany(DpaThread thread, long words, int times) {
        overAndOver(thread, words, times);
    }

    /// Writes a word there that waits to be sent, and does not send it.
    @DpaRpc
    static long holdBack(DpaThread thread, long words) {
        DocaDpaDevRdma.postWrite(
                thread,
                thread.load64(words),
                0,
                (int) thread.load64(words + REMOTE_KEY),
                thread.load64(words + REMOTE),
                (int) thread.load64(words + LOCAL_KEY),
                thread.load64(words + LOCAL),
                8,
                0);
        return 0;
    }

    /// Writes a word there, and tells how that has ended, as its completion says.
    @DpaRpc
    static long writeTold(DpaThread thread, long words, int to, long completion) {
        DocaDpaDevRdma.postWrite(
                thread,
                thread.load64(words),
                to,
                (int) thread.load64(words + REMOTE_KEY),
                thread.load64(words + REMOTE),
                (int) thread.load64(words + LOCAL_KEY),
                thread.load64(words + LOCAL),
                8,
                DocaDpaDevRdma.FLUSH);
        long element = 0;
        while (element == 0) {
            element = DocaDpaDevCompletion.next(thread, completion);
        }
        int type = DocaDpaDevCompletion.type(thread, element);
        DocaDpaDevCompletion.ack(thread, completion, 1);
        return type;
    }

    /// Sends what was held back.
    @DpaRpc
    static long flush(DpaThread thread, long words) {
        DocaDpaDevRdma.flush(thread, thread.load64(words), 0);
        return 0;
    }

    /// Writes nothing, again and again.
    @DpaGlobal
    static void knock(DpaThread thread, long rdma, int times) {
        for (int i = 0; i < times; i++) {
            DocaDpaDevRdma.postWrite(thread, rdma, 0, 0, 0, 0, 0, 0, DocaDpaDevRdma.FLUSH);
            DocaDpaDevRdma.synchronize(thread, rdma);
        }
    }

    /// Waits for what it has posted to end.
    @DpaRpc
    static long synchronize(DpaThread thread, long rdma) {
        DocaDpaDevRdma.synchronize(thread, rdma);
        return 0;
    }

    /// Posts an operation on a connection, which need not exist.
    @DpaRpc
    static long touch(DpaThread thread, long rdma, int connection) {
        DocaDpaDevRdma.postSend(thread, rdma, connection, 0, 0, 0, DocaDpaDevRdma.FLUSH);
        return 0;
    }
}
