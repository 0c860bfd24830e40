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

/// Device code of an initiator that sends one message, and of a target, where its completion
/// activates a thread that tells the host.
@DpaProgram("message")
final class MessageKernels {
    static final int MESSAGE_BYTES = 64;

    // Words of the desk of the thread, which its host fills.
    static final int COMPLETIONS = 0;
    static final int EVENT = 8;
    static final int MESSAGE = 16;
    static final int DESK_WORDS = 3;

    private MessageKernels() {}

    /// The target has room for a message.
    @DpaRpc
    static long postReceive(DpaThread thread, long rdma, int mmap, DpaAddr buffer) {
        DocaDpaDevRdma.postReceive(thread, rdma, mmap, buffer.value(), MESSAGE_BYTES);
        return 0;
    }

    /// The initiator sends a message.
    @DpaRpc
    static long postSend(DpaThread thread, long rdma, int mmap, DpaAddr buffer, long word) {
        thread.store64(buffer.value(), word);
        DocaDpaDevRdma.postSend(
                thread, rdma, 0, mmap, buffer.value(), MESSAGE_BYTES, DocaDpaDevRdma.FLUSH);
        DocaDpaDevRdma.synchronize(thread, rdma);
        return 0;
    }

    /// The target's thread: a message has come, and the host is told what it says.
    @DpaGlobal
    static void received(DpaThread thread, long desk) {
        long completions = thread.load64(desk + COMPLETIONS);
        long element = DocaDpaDevCompletion.next(thread, completions);
        if (element != 0
                && DocaDpaDevCompletion.type(thread, element) == DocaDpaDevCompletion.RECV_SEND) {
            long word = thread.load64(thread.load64(desk + MESSAGE));
            DocaDpaDevSyncEvent.updateSet(thread, thread.load64(desk + EVENT), word);
            DocaDpaDevCompletion.ack(thread, completions, 1);
        }
        DocaDpaDev.threadFinish(thread);
    }
}
