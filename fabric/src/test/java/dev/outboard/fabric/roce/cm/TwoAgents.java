package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import java.time.Duration;

/// What most tests start from: a client and a server that listens.
class TwoAgents {
    static final int PORT = 7174;
    static final int BACKLOG = 4;
    static final int CLIENT_IPV4 = 0x7F00_0002;
    static final int SERVER_IPV4 = 0x7F00_0003;
    static final Gid STRANGER = Gid.ofIpv4(0x7F00_0004);

    /// Long enough for any exchange without loss, too short for any timer.
    static final Duration EXCHANGE = Duration.ofMillis(100);

    /// What code 19 stands for.
    static final Duration TIMEWAIT = Duration.ofMillis(2048);

    final CmNetwork network = new CmNetwork();
    final CmEndpoint client = new CmEndpoint(network, CLIENT_IPV4, 1);
    final CmEndpoint server = new CmEndpoint(network, SERVER_IPV4, 2);
    final Listener listener = server.agent().listen(PORT, BACKLOG);

    /// Both ends of an established connection.
    record Pair(Connection active, Connection passive) {}

    Pair establish() {
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        Connection passive = server.lastRequest();
        if (active.state() != ConnectionState.ESTABLISHED
                || passive.state() != ConnectionState.ESTABLISHED) {
            throw new AssertionError(active + ", " + passive);
        }
        return new Pair(active, passive);
    }

    /// The REQ of a connect that is lost, and that the client forgets about at once.
    RawMad lostRequest() {
        network.lose(_ -> true);
        Connection connection = client.connect(server, PORT);
        RawMad request = RawMad.of(network.lastSent(CmAttribute.REQ));
        client.destroy(connection);
        network.loseNothing();
        network.forgetSent();
        return request;
    }
}
