package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.SimulatedHost.End;
import java.util.HashMap;
import java.util.Map;

/// The passive application of a connection campaign: accepts everybody and sends back what comes.
/// Who says nothing for a while is gone: the last word of a connection may be lost each time.
final class EchoService {
    static final int PORT = 7174;
    static final int MESSAGE_BYTES = 5_000;
    static final int SLOTS = 4;

    /// More than a client ever waits for anything.
    private static final long SILENCE_NANOS = 2 * EchoClient.ATTEMPT.toNanos();

    private final SimulatedHost host;
    private final Map<ConnectionId, Session> sessions = new HashMap<>();
    private int established;
    private int ended;
    private long giveUpNanos = Simulation.NEVER;

    /// One connection. A slot of the memory is received into, sent from, and received into again.
    private record Session(End end, MemoryRegion region) {}

    EchoService(SimulatedHost host) {
        this.host = host;
        host.listen(PORT);
        host.application(this::onEvent, this::onLook);
    }

    int established() {
        return established;
    }

    int ended() {
        return ended;
    }

    int open() {
        return sessions.size();
    }

    private void onEvent(ConnectionEvent event) {
        listen();
        switch (event.type()) {
            case CONNECT_REQUEST -> accept(event);
            case ESTABLISHED -> established++;
            case DISCONNECTED, REJECTED, UNREACHABLE -> end(event.id());
            case TIMEWAIT_EXIT -> {}
            default -> throw new AssertionError("unexpected: " + event);
        }
    }

    /// Receives are there before the peer can send.
    private void accept(ConnectionEvent request) {
        Session session =
                new Session(host.endFor(request), host.register((long) SLOTS * MESSAGE_BYTES));
        for (int slot = 0; slot < SLOTS; slot++) {
            postReceive(session, slot);
        }
        sessions.put(request.id(), session);
        request.id().limitAttempt(EchoClient.ATTEMPT);
        session.end().accept();
    }

    private void end(ConnectionId id) {
        Session session = sessions.remove(id);
        assertThat(session).as("ends once: %s", id).isNotNull();
        ended++;
        session.end().close();
        session.region().close();
    }

    /// Somebody has said something.
    private void listen() {
        giveUpNanos = host.nowNanos() + SILENCE_NANOS;
        host.wakeAt(giveUpNanos);
    }

    private void onLook() {
        Completion completion = new Completion();
        for (Session session : sessions.values()) {
            while (session.end().receives.poll(completion)) {
                if (completion.status() == CompletionStatus.SUCCESS) {
                    listen();
                    echo(session, (int) completion.id(), completion.byteCount());
                }
            }
            while (session.end().sends.poll(completion)) {
                if (completion.status() == CompletionStatus.SUCCESS) {
                    postReceive(session, (int) completion.id());
                }
            }
        }
        if (host.nowNanos() >= giveUpNanos) {
            giveUpNanos = Simulation.NEVER;
            sessions.values().forEach(session -> session.end().id.disconnect());
        }
    }

    private static void echo(Session session, int slot, long length) {
        long offset = (long) slot * MESSAGE_BYTES;
        SendRequest echo = new SendRequest().id(slot).payload(session.region(), offset, length);
        assertThat(session.end().queuePair.post(echo)).isTrue();
    }

    private static void postReceive(Session session, int slot) {
        long offset = (long) slot * MESSAGE_BYTES;
        ReceiveRequest receive =
                new ReceiveRequest().id(slot).buffer(session.region(), offset, MESSAGE_BYTES);
        assertThat(session.end().queuePair.post(receive)).isTrue();
    }
}
