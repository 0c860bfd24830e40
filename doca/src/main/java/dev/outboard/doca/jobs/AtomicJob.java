package dev.outboard.doca.jobs;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.rdma.RdmaAddress;
import org.jspecify.annotations.Nullable;

/// Changes 8 bytes in the memory of the peer in one indivisible step (`doca_rdma_job_atomic`). If
/// it fails its instance goes to ERROR.
///
/// @param type ATOMIC_CMP_SWP or ATOMIC_FETCH_ADD
/// @param cmpOrAddDest the 8 bytes, at its data address
/// @param result where their old value goes, at its data address
/// @param swapOrAdd the new value of a compare-and-swap, what a fetch-and-add adds
/// @param compare the value that a compare-and-swap replaces; a fetch-and-add ignores it
/// @param peerAddress ignored
public record AtomicJob(
        JobType type,
        int flags,
        RdmaInstance ctx,
        @Nullable Object userData,
        RemoteBuf cmpOrAddDest,
        Buf result,
        long swapOrAdd,
        long compare,
        @Nullable RdmaAddress peerAddress)
        implements Job {
    /// What C fills in one by one.
    public AtomicJob {
        DocaException.nonNull(type, "type");
        DocaException.nonNull(ctx, "ctx");
        DocaException.nonNull(cmpOrAddDest, "cmpOrAddDest");
        DocaException.nonNull(result, "result");
    }

    /// A compare-and-swap of `compare` to `swapOrAdd`.
    public static AtomicJob cmpSwp(
            RdmaInstance ctx,
            @Nullable Object userData,
            RemoteBuf cmpOrAddDest,
            Buf result,
            long swapOrAdd,
            long compare) {
        JobType type = JobType.ATOMIC_CMP_SWP;
        int flags = NO_FLAGS;
        RdmaAddress peerAddress = null;
        return new AtomicJob(
                type, flags, ctx, userData, cmpOrAddDest, result, swapOrAdd, compare, peerAddress);
    }

    /// A fetch-and-add of `swapOrAdd`.
    public static AtomicJob fetchAdd(
            RdmaInstance ctx,
            @Nullable Object userData,
            RemoteBuf cmpOrAddDest,
            Buf result,
            long swapOrAdd) {
        JobType type = JobType.ATOMIC_FETCH_ADD;
        int flags = NO_FLAGS;
        long compare = 0;
        RdmaAddress peerAddress = null;
        return new AtomicJob(
                type, flags, ctx, userData, cmpOrAddDest, result, swapOrAdd, compare, peerAddress);
    }

    /// The same of another type.
    public AtomicJob withType(JobType type) {
        return new AtomicJob(
                type, flags, ctx, userData, cmpOrAddDest, result, swapOrAdd, compare, peerAddress);
    }

    /// The same with these flags.
    public AtomicJob withFlags(int flags) {
        return new AtomicJob(
                type, flags, ctx, userData, cmpOrAddDest, result, swapOrAdd, compare, peerAddress);
    }

    /// The same with this value to compare.
    public AtomicJob withCompare(long compare) {
        return new AtomicJob(
                type, flags, ctx, userData, cmpOrAddDest, result, swapOrAdd, compare, peerAddress);
    }

    /// The same with this address, which is ignored.
    public AtomicJob withPeerAddress(RdmaAddress peerAddress) {
        DocaException.nonNull(peerAddress, "peerAddress");
        return new AtomicJob(
                type, flags, ctx, userData, cmpOrAddDest, result, swapOrAdd, compare, peerAddress);
    }

    /// DJAVA-RDMA-3: its numbers are unsigned.
    @Override
    public String toString() {
        String number = Long.toUnsignedString(swapOrAdd);
        return type == JobType.ATOMIC_CMP_SWP
                ? "%s of %s from %s to %s"
                        .formatted(type, cmpOrAddDest, Long.toUnsignedString(compare), number)
                : "%s of %s to %s".formatted(type, number, cmpOrAddDest);
    }
}
