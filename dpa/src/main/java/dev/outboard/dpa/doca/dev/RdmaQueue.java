package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;

/// The queues of an RDMA context in device code. An operation is an entry of one block in the send
/// queue of its connection: [#begin] gives its place, the caller fills it, and [#end] posts it.
final class RdmaQueue {
    /// The segment behind the control segment.
    static final int FIRST = SendEntry.SEGMENT_BYTES;

    /// The one behind that.
    static final int SECOND = 2 * SendEntry.SEGMENT_BYTES;

    private static final int ENTRY_MASK = 0xFFFF;

    private RdmaQueue() {}

    /// Where the next entry of a connection is, when there is room for it.
    static long begin(DpaThread thread, long rdma, int connection) {
        long at = connection(thread, rdma, connection);
        if (OnDemand.isOf(thread, rdma)) {
            OnDemand.pin(thread, rdma, connection);
        }
        long depth = 1L << thread.load64(rdma + RdmaDescriptor.LOG_SENDS);
        long posted = thread.load64(at + ConnectionDescriptor.POSTED);
        if (posted - thread.load64(at + ConnectionDescriptor.ENDED) == depth) {
            makeRoom(thread, rdma, connection, at);
        }
        long ring = thread.load64(at + ConnectionDescriptor.SEND_RING);
        return ring + (posted & (depth - 1)) * SendEntry.BYTES;
    }

    private static void makeRoom(DpaThread thread, long rdma, int connection, long at) {
        if (!takesCompletions(thread, rdma)) {
            throw misuse(
                    "connection %d of the RDMA context at 0x%x has as many operations outstanding as its send queue holds; take their completions"
                            .formatted(connection, rdma));
        }
        ring(thread, at);
        long ended = thread.load64(at + ConnectionDescriptor.ENDED);
        while (thread.load64(at + ConnectionDescriptor.ENDED) == ended) {
            take(thread, rdma);
        }
    }

    /// Posts the entry that was begun.
    ///
    /// @param entry what [#begin] gave
    /// @param segments how many it has, the control segment included
    /// @param flags of [DocaDpaDevRdma]
    static void end(
            DpaThread thread,
            long rdma,
            int connection,
            long entry,
            int opcode,
            int immediate,
            int segments,
            int flags) {
        long at = ConnectionDescriptor.of(rdma, connection);
        long posted = thread.load64(at + ConnectionDescriptor.POSTED);
        SendEntry.writeControl(
                thread,
                entry,
                (int) posted,
                opcode,
                (int) thread.load64(at + ConnectionDescriptor.QUEUE),
                segments,
                isTold(thread, rdma, posted, flags)
                        ? SendEntry.COMPLETE_ALWAYS
                        : SendEntry.COMPLETE_ON_ERROR);
        SendEntry.writeImmediate(thread, entry, immediate);
        thread.store64(at + ConnectionDescriptor.POSTED, posted + 1);
        if (OnDemand.isOf(thread, rdma)) {
            OnDemand.unpin(thread, at);
        }
        if ((flags & DocaDpaDevRdma.FLUSH) != 0) {
            ring(thread, at);
        }
    }

    private static boolean isTold(DpaThread thread, long rdma, long posted, int flags) {
        return takesCompletions(thread, rdma)
                || isReported(flags, posted, thread.load64(rdma + RdmaDescriptor.LOG_SENDS));
    }

    /// Whether an entry of a queue has a completion that succeeds: with reduced reports, half a
    /// queue has one.
    static boolean isReported(int flags, long posted, long logDepth) {
        long half = Math.max((1L << logDepth) / 2, 1);
        return (flags & DocaDpaDevRdma.OPTIMIZE_REPORTS) == 0 || (posted + 1) % half == 0;
    }

