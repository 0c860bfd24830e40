package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.rdma.DatagramService.Answer;
import dev.outboard.doca.spi.RdmaQueues;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.QueuePairControl;
import dev.outboard.fabric.QueuePairState;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// DPA-RD-11: dynamically connected transport. A connection of the context names a peer, and has a
/// queue pair only while programs use it: a reliable connection, which the two contexts agree on by
/// a question and an answer. A peer that has not been asked again for some time gives its end up,
/// so that one that was killed keeps nothing.
///
/// It is guarded by itself, but for the time of waiting for an answer.
final class DynamicConnections implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(DynamicConnections.class.getName());

    /// Queue pairs for programs of this context at a time.
    private static final int PAIRS = 16;

    /// Queue pairs that peers have asked for at a time.
    private static final int ACCEPTED = 128;

    /// How long a queue pair lives here after its peer has asked for it the last time, as it does
    /// each second.
    private static final long LEASE_NANOS = Duration.ofSeconds(10).toNanos();

    /// Before a message: what it is, and how long the rest.
    private static final int HEADER_BYTES = 2;

    /// A question: the peer shall have a queue pair for this one, which it may have already.
    private static final byte CONNECT = 1;

    /// A question: it is needed no more.
    private static final byte END = 2;

    /// An answer.
    private static final byte ANSWER = 3;

    private final RdmaControlPath control;
    private final DatagramService service;
    private @Nullable RdmaQueues queues;
    private boolean closed;

    /// Those that connections name.
    private final Map<Integer, InetSocketAddress> peers = new HashMap<>();

    /// By connection.
    private final Map<Integer, Pair> pairs = new HashMap<>();

    /// By what the peer has said.
    private final Map<ConnectionBlob, Accepted> accepted = new HashMap<>();

    DynamicConnections(RdmaControlPath control) {
        this.control = control;
        service =
                new DatagramService(
                        control.domain(),
                        control.rdma().toString(),
                        control.configuration().connectionRequestTimeout(),
                        this::answer,
                        this::look);
    }

    RdmaQueues.OnDemand onDemand() {
        return new RdmaQueues.OnDemand(PAIRS, ACCEPTED, this::needed);
    }

    void start(RdmaQueues made) {
        queues = made;
        service.start();
    }

    private RdmaQueues queues() {
        return Objects.requireNonNull(queues, "queues");
    }

    // ---- connections that name peers ------------------------------------------------------------

    /// A connection in the place of its queue pair, which comes and goes: what the peer has to know
    /// is the port of the service, and what is learned of the peer is the same.
    QueuePairControl named(int connection) {
        return new Named(connection);
    }

    private final class Named implements QueuePairControl {
        private final int connection;
        private volatile QueuePairState state = QueuePairState.RESET;

        private Named(int connection) {
            this.connection = connection;
        }

        @Override
        public int number() {
            return service.port();
        }

        @Override
        public QueuePairState state() {
            return state;
        }

        @Override
        public void modify(QueuePairChange change) {
            state = change.state();
            if (state == QueuePairState.READY_TO_RECEIVE) {
                InetAddress host = change.addressVector().orElseThrow().destination();
                name(
                        connection,
                        new InetSocketAddress(host, change.value(Attribute.DESTINATION_NUMBER)));
            } else if (state == QueuePairState.ERROR) {
                forget(connection);
            }
        }

        @Override
        public void close() {
            forget(connection);
        }
    }

    private synchronized void name(int connection, InetSocketAddress peer) {
        peers.put(connection, peer);
    }

    private synchronized void forget(int connection) {
        peers.remove(connection);
        end(connection);
    }

    // ---- queue pairs of programs ----------------------------------------------------------------

    /// A queue pair of a program, and what the peer was told of it.
    private final class Pair {
        private final InetSocketAddress peer;
        private final QueuePairControl queuePair;
        private final ConnectionBlob own;
        private @Nullable ConnectionBlob other;

        /// How much had been posted when it was looked at last.
        private long posted = -1;

        private Pair(int connection, InetSocketAddress peer) {
            this.peer = peer;
            queuePair = queues().queuePair(connection);
            queuePair.modify(control.configuration().initial());
            own = control.blob(TransportType.RC, queuePair, RdmaControlPath.randomPsn());
        }

        private void ask(byte question, Consumer<Answer> asker) {
            service.ask(peer, message(question, own), asker);
        }

        private void connect(ConnectionBlob answer) {
            synchronized (DynamicConnections.this) {
                DynamicConnections.this.connect(queuePair, own.psn(), answer);
                other = answer;
            }
        }

        private void fail() {
            queuePair.modify(QueuePairChange.to(QueuePairState.ERROR));
        }
    }

    private void connect(QueuePairControl queuePair, int psn, ConnectionBlob peer) {
        RdmaConfiguration configuration = control.configuration();
        queuePair.modify(configuration.readyToReceive(peer));
        queuePair.modify(configuration.readyToSend(psn));
    }

    /// A program needs a queue pair. If the peer cannot be reached, it has one that has failed.
    private void needed(int connection, int instead) {
        Pair made;
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        synchronized (this) {
            end(instead);
            InetSocketAddress peer = peers.get(connection);
            if (closed || peer == null || pairs.containsKey(connection)) {
                return;
            }
            made = new Pair(connection, peer);
            pairs.put(connection, made);
            made.ask(CONNECT, answer::complete);
        }
        answer.completeOnTimeout(Answer.none("nobody answers"), LEASE_NANOS, TimeUnit.NANOSECONDS);
        try {
            made.connect(blob(ANSWER, answer.join()));
        } catch (DocaException e) {
            LOGGER.log(
                    Level.WARNING,
                    "connection {0} of {1}: the peer at {2} cannot be reached: {3}",
                    connection,
                    control.rdma(),
                    made.peer,
                    e.getMessage());
            made.fail();
        }
    }

    private void end(int connection) {
        Pair ended = pairs.remove(connection);
        if (ended != null) {
            ended.queuePair.close();
            ended.ask(END, _ -> {});
        }
    }

    /// Each second: what is idle goes, and of what is not the peer hears that it is needed.
    private synchronized void look() {
        long now = System.nanoTime();
        for (Accepted one : List.copyOf(accepted.values())) {
            if (now - one.askedNanos > LEASE_NANOS) {
                release(one);
            }
        }
        for (int connection : new ArrayList<>(pairs.keySet())) {
            look(connection, Objects.requireNonNull(pairs.get(connection)));
        }
    }

    private void look(int connection, Pair pair) {
        boolean isConnecting = pair.other == null && !hasFailed(pair);
        if (isConnecting) {
            return;
        }
        long posted = queues().posted(connection);
        boolean isIdle = posted == pair.posted || hasFailed(pair);
        pair.posted = posted;
        if (isIdle && queues().retire(connection)) {
            end(connection);
        } else if (!hasFailed(pair)) {
            pair.ask(CONNECT, answer -> renewed(pair, answer));
        }
    }

    private static boolean hasFailed(Pair pair) {
        return pair.queuePair.state() == QueuePairState.ERROR;
    }

    /// A peer that has forgotten the queue pair, as one that was started anew, answers with another
    /// one. That it did not answer in time says nothing yet.
    private synchronized void renewed(Pair pair, Answer answer) {
        if (answer.failure().isEmpty()
                && pairs.containsValue(pair)
                && !blob(ANSWER, answer).equals(pair.other)) {
            pair.fail();
        }
    }

    // ---- queue pairs of peers -------------------------------------------------------------------

    /// A queue pair that a peer has asked for.
    private static final class Accepted {
        private final ConnectionBlob peer;
        private final int place;
        private final QueuePairControl queuePair;
        private final ConnectionBlob own;
        private long askedNanos;

        private Accepted(
                ConnectionBlob peer, int place, QueuePairControl queuePair, ConnectionBlob own) {
            this.peer = peer;
            this.place = place;
            this.queuePair = queuePair;
            this.own = own;
        }
    }

    /// A peer asks.
    private synchronized byte[] answer(InetAddress from, byte[] question) {
        boolean isEnd = question[0] == END;
        ConnectionBlob peer = blob(isEnd ? END : CONNECT, question);
        if (!peer.address().equals(from)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%s asks for a queue pair of %s"
                            .formatted(from.getHostAddress(), peer.address().getHostAddress()));
        }
        Accepted known = accepted.get(peer);
        if (isEnd) {
            if (known != null) {
                release(known);
            }
            return message(ANSWER, peer);
        }
        if (known == null) {
            known = accept(peer);
        }
        known.askedNanos = System.nanoTime();
        return message(ANSWER, known.own);
    }

    private Accepted accept(ConnectionBlob peer) {
        if (closed || accepted.size() == ACCEPTED) {
            throw new DocaException(
                    DocaError.FULL,
                    closed ? "it is being stopped" : "full: %d peers".formatted(ACCEPTED));
        }
        int place = control.configuration().maxNumConnections() + freePlace();
        QueuePairControl queuePair = queues().queuePair(place);
        int psn = RdmaControlPath.randomPsn();
        try {
            queuePair.modify(control.configuration().initial());
            connect(queuePair, psn, peer);
        } catch (RuntimeException e) {
            queuePair.close();
            throw e;
        }
        ConnectionBlob own = control.blob(TransportType.RC, queuePair, psn);
        Accepted made = new Accepted(peer, place, queuePair, own);
        accepted.put(peer, made);
        return made;
    }

    private int freePlace() {
        boolean[] taken = new boolean[ACCEPTED];
        for (Accepted one : accepted.values()) {
            taken[one.place - control.configuration().maxNumConnections()] = true;
        }
        int place = 0;
        while (taken[place]) {
            place++;
        }
        return place;
    }

    private void release(Accepted one) {
        accepted.remove(one.peer);
        one.queuePair.close();
    }

    // ---- messages -------------------------------------------------------------------------------

    static byte[] message(byte kind, ConnectionBlob blob) {
        byte[] encoded = blob.encode();
        return ByteBuffer.allocate(HEADER_BYTES + encoded.length)
                .put(kind)
                .put((byte) encoded.length)
                .put(encoded)
                .array();
    }

    /// @throws DocaException with CONNECTION_ABORTED if there is none
    private static ConnectionBlob blob(byte kind, Answer answer) {
        answer.failure()
                .ifPresent(why -> {
                    throw new DocaException(DocaError.CONNECTION_ABORTED, why);
                });
        return blob(kind, answer.content());
    }

    /// @throws DocaException with CONNECTION_ABORTED if it is none of that kind
    private static ConnectionBlob blob(byte kind, byte[] message) {
        int length = message.length < HEADER_BYTES ? 0 : message[1] & 0xFF;
        if (length == 0 || message[0] != kind || message.length < HEADER_BYTES + length) {
            throw new DocaException(
                    DocaError.CONNECTION_ABORTED, "a message that is none of this service");
        }
        return ConnectionBlob.decode(
                TransportType.RC, Arrays.copyOfRange(message, HEADER_BYTES, HEADER_BYTES + length));
    }

    /// Gives all queue pairs up, and tells the peers.
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            List.copyOf(pairs.keySet()).forEach(this::end);
            List.copyOf(accepted.values()).forEach(this::release);
        }
        service.close();
    }
}
