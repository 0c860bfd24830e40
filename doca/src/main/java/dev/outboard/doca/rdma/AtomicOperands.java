package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.rdma.RdmaTask.Operand;
import dev.outboard.fabric.SendRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The 8 bytes in the peer's memory that an atomic changes, and the 8 bytes here that receive what
/// they were: both at the data address of their buffer, whose data stays as long as it is.
final class AtomicOperands {
    final Operand<RemoteBuf> dst = new Operand<>();
    final Operand<Buf> result = new Operand<>();

    /// DRDMA-CAS-1, DRDMA-CAS-5, DRDMA-NULL-6, DFLT-24: both are there, with 8 bytes.
    @Nullable ValidationRule check(RequestTask task) {
        RemoteBuf to = dst.get();
        if (to == null) {
            return ValidationRule.OPERAND_MISSING;
        }
        ValidationRule broken = task.checkRemote(dst);
        if (broken != null) {
            return broken;
        }
        return to.dataLen() + to.tailLen() < Long.BYTES
                ? ValidationRule.LESS_THAN_8_BYTES
                : checkResult(result, task.ctx().device());
    }

    /// DRDMA-CAS-2, DFLT-23: at a multiple of 8.
    @Nullable ValidationRule checkMore() {
        RemoteBuf to = Objects.requireNonNull(dst.get());
        if (!to.mmap().permissions().contains(AccessFlag.RDMA_ATOMIC)) {
            return ValidationRule.REMOTE_PERMISSION;
        }
        return to.dataAddress() % Long.BYTES != 0
                ? ValidationRule.NOT_ALIGNED
                : checkMoreOfResult(result);
    }

    /// DFLT-25: room for the old value.
    static @Nullable ValidationRule checkResult(Operand<Buf> result, DocaDev device) {
        Buf buf = result.get();
        if (buf == null) {
            return ValidationRule.OPERAND_MISSING;
        }
        if (result.isReturned()) {
            return ValidationRule.BUFFER_RETURNED;
        }
        if (buf.mmap().region(device) == null) {
            return ValidationRule.FOREIGN_DEVICE;
        }
        return buf.dataLen() + buf.tailLen() < Long.BYTES ? ValidationRule.LESS_THAN_8_BYTES : null;
    }

    /// DRDMA-CAS-8, DRDMA-COM-7, DRDMA-COM-8, DFLT-13: a single buffer.
    static @Nullable ValidationRule checkMoreOfResult(Operand<Buf> result) {
        Buf buf = Objects.requireNonNull(result.get());
        return buf.next() != null
                ? ValidationRule.LIST_NOT_SUPPORTED
                : BufLists.checkMemory(buf, true);
    }

    /// Makes the result the payload of `request`.
    ///
    /// DRDMA-CAS-4: at the data address of the result, whatever came of it.
    static void place(Operand<Buf> result, SendRequest request, DocaDev device) {
        Buf buf = Objects.requireNonNull(result.get());
        request.payload(Objects.requireNonNull(buf.mmap().region(device)), buf.data(), Long.BYTES);
    }

    long address() {
        return Objects.requireNonNull(dst.get()).dataAddress();
    }

    int remoteKey() {
        return Objects.requireNonNull(dst.get()).mmap().remoteKey();
    }
}
