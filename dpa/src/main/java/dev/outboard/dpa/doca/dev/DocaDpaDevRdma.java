package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;

/// DPA-RD-2: RDMA in device code: `doca_dpa_dev_rdma.h`. Kernels and threads call it, with the
/// handle of a context whose data path is on the DPA, see [dev.outboard.doca.rdma.Rdma#dpaHandle].
/// One thread at a time uses a context.
///
/// Memory is named by the handle of its mmap and an address. Buffers must stay as they are until
/// their operation has ended.
///
/// DPA-RD-4: that an operation has ended here does not say that the peer's memory has the data; a
/// signal or a message behind it does.
///
/// DPA-RD-7: after an operation that failed, for whatever reason, its connection takes no other. If
/// nobody looks for completions, the thread that waits for it ends, and its context with it.
public final class DocaDpaDevRdma {
    /// `DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH`: the operation, and those that were held back, are sent
    /// now. Without it, it waits for one that has it.
    public static final int FLUSH = 1;

    /// `DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS`: that it has ended is told with a later
    /// operation.
    public static final int OPTIMIZE_REPORTS = 2;

    private DocaDpaDevRdma() {}

    /// `doca_dpa_dev_rdma_post_write`: writes to memory of the peer.
    public static void postWrite(
            DpaThread thread,
            long rdma,
            int connection,
            int toMmap,
            long to,
            int fromMmap,
            long from,
            long lengthBytes,
            int flags) {
        long entry = RdmaQueue.begin(thread, rdma, connection);
        SendEntry.writeRemote(thread, entry + RdmaQueue.FIRST, to, toMmap);
        int data = RdmaQueue.data(thread, entry + RdmaQueue.SECOND, fromMmap, from, lengthBytes);
        RdmaQueue.end(thread, rdma, connection, SendEntry.RDMA_WRITE, 0, 2 + data, flags);
    }

    /// `doca_dpa_dev_rdma_post_write_imm`: the same, and the peer is told by a receive, which gets
    /// the immediate.
    public static void postWriteImm(
            DpaThread thread,
            long rdma,
            int connection,
            int toMmap,
            long to,
            int fromMmap,
            long from,
            long lengthBytes,
            int immediate,
            int flags) {
        long entry = RdmaQueue.begin(thread, rdma, connection);
        SendEntry.writeRemote(thread, entry + RdmaQueue.FIRST, to, toMmap);
        int data = RdmaQueue.data(thread, entry + RdmaQueue.SECOND, fromMmap, from, lengthBytes);
        int opcode = SendEntry.RDMA_WRITE_IMMEDIATE;
        RdmaQueue.end(thread, rdma, connection, opcode, immediate, 2 + data, flags);
    }

    /// `doca_dpa_dev_rdma_post_read`: reads from memory of the peer.
    public static void postRead(
            DpaThread thread,
            long rdma,
            int connection,
            int toMmap,
            long to,
            int fromMmap,
            long from,
            long lengthBytes,
            int flags) {
        long entry = RdmaQueue.begin(thread, rdma, connection);
        SendEntry.writeRemote(thread, entry + RdmaQueue.FIRST, from, fromMmap);
        int data = RdmaQueue.data(thread, entry + RdmaQueue.SECOND, toMmap, to, lengthBytes);
        RdmaQueue.end(thread, rdma, connection, SendEntry.RDMA_READ, 0, 2 + data, flags);
    }

    /// `doca_dpa_dev_rdma_post_send`: sends a message, which takes a receive of the peer.
    public static void postSend(
            DpaThread thread,
            long rdma,
            int connection,
            int mmap,
            long from,
            long lengthBytes,
            int flags) {
        long entry = RdmaQueue.begin(thread, rdma, connection);
        int data = RdmaQueue.data(thread, entry + RdmaQueue.FIRST, mmap, from, lengthBytes);
        RdmaQueue.end(thread, rdma, connection, SendEntry.SEND, 0, 1 + data, flags);
    }

