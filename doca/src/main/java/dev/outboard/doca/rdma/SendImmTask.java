package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.SendRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Sends a message and an immediate into the peer's next receive (`doca_rdma_task_send_imm`).
/// Success does not mean that the peer has it.
public final class SendImmTask extends RequestTask {
    private final Operand<Buf> src = new Operand<>();
    private int immediate;

    SendImmTask(Rdma rdma, RdmaConnection connection, @Nullable Buf src, Be32 immediate) {
        super(rdma, TaskType.SEND_IMM, connection);
        this.src.set(src);
        this.immediate = immediate.toHost();
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

    /// The immediate.
    public Be32 immediate() {
        requireNotFreed();
        return Be32.ofHost(immediate);
    }

    /// Changes the immediate.
    public void immediate(Be32 newImmediate) {
        DocaException.nonNull(newImmediate, "newImmediate");
        requireUserOwned();
        immediate = newImmediate.toHost();
    }

    @Override
    @Nullable ValidationRule check() {
        return checkSource(src);
    }

    @Override
    @Nullable ValidationRule checkMore() {
        return BufLists.checkMemory(src.get(), false);
    }

    /// DRDMA-SENDI-1, DRDMA-SENDI-3: any 32 bits, with nothing, too.
    @Override
    void prepare(SendRequest request) {
        request.sendWithImmediate(immediate);
        BufLists.gather(request, src.get(), ctx().device(), Long.MAX_VALUE);
    }

    @Override
    void complete() {}

    @Override
    public CompletableFuture<SendImmTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "send of %s with immediate %s".formatted(text(src.get()), Be32.ofHost(immediate));
    }
}
