package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.SendRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Sends a message into the peer's next receive (`doca_rdma_task_send`). Success does not mean that
/// the peer has it.
public final class SendTask extends RequestTask {
    private final Operand<Buf> src = new Operand<>();

    SendTask(Rdma rdma, RdmaConnection connection, @Nullable Buf src) {
        super(rdma, TaskType.SEND, connection);
        this.src.set(src);
    }

    /// The source; null is a message without payload.
    public @Nullable Buf src() {
        requireNotFreed();
        return src.get();
    }

    /// Changes the source.
    public void src(@Nullable Buf newSrc) {
        requireUserOwned();
        src.set(newSrc);
    }

    /// DRDMA-SEND-2, DRDMA-SEND-5, DRDMA-NULL-2: a list, or nothing.
    @Override
    @Nullable ValidationRule check() {
        return checkSource(src);
    }

    @Override
    @Nullable ValidationRule checkMore() {
        return BufLists.checkMemory(src.get(), false);
    }

    @Override
    void prepare(SendRequest request) {
        request.send();
        BufLists.gather(request, src.get(), ctx().device(), Long.MAX_VALUE);
    }

    /// DRDMA-SEND-4, DRDMA-SEND-6: the source stays as it is.
    @Override
    void complete() {}

    @Override
    public CompletableFuture<SendTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "send of " + text(src.get());
    }
}
