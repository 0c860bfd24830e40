package dev.outboard.fabric.roce.ud;

import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.GatherList;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.MemoryFault;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.transport.QueuePairMachine;
import dev.outboard.fabric.roce.transport.ReceivedMessage;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Immediate;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.verbs.Counters;
import dev.outboard.fabric.verbs.DatagramCore;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.ReceiveEntry;
import dev.outboard.fabric.verbs.SendEntry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An unreliable-datagram queue pair as a pure state machine (roce.md 4). Every message is one
/// packet; nobody acknowledges or repeats anything, so it needs no time.
///
/// A send completes when the sink has handed it to the socket. That happens between two calls of
/// [#transmit], so whatever one call gave to the sink, the next one completes.
public final class UdQueuePair implements QueuePairMachine {
    /// Packets of one [#transmit]: the share of a queue pair in a turn of the device.
    static final int PACKETS_PER_TURN = 60;

    private final QueuePairCore core;
    private final DatagramCore datagrams;
    private final Port port;
    private final Consumer<Discard> discards;
    private final Counters<UdCounter> counters = new Counters<>(UdCounter.class);
    private final MemorySegment routeHeader =
            Arena.ofAuto().allocate(RouteHeader.LENGTH, Long.BYTES);

    private int queueKey;
    private int psn;

    /// A queue pair in state RESET.
    ///
    /// @param discards told why a datagram is dropped
    public UdQueuePair(QueuePairCore core, Port port, Consumer<Discard> discards) {
        this.core = core;
        this.datagrams =
                new DatagramCore(
                        core, () -> counters.increment(UdCounter.COMPLETION_QUEUE_OVERRUNS));
        this.port = port;
        this.discards = discards;
    }

    @Override
    public int number() {
        return core.number();
    }

    @Override
    public QueuePairType type() {
        return QueuePairType.UNRELIABLE_DATAGRAM;
    }

    @Override
    public QueuePairState state() {
        return datagrams.state();
    }

    /// What datagrams to this queue pair must carry. The thread that drives the device.
    public int queueKey() {
        return queueKey;
    }

    public Counters<UdCounter> counters() {
        return counters;
    }

    @Override
    public void countersTo(Map<String, Long> into) {
        counters.copyTo(into, "");
    }

    @Override
    public long bytesReceived() {
        return counters.get(UdCounter.BYTES_RECEIVED);
    }

    @Override
    public @Nullable Path path() {
        return null;
    }

    @Override
    public boolean post(SendRequest request) {
        datagrams.requireSendable();
        check(request);
        return core.post(request);
    }

    @Override
    public boolean post(ReceiveRequest request) {
        return datagrams.post(request);
    }

    @Override
    public void modify(QueuePairChange change) {
        port.check(this, change);
        if (change.given().contains(Attribute.QUEUE_KEY)) {
            queueKey = change.value(Attribute.QUEUE_KEY);
        }
        if (change.given().contains(Attribute.SEND_PSN)) {
            psn = change.value(Attribute.SEND_PSN);
        }
        datagrams.change(change.state());
        if (change.state() == QueuePairState.RESET) {
            counters.clear();
        }
    }

    /// Anybody may send to a datagram queue pair who knows its key.
    @Override
    public boolean accepts(Packet packet) {
        return true;
    }

    /// ROCE-UD-1: a datagram with another key is dropped, in silence but for a counter.
    @Override
    public void receive(Packet packet, long nowNanos) {
        if (!datagrams.isReceiving()) {
            drop(UdCounter.WRONG_STATE_DROPPED, Discard.WRONG_STATE);
        } else if (packet.queueKey() != queueKey) {
            drop(UdCounter.BAD_QUEUE_KEY_DROPPED, Discard.BAD_QUEUE_KEY);
        } else if (!core.takeReceive()) {
            drop(UdCounter.NO_RECEIVE_DROPPED, Discard.NO_RECEIVE);
        } else {
            deliver(packet, core.receive());
        }
    }

    private void deliver(Packet packet, ReceiveEntry receive) {
        int length = RouteHeader.LENGTH + packet.payloadLength();
        if (length > receive.length) {
            // The receive is lost, the queue pair goes on: a peer must not be able to stop it.
            drop(UdCounter.TOO_LONG_DROPPED, Discard.RECEIVE_TOO_SMALL);
            datagrams.told(core.failReceive(CompletionStatus.LOCAL_LENGTH_ERROR));
            return;
        }
        CompletionStatus stored = store(packet);
        if (stored != CompletionStatus.SUCCESS) {
            drop(UdCounter.UNWRITABLE_DROPPED, Discard.RECEIVE_UNWRITABLE);
            datagrams.told(core.failReceive(stored));
            datagrams.fail();
        } else {
            counters.increment(UdCounter.DATAGRAMS_RECEIVED);
            counters.add(UdCounter.BYTES_RECEIVED, packet.payloadLength());
            datagrams.told(
                    ReceivedMessage.complete(core, CompletionOpcode.RECEIVE, length, packet));
        }
    }