    /// Tells the NIC of what has been posted.
    ///
    /// DPA-RD-5: what the thread has written before, in DPA memory and through its window, the NIC
    /// sees.
    static void ring(DpaThread thread, long at) {
        long posted = thread.load64(at + ConnectionDescriptor.POSTED);
        if (posted == thread.load64(at + ConnectionDescriptor.RUNG)) {
            return;
        }
        thread.store64(at + ConnectionDescriptor.RUNG, posted);
        thread.memoryWriteback();
        thread.windowWriteback();
        int queue = (int) thread.load64(at + ConnectionDescriptor.QUEUE);
        ThreadContext.ringSendDoorbell(thread, posted, queue);
    }

    /// Waits until all that was posted to the connections has ended.
    static void synchronize(DpaThread thread, long rdma) {
        check(thread, rdma);
        if (!takesCompletions(thread, rdma)) {
            throw misuse(
                    "the completions of the RDMA context at 0x%x go to a completion context; look there"
                            .formatted(rdma));
        }
        long connections = thread.load64(rdma + RdmaDescriptor.CONNECTIONS);
        for (int i = 0; i < connections; i++) {
            drain(thread, rdma, ConnectionDescriptor.of(rdma, i));
        }
        thread.systemFence();
        thread.windowReadInv();
    }

    /// Whether nothing is outstanding on a connection, or [#drain] can see to that.
    static boolean canDrain(DpaThread thread, long rdma, long at) {
        return takesCompletions(thread, rdma) || !isOutstanding(thread, at);
    }

    /// Waits until nothing is outstanding on a connection.
    static void drain(DpaThread thread, long rdma, long at) {
        if (isOutstanding(thread, at)) {
            ring(thread, at);
        }
        while (isOutstanding(thread, at)) {
            take(thread, rdma);
        }
    }

    private static boolean isOutstanding(DpaThread thread, long at) {
        return thread.load64(at + ConnectionDescriptor.ENDED)
                        != thread.load64(at + ConnectionDescriptor.POSTED)
                && thread.load64(at + ConnectionDescriptor.QUEUE) != 0;
    }

    /// Takes the next completion, if there is one.
    private static void take(DpaThread thread, long rdma) {
        long taken = thread.load64(rdma + RdmaDescriptor.TAKEN);
        int logEntries = (int) thread.load64(rdma + RdmaDescriptor.LOG_COMPLETIONS);
        long slot = taken & ((1L << logEntries) - 1);
        long entry =
                thread.load64(rdma + RdmaDescriptor.COMPLETION_RING) + slot * CompletionEntry.BYTES;
        if (!CompletionEntry.isReady(thread, entry, taken, logEntries)) {
            thread.pause();
            return;
        }
        thread.resume();
        int connection = CompletionEntry.userIndex(thread, entry);
        long at = ConnectionDescriptor.of(rdma, connection);
        // What was posted to a queue pair that is gone is of no interest.
        if (CompletionEntry.queueNumber(thread, entry)
                == (int) thread.load64(at + ConnectionDescriptor.QUEUE)) {
            endedWell(thread, rdma, connection, entry);
            ended(thread, at, entry);
        }
        thread.store64(rdma + RdmaDescriptor.TAKEN, taken + 1);
        DoorbellRecord.setConsumerIndex(
                thread, thread.load64(rdma + RdmaDescriptor.COMPLETION_RECORD), (int) taken + 1);
        thread.memoryWriteback();
    }

    private static void endedWell(DpaThread thread, long rdma, int connection, long completion) {
        if (CompletionEntry.opcode(thread, completion) != CompletionEntry.REQUEST) {
            throw new FaultSignal(
                    Fault.RDMA_FAILED,
                    "an operation on connection %d of the RDMA context at 0x%x ended with syndrome 0x%x"
                            .formatted(
                                    connection,
                                    rdma,
                                    CompletionEntry.syndrome(thread, completion)));
        }
    }

