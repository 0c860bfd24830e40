package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;

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

    /// `doca_dpa_dev_memcpy_synchronize`: waits for all copies that the calling thread has begun.
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
