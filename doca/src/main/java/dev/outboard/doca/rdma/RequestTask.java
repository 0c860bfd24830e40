package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.SendRequest;
import java.net.InetAddress;
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
        requireNotFreed();
        return connection;
    }

    /// Changes the connection it is submitted to.
    ///
    /// @throws DocaException with BAD_STATE if DOCA owns the task, or it was freed
    public final void connection(RdmaConnection newConnection) {
        DocaException.nonNull(newConnection, "newConnection");
        requireUserOwned();
        connection = newConnection;
    }

    @Override
    protected final String reason(DocaError error) {
        return switch (error) {
            case NOT_CONNECTED ->
                    "%s is %s; connect it first".formatted(connection, connection.state());
            case FULL ->
                    "%d requests of %s are in flight, as many as sendQueueSize allows"
                            .formatted(ctx().sendQueueSize(), connection);
            default -> super.reason(error);
        };
    }

    /// Describes it as a work request.
    abstract void prepare(SendRequest request);

    /// It succeeded.
    abstract void complete();

    /// Whether any failure of such a task ends the communication.
    ///
    /// DRDMA-FAIL-2: what was refused before it was sent ends nothing, with few exceptions.
    boolean isAlwaysFatal() {
        return false;
    }

    /// The rules for the source of a message.
    ///
    /// DRDMA-COM-6, DFLT-9: as long as the device can send.
    final @Nullable ValidationRule checkSource(Operand<Buf> src) {
        ValidationRule broken = checkList(src);
        if (broken == null && BufLists.gatherLength(src.get()) > ctx().messageLimit()) {
            return ValidationRule.MESSAGE_TOO_LONG;
        }
        return broken;
    }

    /// The rules for memory of the peer, which may be missing.
    final @Nullable ValidationRule checkRemote(Operand<RemoteBuf> operand) {
        RemoteBuf buf = operand.get();
        if (buf == null) {
            return null;
        }
        return operand.isReturned()
                ? ValidationRule.BUFFER_RETURNED
                : checkReach(buf.mmap().isThrough(ctx().device()), buf.mmap().host());
    }

    /// The rules for a sync event of the peer, which must be there.
    ///
    /// DSE-EXP-3: over a connection to the owner's device.
    final @Nullable ValidationRule checkEvent(@Nullable SyncEventRemoteNet event) {
        return event == null
                ? ValidationRule.OPERAND_MISSING
                : checkReach(event.isThrough(ctx().device()), event.host());
    }

    private @Nullable ValidationRule checkReach(boolean isThroughOurDevice, InetAddress host) {
        if (!isThroughOurDevice) {
            return ValidationRule.FOREIGN_DEVICE;
        }
        return connection.leadsTo(host) ? null : ValidationRule.FOREIGN_PEER;
    }

    /// The rules for a list on this side.
    ///
    /// DRDMA-PROP-17: one limit for all that share it.
    final @Nullable ValidationRule checkList(Operand<Buf> list) {
        return list.isReturned()
                ? ValidationRule.BUFFER_RETURNED
                : BufLists.check(list.get(), ctx().maxSendBufListLen(), ctx().device());
    }
}
