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

/// Device code of an initiator that sends four messages with immediate data, and of a target, where
/// one thread counts them and posts the receives again, and another one tells the host.
@DpaProgram("four_sends")
final class FourSendsKernels {
    static final int MESSAGES = 4;
    static final int MESSAGE_BYTES = 64;

    // Words of either side, which its host fills.
    static final int RDMA = 0;
    static final int KEY = 8;
    static final int BUFFERS = 16;

    // Of the target.
    static final int COMPLETIONS = 24;
    static final int NOTIFICATION = 32;
    static final int EVENT = 40;
    static final int COUNT = 48;
    static final int SUM = 56;
    static final int SIDE_BYTES = 64;

    private FourSendsKernels() {}

    /// The initiator: a message for each immediate.
    @DpaGlobal
    static void send(DpaThread thread, DpaAddr side, int firstImmediate) {
        long at = side.value();
        for (int i = 0; i < MESSAGES; i++) {
            long message = thread.load64(at + BUFFERS) + (long) i * MESSAGE_BYTES;
            thread.store64(message, firstImmediate + i);
            DocaDpaDevRdma.postSendImm(
                    thread,
                    thread.load64(at + RDMA),
                    0,
                    (int) thread.load64(at + KEY),
                    message,
                    MESSAGE_BYTES,
                    firstImmediate + i,
                    i == MESSAGES - 1 ? DocaDpaDevRdma.FLUSH : 0);
        }
        DocaDpaDevRdma.synchronize(thread, thread.load64(at + RDMA));
    }

    /// The target posts its first receives.
    @DpaRpc
    static long postReceives(DpaThread thread, DpaAddr side) {
        for (int i = 0; i < MESSAGES; i++) {
            postReceive(thread, side.value(), i);
        }
        return MESSAGES;
    }

    private static void postReceive(DpaThread thread, long at, int buffer) {
        DocaDpaDevRdma.postReceive(
                thread,
                thread.load64(at + RDMA),
                (int) thread.load64(at + KEY),
                buffer(thread, at, buffer),
                MESSAGE_BYTES);
    }

    private static long buffer(DpaThread thread, long at, int buffer) {
        return thread.load64(at + BUFFERS) + (long) (buffer % MESSAGES) * MESSAGE_BYTES;
    }

    /// The thread of the target that messages activate: counts those whose content agrees with
    /// their immediate, and has the other thread know of each four.
    @DpaGlobal
    static void count(DpaThread thread, long at) {
        long completions = thread.load64(at + COMPLETIONS);
        long element = DocaDpaDevCompletion.next(thread, completions);
        while (element != 0) {
            int immediate = DocaDpaDevCompletion.immediate(thread, element);
            int buffer = DocaDpaDevCompletion.workCounter(thread, element);
            if (DocaDpaDevCompletion.type(thread, element) == DocaDpaDevCompletion.RECV_SEND_IMM
                    && thread.load64(buffer(thread, at, buffer)) == immediate) {
                thread.store64(at + COUNT, thread.load64(at + COUNT) + 1);
                thread.store64(at + SUM, thread.load64(at + SUM) + immediate);
            }
            DocaDpaDevCompletion.ack(thread, completions, 1);
            postReceive(thread, at, buffer);
            if (thread.load64(at + COUNT) % MESSAGES == 0) {
                DocaDpaDev.threadNotify(thread, thread.load64(at + NOTIFICATION));
            }
            element = DocaDpaDevCompletion.next(thread, completions);
        }
        DocaDpaDevCompletion.requestNotification(thread, completions);
        DocaDpaDev.threadReschedule(thread);
    }

    /// The thread of the target that the other one notifies: tells the host how many came.
    @DpaGlobal
    static void tell(DpaThread thread, long at) {
        DocaDpaDevSyncEvent.updateSet(thread, thread.load64(at + EVENT), thread.load64(at + COUNT));
        DocaDpaDev.threadReschedule(thread);
    }
}
