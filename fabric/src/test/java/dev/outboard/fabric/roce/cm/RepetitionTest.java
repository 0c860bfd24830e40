package dev.outboard.fabric.roce.cm;

import static dev.outboard.fabric.ConnectionEvent.Type.CONNECT_REQUEST;
import static dev.outboard.fabric.ConnectionEvent.Type.DISCONNECTED;
import static dev.outboard.fabric.ConnectionEvent.Type.ESTABLISHED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.DatagramFlaw;
import dev.outboard.fabric.roce.wire.cm.DisconnectReply;
import dev.outboard.fabric.roce.wire.cm.DisconnectRequest;
import dev.outboard.fabric.roce.wire.cm.GoldenCmTest;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.ReadyToUse;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Messages that come twice, late, or not at all.
class RepetitionTest extends TwoAgents {
    @Test
    @Requirement("ROCE-CM-7")
    void aRepeatedRequestIsTheSameConnection() {
        server.acceptEverything();
        network.fate(_ -> List.of(CmNetwork.LATENCY, CmNetwork.LATENCY.multipliedBy(5)));

        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);

        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, ESTABLISHED);
        assertThat(client.eventTypes()).containsExactly(ESTABLISHED);
        assertThat(active.state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(server.agent().connectionCount()).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-CM-7")
    void aRepeatedRequestAfterAcceptIsIgnored() {
        server.acceptEverything();
        network.lose(sent -> sent.attribute() == CmAttribute.REP);
        client.connect(server, PORT);
        network.run(EXCHANGE);
        network.forgetSent();

        server.receive(client.gid(), RawMad.of(server.lastRequest().request));

        assertThat(network.sent()).isEmpty();
        assertThat(server.discarded(CmDiscard.DUPLICATE)).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-CM-7")
    void aRepeatedReplyIsAnsweredWithTheSameRtu() {
        network.loseFirst(1, CmAttribute.RTU);
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        network.run(Duration.ofSeconds(1));

        assertThat(network.sent(CmAttribute.REP)).hasSize(2);
        assertThat(network.sent(CmAttribute.RTU)).hasSize(2);
        assertThat(network.sent(CmAttribute.RTU).get(0).mad())
                .containsExactly(network.sent(CmAttribute.RTU).get(1).mad());
        assertThat(server.lastRequest().state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(client.eventTypes()).containsExactly(ESTABLISHED);
        assertThat(active.state()).isEqualTo(ConnectionState.ESTABLISHED);
    }

    @Test
    void aRepeatedRtuChangesNothing() {
        Pair pair = establish();
        server.receive(
                client.gid(),
                new ReadyToUse(pair.active().localId(), pair.passive().localId(), Octets.EMPTY));

        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, ESTABLISHED);
        assertThat(server.discarded(CmDiscard.WRONG_STATE)).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-CM-7")
    void aRepeatedDisconnectIsAnsweredInTimewait() {
        Pair pair = establish();
        network.loseFirst(1, CmAttribute.DREP);

        client.disconnect(pair.active());
        network.run(Duration.ofSeconds(1));

        assertThat(network.sent(CmAttribute.DREQ)).hasSize(2);
        assertThat(network.sent(CmAttribute.DREP)).hasSize(2);
        assertThat(server.eventTypes(pair.passive()))
                .containsExactly(CONNECT_REQUEST, ESTABLISHED, DISCONNECTED);
        assertThat(client.lastEvent().type()).isEqualTo(DISCONNECTED);
        assertThat(client.lastEvent().status()).isZero();
    }

    @Test
    @Requirement("ROCE-CM-7")
    void anUnknownDisconnectIsAnsweredWithItsIdsSwapped() {
        server.receive(
                STRANGER,
                RawMad.of(new DisconnectRequest(0x11, 0x22, 0x33, Octets.EMPTY))
                        .transactionId(0x55_6677_8899L));

        CmNetwork.Sent reply = network.lastSent(CmAttribute.DREP);
        assertThat(reply.to()).isEqualTo(STRANGER);
        assertThat(reply.datagram().transactionId()).isEqualTo(0x55_6677_8899L);
        assertThat(reply.message())
                .isEqualTo(new DisconnectReply(0x22, 0x11, Octets.EMPTY.padded(224)));
        assertThat(server.discarded(CmDiscard.UNKNOWN_ID)).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-CM-8")
    void thePacketThatOvertakesALostRtuEstablishes() {
        network.lose(sent -> sent.attribute() == CmAttribute.RTU);
        server.acceptEverything();
        client.connect(server, PORT);
        network.run(EXCHANGE);
        Connection passive = server.lastRequest();
        assertThat(passive.state()).isEqualTo(ConnectionState.REP_SENT);

        server.agent().queuePairReceivedPacket(passive);
        server.agent().queuePairReceivedPacket(passive);

        assertThat(server.eventTypes(passive)).containsExactly(CONNECT_REQUEST, ESTABLISHED);
        assertThat(server.lastEvent().parameters().privateData()).isEmpty();
        assertThat(server.agent().deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Requirement({"ROCE-CM-8", "ROCE-CM-9"})
    void dataThatArrivesBeforeTheRtuEstablishesOnce() {
        server.acceptEverything();
        client.connect(server, PORT);
        network.run(CmNetwork.LATENCY.multipliedBy(2));
        Connection passive = server.lastRequest();
        // The RTU is on its way.
        assertThat(passive.state()).isEqualTo(ConnectionState.REP_SENT);
        assertThat(server.isConnected(passive)).isTrue();

        server.agent().queuePairReceivedPacket(passive);
        network.run(EXCHANGE);

        assertThat(server.eventTypes(passive)).containsExactly(CONNECT_REQUEST, ESTABLISHED);
    }

    @Test
    void packetsOnOtherConnectionsMeanNothingToTheConnectionManager() {
        Pair pair = establish();
        server.agent().queuePairReceivedPacket(pair.passive());
        client.agent().queuePairReceivedPacket(pair.active());

        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, ESTABLISHED);
        assertThat(client.eventTypes()).containsExactly(ESTABLISHED);
    }

    @Test
    @Requirement("ROCE-CM-18")
    void messagesAreMatchedByIdsWhateverTheirTransactionId() {
        network.lose(sent -> sent.attribute() != CmAttribute.REQ);
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        Connection passive = server.lastRequest();

        client.receive(server.gid(), RawMad.of(network.lastSent(CmAttribute.REP)).transactionId(1));
        assertThat(active.state()).isEqualTo(ConnectionState.ESTABLISHED);
        server.receive(client.gid(), RawMad.of(network.lastSent(CmAttribute.RTU)).transactionId(2));
        assertThat(passive.state()).isEqualTo(ConnectionState.ESTABLISHED);

        client.disconnect(active);
        server.receive(
                client.gid(), RawMad.of(network.lastSent(CmAttribute.DREQ)).transactionId(3));
        assertThat(passive.state()).isEqualTo(ConnectionState.TIMEWAIT);
        assertThat(network.lastSent(CmAttribute.DREP).datagram().transactionId()).isEqualTo(3);
        client.receive(
                server.gid(), RawMad.of(network.lastSent(CmAttribute.DREP)).transactionId(4));
        assertThat(active.state()).isEqualTo(ConnectionState.TIMEWAIT);
    }

    @Test
    @Requirement("ROCE-CM-18")
    void aMessageForAnotherPairOfIdsIsIgnored() {
        Pair pair = establish();
        int ours = pair.passive().localId();
        int theirs = pair.active().localId();

        server.receive(client.gid(), new DisconnectReply(theirs + 1, ours, Octets.EMPTY));
        server.receive(client.gid(), new ReadyToUse(theirs, ours + 1, Octets.EMPTY));
        assertThat(server.discarded(CmDiscard.UNKNOWN_ID)).isEqualTo(2);
        server.receive(
                client.gid(),
                new DisconnectRequest(theirs + 1, ours, pair.passive().localQpn(), Octets.EMPTY));

        assertThat(pair.passive().state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(server.lastEvent().type()).isEqualTo(ESTABLISHED);
    }

    @Test
    void aReplyForAnIdThatIsConnectedToAnotherIsIgnored() {
        Pair pair = establish();
        RawMad reply = RawMad.of(network.lastSent(CmAttribute.REP));
        network.forgetSent();

        // Another ID of the peer for the same connection of ours.
        client.receive(server.gid(), reply.put32(0, 0x77));
        assertThat(network.sent()).isEmpty();
        assertThat(client.discarded(CmDiscard.WRONG_STATE)).isEqualTo(1);

        // The same ID of the peer for another connection of ours.
        network.lose(_ -> true);
        Connection second = client.connect(server, PORT);
        client.receive(
                server.gid(), reply.put32(0, pair.passive().localId()).put32(4, second.localId()));
        assertThat(second.state()).isEqualTo(ConnectionState.REQ_SENT);
        assertThat(client.discarded(CmDiscard.DUPLICATE)).isEqualTo(1);
    }

    @Test
    void answersThatNobodyWaitsForAreIgnored() {
        RawMad[] answers = {
            RawMad.of(new ReadyToUse(1, 2, Octets.EMPTY)),
            RawMad.of(new DisconnectReply(1, 2, Octets.EMPTY)),
            RawMad.of(CmDatagram.parse(GoldenCmTest.mad("cm_rep")).message()),
            RawMad.of(CmDatagram.parse(GoldenCmTest.mad("cm_mra")).message()),
            RawMad.of(CmDatagram.parse(GoldenCmTest.mad("cm_rej_invalid_sid")).message()),
        };
        for (RawMad answer : answers) {
            server.receive(STRANGER, answer);
        }

        assertThat(network.sent()).isEmpty();
        assertThat(server.events()).isEmpty();
        assertThat(server.discarded(CmDiscard.UNKNOWN_ID)).isEqualTo(answers.length);
    }

    @Test
    @Requirement("ROCE-CM-16")
    void loadAlternatePathIsIgnored() {
        Pair pair = establish();
        network.forgetSent();
        RawMad lap =
                RawMad.of(
                                new ReadyToUse(
                                        pair.active().localId(),
                                        pair.passive().localId(),
                                        Octets.EMPTY))
                        .header8(17, 0x19);
        server.receive(client.gid(), lap);
        server.receive(client.gid(), lap.header8(17, 0x1A));

        assertThat(network.sent()).isEmpty();
        assertThat(pair.passive().state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(server.discarded(DatagramFlaw.UNSUPPORTED_ATTRIBUTE)).isEqualTo(2);
    }

    @Test
    @Requirement("ROCE-CM-16")
    void anAlternatePathInARequestIsIgnored() {
        server.acceptEverything();
        RawMad request = lostRequest();
        for (int at = 96; at < 140; at++) {
            request.put8(at, 0xFF);
        }
        server.receive(client.gid(), request);

        assertThat(server.lastRequest().state()).isEqualTo(ConnectionState.REP_SENT);
        ConnectionReply reply = (ConnectionReply) network.lastSent(CmAttribute.REP).message();
        assertThat(reply.failoverAccepted()).isZero();
        assertThat(server.attributes(server.lastRequest()).remoteGid()).isEqualTo(client.gid());
    }

    @Test
    void anApplicationThatAnswersInTheEventIsFine() {
        server.acceptEverything();
        client.react(event -> {
            if (event.type() == ConnectionEvent.Type.ESTABLISHED) {
                client.disconnect(event.connection());
            } else if (event.type() == DISCONNECTED) {
                client.connect(server, PORT);
            }
        });
        client.connect(server, PORT);
        network.run(Duration.ofSeconds(1));

        assertThat(network.sent(CmAttribute.REQ)).hasSizeGreaterThan(10);
    }
}
