package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ReceiveRequest;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Takes the next message of a peer: a send, a send with immediate, or the immediate of a write
/// (`doca_rdma_task_receive`). The bytes of a send are appended to the destination; those of a
/// write are where the peer wrote them.
public final class ReceiveTask extends RdmaTask {
    private final Operand<Buf> dst = new Operand<>();
    private RecvOpcode opcode = RecvOpcode.RECV_SEND;
    private boolean messageSeen;
    private long resultLength;
    private int immediate;
    private @Nullable RdmaConnection connection;

    /// The context's: the slot its work request names, and its place in the order of submission.
    int slot;

    long sequence;

    ReceiveTask(Rdma rdma, @Nullable Buf dst) {
        super(rdma, TaskType.RECEIVE);
        this.dst.set(dst);
    }

    /// The destination; null takes messages without payload, and immediates of writes.
    public @Nullable Buf dst() {
        requireNotFreed();
        return dst.get();
    }

    /// Changes the destination.
    public void dst(@Nullable Buf newDst) {
        requireUserOwned();
        dst.set(newDst);
    }

    /// Bytes received; for a write with immediate, bytes that the peer wrote.
    ///
    /// DRDMA-RECV-6, DRDMA-COM-19: of a success only.
    ///
    /// @throws DocaException with BAD_STATE unless it succeeded
    public long resultLength() {
        requireSuccess();
        return resultLength;
    }

    /// What filled it, or what it failed for; RECV_SEND if no message was seen, see [#messageSeen],
    /// and for one that was refused before its last packet came, which alone tells the kind.
    ///
    /// DRDMA-RECV-7, DRDMA-RECV-8: valid after a failure, too.
    public RecvOpcode opcode() {
        status();
        return opcode;
    }

    /// Whether a message, complete or not, took this receive: false if it was flushed.
    public boolean messageSeen() {
        status();
        return messageSeen;
    }

    /// The immediate.
    ///
    /// @throws DocaException with BAD_STATE unless it succeeded with an opcode that carries one
    public Be32 immediate() {
        return Be32.ofHost(immediateHost());
    }

    /// The immediate as a number; allocates nothing.
    ///
    /// DRDMA-RECV-9, DRDMA-SENDI-2: of a success with an immediate only.
    ///
    /// @throws DocaException as [#immediate]
    public int immediateHost() {
        requireSuccess();
        if (opcode == RecvOpcode.RECV_SEND) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " received a send, which has no immediate");
        }
        return immediate;
    }

    /// The connection that the message came from.
    ///
    /// DRDMA-CONN-13: receives are for all connections.
    ///
    /// @throws DocaException with BAD_STATE unless it succeeded
    public RdmaConnection connection() {
        requireSuccess();
        return Objects.requireNonNull(connection);
    }

    /// DRDMA-RECV-11, DRDMA-NULL-1: a list of its own limit, or none.
    @Override
    @Nullable ValidationRule check() {
        return dst.isReturned()
                ? ValidationRule.BUFFER_RETURNED
                : BufLists.check(dst.get(), ctx().receiveDstBufListLen(), ctx().device());
    }

    @Override
    @Nullable ValidationRule checkMore() {
        return BufLists.checkMemory(dst.get(), true);
    }

    @Override
    protected String reason(DocaError error) {
        return error == DocaError.FULL
                ? "%d receives of %s are in flight, as many as recvQueueSize allows"
                        .formatted(ctx().recvQueueSize(), ctx())
                : super.reason(error);
    }

    void prepare(ReceiveRequest request) {
        BufLists.scatter(request, dst.get(), ctx().device());
    }

    /// The result of a success.
    ///
    /// DRDMA-RECV-5, DRDMA-RECV-10: a send is appended, a write is where the peer put it.
    void complete(Completion completion, RdmaConnection from) {
        messageSeen = true;
        connection = from;
        resultLength = completion.byteCount();
        immediate = completion.immediate();
        if (completion.opcode() == CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE) {
            opcode = RecvOpcode.RECV_WRITE_WITH_IMM;
        } else {
            opcode =
                    completion.hasImmediate()
                            ? RecvOpcode.RECV_SEND_WITH_IMM
                            : RecvOpcode.RECV_SEND;
            BufLists.append(dst.ifValid(), resultLength);
        }
    }

    /// Nothing more is known of a failure.
    void fail(CompletionStatus status) {
        fail(status, false);
    }

    /// What is known of a failure: whether the message came with an immediate.
    void fail(CompletionStatus status, boolean hasImmediate) {
        opcode = hasImmediate ? RecvOpcode.RECV_SEND_WITH_IMM : RecvOpcode.RECV_SEND;
        messageSeen = status != CompletionStatus.WORK_REQUEST_FLUSHED;
    }

    @Override
    public CompletableFuture<ReceiveTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "receive into " + text(dst.get());
    }
}