    /// `doca_dpa_dev_rdma_post_send_imm`: the same with an immediate.
    public static void postSendImm(
            DpaThread thread,
            long rdma,
            int connection,
            int mmap,
            long from,
            long lengthBytes,
            int immediate,
            int flags) {
        long entry = RdmaQueue.begin(thread, rdma, connection);
        int data = RdmaQueue.data(thread, entry + RdmaQueue.FIRST, mmap, from, lengthBytes);
        int opcode = SendEntry.SEND_IMMEDIATE;
        RdmaQueue.end(thread, rdma, connection, opcode, immediate, 1 + data, flags);
    }

    /// `doca_dpa_dev_rdma_post_receive`: a message of a peer may come there: the next one that
    /// comes on any connection of the context takes it.
    public static void postReceive(
            DpaThread thread, long rdma, int mmap, long to, long lengthBytes) {
        RdmaQueue.receive(thread, rdma, mmap, to, lengthBytes);
    }

    /// `doca_dpa_dev_rdma_post_atomic_fetch_add`: adds to 8 bytes of the peer; the former value
    /// comes to nobody.
    public static void postAtomicFetchAdd(
            DpaThread thread,
            long rdma,
            int connection,
            int toMmap,
            long to,
            long addend,
            int flags) {
        long entry = RdmaQueue.begin(thread, rdma, connection);
        SendEntry.writeRemote(thread, entry + RdmaQueue.FIRST, to, toMmap);
        SendEntry.writeAtomic(thread, entry + RdmaQueue.SECOND, addend, 0);
        DataSegment.write(
                thread,
                entry + RdmaQueue.THIRD,
                Long.BYTES,
                (int) thread.load64(rdma + RdmaDescriptor.RESULT_KEY),
                thread.load64(rdma + RdmaDescriptor.RESULT));
        RdmaQueue.end(thread, rdma, connection, SendEntry.ATOMIC_FETCH_ADD, 0, 4, flags);
    }

    /// `doca_dpa_dev_rdma_signal_set`: sets a sync event of the peer.
    ///
    /// DPA-RD-3: on a connection, operations take effect at the peer in the order in which they are
    /// posted: who sees the value sees what was written before it.
    ///
    /// @param event see [dev.outboard.doca.sync.SyncEventRemoteNet#handle]
    public static void signalSet(
            DpaThread thread, long rdma, int connection, long event, long value) {
        long entry = RdmaQueue.begin(thread, rdma, connection);
        remote(thread, entry, event);
        DataSegment.writeInline(thread, entry + RdmaQueue.SECOND, Long.BYTES);
        // Inline data begin in the middle of 8 bytes.
        long data = DataSegment.inlineData(entry + RdmaQueue.SECOND);
        thread.store32(data, (int) value);
        thread.store32(data + Integer.BYTES, (int) (value >>> Integer.SIZE));
        RdmaQueue.end(thread, rdma, connection, SendEntry.RDMA_WRITE, 0, 3, FLUSH);
    }

    /// `doca_dpa_dev_rdma_signal_add`: adds to a sync event of the peer, in one step towards all
    /// who update it.
    public static void signalAdd(
            DpaThread thread, long rdma, int connection, long event, long addend) {
        check(thread, event);
        postAtomicFetchAdd(
                thread,
                rdma,
                connection,
                (int) thread.load64(event + EventDescriptor.KEY),
                thread.load64(event + EventDescriptor.ADDRESS),
                addend,
                FLUSH);
    }

    private static void remote(DpaThread thread, long entry, long event) {
        check(thread, event);
        SendEntry.writeRemote(
                thread,
                entry + RdmaQueue.FIRST,
                thread.load64(event + EventDescriptor.ADDRESS),
                (int) thread.load64(event + EventDescriptor.KEY));
    }

    private static void check(DpaThread thread, long event) {
        if (thread.load64(event + EventDescriptor.REMOTE) != EventDescriptor.YES) {
            throw new FaultSignal(
                    Fault.EVENT_SIDE, "the sync event at 0x%x is none of a peer".formatted(event));
        }
    }

    /// Sends what was held back on a connection.
    public static void flush(DpaThread thread, long rdma, int connection) {
        RdmaQueue.ring(thread, RdmaQueue.connection(thread, rdma, connection));
    }

    /// `doca_dpa_dev_rdma_synchronize`: waits until all operations on the context have ended; what
    /// they have read can be used. Of contexts whose completions go to no completion context.
    public static void synchronize(DpaThread thread, long rdma) {
        RdmaQueue.synchronize(thread, rdma);
    }
}
