package dev.outboard.doca.jobs;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.rdma.Be32;
import dev.outboard.doca.rdma.RdmaAddress;
import org.jspecify.annotations.Nullable;

/// Sends a message to the next receive of the peer (`doca_rdma_job_send`).
///
/// @param type SEND or SEND_IMM
/// @param src the message; null is one without payload
/// @param immediate ignored unless the type is SEND_IMM
/// @param peerAddress ignored
public record SendJob(
        JobType type,
        int flags,
        RdmaInstance ctx,
        @Nullable Object userData,
        @Nullable Buf src,
        Be32 immediate,
        @Nullable RdmaAddress peerAddress)
        implements Job {
    /// What C fills in one by one.
    public SendJob {
        DocaException.nonNull(type, "type");
        DocaException.nonNull(ctx, "ctx");
        DocaException.nonNull(immediate, "immediate");
    }

    /// A send without immediate.
    public SendJob(RdmaInstance ctx, @Nullable Object userData, @Nullable Buf src) {
        this(JobType.SEND, NO_FLAGS, ctx, userData, src, Be32.ofHost(0), null);
    }

    /// A send with immediate.
    public SendJob(RdmaInstance ctx, @Nullable Object userData, @Nullable Buf src, Be32 immediate) {
        this(JobType.SEND_IMM, NO_FLAGS, ctx, userData, src, immediate, null);
    }

    /// A send of a message without payload.
    public SendJob(RdmaInstance ctx, @Nullable Object userData) {
        this(JobType.SEND, NO_FLAGS, ctx, userData, null, Be32.ofHost(0), null);
    }

    /// A send of an immediate without payload.
    public SendJob(RdmaInstance ctx, @Nullable Object userData, Be32 immediate) {
        this(JobType.SEND_IMM, NO_FLAGS, ctx, userData, null, immediate, null);
    }
}
