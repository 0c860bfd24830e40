package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.SimulatedDevice.Endpoint;
import dev.outboard.fabric.roce.cm.CmEvent;
import dev.outboard.fabric.roce.cm.Connection;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/// The passive application of a connection campaign: accepts everybody and sends back what comes.
final class EchoService {
    static final int PORT = 7174;
    static final int MESSAGE_BYTES = 5_000;
    static final int SLOTS = 4;

    private final SimulatedDevice device;
    private final Map<Connection, Session> sessions = new HashMap<>();
    private int established;
    private int ended;

    /// One connection. A slot of the memory is received into, sent from, and received into again.
    private record Session(Endpoint endpoint, RegisteredRegion region) {}

    EchoService(SimulatedDevice device) {
        this.device = device;
        device.listen(PORT);
        device.application(this::onEvent, this::onTurn);
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

    private void onEvent(CmEvent event) {
        Connection connection = event.connection();
        switch (event.type()) {
            case CONNECT_REQUEST -> accept(connection);
            case ESTABLISHED -> established++;
            case DISCONNECTED, REJECTED, UNREACHABLE -> end(connection);
            case TIMEWAIT_EXIT -> {}
            default -> throw new AssertionError("unexpected: " + event);
        }
    }

    /// Receives are there before the peer can send.
    private void accept(Connection connection) {
        Endpoint endpoint = device.requested(connection);
        RegisteredRegion region =
                device.regions.register(
                        SimulatedDevice.DOMAIN,
                        Arena.ofAuto().allocate((long) SLOTS * MESSAGE_BYTES),
                        Set.of(Access.LOCAL_WRITE));
        Session session = new Session(endpoint, region);
        for (int slot = 0; slot < SLOTS; slot++) {
            postReceive(session, slot);
        }
        sessions.put(connection, session);
        device.accept(connection, endpoint);
    }

    private void end(Connection connection) {
        Session session = sessions.remove(connection);
        assertThat(session).as("ends once: %s", connection).isNotNull();
        ended++;
        session.region().close();
        device.destroy(session.endpoint());
    }

    private void onTurn() {
        Completion completion = new Completion();
        for (Session session : sessions.values()) {
            while (session.endpoint().receiveCompletions.poll(completion)) {
                if (completion.status() == CompletionStatus.SUCCESS) {
                    echo(session, (int) completion.id(), completion.byteCount());
                }
            }
            while (session.endpoint().sendCompletions.poll(completion)) {
                if (completion.status() == CompletionStatus.SUCCESS) {
                    postReceive(session, (int) completion.id());
                }
            }
        }
    }

    private static void echo(Session session, int slot, long length) {
        long offset = (long) slot * MESSAGE_BYTES;
        SendRequest echo = new SendRequest().id(slot).payload(session.region(), offset, length);
        assertThat(session.endpoint().post(echo)).isTrue();
    }

    private static void postReceive(Session session, int slot) {
        long offset = (long) slot * MESSAGE_BYTES;
        ReceiveRequest receive =
                new ReceiveRequest().id(slot).buffer(session.region(), offset, MESSAGE_BYTES);
        assertThat(session.endpoint().post(receive)).isTrue();
    }
}
