package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.rdma.RdmaTask.Operand;
import org.jspecify.annotations.Nullable;

/// From where to where a write goes, with or without immediate: the data of the source behind the
/// data of the destination. Without a source nothing is written.
final class WriteOperands {
    final Operand<Buf> src = new Operand<>();
    final Operand<RemoteBuf> dst = new Operand<>();

    /// What was submitted.
    private long length;

    private long address;

    /// DRDMA-WRITE-4, DRDMA-NULL-4, DRDMA-NULL-5, DFLT-3: it fits, or there is nothing.
    @Nullable ValidationRule check(RequestTask task) {
        ValidationRule broken = task.checkSource(src);
        if (broken != null || src.get() == null) {
            return broken;
        }
        RemoteBuf to = dst.get();
        if (to == null) {
            return ValidationRule.OPERAND_MISSING;
        }
        broken = task.checkRemote(dst);
        if (broken != null) {
            return broken;
        }
        return BufLists.gatherLength(src.get()) > to.tailLen()
                ? ValidationRule.TAIL_TOO_SHORT
                : null;
    }

    /// DRDMA-PERM-5: a permission that is missing is seen on this side, too.
    @Nullable ValidationRule checkMore() {
        RemoteBuf to = dst.get();
        if (src.get() != null
                && to != null
                && !to.mmap().permissions().contains(AccessFlag.RDMA_WRITE)) {
            return ValidationRule.REMOTE_PERMISSION;
        }
        return BufLists.checkMemory(src.get(), false);
    }

    /// Takes what the operands are now.
    ///
    /// DRDMA-WRITE-1, DRDMA-WRITE-2: the data of the source, to the tail of the destination.
    void take() {
        RemoteBuf to = dst.get();
        length = BufLists.gatherLength(src.get());
        address = to == null ? 0 : to.tailAddress();
    }

    long address() {
        return address;
    }

    int remoteKey() {
        RemoteBuf to = dst.get();
        return to == null ? 0 : to.mmap().remoteKey();
    }

    /// The destination holds what was written.
    ///
    /// DRDMA-WRITE-5: the destination's data grows.
    void complete() {
        RemoteBuf to = dst.ifValid();
        if (to != null && length > 0) {
            to.dataLen(to.dataLen() + length);
        }
    }
}
