package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.ConnectionDescriptor;
import dev.outboard.dpa.doca.dev.DocaDpaDevBuf;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.doca.dev.RdmaDescriptor;
import dev.outboard.dpa.doca.dev.ThreadContext;
import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// What device calls of RDMA and of sync events do, by hand, and with one of their ordering calls
/// left out.
@DpaProgram("by_hand")
final class ByHand {
    /// What can be left out.
    static final int NOTHING = 0;

    static final int MEMORY_WRITEBACK = 1;
    static final int WINDOW_WRITEBACK = 2;
    static final int READ_INVALIDATION = 3;

    /// What a desk has: words in DPA memory.
    static final int RDMA = 0;

    static final int FROM_KEY = 8;
    static final int FROM = 16;
    static final int TO_KEY = 24;
    static final int TO = 32;
    static final int DONE = 40;

    /// Whether what is sent lies in memory of the host.
    static final int THROUGH_WINDOW = 48;

    /// A word of DPA memory, by which the sender tells the receiver.
    static final int COUNTER_KEY = 56;

    static final int COUNTER = 64;
    static final int DESK_BYTES = 72;

    private ByHand() {}

    /// Writes a word to the peer, and sets its counter.
    @DpaGlobal
    static void send(DpaThread thread, DpaAddr desk, long value, int without) {
        long at = desk.value();
        long from = thread.load64(at + FROM);
        int key = (int) thread.load64(at + FROM_KEY);
        long rdma = thread.load64(at + RDMA);
        long connection = ConnectionDescriptor.of(rdma, 0);
        long entry = begin(thread, rdma, connection, 3);
        SendEntry.writeRemote(
                thread, entry + 16, thread.load64(at + TO), (int) thread.load64(at + TO_KEY));
        DataSegment.write(thread, entry + 32, Long.BYTES, key, from);
        entry = begin(thread, rdma, connection, 3);
        SendEntry.writeRemote(
                thread,
                entry + 16,
                thread.load64(at + COUNTER),
                (int) thread.load64(at + COUNTER_KEY));
        DataSegment.writeInline(thread, entry + 32, Long.BYTES);
        long data = DataSegment.inlineData(entry + 32);
        thread.store32(data, 1);
        thread.store32(data + Integer.BYTES, 0);
        // That the entries are there is not at stake.
        thread.memoryWriteback();
        long place =
                thread.load64(at + THROUGH_WINDOW) != 0
                        ? DocaDpaDevBuf.mmapGetExternalPtr(thread, key, from)
                        : from;
        thread.store64(place, value);
        ring(thread, connection, without);
        DocaDpaDevRdma.synchronize(thread, rdma);
    }

    private static long begin(DpaThread thread, long rdma, long connection, int segments) {
        long posted = thread.load64(connection + ConnectionDescriptor.POSTED);
        long mask = (1L << thread.load64(rdma + RdmaDescriptor.LOG_SENDS)) - 1;
        long entry =
                thread.load64(connection + ConnectionDescriptor.SEND_RING)
                        + (posted & mask) * SendEntry.BYTES;
        SendEntry.writeControl(
                thread,
                entry,
                (int) posted,
                SendEntry.RDMA_WRITE,
                (int) thread.load64(connection + ConnectionDescriptor.QUEUE),
                segments,
                SendEntry.COMPLETE_ALWAYS);
        thread.store64(connection + ConnectionDescriptor.POSTED, posted + 1);
        return entry;
    }

    private static void ring(DpaThread thread, long connection, int without) {
        long posted = thread.load64(connection + ConnectionDescriptor.POSTED);
        thread.store64(connection + ConnectionDescriptor.RUNG, posted);
        if (without != MEMORY_WRITEBACK) {
            thread.memoryWriteback();
        }
        if (without != WINDOW_WRITEBACK) {
            thread.windowWriteback();
        }
        thread.configureOutbox((int) thread.load64(thread.localStorage() + ThreadContext.OUTBOX));
        FlexioDev.ringSendDoorbell(
                thread, (int) posted, (int) thread.load64(connection + ConnectionDescriptor.QUEUE));
    }

    /// Waits for the counter, and looks at the word. If it is there, 1 is added to an event, else
    /// 1000.
    @DpaGlobal
    static void receive(DpaThread thread, DpaAddr desk, long value, int without) {
        long at = desk.value();
        long word =
                DocaDpaDevBuf.mmapGetExternalPtr(
                        thread, (int) thread.load64(at + TO_KEY), thread.load64(at + TO));
        // There is an old copy of it from here on.
        thread.load64(word);
        while (thread.load64(thread.load64(at + COUNTER)) == 0) {
            thread.pause();
        }
        thread.systemFence();
        if (without != READ_INVALIDATION) {
            thread.windowReadInv();
        }
        long found = thread.load64(word);
        DocaDpaDevSyncEvent.updateAdd(thread, thread.load64(at + DONE), found == value ? 1 : 1000);
    }
}
