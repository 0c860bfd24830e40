package dev.outboard.doca.jobs;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaException;
import org.jspecify.annotations.Nullable;

/// Takes the next message of the peer (`doca_rdma_job_recv`).
///
/// @param type RECV
/// @param dst where messages are appended; null takes those without payload, and immediates of
///   writes. A chain may have as many buffers as [RdmaInstance#recvBufChainLen]
public record RecvJob(
        JobType type, int flags, RdmaInstance ctx, @Nullable Object userData, @Nullable Buf dst)
        implements Job {
    /// What C fills in one by one.
    public RecvJob {
        DocaException.nonNull(type, "type");
        DocaException.nonNull(ctx, "ctx");
    }

    /// A receive.
    public RecvJob(RdmaInstance ctx, @Nullable Object userData, @Nullable Buf dst) {
        this(JobType.RECV, NO_FLAGS, ctx, userData, dst);
    }

    /// A receive of messages without payload, and of immediates of writes.
    public RecvJob(RdmaInstance ctx, @Nullable Object userData) {
        this(ctx, userData, null);
    }
}
