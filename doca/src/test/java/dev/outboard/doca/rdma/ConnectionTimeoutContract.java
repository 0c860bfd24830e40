package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Connections by address that do not come about in time, on every provider.
abstract class ConnectionTimeoutContract {
    private static final Duration LIMIT = Duration.ofMillis(200);

    /// What it takes when only the connection manager bounds it.
    private static final Duration RETRIES = Duration.ofSeconds(9);

    private final ConnectionNotes atServer = new ConnectionNotes();
    private final ConnectionNotes atClient = new ConnectionNotes();
    private RdmaEnd server;
    private RdmaEnd client;
    private RdmaAddress address;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    /// An address that nobody has.
    abstract RdmaAddress unreachable();

    @BeforeEach
    void listen() {
        server = new RdmaEnd(device());
        client = new RdmaEnd(device());
        server.rdma.connectionRequestTimeout(LIMIT).onConnection(atServer).start();
        client.rdma.connectionRequestTimeout(LIMIT).onConnection(atClient);
        address = server.address(server.rdma.listen(0));
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private void assertTimedOut(RdmaEnd end, ConnectionNotes notes) {
        end.progressUntil(() -> !notes.failed.isEmpty());
        assertThat(notes.errors).containsExactly(DocaError.TIME_OUT);
        assertThat(notes.explanations).containsExactly("the peer did not answer within PT0.2S");
        assertThat(end.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    @Requirement({"DFLT-45", "DRDMA-CM-11", "DRDMA-PROP-13"})
    void anAddressThatNobodyHasEndsTheAttemptInTime() {
        client.rdma.start();
        long start = System.nanoTime();

        client.rdma.connectTo(unreachable(), null);
        assertTimedOut(client, atClient);

        Duration taken = Duration.ofNanos(System.nanoTime() - start);
        assertThat(taken).isBetween(LIMIT, RETRIES);
    }

    /// Longer than the default.
    @Test
    @Requirement("DRDMA-PROP-13")
    void anAttemptLastsAsLongAsWasSet() {
        Duration longer = Duration.ofSeconds(3);
        client.rdma.connectionRequestTimeout(longer).start();
        long start = System.nanoTime();

        client.rdma.connectTo(unreachable(), null);
        client.progressUntil(() -> !atClient.failed.isEmpty());

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(longer);
        assertThat(atClient.explanations).containsExactly("the peer did not answer within PT3S");
    }

    @Test
    void aPeerThatNeverAnswersEndsTheAttemptInTime() {
        client.rdma.start();
        RdmaConnection ours = client.rdma.connectTo(address, null);
        assertRefused(DocaError.BAD_STATE, ours::details, "made by address");

        assertTimedOut(client, atClient);

        assertThat(ours.state()).isEqualTo(RdmaState.RESET);
        assertThat(client.rdma.connectTo(address, null).state())
                .as("there is room again")
                .isEqualTo(RdmaState.INIT);
    }

    @Test
    void whoSleepsIsWokenWhenTheTimeIsOver() throws InterruptedException {
        client.rdma.start();
        client.rdma.connectTo(unreachable(), null);
        while (atClient.failed.isEmpty()) {
            client.engine.await(Duration.ofMinutes(1));
            client.engine.progress();
        }
        assertTimedOut(client, atClient);
    }

    @Test
    void aPeerThatIsGoneBeforeItConfirmsEndsTheGrantInTime() {
        try (PeerProcess theirs = new PeerProcess(device(), RdmaPeerProgram.LISTEN)) {
            theirs.tell("ask " + address.address().getHostAddress() + ":" + address.port());
            server.progressUntil(() -> !atServer.requested.isEmpty());
            theirs.kill();
        }

        atServer.requested.getFirst().accept();

        assertTimedOut(server, atServer);
    }
}
