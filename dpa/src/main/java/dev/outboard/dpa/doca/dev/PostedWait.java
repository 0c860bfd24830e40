package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.WaitSegment;

/// An entry of the queue of asynchronous operations that waits for a sync event.
final class PostedWait {
    /// The greatest value that one waits for.
    private static final long MOST = 254;

    private static final int SEGMENTS = 3;

    private PostedWait() {}

    /// @param inverted whether the comparison has to fail instead
    static void post(
            DpaThread thread,
            long asyncOps,
            long event,
            int operation,
            boolean inverted,
            long value) {
        if (value < 0 || value > MOST) {
            throw new FaultSignal(
                    Fault.WAIT_VALUE,
                    "%d for the sync event at 0x%x; valid: 0 to %d".formatted(value, event, MOST));
        }
        ThreadContext.check(
                thread,
                "context of asynchronous operations",
                asyncOps,
                AsyncOpsDescriptor.FUNCTION);
        long posted = thread.load64(asyncOps + AsyncOpsDescriptor.POSTED);
        long blocks = 1L << thread.load64(asyncOps + AsyncOpsDescriptor.LOG_BLOCKS);
        long ring = thread.load64(asyncOps + AsyncOpsDescriptor.RING);
        int queue = (int) thread.load64(asyncOps + AsyncOpsDescriptor.QUEUE);
        long entry = ring + (posted & (blocks - 1)) * SendEntry.BYTES;
        SendEntry.writeControl(
                thread,
                entry,
                (int) posted,
                SendEntry.WAIT_ON_DATA,
                queue,
                SEGMENTS,
                SendEntry.COMPLETE_ALWAYS);
        WaitSegment.write(
                thread,
                entry + SendEntry.SEGMENT_BYTES,
                operation,
                inverted,
                (int) thread.load64(event + EventDescriptor.KEY),
                thread.load64(event + EventDescriptor.ADDRESS));
        WaitSegment.writeData(thread, entry + 2 * SendEntry.SEGMENT_BYTES, value, -1);
        thread.store64(asyncOps + AsyncOpsDescriptor.POSTED, posted + 1);
        thread.memoryWriteback();
        ThreadContext.ringSendDoorbell(thread, posted + 1, queue);
    }
}