    /// Completes what the sink has sent since the last call, then gives it further datagrams.
    @Override
    public boolean transmit(PacketSink sink, long nowNanos) {
        datagrams.beginTurn();
        for (int share = PACKETS_PER_TURN; share > 0 && sink.hasRoom(); share--) {
            SendEntry entry = datagrams.next();
            if (entry == null) {
                break;
            }
            try {
                emit(entry, sink);
                datagrams.sent();
            } catch (MemoryFault refused) {
                // Fails when it is looked at again.
                entry.fault();
            }
        }
        return datagrams.hasMore();
    }

    @Override
    public long deadlineNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean onTimer(long nowNanos) {
        return false;
    }

    /// Of the datagrams given to the sink by the last [#transmit], the first on `path` got lost.
    @Override
    public void tooLong(Path path) {
        datagrams.lost(entry -> handleOf(entry).path().equals(path));
    }

    @Override
    public void fail() {
        datagrams.fail();
    }

    private void emit(SendEntry entry, PacketSink sink) {
        MemorySegment headers = sink.headerMemory();
        long at = sink.headerOffset();
        int length = (int) entry.length;
        Opcode opcode = entry.hasImmediate() ? Opcode.UD_SEND_ONLY_IMM : Opcode.UD_SEND_ONLY;
        Bth.write(
                headers,
                at,
                opcode,
                entry.solicited,
                Bth.padCount(length),
                Bth.DEFAULT_PARTITION_KEY,
                entry.destinationQpn,
                false,
                psn);
        // A key with the top bit set stands for the queue pair's own (InfiniBand Architecture,
        // volume 1, 10.2.5): so only privileged code can send privileged keys.
        Deth.write(
                headers, at + Bth.LENGTH, entry.queueKey < 0 ? queueKey : entry.queueKey, number());
        if (entry.hasImmediate()) {
            Immediate.write(headers, at + Bth.LENGTH + Deth.LENGTH, entry.immediate);
        }
        entry.appendPayload(sink, 0, length, number());
        sink.finish(handleOf(entry).path(), opcode.headerLength());
        psn = Psn.next(psn);
        counters.increment(UdCounter.DATAGRAMS_SENT);
        counters.add(UdCounter.BYTES_SENT, length);
    }

    /// Stores the route header, then the payload.
    private CompletionStatus store(Packet packet) {
        RouteHeader.write(routeHeader, packet, port.address());
        CompletionStatus stored = core.store(0, routeHeader, 0, RouteHeader.LENGTH);
        return stored == CompletionStatus.SUCCESS
                ? core.store(
                        RouteHeader.LENGTH,
                        packet.segment(),
                        packet.payloadOffset(),
                        packet.payloadLength())
                : stored;
    }

    private void drop(UdCounter counter, Discard reason) {
        counters.increment(counter);
        discards.accept(reason);
    }

    /// ROCE-UD-3: what does not fit one packet is refused.
    private void check(SendRequest request) {
        switch (request.operation()) {
            case SEND, SEND_WITH_IMMEDIATE -> {}
            default ->
                    throw invalid(
                            request.operation()
                                    + " is not possible; valid: SEND with or without"
                                    + " immediate data");
        }
        if (!request.hasAddressHandle()
                || !(request.addressHandle() instanceof UdAddressHandle handle)
                || !handle.isUsableIn(core.domain())) {
            throw invalid(
                    "a datagram needs an open address handle of the queue pair's own protection"
                            + " domain; see SendRequest.to");
        }
        int destination = request.destinationNumber();
        if (destination <= 0 || destination > Psn.MODULUS - 1) {
            throw invalid(
                    "the destination is queue pair " + destination + "; valid: 1 to 0xffffff");
        }
        GatherList gather = request.gather();
        long length = 0;
        for (int i = 0; i < gather.count() && length <= port.pathMtuBytes(); i++) {
            length += gather.length(i);
        }
        if (length > port.pathMtuBytes()) {
            throw invalid(
                    "a datagram of "
                            + length
                            + " bytes does not fit one packet; valid: at most "
                            + port.pathMtuBytes()
                            + ", the MTU of the port");
        }
    }

    private FabricException invalid(String why) {
        return new FabricException(Reason.INVALID_ARGUMENT, "queue pair " + number() + ": " + why);
    }

    private static UdAddressHandle handleOf(SendEntry entry) {
        if (entry.addressHandle instanceof UdAddressHandle handle) {
            return handle;
        }
        throw new IllegalStateException("a posted datagram without address handle: " + entry);
    }
}
