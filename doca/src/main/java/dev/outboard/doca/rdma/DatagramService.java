package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaException;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.PortSpace;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// Short questions to peers and answers to theirs, by the datagrams with which the connection
/// manager resolves services: repeated until they are answered, or for a while. A thread of its own
/// deals with them, and looks after other things each second.
final class DatagramService implements AutoCloseable {
    private static final int BACKLOG = 128;
    private static final long LOOK_NANOS = Duration.ofSeconds(1).toNanos();

    /// What fits into a refusal.
    private static final int MOST_BYTES_OF_REFUSAL = 136;

    /// Who answers.
    interface Answering {
        /// Answers a question.
        ///
        /// @return what the peer hears, at most 136 bytes
        /// @throws DocaException if it is refused; the peer hears why
        byte[] answer(InetAddress peer, byte[] question);
    }

    private final ProtectionDomain domain;
    private final Duration limit;
    private final Answering answering;
    private final Runnable look;
    private final ConnectionChannel channel;
    private final ConnectionId listener;

    /// Of the queue pairs that answers name, to which nobody sends.
    private final CompletionQueue unused;

    private final Map<ConnectionId, Question> asked = new ConcurrentHashMap<>();
    private final Thread thread;
    private volatile boolean closed;

    private record Question(byte[] content, Consumer<Answer> asker) {}

    /// What became of a question.
    ///
    /// @param content what the peer answered, filled up with zeros
    /// @param failure if it refused, or did not answer in time: why, for people
    record Answer(byte[] content, Optional<String> failure) {
        static Answer none(String why) {
            return new Answer(new byte[0], Optional.of(why));
        }
    }

    /// @param name of whom it is, for people
    /// @param limit how long an answer may take
    /// @param look what is done each second
    DatagramService(
            ProtectionDomain domain,
            String name,
            Duration limit,
            Answering answering,
            Runnable look) {
        this.domain = domain;
        this.limit = limit;
        this.answering = answering;
        this.look = look;
        unused = domain.device().createCompletionQueue(1);
        channel = domain.device().createConnectionChannel();
        listener = channel.createId(PortSpace.UDP);
        listener.listen(0, BACKLOG);
        thread = Thread.ofPlatform().daemon().name("peers of " + name).unstarted(this::serve);
    }

    void start() {
        thread.start();
    }

    /// Where peers ask.
    int port() {
        return listener.localAddress().getPort();
    }

    /// Asks a peer.
    ///
    /// @param question at most 180 bytes
    /// @param asker told once, on the thread of this service as a rule
    void ask(InetSocketAddress peer, byte[] question, Consumer<Answer> asker) {
        ConnectionId id;
        try {
            id = channel.createId(PortSpace.UDP);
        } catch (FabricException e) {
            asker.accept(Answer.none(String.valueOf(e.getMessage())));
            return;
        }
        asked.put(id, new Question(question, asker));
        attempt(
                id,
                () -> {
                    id.limitAttempt(limit);
                    id.resolveAddress(peer, limit);
                });
    }

    private void attempt(ConnectionId id, Runnable step) {
        try {
            step.run();
        } catch (FabricException e) {
            end(id, Answer.none(String.valueOf(e.getMessage())));
        }
    }

    // ---- on its thread --------------------------------------------------------------------------

    private void serve() {
        long looked = System.nanoTime();
        while (domain.device().isOpen() && (!closed || !asked.isEmpty())) {
            long left = looked + LOOK_NANOS - System.nanoTime();
            next(Duration.ofNanos(Math.max(left, 0)));
            if (System.nanoTime() - looked >= LOOK_NANOS) {
                looked = System.nanoTime();
                look.run();
            }
        }
        asked.keySet().forEach(id -> end(id, Answer.none("its device is closed")));
    }

    private void next(Duration atMost) {
        try {
            channel.next(atMost).ifPresent(this::handle);
        } catch (FabricException e) {
            if (domain.device().isOpen()) {
                throw e;
            }
        }
    }

    private void handle(ConnectionEvent event) {
        ConnectionId id = event.id();
        switch (event.type()) {
            case CONNECT_REQUEST -> answer(id, event.parameters().privateData());
            case ADDRESS_RESOLVED -> attempt(id, () -> id.resolveRoute(limit));
            case ROUTE_RESOLVED ->
                    attempt(
                            id,
                            () -> id.connect(data(Objects.requireNonNull(asked.get(id)).content)));
            case ESTABLISHED ->
                    end(id, new Answer(event.parameters().privateData(), Optional.empty()));
            default -> end(id, Answer.none(ConnectionService.explanation(event)));
        }
    }

    private void answer(ConnectionId id, byte[] question) {
        try {
            InetAddress peer = id.remoteAddress().orElseThrow().getAddress();
            ConnectionParameters reply = data(answering.answer(peer, question));
            id.createQueuePair(
                    domain,
                    QueuePairAttributes.of(unused, 1, 1)
                            .withType(QueuePairType.UNRELIABLE_DATAGRAM));
            id.accept(reply);
            id.close();
        } catch (DocaException | FabricException e) {
            String why = String.valueOf(e.getMessage());
            ConnectionService.refuse(
                    id, why.substring(0, Math.min(why.length(), MOST_BYTES_OF_REFUSAL)));
        }
    }

    private static ConnectionParameters data(byte[] content) {
        return new ConnectionParameters(0, 0, 0, 0, content);
    }

    private void end(ConnectionId id, Answer answer) {
        Question question = asked.remove(id);
        id.close();
        if (question != null) {
            question.asker.accept(answer);
        }
    }

    /// Answers nobody any more, and waits for answers to what it has asked, each of which comes in
    /// time or not at all.
    @Override
    public void close() {
        listener.close();
        closed = true;
        if (asked.isEmpty()) {
            thread.interrupt();
        }
        try {
            thread.join(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        channel.close();
        unused.close();
    }
}
