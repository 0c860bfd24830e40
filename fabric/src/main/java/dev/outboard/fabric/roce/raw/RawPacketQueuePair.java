package dev.outboard.fabric.roce.raw;

import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SendRequest.Operation;
import dev.outboard.fabric.memory.MemoryFault;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.transport.EthernetPort;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.transport.QueuePairMachine;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.verbs.Counters;
import dev.outboard.fabric.verbs.DatagramCore;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.ReceiveEntry;
import dev.outboard.fabric.verbs.SendEntry;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A raw packet queue pair as a pure state machine: what is posted leaves as one Ethernet frame,
/// and what is steered here comes as one. Nobody answers, so it needs no time.
public final class RawPacketQueuePair implements QueuePairMachine {
    /// Frames of one [#transmit]: the share of a queue pair in a turn of the device.
    static final int FRAMES_PER_TURN = 32;

    private final QueuePairCore core;
    private final DatagramCore datagrams;
    private final Port port;
    private final EthernetPort ethernet;
    private final Consumer<Discard> discards;
    private final Counters<RawCounter> counters = new Counters<>(RawCounter.class);

    /// A queue pair in state RESET.
    ///
    /// @param ethernet where its frames leave
    /// @param discards told why a frame is dropped
    public RawPacketQueuePair(
            QueuePairCore core, Port port, EthernetPort ethernet, Consumer<Discard> discards) {
        this.core = core;
        this.datagrams =
                new DatagramCore(
                        core, () -> counters.increment(RawCounter.COMPLETION_QUEUE_OVERRUNS));
        this.port = port;
        this.ethernet = ethernet;
        this.discards = discards;
    }

    @Override
    public int number() {
        return core.number();
    }

    @Override
    public QueuePairType type() {
        return QueuePairType.RAW_PACKET;
    }

    @Override
    public QueuePairState state() {
        return datagrams.state();
    }

    @Override
    public void countersTo(Map<String, Long> into) {
        counters.copyTo(into, "");
    }

    @Override
    public long bytesReceived() {
        return counters.get(RawCounter.BYTES_RECEIVED);
    }

    @Override
    public @Nullable Path path() {
        return null;
    }

    @Override
    public boolean post(SendRequest request) {
        datagrams.requireSendable();
        if (request.operation() != Operation.SEND) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "queue pair %d: %s is not possible with raw packets; valid: SEND"
                            .formatted(number(), request.operation()));
        }
        return core.post(request);
    }

    @Override
    public boolean post(ReceiveRequest request) {
        return datagrams.post(request);
    }

    @Override
    public void modify(QueuePairChange change) {
        port.check(this, change);
        datagrams.change(change.state());
        if (change.state() == QueuePairState.RESET) {
            counters.clear();
        }
    }

    /// RoCE packets are none of its business.
    @Override
    public boolean accepts(Packet packet) {
        return false;
    }

    @Override
    public void receive(Packet packet, long nowNanos) {
        throw new AssertionError("accepted no packet");
    }

    /// A frame of `length` bytes was steered here.
    public void receive(MemorySegment frame, int length) {
        if (!datagrams.isReceiving()) {
            drop(RawCounter.WRONG_STATE_DROPPED, Discard.WRONG_STATE);
        } else if (!core.takeReceive()) {
            drop(RawCounter.NO_RECEIVE_DROPPED, Discard.NO_RECEIVE);
        } else {
            deliver(frame, length, core.receive());
        }
    }

    private void deliver(MemorySegment frame, int length, ReceiveEntry receive) {
        if (length > receive.length) {
            // The receive is lost, the queue pair goes on: a peer must not be able to stop it.
            drop(RawCounter.TOO_LONG_DROPPED, Discard.RECEIVE_TOO_SMALL);
            datagrams.told(core.failReceive(CompletionStatus.LOCAL_LENGTH_ERROR));
            return;
        }
        CompletionStatus stored = core.store(0, frame, 0, length);
        if (stored != CompletionStatus.SUCCESS) {
            drop(RawCounter.UNWRITABLE_DROPPED, Discard.RECEIVE_UNWRITABLE);
            datagrams.told(core.failReceive(stored));
            datagrams.fail();
            return;
        }
        counters.increment(RawCounter.FRAMES_RECEIVED);
        counters.add(RawCounter.BYTES_RECEIVED, length);
        datagrams.told(
                core.publishReceive(
                        core.endReceive(CompletionStatus.SUCCESS, CompletionOpcode.RECEIVE, length),
                        false));
    }

    /// Completes what has left since the last call, then sends further frames, but no packets.
    @Override
    public boolean transmit(PacketSink sink, long nowNanos) {
        datagrams.beginTurn();
        for (int share = FRAMES_PER_TURN; share > 0 && ethernet.hasRoom(); share--) {
            SendEntry entry = datagrams.next();
            if (entry == null) {
                break;
            }
            CompletionStatus flaw = send(entry);
            if (flaw != CompletionStatus.SUCCESS) {
                datagrams.refuse(flaw);
                break;
            }
        }
        return datagrams.hasMore();
    }

    private CompletionStatus send(SendEntry entry) {
        if (entry.length < EthernetFrame.HEADER_LENGTH || entry.length > ethernet.maxFrameBytes()) {
            return CompletionStatus.LOCAL_LENGTH_ERROR;
        }
        try {
            entry.appendPayload(ethernet, 0, (int) entry.length, number());
        } catch (IllegalStateException arenaClosed) {
            return CompletionStatus.LOCAL_PROTECTION_ERROR;
        } catch (MemoryFault refused) {
            // Fails when it is looked at again.
            entry.fault();
            return CompletionStatus.LOCAL_QP_OPERATION_ERROR;
        }
        ethernet.finish();
        datagrams.sent();
        counters.increment(RawCounter.FRAMES_SENT);
        counters.add(RawCounter.BYTES_SENT, entry.length);
        return CompletionStatus.SUCCESS;
    }

    @Override
    public long deadlineNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean onTimer(long nowNanos) {
        return false;
    }

    /// It sends no packets.
    @Override
    public void tooLong(Path path) {}

    @Override
    public void fail() {
        datagrams.fail();
    }

    private void drop(RawCounter counter, Discard reason) {
        counters.increment(counter);
        discards.accept(reason);
    }
}
