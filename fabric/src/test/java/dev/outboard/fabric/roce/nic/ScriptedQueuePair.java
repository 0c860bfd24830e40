package dev.outboard.fabric.roce.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.QueuePairMachine;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A queue pair that does what a test says, and writes down the turns it gets.
final class ScriptedQueuePair implements QueuePairMachine {
    final int number;
    QueuePairType type = QueuePairType.RELIABLE_CONNECTED;
    @Nullable Path path;

    /// How many packets it has to send, one in a turn.
    int packets;

    boolean isAnswer;
    boolean acceptsPackets = true;
    long deadlineNanos = Long.MAX_VALUE;

    /// What its timer changes the deadline to.
    long nextDeadlineNanos = Long.MAX_VALUE;

    boolean peerIsSilent;
    int expiries;
    int received;
    @Nullable Path tooLong;
    int answers;
    boolean isClosed;

    /// Whether it gives the sink packets until that is full.
    boolean fillsTheSink;

    private final List<Integer> turns;

    ScriptedQueuePair(int number, List<Integer> turns) {
        this.number = number;
        this.turns = turns;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairType type() {
        return type;
    }

    @Override
    public QueuePairState state() {
        return QueuePairState.READY_TO_SEND;
    }

    @Override
    public boolean post(SendRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean post(ReceiveRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void modify(QueuePairChange change) {}

    @Override
    public boolean accepts(Packet packet) {
        return acceptsPackets;
    }

    @Override
    public void receive(Packet packet, long nowNanos) {
        received++;
    }

    @Override
    public boolean transmit(PacketSink sink, long nowNanos) {
        turns.add(number);
        while (fillsTheSink && sink.hasRoom()) {
            Bth.write(
                    sink.headerMemory(),
                    sink.headerOffset(),
                    Opcode.UD_SEND_ONLY,
                    false,
                    0,
                    Bth.DEFAULT_PARTITION_KEY,
                    1,
                    false,
                    0);
            sink.finish(Objects.requireNonNull(path), Opcode.UD_SEND_ONLY.headerLength());
        }
        packets = Math.max(0, packets - 1);
        return packets > 0;
    }

    @Override
    public void answer(PacketSink sink) {
        assertThat(isClosed).isFalse();
        answers++;
    }

    @Override
    public boolean mayAnswerLater() {
        return isAnswer;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public boolean onTimer(long nowNanos) {
        expiries++;
        deadlineNanos = nextDeadlineNanos;
        return peerIsSilent;
    }

    @Override
    public void fail() {}

    @Override
    public void close() {
        isClosed = true;
    }

    @Override
    public void tooLong(Path lost) {
        tooLong = lost;
    }

    @Override
    public @Nullable Path path() {
        return path;
    }

    @Override
    public void countersTo(Map<String, Long> into) {}

    @Override
    public long bytesReceived() {
        return 0;
    }
}
