package dev.outboard.fabric.roce.ud;

import dev.outboard.fabric.AsyncEvent;
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
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.ReceiveEntry;
import dev.outboard.fabric.verbs.SendEntry;
import dev.outboard.fabric.verbs.SendQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
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
    private final SendQueue sends;
    private final Port port;
    private final Consumer<Discard> discards;
    private final Counters<UdCounter> counters = new Counters<>(UdCounter.class);
    private final MemorySegment routeHeader =
            Arena.ofAuto().allocate(RouteHeader.LENGTH, Long.BYTES);

    private volatile QueuePairState state = QueuePairState.RESET;
    private int queueKey;
    private int psn;

    /// The position of the first request that was not given to the sink yet.
    private long next;

    /// Whether the application was told that the send queue is drained.
    private boolean isDrainReported;

    /// A queue pair in state RESET.
    ///
    /// @param discards told why a datagram is dropped
    public UdQueuePair(QueuePairCore core, Port port, Consumer<Discard> discards) {
        this.core = core;
        this.sends = core.sends();
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
        return state;
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
        return switch (state) {
            case READY_TO_SEND, SEND_QUEUE_DRAIN, SEND_QUEUE_ERROR, ERROR -> {
                check(request);
                yield core.post(request);
            }
            case RESET, INIT, READY_TO_RECEIVE ->
                    throw wrongState("sends are possible from READY_TO_SEND on");
        };
    }

    @Override
    public boolean post(ReceiveRequest request) {
        if (state == QueuePairState.RESET) {
            throw wrongState("receives are possible from INIT on");
        }
        return core.post(request);
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
        switch (change.state()) {
            case RESET -> reset();
            case INIT, READY_TO_RECEIVE, READY_TO_SEND -> state = change.state();
            case SEND_QUEUE_DRAIN -> {
                isDrainReported &= state == QueuePairState.SEND_QUEUE_DRAIN;
                state = QueuePairState.SEND_QUEUE_DRAIN;
                reportDrained();
            }
            case SEND_QUEUE_ERROR -> throw new AssertionError("no transition leads there");
            case ERROR -> fail();
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
        switch (state) {
            case READY_TO_RECEIVE, READY_TO_SEND, SEND_QUEUE_DRAIN, SEND_QUEUE_ERROR -> {
                if (packet.queueKey() != queueKey) {
                    drop(UdCounter.BAD_QUEUE_KEY_DROPPED, Discard.BAD_QUEUE_KEY);
                } else if (!core.takeReceive()) {
                    drop(UdCounter.NO_RECEIVE_DROPPED, Discard.NO_RECEIVE);
                } else {
                    deliver(packet, core.receive());
                }
            }
            case RESET, INIT, ERROR -> drop(UdCounter.WRONG_STATE_DROPPED, Discard.WRONG_STATE);
        }
    }

    private void deliver(Packet packet, ReceiveEntry receive) {
        int length = RouteHeader.LENGTH + packet.payloadLength();
        if (length > receive.length) {
            // The receive is lost, the queue pair goes on: a peer must not be able to stop it.
            drop(UdCounter.TOO_LONG_DROPPED, Discard.RECEIVE_TOO_SMALL);
            told(core.failReceive(CompletionStatus.LOCAL_LENGTH_ERROR));
            return;
        }
        CompletionStatus stored = store(receive, packet);
        if (stored != CompletionStatus.SUCCESS) {
            told(core.failReceive(stored));
            fail();
        } else {
            counters.increment(UdCounter.DATAGRAMS_RECEIVED);
            counters.add(UdCounter.BYTES_RECEIVED, packet.payloadLength());
            told(ReceivedMessage.complete(core, CompletionOpcode.RECEIVE, length, packet));
        }
    }

    /// Completes what the sink has sent since the last call, then gives it further datagrams.
    @Override
    public boolean transmit(PacketSink sink, long nowNanos) {
        completeSent(next);
        switch (state) {
            case READY_TO_SEND -> send(sink);
            case SEND_QUEUE_DRAIN -> reportDrained();
            case SEND_QUEUE_ERROR -> flushSends();
            case ERROR -> flush();
            case RESET, INIT, READY_TO_RECEIVE -> {}
        }
        return next > sends.head()
                || (state == QueuePairState.READY_TO_SEND && next < sends.posted());
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
        for (long position = sends.head(); position < next; position++) {
            if (handleOf(sends.at(position)).path().equals(path)) {
                completeSent(position);
                failSend(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
                return;
            }
        }
    }

    @Override
    public void fail() {
        if (state != QueuePairState.ERROR) {
            state = QueuePairState.ERROR;
            VarHandle.fullFence();
            flush();
            if (core.isShared()) {
                core.raise(AsyncEvent.Type.QP_LAST_WQE_REACHED);
            }
        }
    }

    private void reset() {
        state = QueuePairState.RESET;
        isDrainReported = false;
        core.clear();
        next = sends.head();
        counters.clear();
    }

    private void send(PacketSink sink) {
        for (int share = PACKETS_PER_TURN; share > 0 && next < sends.posted(); share--) {
            SendEntry entry = sends.at(next);
            CompletionStatus flaw = entry.flaw(core.domain());
            if (flaw != CompletionStatus.SUCCESS) {
                // Its turn to fail comes when those before it are complete.
                if (isDrained()) {
                    failSend(flaw);
                }
                return;
            }
            if (!sink.hasRoom()) {
                return;
            }
            try {
                emit(entry, sink);
                next++;
            } catch (MemoryFault refused) {
                // Fails when it is looked at again.
                entry.fault();
            }
        }
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

    private CompletionStatus store(ReceiveEntry receive, Packet packet) {
        if (!receive.isWritable(core.domain())) {
            return CompletionStatus.LOCAL_PROTECTION_ERROR;
        }
        RouteHeader.write(routeHeader, packet, port.address());
        try {
            receive.store(0, routeHeader, 0, RouteHeader.LENGTH, number());
            receive.store(
                    RouteHeader.LENGTH,
                    packet.segment(),
                    packet.payloadOffset(),
                    packet.payloadLength(),
                    number());
            return CompletionStatus.SUCCESS;
        } catch (IllegalStateException arenaClosed) {
            return CompletionStatus.LOCAL_PROTECTION_ERROR;
        } catch (MemoryFault refused) {
            return CompletionStatus.LOCAL_QP_OPERATION_ERROR;
        }
    }

    /// The requests before `position` succeeded.
    private void completeSent(long position) {
        while (sends.head() < position) {
            told(core.completeSend());
        }
    }

    /// The oldest send failed with `status`; the rest is flushed, receiving goes on (roce.md 3.10).
    private void failSend(CompletionStatus status) {
        state = QueuePairState.SEND_QUEUE_ERROR;
        told(core.completeSend(status));
        flushSends();
    }

    private void flushSends() {
        countLost(core.flushSends());
        next = sends.head();
    }

    private void flush() {
        countLost(core.flush());
        next = sends.head();
    }

    /// If not, the application let the completion queue run full: a completion is lost, so the
    /// queue pair cannot go on.
    private void told(boolean told) {
        countLost(told);
        if (!told && state != QueuePairState.ERROR) {
            core.raise(AsyncEvent.Type.QP_FATAL);
            fail();
        }
    }

    private void countLost(boolean told) {
        if (!told) {
            counters.increment(UdCounter.COMPLETION_QUEUE_OVERRUNS);
        }
    }

    private boolean isDrained() {
        return next == sends.head();
    }

    private void reportDrained() {
        if (!isDrainReported && isDrained()) {
            isDrainReported = true;
            core.raise(AsyncEvent.Type.SQ_DRAINED);
        }
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

    private FabricException wrongState(String valid) {
        return new FabricException(
                Reason.INVALID_STATE,
                "queue pair " + number() + " is in state " + state + "; " + valid);
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
