package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// Two ends to connect, of which theirs owns a sync event that ours knows.
abstract class RdmaSyncEventPairContract extends RdmaPairContract {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final long ALL = -1;
    static final long SOME = 0x1122334455667788L;

    /// Where the operands of ours are.
    static final int DATA = 64;

    /// The tasks, with operands that work.
    enum Operation {
        GET,
        SET,
        ADD;

        RequestTask of(RdmaEnd end, SyncEventRemoteNet event) {
            return switch (this) {
                case GET -> end.peer.allocSyncEventGet(event, end.room(DATA, 8));
                case SET -> end.peer.allocSyncEventNotifySet(event, end.dataAt(DATA, 8));
                case ADD -> end.peer.allocSyncEventNotifyAdd(event, 1, end.room(DATA, 8));
            };
        }
    }

    SyncEvent event;
    SyncEventRemoteNet known;

    @BeforeEach
    final void start() {
        event =
                new SyncEvent(theirs.dev)
                        .publisher(Location.REMOTE_NET)
                        .subscriber(Location.CPU)
                        .start();
        known = importedBy(ours);
    }

    /// The event as `end` knows it.
    final SyncEventRemoteNet importedBy(RdmaEnd end) {
        return SyncEventRemoteNet.fromExport(end.dev, event.exportToRemoteNet());
    }

    @AfterEach
    final void stop() {
        event.close();
    }

    /// `trySubmit` refuses `task`; `submit` leaves it to the error callback, and the context stops.
    final void assertStops(ValidationRule rule, RequestTask task) {
        FailureCause cause = FailureCause.Validation.of(rule);
        assertThat(task.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(task.failure()).contains(cause);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
        assertThat(ours.run(task)).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(task.failure()).contains(cause);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.STOPPING);
        assertThat(ours.rdma.stopCause()).contains(cause);
        task.free();
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
    }

    final long await(long value) throws InterruptedException {
        return event.waitEq(value, ALL, Spin.PARK, PATIENCE);
    }

    final long value(long offset) {
        return ours.mmap.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    static byte[] with(byte[] memory, int offset, long value) {
        ByteBuffer.wrap(memory).order(ByteOrder.nativeOrder()).putLong(offset, value);
        return memory;
    }
}
