package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.nic.FabricPair;
import dev.outboard.dpa.nic.QueuePair;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// DPA-FXQ-1: a queue pair of a reliable connection.
public final class FlexioQp extends FlexioObject {
    private final QueuePair pair;
    private final List<FlexioObject> used;

    private FlexioQp(FlexioProcess process, QueuePair pair, List<FlexioObject> used) {
        super(process, "queue pair", pair.number());
        this.pair = pair;
        this.used = used;
    }

    /// How a queue pair is made.
    ///
    /// @param send its send queue
    /// @param receive its receive queue
    /// @param userIndex what completions call it
    /// @param uar through whose outboxes it is rung; if empty, that of the process
    /// @param domain whose keys it names; if empty, that of the process
    public record Attributes(
            Send send,
            Receive receive,
            int userIndex,
            Optional<FlexioUar> uar,
            Optional<FlexioPd> domain) {
        /// Through the outboxes of the UAR of the process, and of its protection domain.
        public Attributes(Send send, Receive receive, int userIndex) {
            this(send, receive, userIndex, Optional.empty(), Optional.empty());
        }

        /// The same of another function.
        public Attributes of(FlexioUar other, FlexioPd domain) {
            return new Attributes(
                    send, receive, userIndex, Optional.of(other), Optional.of(domain));
        }
    }

    /// Where a send queue is.
    ///
    /// @param ring where its blocks of 64 bytes lie
    /// @param logBlocks the binary logarithm of their number, up to 15
    /// @param completions where its completions go
    public record Send(DpaAddr ring, int logBlocks, FlexioCq completions) {
        /// As the NIC knows it.
        ///
        /// @throws FlexioException if the depth is none
        QueuePair.Send made() {
            try {
                return new QueuePair.Send(ring.value(), logBlocks, completions.queue());
            } catch (IllegalArgumentException e) {
                throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
            }
        }
    }

    /// Where a receive queue is.
    ///
    /// @param ring where its entries of 16 bytes lie
    /// @param logEntries the binary logarithm of their number, up to 15
    /// @param doorbellRecord where device code publishes its producer index
    /// @param completions where its completions go
    public record Receive(
            DpaAddr ring, int logEntries, DpaAddr doorbellRecord, FlexioCq completions) {
        /// As the NIC knows it.
        ///
        /// @throws FlexioException if the depth is none
        QueuePair.Receive made() {
            try {
                return new QueuePair.Receive(
                        ring.value(), logEntries, doorbellRecord.value(), completions.queue());
            } catch (IllegalArgumentException e) {
                throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
            }
        }
    }

    /// Makes a queue pair that is not connected.
    ///
    /// @throws FlexioException if a depth is none, a completion queue belongs to another process,
    ///   or the process has ended
    public static FlexioQp create(FlexioProcess process, Attributes attributes) {
        Send send = attributes.send;
        Receive receive = attributes.receive;
        QueuePair.Send sends = send.made();
        QueuePair.Receive receives = receive.made();
        int uar = attributes.uar.orElse(process.uar()).numberFor(process);
        QueuePair.User user =
                new QueuePair.User(send.completions.poster(), attributes.userIndex, uar);
        FlexioPd domain = attributes.domain.orElse(process.domain());
        List<FlexioObject> used = List.of(send.completions, receive.completions, domain);
        QueuePair pair =
                process.using(
                        used,
                        _ -> process.nic().queuePair(domain.inNic(process), sends, receives, user));
        return process.adopt(new FlexioQp(process, pair, used));
    }

    /// Makes one that takes receive entries from a pool, which it may share with others. It is of
    /// the protection domain of the pool.
    ///
    /// @param receives where completions of those go
    /// @param userIndex what completions call it
    /// @throws FlexioException if the depth is none, a completion queue, the pool or the UAR
    ///   belongs to another process, or the process has ended
    public static FlexioQp create(
            FlexioProcess process,
            Send send,
            FlexioRmp pool,
            FlexioCq receives,
            int userIndex,
            FlexioUar uar) {
        QueuePair.Send sends = send.made();
        QueuePair.User user =
                new QueuePair.User(send.completions.poster(), userIndex, uar.numberFor(process));
        List<FlexioObject> used = List.of(send.completions, receives, pool);
        QueuePair pair =
                process.using(
                        used,
                        _ -> process.nic().queuePair(sends, pool.pool(), receives.queue(), user));
        return process.adopt(new FlexioQp(process, pair, used));
    }

    /// Says what it is for, in words, which [FlexioProcess#status] and traces tell.
    public void purpose(String purpose) {
        pair.purpose(Objects.requireNonNull(purpose, "purpose"));
    }

    /// Connects two queue pairs of one process with each other, or one with itself.
    ///
    /// @throws FlexioException if one of them is closed or belongs to another process
    public void connect(FlexioQp peer) {
        peer.numberFor(process());
        numberFor(process());
        process().perform(host -> pair.connect(peer.pair));
    }

