package dev.outboard.fabric.roce.cm;

import static dev.outboard.fabric.ConnectionEvent.Type.CONNECT_REQUEST;
import static dev.outboard.fabric.ConnectionEvent.Type.DISCONNECTED;
import static dev.outboard.fabric.ConnectionEvent.Type.ESTABLISHED;
import static dev.outboard.fabric.ConnectionEvent.Type.REJECTED;
import static dev.outboard.fabric.ConnectionEvent.Type.TIMEWAIT_EXIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.DisconnectRequest;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// How connections end, and what may be reused afterwards.
class TeardownTest extends TwoAgents {
    /// A peer that has the client's address and CA GUID, and no memory: it was restarted.
    private CmEndpoint restartedClient() {
        network.leave(client.gid());
        return new CmEndpoint(network, client.configuration(), 99);
    }

    @Test
    @Requirement("ROCE-CM-14")
    void theActiveSideDisconnects() {
        Pair pair = establish();
        client.journal().clear();
        server.journal().clear();

        client.disconnect(pair.active());
        assertThat(client.isFailed(pair.active())).isTrue();
        network.run(EXCHANGE);

        DisconnectRequest request =
                (DisconnectRequest) network.lastSent(CmAttribute.DREQ).message();
        assertThat(request.remoteQpn()).isEqualTo(pair.passive().localQpn());
        assertThat(client.journal())
                .containsExactly(
                        "fail queue pair", "send DREQ", "fail queue pair", "event DISCONNECTED");
        assertThat(server.journal())
                .containsExactly("send DREP", "fail queue pair", "event DISCONNECTED");
        assertThat(client.eventTypes()).containsExactly(ESTABLISHED, DISCONNECTED);
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, ESTABLISHED, DISCONNECTED);
    }

    @Test
    @Requirement("ROCE-CM-14")
    void thePassiveSideDisconnects() {
        Pair pair = establish();

        server.disconnect(pair.passive());
        network.run(EXCHANGE);

        assertThat(client.eventTypes()).containsExactly(ESTABLISHED, DISCONNECTED);
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, ESTABLISHED, DISCONNECTED);
        assertThat(client.isFailed(pair.active())).isTrue();
    }

    @Test
    @Requirement("ROCE-CM-14")
    void bothSidesDisconnectAtOnce() {
        Pair pair = establish();

        client.disconnect(pair.active());
        server.disconnect(pair.passive());
        network.run(EXCHANGE);

        assertThat(network.sent(CmAttribute.DREQ)).hasSize(2);
        assertThat(network.sent(CmAttribute.DREP)).hasSize(2);
        assertThat(client.eventTypes()).containsExactly(ESTABLISHED, DISCONNECTED);
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, ESTABLISHED, DISCONNECTED);
        assertThat(pair.active().state()).isEqualTo(ConnectionState.TIMEWAIT);
        assertThat(pair.passive().state()).isEqualTo(ConnectionState.TIMEWAIT);
    }

    @Test
    @Requirement("ROCE-CM-14")
    void timewaitEndsAfterTheAckTimeout() {
        Pair pair = establish();
        long start = network.nowNanos();
        client.disconnect(pair.active());
        network.runUntilQuiet();

        assertThat(client.eventTypes()).endsWith(TIMEWAIT_EXIT);
        assertThat(server.eventTypes()).endsWith(TIMEWAIT_EXIT);
        // The client waits two latencies for the DREP first.
        assertThat(network.nowNanos() - start)
                .isEqualTo(TIMEWAIT.plus(CmNetwork.LATENCY.multipliedBy(2)).toNanos());
        assertThat(client.agent().connectionCount()).isZero();
        assertThat(server.agent().connectionCount()).isZero();
        assertThat(pair.active().state()).isEqualTo(ConnectionState.IDLE);
    }

    @Test
    @Requirement("ROCE-CM-14")
    void disconnectingTwiceOrTooEarlyIsHarmless() {
        Connection early = client.connect(server, PORT + 1);
        ConnectionState before = early.state();
        client.disconnect(early);
        assertThat(early.state()).isEqualTo(before);
        client.destroy(early);

        Pair pair = establish();
        client.disconnect(pair.active());
        client.disconnect(pair.active());
        network.run(EXCHANGE);
        client.disconnect(pair.active());
        network.run(EXCHANGE);

        assertThat(network.sent(CmAttribute.DREQ)).hasSize(1);
    }

    @Test
    void aDisconnectForAnotherQueuePairIsIgnored() {
        Pair pair = establish();
        network.forgetSent();
        server.receive(
                client.gid(),
                new DisconnectRequest(
                        pair.active().localId(),
                        pair.passive().localId(),
                        pair.passive().localQpn() + 1,
                        Octets.EMPTY));

        assertThat(network.sent()).isEmpty();
        assertThat(pair.passive().state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(server.discarded(CmDiscard.WRONG_QUEUE_PAIR)).isEqualTo(1);
    }

    @Test
    void aDisconnectBeforeTheRtuEndsTheConnection() {
        network.lose(sent -> sent.attribute() == CmAttribute.RTU);
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        client.disconnect(active);
        network.runUntilQuiet();

        assertThat(server.eventTypes())
                .containsExactly(CONNECT_REQUEST, DISCONNECTED, TIMEWAIT_EXIT);
    }

    @Test
    void aDisconnectThatOvertakesTheReplyIsARejection() {
        network.fate(sent ->
                sent.attribute() == CmAttribute.REP
                        ? List.of(Duration.ofMillis(50))
                        : List.of(CmNetwork.LATENCY));
        server.react(event -> {
            if (event.type() == CONNECT_REQUEST) {
                server.accept(event.connection());
                server.disconnect(event.connection());
            }
        });
        Connection active = client.connect(server, PORT);
        network.runUntilQuiet();

        assertThat(client.eventTypes()).containsExactly(REJECTED, TIMEWAIT_EXIT);
        assertThat(client.isConnected(active)).isFalse();
        assertThat(server.eventTypes())
                .containsExactly(CONNECT_REQUEST, DISCONNECTED, TIMEWAIT_EXIT);
    }

    @Test
    void aDestroyedConnectionEndsWithoutEvents() {
        Pair pair = establish();
        client.destroy(pair.active());
        client.destroy(pair.active());
        network.runUntilQuiet();

        assertThat(client.eventTypes()).containsExactly(ESTABLISHED);
        assertThat(server.eventTypes())
                .containsExactly(CONNECT_REQUEST, ESTABLISHED, DISCONNECTED, TIMEWAIT_EXIT);
        assertThat(client.agent().connectionCount()).isZero();
    }

    @Test
    void shuttingDownTellsEveryPeerOnce() {
        establish();
        server.react(_ -> {});
        client.connect(server, PORT);
        network.run(EXCHANGE);
        client.connect(server, PORT);
        network.forgetSent();

        client.agent().shutDown(network.nowNanos());

        assertThat(network.sent(CmAttribute.DREQ)).hasSize(1);
        assertThat(network.sent(CmAttribute.REJ)).hasSize(2);
        assertThat(client.agent().connectionCount()).isZero();
        assertThat(client.agent().deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        network.run(EXCHANGE);
        assertThat(server.eventTypes()).contains(DISCONNECTED, REJECTED);
    }

    @Test
    @Requirement("ROCE-CM-15d")
    void queuePairNumbersAreNotReusedInTimewait() {
        Pair pair = establish();
        int qpn = pair.active().localQpn();
        client.disconnect(pair.active());
        assertThat(client.agent().isInTimewait(qpn)).isFalse();
        network.run(EXCHANGE);

        assertThat(client.agent().isInTimewait(qpn)).isTrue();
        assertThatThrownBy(() ->
                        client.agent()
                                .connect(
                                        server.gid(),
                                        PORT,
                                        qpn,
                                        client.configuration().pathMtu(),
                                        CmEndpoint.DEFAULTS,
                                        network.nowNanos()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("TIMEWAIT");
        network.run(TIMEWAIT);
        assertThat(client.agent().isInTimewait(qpn)).isFalse();
    }

    @Test
    @Requirement("ROCE-CM-15d")
    void aQueuePairInTimewaitCannotAcceptEither() {
        Pair pair = establish();
        server.disconnect(pair.passive());
        network.run(EXCHANGE);
        server.react(_ -> {});
        client.connect(server, PORT);
        network.run(EXCHANGE);

        assertThatThrownBy(() ->
                        server.agent()
                                .accept(
                                        server.lastRequest(),
                                        pair.passive().localQpn(),
                                        CmEndpoint.DEFAULTS,
                                        network.nowNanos()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("TIMEWAIT");
    }

    @Test
    @Requirement("ROCE-CM-15d")
    void aPeerMayUseItsQueuePairAgainWhileWeAreInTimewait() {
        Pair pair = establish();
        RawMad request = RawMad.of(network.lastSent(CmAttribute.REQ));
        client.disconnect(pair.active());
        network.run(EXCHANGE);
        assertThat(pair.passive().state()).isEqualTo(ConnectionState.TIMEWAIT);

        server.receive(client.gid(), request.put32(0, 0x1D));

        assertThat(server.lastRequest().state()).isEqualTo(ConnectionState.REP_SENT);
    }

    @Test
    @Requirement("ROCE-CM-15b")
    void communicationIdsStartAtRandomAndSkipThoseInUse() {
        Set<Integer> first = new HashSet<>();
        for (int seed = 0; seed < 100; seed++) {
            CmEndpoint endpoint = new CmEndpoint(network, 0x7F00_0100 + seed, seed);
            first.add(endpoint.connect(server, PORT).localId());
        }
        assertThat(first).hasSize(100);

        Pair pair = establish();
        client.disconnect(pair.active());
        network.run(EXCHANGE);
        assertThat(pair.active().state()).isEqualTo(ConnectionState.TIMEWAIT);
        // The counter comes round to the ID in TIMEWAIT.
        ConnectionTable table = new ConnectionTable(pair.active().localId() - 1);
        table.add(pair.active());
        assertThat(table.allocateLocalId()).isEqualTo(pair.active().localId() - 1);
        assertThat(table.allocateLocalId()).isEqualTo(pair.active().localId() + 1);
        ConnectionTable atZero = new ConnectionTable(-1);
        assertThat(atZero.allocateLocalId()).isEqualTo(-1);
        assertThat(atZero.allocateLocalId()).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-CM-15a")
    void caGuidsAreRandomAndLocallyAdministered() {
        SplittableRandom random = new SplittableRandom(1);
        Set<Long> guids = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            long guid = CaGuid.takingRequestsAhead(CaGuid.random(random, 4 << 20));
            assertThat(guid >>> 56 & 0x3).isEqualTo(0x2);
            guids.add(guid);
        }
        assertThat(guids).hasSize(1000);
    }

    @Test
    @Requirement({"ROCE-CM-10", "ROCE-CM-15e"})
    void aRestartedPeerIsRejectedAsStaleAndSucceedsWhenItTriesAgain() {
        Pair pair = establish();
        CmEndpoint restarted = restartedClient();
        network.forgetSent();

        // The first queue pair of the restarted peer has the number of the old connection's.
        Connection first = restarted.connect(server, PORT);
        assertThat(first.localQpn()).isEqualTo(pair.active().localQpn());
        network.run(EXCHANGE);

        assertThat(restarted.eventTypes()).containsExactly(REJECTED);
        assertThat(restarted.lastEvent().status()).isEqualTo(10);
        Rejection rejection = (Rejection) network.lastSent(CmAttribute.REJ).message();
        assertThat(rejection.localId()).isZero();
        assertThat(rejection.messageRejected()).isEqualTo(Rejection.OF_REQ);
        // The old connection got a DREQ, which the peer has answered without knowing it.
        assertThat(network.sent(CmAttribute.DREQ)).hasSize(1);
        assertThat(network.sent(CmAttribute.DREP)).hasSize(1);
        assertThat(server.isFailed(pair.passive())).isTrue();
        assertThat(server.eventTypes(pair.passive())).endsWith(DISCONNECTED);

        Connection second = restarted.connect(server, PORT);
        network.run(EXCHANGE);
        assertThat(second.state()).isEqualTo(ConnectionState.ESTABLISHED);
    }

    @Test
    @Requirement("ROCE-CM-15e")
    void aStaleConnectionDoesNotBlockTheQueuePairWhileItIsTornDown() {
        establish();
        RawMad request = RawMad.of(network.lastSent(CmAttribute.REQ)).put32(0, 0x1D);
        network.lose(sent -> sent.attribute() == CmAttribute.DREQ);
        server.receive(client.gid(), request);
        assertThat(network.lastSent(CmAttribute.REJ).message())
                .isInstanceOfSatisfying(
                        Rejection.class, rejection -> assertThat(rejection.reason()).isEqualTo(10));

        server.receive(client.gid(), request.put32(0, 0x1E));

        assertThat(server.lastRequest().state()).isEqualTo(ConnectionState.REP_SENT);
    }

    @Test
    @Requirement("ROCE-CM-10")
    void anUndecidedRequestGoesStaleToo() {
        RawMad request = lostRequest();
        server.receive(client.gid(), request);
        Connection first = server.lastRequest();
        server.receive(client.gid(), request.put32(0, 0x1D));

        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, REJECTED);
        assertThat(server.lastEvent().status()).isEqualTo(10);
        assertThat(server.accept(first)).isFalse();
        server.receive(client.gid(), request.put32(0, 0x1E));
        assertThat(server.accept(server.lastRequest())).isTrue();
    }

    @Test
    void aRepeatedRequestOfAConnectionInTimewaitIsStale() {
        Pair pair = establish();
        RawMad request = RawMad.of(network.lastSent(CmAttribute.REQ));
        server.disconnect(pair.passive());
        network.run(EXCHANGE);
        network.forgetSent();

        server.receive(client.gid(), request);

        assertThat(((Rejection) network.lastSent(CmAttribute.REJ).message()).reason())
                .isEqualTo(10);
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, ESTABLISHED, DISCONNECTED);
    }

    @Test
    @Requirement({"ROCE-CM-10", "ROCE-CM-15e"})
    void aReplyFromAQueuePairThatIsConnectedIsStale() {
        Pair old = establish();
        // The server restarts and uses its first queue pair again, for another connection.
        network.leave(server.gid());
        CmEndpoint restarted = new CmEndpoint(network, server.configuration(), 77);
        restarted.agent().listen(PORT, BACKLOG);
        restarted.acceptEverything();
        Connection active = client.connect(restarted, PORT);
        network.run(EXCHANGE);

        Rejection rejection = (Rejection) network.lastSent(CmAttribute.REJ).message();
        assertThat(rejection.reason()).isEqualTo(10);
        assertThat(rejection.messageRejected()).isEqualTo(Rejection.OF_REP);
        assertThat(active.state()).isEqualTo(ConnectionState.IDLE);
        assertThat(restarted.lastEvent().type()).isEqualTo(REJECTED);
        assertThat(client.eventTypes(old.active())).containsExactly(ESTABLISHED, DISCONNECTED);

        Connection second = client.connect(restarted, PORT);
        network.run(EXCHANGE);
        assertThat(second.state()).isEqualTo(ConnectionState.ESTABLISHED);
    }

    /// Unlike on Linux, where the CA GUID alone identifies a peer.
    @Test
    void aStrangerWithAnothersCaGuidCannotDisturbItsConnections() {
        Pair pair = establish();
        RawMad request =
                RawMad.of(network.lastSent(CmAttribute.REQ))
                        .put32(0, 0x1D)
                        .put32(56 + 12, 0x7F00_0004)
                        .put32(140 + 16, 0x7F00_0004);
        server.receive(STRANGER, request);

        assertThat(pair.passive().state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(server.lastRequest().remoteGid()).isEqualTo(STRANGER);
    }
}
