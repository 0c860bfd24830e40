package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevBuf;
import dev.outboard.dpa.doca.dev.DocaDpaDevCompletion;
import dev.outboard.dpa.doca.dev.DocaDpaDevMemcpy;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Kernels that use what is on several functions of a card.
@DpaProgram("function_steps")
final class FunctionSteps {
    private FunctionSteps() {}

    /// Adds to an event of the base context, then to one of another, and to the first one again.
    @DpaGlobal
    static void addToBoth(DpaThread thread, long base, long event, long other, long otherEvent) {
        DocaDpaDevSyncEvent.updateAdd(thread, event, 1);
        DocaDpaDev.deviceSet(thread, other);
        DocaDpaDevSyncEvent.updateAdd(thread, otherEvent, 1);
        DocaDpaDev.deviceSet(thread, base);
        DocaDpaDevSyncEvent.updateAdd(thread, event, 1);
        DocaDpaDev.deviceSet(thread, other);
    }

    /// Is activated again and again: words of the desk are the arguments of [#addToBoth].
    @DpaGlobal
    static void react(DpaThread thread, long desk) {
        DocaDpaDevSyncEvent.updateAdd(thread, thread.load64(desk), 1);
        DocaDpaDev.deviceSet(thread, thread.load64(desk + 8));
        DocaDpaDevSyncEvent.updateAdd(thread, thread.load64(desk + 16), 1);
        DocaDpaDev.threadReschedule(thread);
    }

    /// Selects a function, and adds to an event.
    @DpaRpc
    static long add(DpaThread thread, long function, long event, long addend) {
        DocaDpaDev.deviceSet(thread, function);
        DocaDpaDevSyncEvent.updateAdd(thread, event, addend);
        return DocaDpaDevSyncEvent.get(thread, event);
    }

    /// Adds to an event without selecting anything.
    @DpaRpc
    static long addOnBase(DpaThread thread, long event) {
        DocaDpaDevSyncEvent.updateAdd(thread, event, 1);
        return 0;
    }

    /// Selects a function, and swaps a word of an mmap.
    @DpaRpc
    static long swap(DpaThread thread, long function, int mmap, long address, long value) {
        DocaDpaDev.deviceSet(thread, function);
        long at = DocaDpaDevBuf.mmapGetExternalPtr(thread, mmap, address);
        long former = thread.load64(at);
        thread.store64(at, value);
        thread.windowWriteback();
        return former;
    }

    /// Selects a function, and copies the first element of an array to the second one.
    @DpaRpc
    static long copy(DpaThread thread, long function, long array, long lengthBytes) {
        DocaDpaDev.deviceSet(thread, function);
        long from = DocaDpaDevBuf.arrayGetBuf(thread, array, 0);
        long to = DocaDpaDevBuf.arrayGetBuf(thread, array, 1);
        DocaDpaDevMemcpy.memcpy(thread, to, 0, from, 0, lengthBytes);
        return 0;
    }

    /// Selects a function, writes a word to a peer and signals an event of it.
    @DpaRpc
    static long write(DpaThread thread, long function, long words, long value) {
        DocaDpaDev.deviceSet(thread, function);
        long rdma = thread.load64(words);
        long local = thread.load64(words + 16);
        thread.store64(local, value);
        DocaDpaDevRdma.postWrite(
                thread,
                rdma,
                0,
                (int) thread.load64(words + 24),
                thread.load64(words + 32),
                (int) thread.load64(words + 8),
                local,
                8,
                0);
        DocaDpaDevRdma.signalAdd(thread, rdma, 0, thread.load64(words + 40), 1);
        DocaDpaDevRdma.synchronize(thread, rdma);
        return thread.load64(local);
    }

    /// Notifies a thread.
    @DpaRpc
    static long notifies(DpaThread thread, long function, long notification) {
        DocaDpaDev.deviceSet(thread, function);
        DocaDpaDev.threadNotify(thread, notification);
        return 0;
    }

    /// Looks for completions.
    @DpaRpc
    static long next(DpaThread thread, long function, long completion) {
        DocaDpaDev.deviceSet(thread, function);
        return DocaDpaDevCompletion.next(thread, completion);
    }

    /// Posts a wait.
    @DpaRpc
    static long postWait(DpaThread thread, long function, long asyncOps, long event) {
        DocaDpaDev.deviceSet(thread, function);
        DocaDpaDevSyncEvent.postWaitGt(thread, asyncOps, event, 0);
        return 0;
    }

    /// The rank of the thread is what it was, whatever is selected.
    @DpaGlobal
    static void ranks(DpaThread thread, long function, DpaAddr to) {
        DocaDpaDev.deviceSet(thread, function);
        int rank = DocaDpaDev.threadRank(thread);
        thread.store64(to.value() + 8L * rank, 10 * rank + DocaDpaDev.numThreads(thread));
    }
}