    /// Changes state and attributes of a queue pair on a device of the fabric, to connect it with a
    /// peer that was told number, sequence number and address some other way:
    ///
    /// ```java
    /// pair.modify(QueuePairChange.to(QueuePairState.INIT).access(Access.REMOTE_WRITE));
    /// pair.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
    ///         .addressVector(AddressVector.to(peerAddress)).destinationNumber(peerNumber)
    ///         .pathMtu(1024).receivePsn(peerPsn).maxDestinationReadAtomic(16).minRnrTimer(1));
    /// pair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND)
    ///         .sendPsn(ourPsn).timeout(14).retryCount(7).rnrRetryCount(7).maxReadAtomic(16));
    /// ```
    ///
    /// The peer of one on a simulated NIC is a queue pair of the same process, of which it takes
    /// the number only; the two are connected when the first of them is made ready to receive.
    ///
    /// @throws FlexioException WRONG_TIME if the transition does not exist, BAD_ARGUMENT if an
    ///   attribute is missing, foreign to it or out of range, or there is no such peer
    public void modify(QueuePairChange change) {
        numberFor(process());
        if (!(pair instanceof FabricPair onFabric)) {
            simulate(change);
            return;
        }
        try {
            process().perform(host -> onFabric.modify(change));
        } catch (FabricException e) {
            boolean isEarly = e.reason() == FabricException.Reason.INVALID_STATE;
            throw FlexioException.refuse(
                    isEarly ? Reason.WRONG_TIME : Reason.BAD_ARGUMENT,
                    "%s: %s".formatted(this, e.getMessage()));
        }
    }

    /// Has the connection manager of the fabric connect it, in the place of [#modify]: the id is
    /// one that is about to connect or to accept, of the device of the fabric. When the id is
    /// closed, the queue pair is in state ERROR.
    ///
    /// @throws FlexioException NOT_SUPPORTED if it is on a simulated NIC, BAD_ARGUMENT if it is
    ///   connected already, the id has a queue pair, or is of another device
    public void connectBy(ConnectionId id) {
        FabricPair onFabric = onFabric("connected by an id of the connection manager");
        try {
            process().perform(host -> onFabric.connectBy(id));
        } catch (FabricException e) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT, "%s: %s".formatted(this, e.getMessage()));
        }
    }

    /// The bytes of messages that it has received so far.
    ///
    /// @throws FlexioException NOT_SUPPORTED if it is on a simulated NIC
    public long bytesReceived() {
        return onFabric("asked what it has received").bytesReceived();
    }

    /// Leaves the peer connected when a fault ends the process, so that [#sendLast] can tell it.
    ///
    /// @throws FlexioException NOT_SUPPORTED if it is on a simulated NIC
    public void outliveFault() {
        onFabric("left connected").outliveProcess();
    }

    /// Sends something to the peer in the place of the process, which a fault has ended, and waits
    /// until the peer has it. Once, after [#outliveFault].
    ///
    /// @return false if the peer has not got it in time, or is not connected any more
    public boolean sendLast(SendRequest request, Duration atMost) {
        FabricPair onFabric = onFabric("used after a fault");
        long start = System.nanoTime();
        if (!onFabric.sendLast(request)) {
            return false;
        }
        boolean isOver = false;
        while (!isOver && System.nanoTime() - start < atMost.toNanos()) {
            isOver = onFabric.hasEndedLast();
            Thread.onSpinWait();
        }
        return isOver;
    }

    private FabricPair onFabric(String what) {
        numberFor(process());
        if (pair instanceof FabricPair onFabric) {
            return onFabric;
        }
        throw FlexioException.refuse(
                Reason.NOT_SUPPORTED,
                "%s is of a simulated NIC; only one of a device of the fabric can be %s"
                        .formatted(this, what));
    }

    private void simulate(QueuePairChange change) {
        switch (change.state()) {
            case READY_TO_RECEIVE -> {
                int number = change.value(QueuePairChange.Attribute.DESTINATION_NUMBER);
                QueuePair peer =
                        process()
                                .nic()
                                .queuePair(number)
                                .orElseThrow(() ->
                                        FlexioException.refuse(
                                                Reason.BAD_ARGUMENT,
                                                "%s is of a simulated NIC, and its process has no queue pair %d"
                                                        .formatted(this, number)));
                process().perform(host -> pair.connect(peer));
            }
            case ERROR -> process().checkDone(process().nic().fail(pair), this);
            default -> {
                // Nothing has to be known on the way.
            }
        }
    }

    /// `flexio_qp_state_get`: what state it is in, of those that [#modify] names. One that another
    /// one of its process is connected with is ready to send.
    ///
    /// @throws FlexioException if it has been closed
    public QueuePairState state() {
        numberFor(process());
        return pair.state();
    }

    /// DPA-SYS-9: the host itself has posted entries to the send queue, whose ring then lies in its
    /// memory, and tells the NIC. What it has stored before, the NIC sees.
    ///
    /// @param index the producer index, of 16 bits: how many blocks have been posted so far
    public void ring(int index) {
        numberFor(process());
        process().perform(host -> process().nic().ring(host, pair, index));
    }

    @Override
    void destroy() {
        process().nic().remove(pair);
        leave();
    }

    @Override
    void leave() {
        used.forEach(FlexioObject::release);
    }
}
