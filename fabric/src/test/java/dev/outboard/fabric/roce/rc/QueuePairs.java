package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.fabric.verbs.ReceiveQueue;
import java.util.Optional;
import java.util.function.Consumer;

/// Makes queue pairs for tests, without a device.
public final class QueuePairs {
    private static final Port PORT = new Port(Gid.ofIpv4(0x7F000002), 4096);

    /// Windows are the limit, not this.
    static final int PEER_BUFFER_BYTES = 8 << 20;

    /// Where the peers of the tests send from.
    public static final int UDP_PORT = 0xC000;

    private QueuePairs() {}

    /// One in state INIT that grants the peer everything.
    public static RcQueuePair initialized(
            int number,
            int domain,
            RegionTable regions,
            CompletionRing sendCompletions,
            CompletionRing receiveCompletions,
            QueueSizes sizes) {
        return initialized(
                number,
                domain,
                regions,
                sendCompletions,
                receiveCompletions,
                sizes,
                Optional.empty(),
                event -> {},
                new CongestionControl(false, PEER_BUFFER_BYTES));
    }

    /// One in state INIT that grants the peer everything, tells `events` what happens to it, and
    /// shares `congestion` with others.
    static RcQueuePair initialized(
            int number,
            int domain,
            RegionTable regions,
            CompletionRing sendCompletions,
            CompletionRing receiveCompletions,
            QueueSizes sizes,
            Optional<ReceiveQueue> shared,
            Consumer<AsyncEvent.Type> events,
            CongestionControl congestion) {
        RcQueuePair queuePair =
                new RcQueuePair(
                        new QueuePairCore(
                                number,
                                domain,
                                regions,
                                sendCompletions,
                                receiveCompletions,
                                sizes,
                                shared,
                                false,
                                events),
                        PORT,
                        congestion);
        queuePair.modify(
                QueuePairChange.to(QueuePairState.INIT)
                        .access(Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC));
        return queuePair;
    }
}
