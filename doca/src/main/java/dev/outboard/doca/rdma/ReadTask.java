package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.SendRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Reads the data of a buffer in the peer's memory behind the data of a local one: as much as there
/// is, or as fits (`doca_rdma_task_read`). The peer's application takes no part and sees nothing.
public final class ReadTask extends RequestTask {
    private final Operand<RemoteBuf> src = new Operand<>();
    private final Operand<Buf> dst = new Operand<>();
    private long length;

    ReadTask(Rdma rdma, RdmaConnection connection, @Nullable RemoteBuf src, @Nullable Buf dst) {
        super(rdma, TaskType.READ, connection);
        this.src.set(src);
        this.dst.set(dst);
    }

    /// The source; null reads nothing.
    public @Nullable RemoteBuf src() {
        requireNotFreed();
        return src.get();
    }

    /// Changes the source.
    public void src(@Nullable RemoteBuf newSrc) {
        requireUserOwned();
        src.set(newSrc);
    }

    /// The destination; may be null if the source is.
    public @Nullable Buf dst() {
        requireNotFreed();
        return dst.get();
    }

    /// Changes the destination.
    public void dst(@Nullable Buf newDst) {
        requireUserOwned();
        dst.set(newDst);
    }

    /// Bytes read.
    ///
    /// DRDMA-READ-6: of a success only.
    ///
    /// @throws dev.outboard.doca.DocaException with BAD_STATE unless it succeeded
    public long resultLength() {
        requireSuccess();
        return length;
    }

    /// DRDMA-READ-4, DRDMA-READ-7, DRDMA-NULL-3, DRDMA-NULL-5: a source needs a destination.
    @Override
    @Nullable ValidationRule check() {
        RemoteBuf from = src.get();
        if (from == null) {
            return checkList(dst);
        }
        if (dst.get() == null) {
            return ValidationRule.OPERAND_MISSING;
        }
        ValidationRule broken = checkRemote(src);
        if (broken != null) {
            return broken;
        }
        return from.dataLen() > ctx().messageLimit()
                ? ValidationRule.MESSAGE_TOO_LONG
                : checkList(dst);
    }

    @Override
    @Nullable ValidationRule checkMore() {
        RemoteBuf from = src.get();
        if (from != null && !from.mmap().permissions().contains(AccessFlag.RDMA_READ)) {
            return ValidationRule.REMOTE_PERMISSION;
        }
        return BufLists.checkMemory(dst.get(), true);
    }

    /// DRDMA-READ-2, DRDMA-READ-3, DFLT-16, DFLT-17: as much as there is, or as fits.
    @Override
    void prepare(SendRequest request) {
        RemoteBuf from = src.get();
        if (from == null) {
            length = 0;
            request.read(0, 0).noPayload();
        } else {
            length = Math.min(from.dataLen(), BufLists.scatterCapacity(dst.get()));
            request.read(from.dataAddress(), from.mmap().remoteKey());
            BufLists.scatter(request, dst.get(), ctx().device(), length);
        }
    }

    /// DRDMA-READ-5: appended to the destination.
    @Override
    void complete() {
        BufLists.append(dst.ifValid(), length);
    }

    @Override
    public CompletableFuture<ReadTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "read of %s into %s".formatted(src.get(), text(dst.get()));
    }
}
