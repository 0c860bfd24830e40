package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.SendRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Writes into the peer's memory and gives one of its receives an immediate; when that completes,
/// the bytes are there (`doca_rdma_task_write_imm`).
public final class WriteImmTask extends RequestTask {
    private final WriteOperands operands = new WriteOperands();
    private int immediate;

    WriteImmTask(
            Rdma rdma,
            RdmaConnection connection,
            @Nullable Buf src,
            @Nullable RemoteBuf dst,
            Be32 immediate) {
        super(rdma, TaskType.WRITE_IMM, connection);
        operands.src.set(src);
        operands.dst.set(dst);
        this.immediate = immediate.toHost();
    }

    /// The source; null writes nothing.
    public @Nullable Buf src() {
        requireNotFreed();
        return operands.src.get();
    }

    /// Changes the source.
    public void src(@Nullable Buf newSrc) {
        requireUserOwned();
        operands.src.set(newSrc);
    }

    /// The destination; may be null if the source is.
    public @Nullable RemoteBuf dst() {
        requireNotFreed();
        return operands.dst.get();
    }

    /// Changes the destination.
    public void dst(@Nullable RemoteBuf newDst) {
        requireUserOwned();
        operands.dst.set(newDst);
    }

    /// The immediate.
    public Be32 immediate() {
        requireNotFreed();
        return Be32.ofHost(immediate);
    }

    /// Changes the immediate.
    ///
    /// DRDMA-SENDI-4: between two submissions.
    public void immediate(Be32 newImmediate) {
        DocaException.nonNull(newImmediate, "newImmediate");
        requireUserOwned();
        immediate = newImmediate.toHost();
    }

    @Override
    @Nullable ValidationRule check() {
        return operands.check(this);
    }

    @Override
    @Nullable ValidationRule checkMore() {
        return operands.checkMore();
    }

    /// DRDMA-WRITEI-1, DRDMA-WRITEI-5: the immediate goes with nothing, too.
    @Override
    void prepare(SendRequest request) {
        operands.take();
        request.writeWithImmediate(operands.address(), operands.remoteKey(), immediate);
        BufLists.gather(request, src(), ctx().device(), Long.MAX_VALUE);
    }

    @Override
    void complete() {
        operands.complete();
    }

    @Override
    public CompletableFuture<WriteImmTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "write of %s to %s with immediate %s"
                .formatted(text(operands.src.get()), operands.dst.get(), Be32.ofHost(immediate));
    }
}
