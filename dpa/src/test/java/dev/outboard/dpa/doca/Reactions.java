package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevBuf;
import dev.outboard.dpa.doca.dev.DocaDpaDevCompletion;
import dev.outboard.dpa.doca.dev.DocaDpaDevMemcpy;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaGlobalVar;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Threads that something activates. Each has a desk: words in DPA memory.
@DpaProgram("reactions")
final class Reactions {
    // Words of a desk, in bytes from its begin.
    static final int COMPLETION = 0;
    static final int TOLD = 8;
    static final int ACTIVATIONS = 16;
    static final int TAKEN = 24;
    static final int WORK = 32;
    static final int ASYNC_OPS = 40;
    static final int WATCHED = 48;
    static final int NEXT = 56;
    static final int DESK_WORDS = 8;

    /// Of all activations of [#remember].
    @DpaGlobalVar(bytes = 8)
    static DpaAddr remembered;

    private Reactions() {}

    private static void count(DpaThread thread, long word) {
        thread.store64(word, thread.load64(word) + 1);
    }

    private static void take(DpaThread thread, long desk) {
        long completion = thread.load64(desk + COMPLETION);
        while (DocaDpaDevCompletion.next(thread, completion) != 0) {
            DocaDpaDevCompletion.ack(thread, completion, 1);
            count(thread, desk + TAKEN);
        }
    }

    private static void tell(DpaThread thread, long desk) {
        DocaDpaDevSyncEvent.updateAdd(thread, thread.load64(desk + TOLD), 1);
    }

    /// Takes completions, and asks for no more activations.
    @DpaGlobal
    static void once(DpaThread thread, long desk) {
        count(thread, desk + ACTIVATIONS);
        take(thread, desk);
        tell(thread, desk);
        DocaDpaDev.threadReschedule(thread);
    }

    /// Takes completions, and asks for the next activation.
    @DpaGlobal
    static void eachTime(DpaThread thread, long desk) {
        count(thread, desk + ACTIVATIONS);
        take(thread, desk);
        DocaDpaDevCompletion.requestNotification(thread, thread.load64(desk + COMPLETION));
        tell(thread, desk);
        DocaDpaDev.threadReschedule(thread);
    }

    /// Does what [#eachTime] does, and has the watched event activate it next.
    @DpaGlobal
    static void follow(DpaThread thread, long desk) {
        take(thread, desk);
        long activations = thread.load64(desk + ACTIVATIONS);
        thread.store64(desk + ACTIVATIONS, activations + 1);
        DocaDpaDevCompletion.requestNotification(thread, thread.load64(desk + COMPLETION));
        DocaDpaDevSyncEvent.postWaitGt(
                thread,
                thread.load64(desk + ASYNC_OPS),
                thread.load64(desk + WATCHED),
                activations);
        tell(thread, desk);
        DocaDpaDev.threadReschedule(thread);
    }

    /// Tells how much work it has seen.
    @DpaGlobal
    static void survey(DpaThread thread, long desk) {
        count(thread, desk + ACTIVATIONS);
        long seen = thread.load64(desk + WORK);
        DocaDpaDevSyncEvent.updateSet(thread, thread.load64(desk + TOLD), seen);
        DocaDpaDev.threadReschedule(thread);
    }

    /// Passes the notification on.
    @DpaGlobal
    static void pass(DpaThread thread, long desk) {
        count(thread, desk + ACTIVATIONS);
        long next = thread.load64(desk + NEXT);
        if (next == 0) {
            tell(thread, desk);
        } else {
            DocaDpaDev.threadNotify(thread, next);
        }
        DocaDpaDev.threadReschedule(thread);
    }

    /// Several times: makes work and notifies.
    @DpaGlobal
    static void make(DpaThread thread, long desk, long notification, int times) {
        for (int i = 0; i < times; i++) {
            thread.atomic64(AtomicOp.ADD, desk + WORK, 1, AtomicOrder.RELAXED);
            DocaDpaDev.threadNotify(thread, notification);
        }
    }

