package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.BufRange;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.SubmitFlag;
import dev.outboard.doca.Task;
import dev.outboard.doca.ValidationRule;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A task of an [Rdma] context. All operations are asynchronous; buffers have to stay valid and
/// untouched until the task completes.
///
/// Bytes that a completed receive, read or atomic has placed are visible in its callback, and to
/// threads that the callback hands them to by the means of Java. Most operations are not atomic
/// towards the processors of the peer, nor towards other tasks; applications have to synchronise.
public abstract sealed class RdmaTask extends Task permits ReceiveTask, RequestTask {
    private final Rdma rdma;
    private final TaskType type;

    /// The context's: set if it is to fail without being posted.
    @Nullable ValidationRule broken;

    RdmaTask(Rdma rdma, TaskType type) {
        super(rdma);
        this.rdma = rdma;
        this.type = type;
    }

    /// What kind of task it is.
    public final TaskType type() {
        return type;
    }

    @Override
    public final Rdma ctx() {
        return rdma;
    }

    @Override
    public final DocaError submit() {
        return rdma.submit(this, false, true);
    }

    /// DCORE-TASK-15: without FLUSH the task is held back.
    @Override
    public final DocaError submit(Set<SubmitFlag> flags) {
        if (flags == null) {
            return DocaError.INVALID_VALUE;
        }
        return rdma.submit(this, false, flags.contains(SubmitFlag.FLUSH));
    }

    @Override
    public final DocaError trySubmit() {
        return rdma.submit(this, true, true);
    }

    /// What must not be posted.
    abstract @Nullable ValidationRule check();

    /// What else the transport, or the peer, would find wrong; [#check] found nothing.
    abstract @Nullable ValidationRule checkMore();

    /// A list operand, and whether it is still the buffer it was when it was set.
    static final class Operand<B extends BufRange> {
        private @Nullable B buf;
        private int generation;

        void set(@Nullable B newBuf) {
            buf = newBuf;
            generation = newBuf == null ? 0 : newBuf.generation();
        }

        @Nullable B get() {
            return buf;
        }

        boolean isReturned() {
            return buf != null && buf.generation() != generation;
        }

        /// The buffer, unless it was given back in the meantime.
        @Nullable B ifValid() {
            return isReturned() ? null : buf;
        }
    }

    static String text(@Nullable Buf list) {
        return list == null ? "nothing" : list.toString();
    }
}
