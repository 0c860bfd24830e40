package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.SendRequest;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Replaces 8 bytes in the peer's memory if they are what is expected, in one indivisible step, and
/// fetches what they were (`doca_rdma_task_atomic_cmp_swp`). Any failure stops the context. The
/// operands are numbers in native byte order on both ends, unsigned where that matters.
public final class AtomicCmpSwpTask extends RequestTask {
    private final AtomicOperands operands = new AtomicOperands();
    private long compare;
    private long swap;

    AtomicCmpSwpTask(
            Rdma rdma,
            RdmaConnection connection,
            RemoteBuf dst,
            Buf result,
            long compare,
            long swap) {
        super(rdma, TaskType.ATOMIC_CMP_SWP, connection);
        operands.dst.set(dst);
        operands.result.set(result);
        this.compare = compare;
        this.swap = swap;
    }

    /// The buffer at whose data address the 8 bytes are; a multiple of 8.
    public RemoteBuf dst() {
        requireNotFreed();
        return Objects.requireNonNull(operands.dst.get());
    }

    /// Changes the destination.
    public void dst(RemoteBuf newDst) {
        requireUserOwned();
        operands.dst.set(newDst);
    }

    /// The buffer at whose data address the old value is put.
    public Buf result() {
        requireNotFreed();
        return Objects.requireNonNull(operands.result.get());
    }

    /// Changes the buffer for the old value.
    public void result(Buf newResult) {
        requireUserOwned();
        operands.result.set(newResult);
    }

    /// The value that is replaced.
    public long compare() {
        requireNotFreed();
        return compare;
    }

    /// Changes it.
    public void compare(long newCompare) {
        requireUserOwned();
        compare = newCompare;
    }

    /// The value that it is replaced by.
    public long swap() {
        requireNotFreed();
        return swap;
    }

    /// Changes it.
    public void swap(long newSwap) {
        requireUserOwned();
        swap = newSwap;
    }

    @Override
    @Nullable ValidationRule check() {
        return operands.check(this);
    }

    @Override
    @Nullable ValidationRule checkMore() {
        return operands.checkMore();
    }

    /// DRDMA-CAS-3: the device compares and swaps.
    @Override
    void prepare(SendRequest request) {
        request.compareAndSwap(operands.address(), operands.remoteKey(), compare, swap);
        AtomicOperands.place(operands.result, request, ctx().device());
    }

    @Override
    void complete() {}

    /// DRDMA-CAS-7: there is no failure that the context survives.
    @Override
    boolean isAlwaysFatal() {
        return true;
    }

    @Override
    public CompletableFuture<AtomicCmpSwpTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "compare-and-swap of %s from %s to %s"
                .formatted(
                        operands.dst.get(),
                        Long.toUnsignedString(compare),
                        Long.toUnsignedString(swap));
    }
}
