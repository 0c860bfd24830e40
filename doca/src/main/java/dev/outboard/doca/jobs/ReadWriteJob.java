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
        JobType type = JobType.READ;
        int flags = NO_FLAGS;
        Be32 immediate = Be32.ofHost(0);
        RdmaAddress peerAddress = null;
        return new ReadWriteJob(type, flags, ctx, userData, dst, src, immediate, peerAddress);
    }

    /// A write without immediate.
    public static ReadWriteJob write(
            RdmaInstance ctx,
            @Nullable Object userData,
            @Nullable RemoteBuf dst,
            @Nullable Buf src) {
        JobType type = JobType.WRITE;
        int flags = NO_FLAGS;
        Be32 immediate = Be32.ofHost(0);
        RdmaAddress peerAddress = null;
        return new ReadWriteJob(type, flags, ctx, userData, dst, src, immediate, peerAddress);
    }

    /// A write with immediate, which takes a receive of the peer.
    public static ReadWriteJob writeImm(
            RdmaInstance ctx,
            @Nullable Object userData,
            @Nullable RemoteBuf dst,
            @Nullable Buf src,
            Be32 immediate) {
        JobType type = JobType.WRITE_IMM;
        int flags = NO_FLAGS;
        RdmaAddress peerAddress = null;
        return new ReadWriteJob(type, flags, ctx, userData, dst, src, immediate, peerAddress);
    }

    /// The same of another type.
    public ReadWriteJob withType(JobType type) {
        return new ReadWriteJob(type, flags, ctx, userData, dst, src, immediate, peerAddress);
    }

    /// The same with these flags.
    public ReadWriteJob withFlags(int flags) {
        return new ReadWriteJob(type, flags, ctx, userData, dst, src, immediate, peerAddress);
    }

    /// The same with this immediate.
    public ReadWriteJob withImmediate(Be32 immediate) {
        return new ReadWriteJob(type, flags, ctx, userData, dst, src, immediate, peerAddress);
    }

    /// The same with this address, which is ignored.
    public ReadWriteJob withPeerAddress(RdmaAddress peerAddress) {
        DocaException.nonNull(peerAddress, "peerAddress");
        return new ReadWriteJob(type, flags, ctx, userData, dst, src, immediate, peerAddress);
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
