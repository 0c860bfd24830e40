package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.nic.layout.SendEntry;

/// DPA-RD-2: RDMA in device code: `doca_dpa_dev_rdma.h`. Kernels and threads call it, with the
/// handle of a context whose data path is on the DPA, see [dev.outboard.doca.rdma.Rdma#dpaHandle].
/// One thread at a time uses a context.
///
/// DPA-RD-8: memory is named by the handle of its mmap and an address, or is a
/// [buffer][DocaDpaDevBuf]; that of the peer is an element of an array over an mmap of the peer.
/// Calls without a connection and flags are those of early releases: they use connection 0, and
/// send at once.
///
/// Buffers must stay as they are until their operation has ended.
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
        int opcode = SendEntry.RDMA_WRITE;
        transfer(
                thread,
                rdma,
                connection,
                opcode,
                0,
                toMmap,
                to,
                fromMmap,
                from,
                lengthBytes,
                flags);
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
        int opcode = SendEntry.RDMA_WRITE_IMMEDIATE;
        transfer(
                thread,
                rdma,
                connection,
                opcode,
                immediate,
                toMmap,
                to,
                fromMmap,
                from,
                lengthBytes,
                flags);
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
        int opcode = SendEntry.RDMA_READ;
        transfer(
                thread,
                rdma,
                connection,
                opcode,
                0,
                fromMmap,
                from,
                toMmap,
                to,
                lengthBytes,
                flags);
    }

    private static void transfer(
            DpaThread thread,
            long rdma,
            int connection,
            int opcode,
            int immediate,
            int remoteKey,
            long remote,
            int localKey,
            long local,
            long lengthBytes,
            int flags) {
        long entry = RdmaQueue.begin(thread, rdma, connection);
        SendEntry.writeRemote(thread, entry + RdmaQueue.FIRST, remote, remoteKey);
        int data = RdmaQueue.data(thread, entry + RdmaQueue.SECOND, localKey, local, lengthBytes);
        RdmaQueue.end(thread, rdma, connection, entry, opcode, immediate, 2 + data, flags);
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
        message(thread, rdma, connection, SendEntry.SEND, 0, mmap, from, lengthBytes, flags);
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
        int opcode = SendEntry.SEND_IMMEDIATE;
        message(thread, rdma, connection, opcode, immediate, mmap, from, lengthBytes, flags);
    }

    private static void message(
            DpaThread thread,
            long rdma,
            int connection,
            int opcode,
            int immediate,
            int key,
            long from,
            long lengthBytes,
            int flags) {
        long entry = RdmaQueue.begin(thread, rdma, connection);
        int data = RdmaQueue.data(thread, entry + RdmaQueue.FIRST, key, from, lengthBytes);
        RdmaQueue.end(thread, rdma, connection, entry, opcode, immediate, 1 + data, flags);
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
        WordEntry.add(
                thread,
                entry,
                to,
                toMmap,
                addend,
                thread.load64(rdma + RdmaDescriptor.RESULT),
                (int) thread.load64(rdma + RdmaDescriptor.RESULT_KEY));
        int opcode = SendEntry.ATOMIC_FETCH_ADD;
        int segments = WordEntry.ADD_SEGMENTS;
        RdmaQueue.end(thread, rdma, connection, entry, opcode, 0, segments, flags);
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
        check(thread, event);
        WordEntry.set(
                thread,
                entry,
                thread.load64(event + EventDescriptor.ADDRESS),
                (int) thread.load64(event + EventDescriptor.KEY),
                value);
        int opcode = SendEntry.RDMA_WRITE;
        RdmaQueue.end(thread, rdma, connection, entry, opcode, 0, WordEntry.SET_SEGMENTS, FLUSH);
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

    private static void check(DpaThread thread, long event) {
        if (thread.load64(event + EventDescriptor.REMOTE) != EventDescriptor.YES) {
            throw new FaultSignal(
                    Fault.EVENT_SIDE, "the sync event at 0x%x is none of a peer".formatted(event));
        }
    }

    // With buffers

    /// `doca_dpa_dev_rdma_post_buf_write`: writes all of a buffer to the beginning of a buffer of
    /// the peer.
    public static void postBufWrite(
            DpaThread thread, long rdma, int connection, long to, long from, int flags) {
        long lengthBytes = DocaDpaDevBuf.getLen(thread, from);
        write(thread, rdma, connection, to, 0, from, 0, lengthBytes, flags);
    }

    /// `doca_dpa_dev_rdma_post_buf_write_imm`: the same, and the peer is told by a receive, which
    /// gets the immediate.
    public static void postBufWriteImm(
            DpaThread thread,
            long rdma,
            int connection,
            long to,
            long from,
            int immediate,
            int flags) {
        long lengthBytes = DocaDpaDevBuf.getLen(thread, from);
        postWriteImm(
                thread,
                rdma,
                connection,
                DocaDpaDevBuf.key(thread, to),
                DocaDpaDevBuf.remote(thread, to, 0, lengthBytes),
                DocaDpaDevBuf.key(thread, from),
                DocaDpaDevBuf.own(thread, from, 0, lengthBytes),
                lengthBytes,
                immediate,
                flags);
    }

    /// `doca_dpa_dev_rdma_post_buf_read`: reads all of a buffer of the peer to the beginning of a
    /// buffer.
    public static void postBufRead(
            DpaThread thread, long rdma, int connection, long to, long from, int flags) {
        long lengthBytes = DocaDpaDevBuf.getLen(thread, from);
        read(thread, rdma, connection, to, 0, from, 0, lengthBytes, flags);
    }

    /// `doca_dpa_dev_rdma_post_buf_send`: sends all of a buffer as a message.
    public static void postBufSend(
            DpaThread thread, long rdma, int connection, long buf, int flags) {
        send(thread, rdma, connection, buf, 0, DocaDpaDevBuf.getLen(thread, buf), flags);
    }

    /// `doca_dpa_dev_rdma_post_buf_send_imm`: the same with an immediate.
    public static void postBufSendImm(
            DpaThread thread, long rdma, int connection, long buf, int immediate, int flags) {
        long lengthBytes = DocaDpaDevBuf.getLen(thread, buf);
        postSendImm(
                thread,
                rdma,
                connection,
                DocaDpaDevBuf.key(thread, buf),
                DocaDpaDevBuf.own(thread, buf, 0, lengthBytes),
                lengthBytes,
                immediate,
                flags);
    }

    /// `doca_dpa_dev_rdma_post_buf_receive`: a message of a peer may come to a buffer.
    public static void postBufReceive(DpaThread thread, long rdma, long buf) {
        postReceive(thread, rdma, buf, 0, DocaDpaDevBuf.getLen(thread, buf));
    }

    /// `doca_dpa_dev_rdma_post_buf_atomic_fetch_add`: adds to the first 8 bytes of a buffer of the
    /// peer.
    public static void postBufAtomicFetchAdd(
            DpaThread thread, long rdma, int connection, long to, long addend, int flags) {
        postAtomicFetchAdd(
                thread,
                rdma,
                connection,
                DocaDpaDevBuf.key(thread, to),
                DocaDpaDevBuf.remote(thread, to, 0, Long.BYTES),
                addend,
                flags);
    }

    // Of early releases

    /// `doca_dpa_dev_rdma_write`, as it was first: writes the first bytes of a buffer to the
    /// beginning of a buffer of the peer.
    public static void write(DpaThread thread, long rdma, long to, long from, long lengthBytes) {
        write(thread, rdma, to, 0, from, 0, lengthBytes);
    }

    /// `doca_dpa_dev_rdma_write`: writes a part of a buffer to a buffer of the peer.
    public static void write(
            DpaThread thread,
            long rdma,
            long to,
            long toOffset,
            long from,
            long fromOffset,
            long lengthBytes) {
        write(thread, rdma, 0, to, toOffset, from, fromOffset, lengthBytes, FLUSH);
    }

    private static void write(
            DpaThread thread,
            long rdma,
            int connection,
            long to,
            long toOffset,
            long from,
            long fromOffset,
            long lengthBytes,
            int flags) {
        postWrite(
                thread,
                rdma,
                connection,
                DocaDpaDevBuf.key(thread, to),
                DocaDpaDevBuf.remote(thread, to, toOffset, lengthBytes),
                DocaDpaDevBuf.key(thread, from),
                DocaDpaDevBuf.own(thread, from, fromOffset, lengthBytes),
                lengthBytes,
                flags);
    }

    /// `doca_dpa_dev_rdma_read`: reads a part of a buffer of the peer to a buffer.
    public static void read(
            DpaThread thread,
            long rdma,
            long to,
            long toOffset,
            long from,
            long fromOffset,
            long lengthBytes) {
        read(thread, rdma, 0, to, toOffset, from, fromOffset, lengthBytes, FLUSH);
    }

    private static void read(
            DpaThread thread,
            long rdma,
            int connection,
            long to,
            long toOffset,
            long from,
            long fromOffset,
            long lengthBytes,
            int flags) {
        postRead(
                thread,
                rdma,
                connection,
                DocaDpaDevBuf.key(thread, to),
                DocaDpaDevBuf.own(thread, to, toOffset, lengthBytes),
                DocaDpaDevBuf.key(thread, from),
                DocaDpaDevBuf.remote(thread, from, fromOffset, lengthBytes),
                lengthBytes,
                flags);
    }

    /// `doca_dpa_dev_rdma_post_send`, as it was before: sends a part of a buffer as a message.
    public static void postSend(
            DpaThread thread, long rdma, long buf, long offset, long lengthBytes) {
        send(thread, rdma, 0, buf, offset, lengthBytes, FLUSH);
    }

    private static void send(
            DpaThread thread,
            long rdma,
            int connection,
            long buf,
            long offset,
            long lengthBytes,
            int flags) {
        postSend(
                thread,
                rdma,
                connection,
                DocaDpaDevBuf.key(thread, buf),
                DocaDpaDevBuf.own(thread, buf, offset, lengthBytes),
                lengthBytes,
                flags);
    }

    /// `doca_dpa_dev_rdma_post_receive`, as it was before: a message of a peer may come to a part
    /// of a buffer.
    public static void postReceive(
            DpaThread thread, long rdma, long buf, long offset, long lengthBytes) {
        RdmaQueue.receive(
                thread,
                rdma,
                DocaDpaDevBuf.key(thread, buf),
                DocaDpaDevBuf.own(thread, buf, offset, lengthBytes),
                lengthBytes);
    }

    /// `doca_dpa_dev_rdma_atomic_fetch_add`: adds to 8 bytes of a buffer of the peer.
    public static void atomicFetchAdd(
            DpaThread thread, long rdma, long to, long offset, long addend) {
        postAtomicFetchAdd(
                thread,
                rdma,
                0,
                DocaDpaDevBuf.key(thread, to),
                DocaDpaDevBuf.remote(thread, to, offset, Long.BYTES),
                addend,
                FLUSH);
    }

    /// `doca_dpa_dev_rdma_signal_set`, as it was before.
    public static void signalSet(DpaThread thread, long rdma, long event, long value) {
        signalSet(thread, rdma, 0, event, value);
    }

    /// `doca_dpa_dev_rdma_signal_add`, as it was before.
    public static void signalAdd(DpaThread thread, long rdma, long event, long addend) {
        signalAdd(thread, rdma, 0, event, addend);
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
