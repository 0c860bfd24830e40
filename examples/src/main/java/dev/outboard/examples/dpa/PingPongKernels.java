package dev.outboard.examples.dpa;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevCompletion;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Device code of two sides that send messages to and fro. A thread on each side polls for what
/// completes, and keeps what it knows between two looks in its local storage.
@DpaProgram("ping_pong")
final class PingPongKernels {
    static final int MESSAGE_BYTES = 64;
    static final int MESSAGES = 1000;

    // Words of a side, which its host fills.
    static final int RDMA = 0;
    static final int KEY = 8;
    static final int SENT = 16;
    static final int RECEIVED = 24;
    static final int COMPLETIONS = 32;
    static final int EVENT = 40;
    static final int SIDE_WORDS = 6;

    // Words of the local storage.
    static final int COUNT = 0;
    static final int WRONG = 8;
    static final int STORAGE_BYTES = 16;

    private PingPongKernels() {}

    /// Posts the first receive.
    @DpaRpc
    static long receive(DpaThread thread, DpaAddr side) {
        postReceive(thread, side.value());
        return 0;
    }

    /// The ping side sends the first message, and either side has its thread go on.
    @DpaRpc
    static long begin(DpaThread thread, DpaAddr side, long notification, int isPing) {
        if (isPing != 0) {
            postSend(thread, side.value(), 0);
        }
        DocaDpaDev.threadNotify(thread, notification);
        return 0;
    }

    private static void postReceive(DpaThread thread, long side) {
        DocaDpaDevRdma.postReceive(
                thread,
                thread.load64(side + RDMA),
                (int) thread.load64(side + KEY),
                thread.load64(side + RECEIVED),
                MESSAGE_BYTES);
    }

    private static void postSend(DpaThread thread, long side, long value) {
        thread.store64(thread.load64(side + SENT), value);
        DocaDpaDevRdma.postSend(
                thread,
                thread.load64(side + RDMA),
                0,
                (int) thread.load64(side + KEY),
                thread.load64(side + SENT),
                MESSAGE_BYTES,
                DocaDpaDevRdma.FLUSH);
    }

    /// The thread: answers each message with the next one, polling, until all have come. The pong
    /// side answers a number with the same one, and the ping side with the one that follows.
    @DpaGlobal
    static void play(DpaThread thread, long side) {
        long storage = DocaDpaDev.threadLocalStorage(thread);
        long completions = thread.load64(side + COMPLETIONS);
        long isPing = thread.load64(storage + COUNT) & 1;
        long count = 0;
        while (count < MESSAGES) {
            long element = DocaDpaDevCompletion.next(thread, completions);
            if (element != 0) {
                int type = DocaDpaDevCompletion.type(thread, element);
                DocaDpaDevCompletion.ack(thread, completions, 1);
                if (type == DocaDpaDevCompletion.RECV_SEND) {
                    answer(thread, side, storage, count, isPing);
                    count++;
                }
            }
        }
        thread.store64(storage + COUNT, count);
        DocaDpaDevSyncEvent.updateAdd(thread, thread.load64(side + EVENT), 1);
        DocaDpaDev.threadFinish(thread);
    }

    private static void answer(DpaThread thread, long side, long storage, long count, long isPing) {
        long value = thread.load64(thread.load64(side + RECEIVED));
        if (value != count) {
            thread.store64(storage + WRONG, thread.load64(storage + WRONG) + 1);
        }
        postReceive(thread, side);
        if (isPing == 0) {
            postSend(thread, side, value);
        } else if (count + 1 < MESSAGES) {
            postSend(thread, side, value + 1);
        }
    }
}