    /// What a completion of a connection is about has ended: a receive, or an operation, and with
    /// it all that was posted to the connection before it. Receives of several connections end in
    /// any order, and each is told.
    static void ended(DpaThread thread, long at, long completion) {
        int type = CompletionEntry.opcode(thread, completion);
        if (type == CompletionEntry.REQUEST || type == CompletionEntry.REQUEST_ERROR) {
            long ended = thread.load64(at + ConnectionDescriptor.ENDED);
            int index = CompletionEntry.workCounter(thread, completion);
            long news = (index + 1 - ended) & ENTRY_MASK;
            thread.store64(at + ConnectionDescriptor.ENDED, ended + news);
        } else {
            long rdma = thread.load64(at + ConnectionDescriptor.RDMA);
            long received = thread.load64(rdma + RdmaDescriptor.RECEIVED);
            thread.store64(rdma + RdmaDescriptor.RECEIVED, received + 1);
        }
    }

    /// Posts a receive.
    static void receive(DpaThread thread, long rdma, int key, long address, long lengthBytes) {
        check(thread, rdma);
        if (takesCompletions(thread, rdma)) {
            throw misuse(
                    "the RDMA context at 0x%x has no completion context, where what it receives would be found"
                            .formatted(rdma));
        }
        long posted = thread.load64(rdma + RdmaDescriptor.RECEIVES);
        long depth = 1L << thread.load64(rdma + RdmaDescriptor.LOG_RECEIVES);
        if (posted - thread.load64(rdma + RdmaDescriptor.RECEIVED) == depth) {
            throw misuse(
                    "the RDMA context at 0x%x has %d receives posted, as many as its receive queue holds"
                            .formatted(rdma, depth));
        }
        long entry =
                thread.load64(rdma + RdmaDescriptor.RECEIVE_RING)
                        + (posted & (depth - 1)) * DataSegment.BYTES;
        DataSegment.write(thread, entry, length(lengthBytes), key, address);
        thread.store64(rdma + RdmaDescriptor.RECEIVES, posted + 1);
        thread.memoryWriteback();
        thread.windowWriteback();
        DoorbellRecord.setProducerIndex(
                thread,
                thread.load64(rdma + RdmaDescriptor.RECEIVE_RECORD),
                (int) (posted + 1) & ENTRY_MASK);
        thread.memoryWriteback();
    }

    /// Writes a data segment, if there are bytes.
    ///
    /// @return how many segments that are
    static int data(DpaThread thread, long segment, int key, long address, long lengthBytes) {
        if (lengthBytes == 0) {
            return 0;
        }
        DataSegment.write(thread, segment, length(lengthBytes), key, address);
        return 1;
    }

    private static int length(long lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > Integer.MAX_VALUE) {
            throw misuse(
                    "a message of %d bytes; valid: 0 to %d"
                            .formatted(lengthBytes, Integer.MAX_VALUE));
        }
        return (int) lengthBytes;
    }

    private static boolean takesCompletions(DpaThread thread, long rdma) {
        return thread.load64(rdma + RdmaDescriptor.COMPLETION_RING) != 0;
    }

    /// The descriptor of a connection that exists. One that has its queue pair on demand does.
    static long connection(DpaThread thread, long rdma, int connection) {
        check(thread, rdma);
        long connections = thread.load64(rdma + RdmaDescriptor.CONNECTIONS);
        long at = ConnectionDescriptor.of(rdma, connection);
        if (connection < 0
                || connection >= connections
                || (thread.load64(at + ConnectionDescriptor.QUEUE) == 0
                        && !OnDemand.isOf(thread, rdma))) {
            throw misuse(
                    "the RDMA context at 0x%x has no connection %d; it may have 0 to %d"
                            .formatted(rdma, connection, connections - 1));
        }
        return at;
    }

    private static void check(DpaThread thread, long rdma) {
        if (thread.load64(rdma + RdmaDescriptor.ALIVE) != RdmaDescriptor.YES) {
            throw misuse("no RDMA context that is started is at 0x%x".formatted(rdma));
        }
        ThreadContext.check(thread, "RDMA context", rdma, RdmaDescriptor.FUNCTION);
    }

    static FaultSignal misuse(String how) {
        return new FaultSignal(Fault.RDMA_MISUSE, how);
    }
}
