package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.SendRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A task that sends something to the peer of a connection.
public abstract sealed class RequestTask extends RdmaTask
        permits SendTask,
                SendImmTask,
                ReadTask,
                WriteTask,
                WriteImmTask,
                AtomicCmpSwpTask,
                AtomicFetchAddTask,
                SyncEventGetTask,
                SyncEventNotifySetTask,
                SyncEventNotifyAddTask {
    private RdmaConnection connection;

    RequestTask(Rdma rdma, TaskType type, RdmaConnection connection) {
        super(rdma, type);
        this.connection = connection;
    }

    /// The connection it is submitted to.
    public final RdmaConnection connection() {
        return connection;
    }

    /// Changes the connection it is submitted to.
    ///
    /// @throws DocaException with BAD_STATE if DOCA owns the task, or it was freed
    public final void connection(RdmaConnection newConnection) {
        Objects.requireNonNull(newConnection, "newConnection");
        requireUserOwned();
        connection = newConnection;
    }

    /// Describes it as a work request.
    abstract void prepare(SendRequest request);

    /// It succeeded.
    abstract void complete();

    /// Whether any failure of such a task ends the communication.
    boolean isAlwaysFatal() {
        return false;
    }

    /// The rules for the source of a message.
    final @Nullable ValidationRule checkSource(Operand<Buf> src) {
        ValidationRule broken = checkList(src);
        if (broken == null && BufLists.gatherLength(src.get()) > ctx().messageLimit()) {
            return ValidationRule.MESSAGE_TOO_LONG;
        }
        return broken;
    }

    /// The rules for a list on this side.
    final @Nullable ValidationRule checkList(Operand<Buf> list) {
        return list.isReturned()
                ? ValidationRule.BUFFER_RETURNED
                : BufLists.check(list.get(), ctx().maxSendBufListLen(), ctx().device());
    }
}
