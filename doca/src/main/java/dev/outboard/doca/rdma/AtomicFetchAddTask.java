package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.SendRequest;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Adds to 8 bytes in the peer's memory modulo 2^64, in one indivisible step, and fetches what they
/// were (`doca_rdma_task_atomic_fetch_add`). Any failure stops the context. The operands are
/// numbers in native byte order on both ends, unsigned where that matters.
public final class AtomicFetchAddTask extends RequestTask {
    private final AtomicOperands operands = new AtomicOperands();
    private long add;

    AtomicFetchAddTask(Rdma rdma, RdmaConnection connection, RemoteBuf dst, Buf result, long add) {
        super(rdma, TaskType.ATOMIC_FETCH_ADD, connection);
        operands.dst.set(dst);
        operands.result.set(result);
        this.add = add;
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

    /// What is added.
    public long add() {
        requireNotFreed();
        return add;
    }

    /// Changes it.
    public void add(long newAdd) {
        requireUserOwned();
        add = newAdd;
    }

    @Override
    @Nullable ValidationRule check() {
        return operands.check(this);
    }

    @Override
    @Nullable ValidationRule checkMore() {
        return operands.checkMore();
    }

    /// DRDMA-FADD-1, DRDMA-FADD-2: modulo 2^64, with the operands of a compare-and-swap.
    @Override
    void prepare(SendRequest request) {
        request.fetchAndAdd(operands.address(), operands.remoteKey(), add);
        AtomicOperands.place(operands.result, request, ctx().device());
    }

    @Override
    void complete() {}

    @Override
    boolean isAlwaysFatal() {
        return true;
    }

    @Override
    public CompletableFuture<AtomicFetchAddTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "fetch-and-add of %s to %s"
                .formatted(Long.toUnsignedString(add), operands.dst.get());
    }
}
