package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;

/// DPA-DM-4: copies between [buffers][DocaDpaDevBuf], which the NIC makes: `doca_dpa_dev_buf.h`.
/// Memory of the DPA is copied as what it is to an [mmap][dev.outboard.doca.MmapBuilder#memrange]
/// of it. Kernels call it.
///
/// DPA-MEM-16: the fences and cache operations that this takes are in the calls: a copy brings what
/// the thread has stored before, and after [#synchronize] it loads what was copied.
///
/// A copy that fails, such as one to memory that must not be written, ends the context.
public final class DocaDpaDevMemcpy {
    /// What the NIC moves in one entry.
    private static final int MOST_BYTES = 64 << 10;

    private DocaDpaDevMemcpy() {}

    /// `doca_dpa_dev_memcpy_nb`: begins a copy, and does not wait for its end. Copies of a thread
    /// are made in their order.
    public static void memcpyNb(
            DpaThread thread, long to, long toOffset, long from, long fromOffset, long length) {
        long context = ThreadContext.of(thread);
        long target = DocaDpaDevBuf.own(thread, to, toOffset, length);
        long source = DocaDpaDevBuf.own(thread, from, fromOffset, length);
        ThreadContext.release(thread);
        for (long at = 0; at < length; at += MOST_BYTES) {
            Channel.copy(
                    thread,
                    context,
                    target + at,
                    DocaDpaDevBuf.key(thread, to),
                    source + at,
                    DocaDpaDevBuf.key(thread, from),
                    (int) Math.min(MOST_BYTES, length - at));
        }
    }

    /// `doca_dpa_dev_memcpy_transpose2D_nb`: begins a copy of a matrix, row by row, that makes its
    /// columns the rows, and does not wait for its end.
    ///
    /// @param length of the matrix: that of all its elements, up to 64 KiB
    /// @param elementBytes from 1 to 255
    /// @param columns from 1 to 127
    /// @param rows from 1 to 127
    public static void memcpyTranspose2dNb(
            DpaThread thread,
            long to,
            long toOffset,
            long from,
            long fromOffset,
            long length,
            int elementBytes,
            int columns,
            int rows) {
        long context = ThreadContext.of(thread);
        long target = DocaDpaDevBuf.own(thread, to, toOffset, length);
        long source = DocaDpaDevBuf.own(thread, from, fromOffset, length);
        ThreadContext.release(thread);
        Channel.transpose(
                thread,
                context,
                target,
                DocaDpaDevBuf.key(thread, to),
                source,
                DocaDpaDevBuf.key(thread, from),
                (int) length,
                elementBytes,
                columns,
                rows);
    }

    /// `doca_dpa_dev_post_memcpy`: begins a copy between two
    /// [mmaps][dev.outboard.doca.Mmap#handle], and does not wait for its end, which is a completion
    /// of the context, with the type `SEND`, or `SEND_ERR` if it failed: then the context does no
    /// more. Operations of a context are done in their order. A copy has an operation for each 64
    /// KiB, and a completion for the last.
    ///
    /// @param asyncOps the handle of a [context][dev.outboard.dpa.doca.DocaDpaAsyncOps], which one
    ///   thread uses at a time; more operations than its queue holds are a fault
    /// @param length of the copy; 0 is an operation, too
    /// @param flags [DocaDpaDevRdma#FLUSH], without which the copy may wait for the next operation
    ///   that has it; [DocaDpaDevRdma#OPTIMIZE_REPORTS]: only some have a completion
    public static void postMemcpy(
            DpaThread thread,
            long asyncOps,
            int toMmap,
            long toAddress,
            int fromMmap,
            long fromAddress,
            long length,
            int flags) {
        if (length < 0) {
            throw new FaultSignal(
                    Fault.COPY_FAILED, "a copy of %d bytes; valid: 0 or more".formatted(length));
        }
        AsyncQueue.reserve(thread, asyncOps, Math.max(1, (length + MOST_BYTES - 1) / MOST_BYTES));
        long at = 0;
        for (; length - at > MOST_BYTES; at += MOST_BYTES) {
            AsyncQueue.copy(
                    thread,
                    asyncOps,
                    toAddress + at,
                    toMmap,
                    fromAddress + at,
                    fromMmap,
                    MOST_BYTES,
                    false);
        }
        AsyncQueue.copy(
                thread,
                asyncOps,
                toAddress + at,
                toMmap,
                fromAddress + at,
                fromMmap,
                (int) (length - at),
                AsyncQueue.isTold(thread, asyncOps, flags));
        if ((flags & DocaDpaDevRdma.FLUSH) != 0) {
            ThreadContext.release(thread);
            AsyncQueue.ring(thread, asyncOps);
        }
    }

    /// `doca_dpa_dev_post_buf_memcpy`: the same for a whole [buffer][DocaDpaDevBuf], to the begin
    /// of another.
    public static void postBufMemcpy(
            DpaThread thread, long asyncOps, long to, long from, int flags) {
        long length = DocaDpaDevBuf.getLen(thread, from);
        postMemcpy(
                thread,
                asyncOps,
                DocaDpaDevBuf.key(thread, to),
                DocaDpaDevBuf.own(thread, to, 0, length),
                DocaDpaDevBuf.key(thread, from),
                DocaDpaDevBuf.own(thread, from, 0, length),
                length,
                flags);
    }

    /// `doca_dpa_dev_memcpy_synchronize`: waits for all copies that the calling thread has begun,
    /// but those of a context of asynchronous operations.
    public static void synchronize(DpaThread thread) {
        Channel.await(thread, ThreadContext.of(thread));
        thread.systemFence();
        thread.windowReadInv();
    }

    /// `doca_dpa_dev_memcpy`: copies; done when the call returns.
    public static void memcpy(
            DpaThread thread, long to, long toOffset, long from, long fromOffset, long length) {
        memcpyNb(thread, to, toOffset, from, fromOffset, length);
        synchronize(thread);
    }
}
