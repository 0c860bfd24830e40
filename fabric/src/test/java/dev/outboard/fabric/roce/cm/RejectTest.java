package dev.outboard.fabric.roce.cm;

import static dev.outboard.fabric.ConnectionEvent.Type.CONNECT_ERROR;
import static dev.outboard.fabric.ConnectionEvent.Type.CONNECT_REQUEST;
import static dev.outboard.fabric.ConnectionEvent.Type.DISCONNECTED;
import static dev.outboard.fabric.ConnectionEvent.Type.ESTABLISHED;
import static dev.outboard.fabric.ConnectionEvent.Type.REJECTED;
import static dev.outboard.fabric.ConnectionEvent.Type.TIMEWAIT_EXIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.RejectReason;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// REJ, sent and received.
class RejectTest extends TwoAgents {
    /// Hands `request` to the server, and checks that it is rejected, and how, in the words that
    /// Linux uses: no local ID, the REQ's transaction.
    private void assertRejected(RawMad request, RejectReason reason, byte... info) {
        network.forgetSent();
        int events = server.events().size();
        server.receive(client.gid(), request);

        ConnectionRequest sent = (ConnectionRequest) CmDatagram.parse(request.bytes()).message();
        assertThat(network.sent()).hasSize(1);
        CmDatagram answer = network.sent().getFirst().datagram();
        assertThat(network.sent().getFirst().to()).isEqualTo(client.gid());
        assertThat(answer.transactionId())
                .isEqualTo(CmDatagram.parse(request.bytes()).transactionId());
        assertThat(answer.message())
                .isEqualTo(
                        new Rejection(
                                0,
                                sent.localId(),
                                Rejection.OF_REQ,
                                info.length,
                                reason.code(),
                                Octets.of(info).padded(72),
                                Octets.EMPTY.padded(148)));
        assertThat(server.events()).hasSize(events);
    }

    @Test
    @Requirement("ROCE-CM-10")
    void rejectsWhenNobodyListens() {
        RawMad request = lostRequest();

        assertRejected(request.put64(8, 0x0106_0001L), RejectReason.INVALID_SERVICE_ID);
        // The same port in the port space of datagram services.
        assertRejected(request.put64(8, 0x0111_1C06L), RejectReason.INVALID_SERVICE_ID);
        assertRejected(request.put64(8, 0xFF_0106_1C06L), RejectReason.INVALID_SERVICE_ID);
        server.agent().close(listener);
        assertRejected(request.put64(8, 0x0106_1C06L), RejectReason.INVALID_SERVICE_ID);
    }

    @Test
    @Requirement("ROCE-CM-10")
    void theActiveSideLearnsThatNobodyListens() {
        Connection active = client.connect(server, PORT + 1);
        network.run(EXCHANGE);

        assertThat(client.eventTypes()).containsExactly(REJECTED);
        assertThat(client.lastEvent().status()).isEqualTo(8);
        assertThat(client.lastEvent().explanation())
                .isEqualTo("nobody listens on this port (reason 8)");
        assertThat(client.isFailed(active)).isTrue();
        assertThat(active.state()).isEqualTo(ConnectionState.IDLE);
        assertThat(client.agent().connectionCount()).isZero();
    }

    @Test
    @Requirement({"ROCE-CM-2", "ROCE-CM-10"})
    void rejectsAForeignDestination() {
        byte[] own = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xFF, (byte) 0xFF, 127, 0, 0, 3};
        RawMad request = lostRequest();

