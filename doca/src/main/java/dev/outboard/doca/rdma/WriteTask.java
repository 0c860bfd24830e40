package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.SendRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Writes into the peer's memory, whose application takes no part and sees nothing
/// (`doca_rdma_task_write`). Success does not mean that the bytes are there yet.
public final class WriteTask extends RequestTask {
    private final WriteOperands operands = new WriteOperands();

    WriteTask(Rdma rdma, RdmaConnection connection, @Nullable Buf src, @Nullable RemoteBuf dst) {
        super(rdma, TaskType.WRITE, connection);
        operands.src.set(src);
        operands.dst.set(dst);
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

    @Override
    @Nullable ValidationRule check() {
        return operands.check(this);
    }

    @Override
    @Nullable ValidationRule checkMore() {
        return operands.checkMore();
    }

    @Override
    void prepare(SendRequest request) {
        operands.take();
        request.write(operands.address(), operands.remoteKey());
        BufLists.gather(request, src(), ctx().device(), Long.MAX_VALUE);
    }

    @Override
    void complete() {
        operands.complete();
    }

    @Override
    public CompletableFuture<WriteTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "write of %s to %s".formatted(text(operands.src.get()), operands.dst.get());
    }
}
