package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;

/// The queue of a context of asynchronous operations in device code. An operation is an entry of
/// one block: [#begin] gives its place, the caller fills it, and [#end] posts it.
final class AsyncQueue {
    private static final int COPY_SEGMENTS = 4;

    private AsyncQueue() {}

    /// Makes sure that there is room for some entries.
    ///
    /// DPA-SE-10: more than the queue holds are a fault.
    static void reserve(DpaThread thread, long asyncOps, long entries) {
        ThreadContext.check(
                thread,
                "context of asynchronous operations",
                asyncOps,
                AsyncOpsDescriptor.FUNCTION);
        long depth = 1L << thread.load64(asyncOps + AsyncOpsDescriptor.LOG_BLOCKS);
        long wanted = thread.load64(asyncOps + AsyncOpsDescriptor.POSTED) + entries;
        if (wanted - thread.load64(asyncOps + AsyncOpsDescriptor.SEEN) <= depth) {
            return;
        }
        long ended = thread.load64(asyncOps + AsyncOpsDescriptor.ENDED);
        thread.store64(asyncOps + AsyncOpsDescriptor.SEEN, ended);
        if (wanted - ended > depth) {
            throw new FaultSignal(
                    Fault.ASYNC_OPS_FULL,
                    "the context at 0x%x has %d of %d operations outstanding, and %d more are posted; take their completions"
                            .formatted(asyncOps, wanted - entries - ended, depth, entries));
        }
    }

    /// Where the next entry is, for which there is room.
    static long begin(DpaThread thread, long asyncOps) {
        long posted = thread.load64(asyncOps + AsyncOpsDescriptor.POSTED);
        long blocks = 1L << thread.load64(asyncOps + AsyncOpsDescriptor.LOG_BLOCKS);
        long ring = thread.load64(asyncOps + AsyncOpsDescriptor.RING);
        return ring + (posted & (blocks - 1)) * SendEntry.BYTES;
    }

    /// Posts the entry that was begun.
    ///
    /// @param entry what [#begin] gave
    /// @param segments how many it has, the control segment included
    /// @param isTold whether it is a completion also if it succeeds
    static void end(
            DpaThread thread, long asyncOps, long entry, int opcode, int segments, boolean isTold) {
        long posted = thread.load64(asyncOps + AsyncOpsDescriptor.POSTED);
        SendEntry.writeControl(
                thread,
                entry,
                (int) posted,
                opcode,
                (int) thread.load64(asyncOps + AsyncOpsDescriptor.QUEUE),
                segments,
                isTold ? SendEntry.COMPLETE_ALWAYS : SendEntry.COMPLETE_ON_ERROR);
        thread.store64(asyncOps + AsyncOpsDescriptor.POSTED, posted + 1);
    }

    /// Posts a copy, of no bytes if there are none.
    static void copy(
            DpaThread thread,
            long asyncOps,
            long target,
            int targetKey,
            long source,
            int sourceKey,
            int lengthBytes,
            boolean isTold) {
        long entry = begin(thread, asyncOps);
        if (lengthBytes == 0) {
            end(thread, asyncOps, entry, SendEntry.NOP, 1, isTold);
            return;
        }
        long segment = SendEntry.SEGMENT_BYTES;
        DataSegment.write(thread, entry + 2 * segment, lengthBytes, sourceKey, source);
        DataSegment.write(thread, entry + 3 * segment, lengthBytes, targetKey, target);
        end(thread, asyncOps, entry, SendEntry.LOCAL_DMA, COPY_SEGMENTS, isTold);
    }

    /// As [RdmaQueue#isReported] says.
    static boolean isTold(DpaThread thread, long asyncOps, int flags) {
        return RdmaQueue.isReported(
                flags,
                thread.load64(asyncOps + AsyncOpsDescriptor.POSTED),
                thread.load64(asyncOps + AsyncOpsDescriptor.LOG_BLOCKS));
    }

    /// Tells the NIC of what has been posted. What it will read has been written back.
    static void ring(DpaThread thread, long asyncOps) {
        thread.memoryWriteback();
        ThreadContext.ringSendDoorbell(
                thread,
                thread.load64(asyncOps + AsyncOpsDescriptor.POSTED),
                (int) thread.load64(asyncOps + AsyncOpsDescriptor.QUEUE));
    }
}
