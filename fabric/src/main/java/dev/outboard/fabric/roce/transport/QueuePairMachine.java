package dev.outboard.fabric.roce.transport;

import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The protocol of one queue pair, whatever its transport: requests and packets go in, packets and
/// completions come out, time is a parameter.
///
/// Posting is for the application's threads, one per queue; [#state] and [#countersTo] are for any
/// thread; everything else is for the thread that drives the device.
public interface QueuePairMachine {
    int number();

    QueuePairType type();

    QueuePairState state();

    /// Posts a send; false if the queue is full. The caller then has the device driven.
    boolean post(SendRequest request);

    /// Whether what was posted waits for answers to earlier requests. If so, the caller of [#post]
    /// need not have the device driven: the answers will. Poster's thread.
    default boolean isWaitingForAnswers() {
        return false;
    }

    /// Posts a receive; false if the queue is full. If this returns true and the state is ERROR,
    /// the caller has the device driven, so that it is flushed.
    boolean post(ReceiveRequest request);

    /// Changes state and attributes, or nothing if it throws.
    void modify(QueuePairChange change);

    /// Whether a packet of our transport comes from somebody who may send us any.
    boolean accepts(Packet packet);

    /// A packet that we [accept][#accepts] arrived.
    void receive(Packet packet, long nowNanos);

    /// Sends what is due.
    ///
    /// @return whether more could be sent at once
    boolean transmit(PacketSink sink, long nowNanos);

    /// Sends what the peer is owed for what has come from it, and nothing else.
    default void answer(PacketSink sink) {}

    /// Whether nothing is due but the acknowledgement of a message that the application usually
    /// answers, and that may go with the answer.
    default boolean mayAnswerLater() {
        return false;
    }

    /// When [#onTimer] wants to be called at the latest; [Long#MAX_VALUE] for never.
    long deadlineNanos();

    /// The deadline may have passed; [#transmit] follows.
    ///
    /// @return whether the peer has not answered for the whole transport timeout
    boolean onTimer(long nowNanos);

    /// Goes to ERROR, flushing what is outstanding in order.
    void fail();

    /// The queue pair is destroyed: gives back what it shares with others.
    default void close() {}

    /// Packets we sent on `path` are too long for the IP path.
    void tooLong(Path path);

    /// The way to the one peer; null for datagrams and without a peer.
    @Nullable Path path();

    /// Puts everything counted into `into`, names in lower case with dashes.
    void countersTo(Map<String, Long> into);

    /// The payload that has arrived; any thread.
    long bytesReceived();
}
