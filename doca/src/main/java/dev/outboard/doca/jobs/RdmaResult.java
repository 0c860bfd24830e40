package dev.outboard.doca.jobs;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.rdma.Be32;
import dev.outboard.doca.rdma.RdmaAddress;
import dev.outboard.doca.rdma.RdmaTask;
import dev.outboard.doca.rdma.ReadTask;
import dev.outboard.doca.rdma.ReceiveTask;
import dev.outboard.doca.rdma.RecvOpcode;
import org.jspecify.annotations.Nullable;

/// How a job ended (`doca_rdma_result`). Immutable.
public final class RdmaResult {
    private final DocaError result;
    private final @Nullable RecvOpcode opcode;
    private final int immediate;
    private final long length;

    private RdmaResult(DocaError result, @Nullable RecvOpcode opcode, int immediate, long length) {
        this.result = result;
        this.opcode = opcode;
        this.immediate = immediate;
        this.length = length;
    }

    /// How `task`, which has completed, ended.
    static RdmaResult of(RdmaTask task) {
        if (task.status() != DocaError.SUCCESS) {
            return new RdmaResult(task.status(), null, 0, 0);
        }
        return switch (task) {
            case ReceiveTask receive ->
                    new RdmaResult(
                            DocaError.SUCCESS,
                            receive.opcode(),
                            receive.opcode() == RecvOpcode.RECV_SEND ? 0 : receive.immediateHost(),
                            receive.resultLength());
            case ReadTask read -> new RdmaResult(DocaError.SUCCESS, null, 0, read.resultLength());
            default -> new RdmaResult(DocaError.SUCCESS, null, 0, 0);
        };
    }

    /// SUCCESS, or why the job failed.
    public DocaError result() {
        return result;
    }

    /// What a receive took.
    ///
    /// @throws DocaException with BAD_STATE unless this is of a successful receive
    public RecvOpcode opcode() {
        if (opcode == null) {
            throw new DocaException(
                    DocaError.BAD_STATE, "only a successful receive has an opcode, not " + this);
        }
        return opcode;
    }

    /// The immediate that a receive took.
    ///
    /// DJOB-RES-2: of a receive that brought one.
    ///
    /// @throws DocaException with BAD_STATE unless this is of a successful receive whose opcode has
    ///   one
    public Be32 immediate() {
        if (opcode() == RecvOpcode.RECV_SEND) {
            throw new DocaException(DocaError.BAD_STATE, "a send has no immediate: " + this);
        }
        return Be32.ofHost(immediate);
    }

    /// Bytes that a receive or a read got; 0 for all else.
    ///
    /// DJOB-RES-3: what was received or read.
    public long length() {
        return length;
    }

    /// Always null: no transport here needs it.
    ///
    /// DJOB-RES-1: unused, as in DOCA.
    public @Nullable RdmaAddress peerAddress() {
        return null;
    }

    @Override
    public String toString() {
        return result + (opcode == null ? "" : " " + opcode) + ", " + length + " bytes";
    }
}