        // In the address header.
        assertRejected(request.put32(140 + 32, 0x7F00_0009), RejectReason.INVALID_GID, own);
        // In the path.
        request.put32(140 + 32, SERVER_IPV4);
        assertRejected(request.put32(72 + 12, 0x7F00_0009), RejectReason.INVALID_GID, own);
    }

    @Test
    @Requirement({"ROCE-CM-2", "ROCE-CM-10"})
    void rejectsAnUnknownAddressHeader() {
        assertRejected(lostRequest().put8(140, 0x01), RejectReason.CONSUMER_REJECT);
        assertRejected(lostRequest().put8(140, 0x10), RejectReason.CONSUMER_REJECT);
        assertRejected(lostRequest().put8(141, 0x50), RejectReason.CONSUMER_REJECT);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    @Requirement("ROCE-CM-10")
    void rejectsOtherTransports(int transport) {
        assertRejected(
                lostRequest().put8(43, 20 << 3 | transport << 1), RejectReason.CONSUMER_REJECT);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 5, 6, 15})
    @Requirement({"ROCE-CM-10", "ROCE-CM-12"})
    void rejectsAPathMtuThatTheLinkDoesNotCarry(int mtuCode) {
        CmConfiguration small =
                CmConfiguration.of(server.configuration().caGuid(), server.gid(), PathMtu.MTU_1024);
        CmEndpoint narrow = new CmEndpoint(network, small, 2);
        narrow.agent().listen(PORT, BACKLOG);

        narrow.receive(client.gid(), lostRequest().put8(50, mtuCode << 4 | 7));

        Rejection rejection = (Rejection) network.lastSent(CmAttribute.REJ).message();
        assertThat(rejection.reason()).isEqualTo(26);
        assertThat(rejection.additionalInfoLength()).isEqualTo(1);
        assertThat(rejection.additionalInfo()).isEqualTo(Octets.of((byte) 3).padded(72));
        assertThat(narrow.events()).isEmpty();
    }

    @Test
    @Requirement({"ROCE-CM-10", "ROCE-CM-13"})
    void theApplicationRejectsWithPrivateData() {
        byte[] why = {1, 2, 3};
        server.react(event -> server.agent().reject(event.connection(), why));

        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);

        assertThat(client.eventTypes()).containsExactly(REJECTED);
        assertThat(client.lastEvent().status()).isEqualTo(28);
        assertThat(client.lastEvent().parameters().privateData())
                .containsExactly(Arrays.copyOf(why, 148));
        assertThat(active.state()).isEqualTo(ConnectionState.IDLE);
        assertThat(client.isFailed(active)).isTrue();
        assertThat(server.agent().connectionCount()).isZero();
        assertThat(((Rejection) network.lastSent(CmAttribute.REJ).message()).localId()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("ROCE-CM-10")
    void everyReasonReachesTheApplication(RejectReason reason) {
        rejectRequest(reason.code());

        assertThat(client.eventTypes()).startsWith(REJECTED);
        assertThat(client.lastEvent().status()).isEqualTo(reason.code());
        assertThat(client.lastEvent().explanation())
                .isEqualTo(reason.explanation() + " (reason " + reason.code() + ")");
        assertThat(RejectReason.of(reason.code())).contains(reason);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 34, 36, 65535})
    @Requirement("ROCE-CM-10")
    void undefinedReasonsReachTheApplicationToo(int code) {
        rejectRequest(code);

        assertThat(client.lastEvent().status()).isEqualTo(code);
        assertThat(client.lastEvent().explanation())
                .isEqualTo("unknown reject reason (reason " + code + ")");
    }

    private void rejectRequest(int reason) {
        network.lose(_ -> true);
        Connection active = client.connect(server, PORT);
        client.receive(
                server.gid(),
                new Rejection(
                        0,
                        active.localId(),
                        Rejection.OF_REQ,
                        0,
                        reason,
                        Octets.EMPTY,
                        Octets.EMPTY.padded(148)));
    }

    @Test
    @Requirement("ROCE-CM-10")
    void aStaleConnectionKeepsTheQueuePairInTimewait() {
        network.lose(_ -> true);
        Connection active = client.connect(server, PORT);
        client.receive(
                server.gid(),
                new Rejection(0, active.localId(), 0, 0, 10, Octets.EMPTY, Octets.EMPTY));

        assertThat(client.lastEvent().status()).isEqualTo(10);
        assertThat(active.state()).isEqualTo(ConnectionState.TIMEWAIT);
        assertThat(client.agent().isInTimewait(active.localQpn())).isTrue();
        network.run(TIMEWAIT);
        assertThat(client.eventTypes()).containsExactly(REJECTED, TIMEWAIT_EXIT);
        assertThat(client.agent().isInTimewait(active.localQpn())).isFalse();
    }

    @Test
    void aPeerThatWasAcknowledgedMayStillReject() {
        Connection active = client.connect(server, PORT);
        network.run(Duration.ofSeconds(1));
        assertThat(active.state()).isEqualTo(ConnectionState.MRA_REQ_RCVD);

        server.agent().reject(server.lastRequest(), new byte[0]);
        network.run(EXCHANGE);

        assertThat(client.eventTypes()).containsExactly(REJECTED);
    }

    @Test
    void givingUpTellsThePeerWhoGaveUp() {
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        client.destroy(active);
        network.run(EXCHANGE);

        Rejection rejection = (Rejection) network.lastSent(CmAttribute.REJ).message();
        assertThat(rejection.reason()).isEqualTo(4);
        assertThat(rejection.localId()).isEqualTo(active.localId());
        assertThat(rejection.additionalInfoLength()).isEqualTo(8);
        assertThat(rejection.additionalInfo().asByteBuffer().getLong())
                .isEqualTo(client.configuration().caGuid());
        assertThat(client.events()).isEmpty();
        assertThat(client.agent().connectionCount()).isZero();
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, REJECTED);
        assertThat(server.lastEvent().status()).isEqualTo(4);
        assertThat(server.agent().connectionCount()).isZero();
    }

    @Test
    void anAnswerToAWithdrawnRequestIsHarmless() {
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        client.destroy(active);
        network.run(EXCHANGE);
        network.forgetSent();

        assertThat(server.accept(server.lastRequest())).isFalse();
        server.agent().reject(server.lastRequest(), new byte[0]);
        server.destroy(server.lastRequest());

        assertThat(network.sent()).isEmpty();
        assertThat(server.isConnected(server.lastRequest())).isFalse();
    }

    @Test
    void givingUpReachesAPeerThatHasAccepted() {
        network.lose(sent -> sent.attribute() == CmAttribute.REP);
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        client.destroy(active);
        network.runUntilQuiet();

        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, REJECTED, TIMEWAIT_EXIT);
        assertThat(server.isFailed(server.lastRequest())).isTrue();
    }

    @Test
    void anActiveQueuePairThatCannotBeConnectedRejectsTheReply() {
        client.refuseQueuePairs(() -> true);
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);

        Rejection rejection = (Rejection) network.lastSent(CmAttribute.REJ).message();
        assertThat(rejection.reason()).isEqualTo(28);
        assertThat(rejection.messageRejected()).isEqualTo(Rejection.OF_REP);
        assertThat(rejection.localId()).isEqualTo(active.localId());
        assertThat(rejection.remoteId()).isEqualTo(server.lastRequest().localId());
        assertThat(client.eventTypes()).containsExactly(CONNECT_ERROR);
        assertThat(active.state()).isEqualTo(ConnectionState.IDLE);
        assertThat(client.isFailed(active)).isTrue();
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, REJECTED);
        assertThat(server.isFailed(server.lastRequest())).isTrue();
    }

    @Test
    @Requirement("ROCE-CM-9")
    void aPassiveQueuePairThatCannotBeConnectedRejectsTheRequest() {
        server.refuseQueuePairs(() -> true);
        client.connect(server, PORT);
        network.run(EXCHANGE);

        assertThat(server.accept(server.lastRequest())).isFalse();
        network.run(EXCHANGE);

        assertThat(server.isFailed(server.lastRequest())).isTrue();
        assertThat(network.sent(CmAttribute.REP)).isEmpty();
        assertThat(client.eventTypes()).containsExactly(REJECTED);
        assertThat(client.lastEvent().status()).isEqualTo(28);
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST);
        assertThat(server.agent().connectionCount()).isZero();
    }

    @Test
    void aLateRejectionOfTheRequestDoesNotEndTheConnection() {
        Pair pair = establish();
        client.receive(
                server.gid(),
                new Rejection(0, pair.active().localId(), 0, 0, 28, Octets.EMPTY, Octets.EMPTY));

        assertThat(pair.active().state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(client.discarded(CmDiscard.WRONG_STATE)).isEqualTo(1);
    }

    /// Linux sends this when the application destroys an accepted connection before the RTU.
    @Test
    void aRejectionOfTheWholeConnectionEndsIt() {
        Pair pair = establish();
        client.receive(
                server.gid(),
                new Rejection(
                        pair.passive().localId(),
                        pair.active().localId(),
                        Rejection.OF_NONE,
                        0,
                        28,
                        Octets.EMPTY,
                        Octets.EMPTY));

        assertThat(client.eventTypes()).containsExactly(ESTABLISHED, DISCONNECTED);
        assertThat(pair.active().state()).isEqualTo(ConnectionState.TIMEWAIT);
        assertThat(client.isFailed(pair.active())).isTrue();
    }
}
