package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;

/// DPA-RD-11: connections that have a queue pair only while device code uses them. Who posts pins
/// it, so that the host does not take it away meanwhile: each side writes its word before it reads
/// that of the other one.
final class OnDemand {
    private OnDemand() {}

    /// Whether the connections of a context are such.
    static boolean isOf(DpaThread thread, long rdma) {
        return thread.load64(rdma + RdmaDescriptor.PAIRS) != 0;
    }

    /// Pins the queue pair of a connection, which has one then, unless the host has none to give.
    static void pin(DpaThread thread, long rdma, int connection) {
        long at = ConnectionDescriptor.of(rdma, connection);
        if (!isPinned(thread, at)) {
            ask(thread, rdma, connection, victim(thread, rdma));
            if (!isPinned(thread, at)) {
                throw RdmaQueue.misuse(
                        "the RDMA context at 0x%x has no queue pair for connection %d, which is not connected, or there is no room for one"
                                .formatted(rdma, connection));
            }
        }
        long now = thread.load64(rdma + RdmaDescriptor.USES) + 1;
        thread.store64(rdma + RdmaDescriptor.USES, now);
        thread.store64(at + ConnectionDescriptor.USED, now);
    }

    private static boolean isPinned(DpaThread thread, long at) {
        thread.store64(at + ConnectionDescriptor.PINNED, 1);
        thread.systemFence();
        long queue = thread.load64(at + ConnectionDescriptor.QUEUE);
        boolean is = queue != 0 && (queue & ConnectionDescriptor.RETIRING) == 0;
        if (!is) {
            unpin(thread, at);
        }
        return is;
    }

    /// What was begun is posted.
    static void unpin(DpaThread thread, long at) {
        thread.systemFence();
        thread.store64(at + ConnectionDescriptor.PINNED, 0);
    }

    private static void ask(DpaThread thread, long rdma, int connection, int instead) {
        thread.store64(rdma + RdmaDescriptor.WANTED, connection);
        thread.store64(rdma + RdmaDescriptor.INSTEAD, instead);
        thread.store64(rdma + RdmaDescriptor.ASKED, 1);
        thread.memoryWriteback();
        thread.systemFence();
        ThreadContext.takeOutbox(thread);
        FlexioDev.triggerCompletionQueue(
                thread, (int) thread.load64(rdma + RdmaDescriptor.HOST_BELL));
        while (thread.load64(rdma + RdmaDescriptor.ASKED) != 0) {
            thread.pause();
        }
        thread.resume();
    }

    /// The connection that has to give its queue pair up, the one that has not been used for the
    /// longest time among those with nothing outstanding; -1 if there is room.
    private static int victim(DpaThread thread, long rdma) {
        long connections = thread.load64(rdma + RdmaDescriptor.CONNECTIONS);
        long living = 0;
        int oldest = -1;
        long oldestUse = Long.MAX_VALUE;
        for (int i = 0; i < connections; i++) {
            long at = ConnectionDescriptor.of(rdma, i);
            if (thread.load64(at + ConnectionDescriptor.QUEUE) != 0) {
                living++;
                long use = thread.load64(at + ConnectionDescriptor.USED);
                if (use < oldestUse && RdmaQueue.canDrain(thread, rdma, at)) {
                    oldest = i;
                    oldestUse = use;
                }
            }
        }
        long pairs = thread.load64(rdma + RdmaDescriptor.PAIRS);
        if (living < pairs) {
            return -1;
        }
        if (oldest < 0) {
            throw RdmaQueue.misuse(
                    "all %d queue pairs of the RDMA context at 0x%x have operations outstanding; take their completions"
                            .formatted(pairs, rdma));
        }
        RdmaQueue.drain(thread, rdma, ConnectionDescriptor.of(rdma, oldest));
        return oldest;
    }
}