    /// Does something once, and then nothing any more.
    @DpaGlobal
    static void last(DpaThread thread, long desk) {
        count(thread, desk + ACTIVATIONS);
        tell(thread, desk);
        DocaDpaDev.threadFinish(thread);
    }

    /// Tells that it runs, and does not return.
    @DpaGlobal
    static void spin(DpaThread thread, long desk) {
        tell(thread, desk);
        while (thread.load64(desk + WORK) == 0) {
            // For ever.
        }
    }

    /// Keeps in its local storage how often it has run, on which unit, and its rank.
    @DpaGlobal
    static void keep(DpaThread thread, long desk) {
        long own = DocaDpaDev.threadLocalStorage(thread);
        count(thread, own);
        thread.store64(own + 8, thread.unit());
        thread.store64(own + 16, DocaDpaDev.threadRank(thread));
        thread.store64(own + 24, DocaDpaDev.numThreads(thread));
        tell(thread, desk);
        DocaDpaDev.threadReschedule(thread);
    }

    /// Counts in a global variable.
    @DpaGlobal
    static void remember(DpaThread thread, long desk) {
        thread.atomic64(AtomicOp.ADD, remembered.value(), 1, AtomicOrder.RELAXED);
        tell(thread, desk);
        DocaDpaDev.threadReschedule(thread);
    }

    @DpaRpc
    static long remembered(DpaThread thread) {
        return thread.load64(remembered.value());
    }

    // What only some threads may do

    @DpaGlobal
    static void yields(DpaThread thread, long nothing) {
        DocaDpaDev.yieldUnit(thread);
    }

    @DpaRpc
    static long yieldsInCall(DpaThread thread) {
        DocaDpaDev.yieldUnit(thread);
        return 0;
    }

    @DpaGlobal
    static void reschedules(DpaThread thread, long nothing) {
        DocaDpaDev.threadReschedule(thread);
    }

    @DpaRpc
    static long finishesCall(DpaThread thread) {
        DocaDpaDev.threadFinish(thread);
        return 0;
    }

    @DpaGlobal
    static void asksForStorage(DpaThread thread, long nothing) {
        DocaDpaDev.threadLocalStorage(thread);
    }

    // What the host has done

    @DpaRpc
    static long notifies(DpaThread thread, long notification) {
        DocaDpaDev.threadNotify(thread, notification);
        return 0;
    }

    /// Posts waits for an event that is not 1.
    @DpaGlobal
    static void postMany(DpaThread thread, long asyncOps, long event, int count) {
        for (int i = 0; i < count; i++) {
            DocaDpaDevSyncEvent.postWaitNe(thread, asyncOps, event, 1);
        }
    }

    @DpaRpc
    static long put(DpaThread thread, DpaAddr word, long value) {
        thread.store64(word.value(), value);
        return 0;
    }

    /// Copies words by a context of asynchronous operations.
    @DpaRpc
    static long copies(
            DpaThread thread,
            long asyncOps,
            long words,
            long to,
            long from,
            long length,
            int flags) {
        DocaDpaDevMemcpy.postMemcpy(
                thread,
                asyncOps,
                (int) thread.load64(words),
                to,
                (int) thread.load64(words + Long.BYTES),
                from,
                length,
                flags);
        return 0;
    }

    /// The same of whole buffers.
    @DpaRpc
    static long copiesBuffers(DpaThread thread, long asyncOps, long to, long from) {
        DocaDpaDevMemcpy.postBufMemcpy(
                thread,
                asyncOps,
                DocaDpaDevBuf.arrayGetBuf(thread, to, 0),
                DocaDpaDevBuf.arrayGetBuf(thread, from, 0),
                DocaDpaDevRdma.FLUSH);
        return 0;
    }

    /// The type of the next completion, which is acknowledged; -1 if none has come.
    @DpaRpc
    static long poll(DpaThread thread, long completion) {
        long element = DocaDpaDevCompletion.next(thread, completion);
        if (element == 0) {
            return -1;
        }
        long type = DocaDpaDevCompletion.type(thread, element);
        DocaDpaDevCompletion.ack(thread, completion, 1);
        return type;
    }

