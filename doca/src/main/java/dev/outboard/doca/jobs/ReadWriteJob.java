package dev.outboard.doca.jobs;

import dev.outboard.doca.Buf;
import dev.outboard.doca.BufRange;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.rdma.Be32;
import dev.outboard.doca.rdma.RdmaAddress;
import org.jspecify.annotations.Nullable;

/// Reads from or writes into the memory of the peer (`doca_rdma_job_read_write`).
///
/// @param type READ, WRITE or WRITE_IMM
/// @param dst what data is appended to: a [Buf] for a read, a [RemoteBuf] for a write; may be null
///   if `src` is
/// @param src where the data is: a [RemoteBuf] for a read, a [Buf] for a write; null moves nothing
/// @param immediate ignored unless the type is WRITE_IMM
/// @param peerAddress ignored
public record ReadWriteJob(
        JobType type,
        int flags,
        RdmaInstance ctx,
        @Nullable Object userData,
        @Nullable BufRange dst,
        @Nullable BufRange src,
        Be32 immediate,
        @Nullable RdmaAddress peerAddress)
        implements Job {
    /// What C fills in one by one.
    public ReadWriteJob {
        DocaException.nonNull(type, "type");
        DocaException.nonNull(ctx, "ctx");
        DocaException.nonNull(immediate, "immediate");
    }

    /// A read.
    public static ReadWriteJob read(
            RdmaInstance ctx,
            @Nullable Object userData,
            @Nullable Buf dst,
            @Nullable RemoteBuf src) {
        return new ReadWriteJob(
                JobType.READ, NO_FLAGS, ctx, userData, dst, src, Be32.ofHost(0), null);
    }

    /// A write without immediate.
    public static ReadWriteJob write(
            RdmaInstance ctx,
            @Nullable Object userData,
            @Nullable RemoteBuf dst,
            @Nullable Buf src) {
        return new ReadWriteJob(
                JobType.WRITE, NO_FLAGS, ctx, userData, dst, src, Be32.ofHost(0), null);
    }

    /// A write with immediate, which takes a receive of the peer.
    public static ReadWriteJob writeImm(
            RdmaInstance ctx,
            @Nullable Object userData,
            @Nullable RemoteBuf dst,
            @Nullable Buf src,
            Be32 immediate) {
        return new ReadWriteJob(
                JobType.WRITE_IMM, NO_FLAGS, ctx, userData, dst, src, immediate, null);
    }

    /// A read of nothing, to see whether the peer is there.
    public static ReadWriteJob read(RdmaInstance ctx, @Nullable Object userData) {
        return read(ctx, userData, null, null);
    }

    /// A write of nothing, to see whether the peer is there.
    public static ReadWriteJob write(RdmaInstance ctx, @Nullable Object userData) {
        return write(ctx, userData, null, null);
    }

    /// A write of an immediate only.
    public static ReadWriteJob writeImm(
            RdmaInstance ctx, @Nullable Object userData, Be32 immediate) {
        return writeImm(ctx, userData, null, null, immediate);
    }
}
