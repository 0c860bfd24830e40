package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.Flow;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SharedReceiveQueue;
import dev.outboard.fabric.drive.Doorbell;
import dev.outboard.fabric.roce.nic.NicQueuePair;
import dev.outboard.fabric.roce.transport.QueuePairMachine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The application's view of a queue pair.
final class RoceQueuePair implements QueuePair {
    private final RoceDevice device;
    private final RoceProtectionDomain domain;
    private final NicQueuePair queuePair;
    private final QueuePairMachine machine;
    private final Uses uses;
    private final Doorbell bell = new Bell();
    private volatile boolean closed;

    /// Rung when something was posted.
    private final class Bell extends Doorbell {
        @Override
        protected void ready() {
            device.nic().ready(queuePair);
        }

        @Override
        protected boolean isWaitingForAnswers() {
            return machine.isWaitingForAnswers();
        }
    }

    /// What a queue pair is made of, and what must not be closed before it.
    record Uses(
            RoceCompletionQueue sendQueue,
            RoceCompletionQueue receiveQueue,
            @Nullable RoceSharedReceiveQueue shared) {
        /// What `attributes` name for a queue pair of `domain`, which all must be open and go with
        /// it.
        static Uses of(QueuePairAttributes attributes, RoceProtectionDomain domain) {
            SharedReceiveQueue named = attributes.sharedReceiveQueue().orElse(null);
            RoceSharedReceiveQueue shared = null;
            if (named != null) {
                if (!(named instanceof RoceSharedReceiveQueue ours && ours.domain() == domain)) {
                    throw new FabricException(
                            Reason.INVALID_ARGUMENT,
                            "the shared receive queue of a queue pair must come from its"
                                    + " protection domain");
                }
                ours.requireOpen();
                shared = ours;
            }
            return new Uses(
                    ours(attributes.sendQueue(), domain.device()),
                    ours(attributes.receiveQueue(), domain.device()),
                    shared);
        }

        private static RoceCompletionQueue ours(CompletionQueue queue, RoceDevice device) {
            if (queue instanceof RoceCompletionQueue ours && ours.isOf(device)) {
                ours.requireOpen();
                return ours;
            }
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "the completion queues of a queue pair must come from " + device.name());
        }

        void joined() {
            sendQueue.joined();
            receiveQueue.joined();
            if (shared != null) {
                shared.joined();
            }
        }

        void left() {
            sendQueue.left();
            receiveQueue.left();
            if (shared != null) {
                shared.left();
            }
        }
    }

    RoceQueuePair(
            RoceDevice device, RoceProtectionDomain domain, NicQueuePair queuePair, Uses uses) {
        this.device = device;
        this.domain = domain;
        this.queuePair = queuePair;
        this.machine = queuePair.machine();
        this.uses = uses;
    }

    @Override
    public int number() {
        return machine.number();
    }

    @Override
    public QueuePairType type() {
        return machine.type();
    }

    /// ERROR once it is closed, with its device or alone.
    @Override
    public QueuePairState state() {
        return closed ? QueuePairState.ERROR : machine.state();
    }

    @Override
    public void modify(QueuePairChange change) {
        requireOpen();
        device.engine().exclusively(() -> device.nic().modify(queuePair, change));
    }

    @Override
    public boolean post(SendRequest request) {
        requireOpen();
        boolean posted = machine.post(request);
        device.engine().ring(bell);
        return posted;
    }

    @Override
    public int post(List<SendRequest> requests) {
        requireOpen();
        int posted = 0;
        try {
            while (posted < requests.size() && machine.post(requests.get(posted))) {
                posted++;
            }
        } catch (FabricException e) {
            if (posted == 0) {
                throw e;
            }
        }
        device.engine().ring(bell);
        return posted;
    }

    @Override
    public boolean post(ReceiveRequest request) {
        requireOpen();
        boolean posted = machine.post(request);
        if (posted && machine.state() == QueuePairState.ERROR) {
            device.engine().ring(bell);
        }
        return posted;
    }

    @Override
    public Flow createFlow(FlowMatch match) {
        if (type() != QueuePairType.RAW_PACKET) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "queue pair %d of %s is %s; flows lead to a queue pair of type RAW_PACKET"
                            .formatted(number(), device.name(), type()));
        }
        return device.engine()
                .exclusively(() -> {
                    requireOpen();
                    return new RoceFlow(device, queuePair, match);
                });
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counters = new LinkedHashMap<>();
        machine.countersTo(counters);
        return counters;
    }

    @Override
    public long bytesReceived() {
        return machine.bytesReceived();
    }

    @Override
    public void close() {
        device.engine().exclusively(this::release);
    }

    private void release() {
        if (closed) {
            return;
        }
        closed = true;
        device.nic().remove(queuePair);
        device.left(this);
        device.regions().queuePairGone(number());
        domain.left(this);
        uses.left();
    }

    boolean isOf(RoceDevice other) {
        return device == other;
    }

    boolean isOpen() {
        return !closed;
    }

    QueuePairMachine machine() {
        return machine;
    }

    NicQueuePair inMachine() {
        return queuePair;
    }

    private void requireOpen() {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED,
                    "queue pair " + number() + " of " + device.name() + " is closed");
        }
    }
}