    @DpaRpc
    static long postsGt(DpaThread thread, long asyncOps, long event, long value) {
        DocaDpaDevSyncEvent.postWaitGt(thread, asyncOps, event, value);
        return 0;
    }

    @DpaRpc
    static long postsNe(DpaThread thread, long asyncOps, long event, long value) {
        DocaDpaDevSyncEvent.postWaitNe(thread, asyncOps, event, value);
        return 0;
    }

    /// Waits for a completion.
    @DpaRpc
    static long next(DpaThread thread, long completion) {
        long element = 0;
        while (element == 0) {
            element = DocaDpaDevCompletion.next(thread, completion);
        }
        return element;
    }

    @DpaRpc
    static long nextIfAny(DpaThread thread, long completion) {
        return DocaDpaDevCompletion.next(thread, completion);
    }

    /// Type, user data, and the counter of the queue, 16 bits each.
    @DpaRpc
    static long describe(DpaThread thread, long element) {
        long type = DocaDpaDevCompletion.type(thread, element);
        long userData = DocaDpaDevCompletion.userData(thread, element);
        long counter = DocaDpaDevCompletion.workCounter(thread, element);
        return (type << 32) | (userData << 16) | counter;
    }

    @DpaRpc
    static long acknowledge(DpaThread thread, long completion, long count) {
        DocaDpaDevCompletion.ack(thread, completion, count);
        return 0;
    }

    @DpaRpc
    static long request(DpaThread thread, long completion) {
        DocaDpaDevCompletion.requestNotification(thread, completion);
        return 0;
    }

    @DpaRpc
    static long immediate(DpaThread thread, long element) {
        return DocaDpaDevCompletion.immediate(thread, element);
    }

    @DpaRpc
    static long receivedBytes(DpaThread thread, long element) {
        return DocaDpaDevCompletion.receivedBytes(thread, element);
    }

    @DpaRpc
    static long errorSyndrome(DpaThread thread, long element) {
        return DocaDpaDevCompletion.errorSyndrome(thread, element);
    }

    /// Posts 8 bytes, with the index as immediate data, to a queue pair.
    ///
    /// @param remote where a write goes
    @DpaRpc
    static long send(
            DpaThread thread, long ring, int queue, int index, int opcode, long remote, int key) {
        long entry = ring + (long) index * SendEntry.BYTES;
        boolean writes = opcode == SendEntry.RDMA_WRITE_IMMEDIATE;
        int segments = writes ? 3 : 2;
        SendEntry.writeControl(
                thread, entry, index, opcode, queue, segments, SendEntry.COMPLETE_ALWAYS);
        SendEntry.writeImmediate(thread, entry, index);
        if (writes) {
            SendEntry.writeRemote(thread, entry + SendEntry.SEGMENT_BYTES, remote, key);
        }
        long segment = entry + (segments - 1L) * SendEntry.SEGMENT_BYTES;
        DataSegment.writeInline(thread, segment, Long.BYTES);
        thread.store32(DataSegment.inlineData(segment), 1);
        thread.store32(DataSegment.inlineData(segment) + Integer.BYTES, 2);
        thread.memoryWriteback();
        FlexioDev.ringSendDoorbell(thread, index + 1, queue);
        return 0;
    }

    /// Does what signals and what waits, with stores to a word between.
    @DpaRpc
    static long signalsAndWaits(
            DpaThread thread, DpaAddr word, long event, long notification, long completion) {
        thread.store64(word.value(), 1);
        DocaDpaDevSyncEvent.updateSet(thread, event, 1);
        thread.store64(word.value(), 2);
        DocaDpaDevSyncEvent.updateAdd(thread, event, 1);
        thread.store64(word.value(), 3);
        DocaDpaDev.threadNotify(thread, notification);
        thread.store64(word.value(), 4);
        DocaDpaDevSyncEvent.get(thread, event);
        thread.store64(word.value(), 5);
        DocaDpaDevSyncEvent.waitGt(thread, event, 1);
        thread.store64(word.value(), 6);
        DocaDpaDevCompletion.next(thread, completion);
        thread.store64(word.value(), 7);
        return 0;
    }
}
