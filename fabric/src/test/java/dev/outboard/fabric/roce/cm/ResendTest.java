package dev.outboard.fabric.roce.cm;

import static dev.outboard.fabric.ConnectionEvent.Type.DISCONNECTED;
import static dev.outboard.fabric.ConnectionEvent.Type.ESTABLISHED;
import static dev.outboard.fabric.ConnectionEvent.Type.TIMEWAIT_EXIT;
import static dev.outboard.fabric.ConnectionEvent.Type.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.MessageReceiptAcknowledgement;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.ReadyToUse;
import dev.outboard.fabric.roce.wire.cm.TimeoutCode;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Timers of REQ, REP, DREQ and TIMEWAIT, and MRA.
class ResendTest extends TwoAgents {
    private static final Duration LONG = Duration.ofMinutes(10);

    /// The milliseconds between one transmission and the next.
    private List<Long> gaps(CmAttribute attribute) {
        List<CmNetwork.Sent> sent = network.sent(attribute);
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < sent.size(); i++) {
            gaps.add((sent.get(i).atNanos() - sent.get(i - 1).atNanos()) / 1_000_000);
        }
        return gaps;
    }

    private void assertIdenticalContent(CmAttribute attribute) {
        assertThat(network.sent(attribute))
                .allSatisfy(sent ->
                        assertThat(sent.mad()).containsExactly(network.lastSent(attribute).mad()));
    }

    private CmEndpoint linuxClient() {
        CmConfiguration configuration =
                CmEndpoint.configuration(CLIENT_IPV4, 1).withTimers(CmTimers.LINUX);
        return new CmEndpoint(network, configuration, 1);
    }

    private CmEndpoint linuxServer() {
        CmConfiguration configuration =
                CmEndpoint.configuration(SERVER_IPV4, 2).withTimers(CmTimers.LINUX);
        CmEndpoint endpoint = new CmEndpoint(network, configuration, 2);
        endpoint.agent().listen(PORT, BACKLOG);
        return endpoint;
    }

    @Test
    @Requirement("ROCE-CM-6")
    void aRequestIsRepeatedUnchangedWithDoublingWaitsAndThenUnreachable() {
        network.leave(server.gid());
        long start = network.nowNanos();

        Connection active = client.connect(server, PORT);
        network.runUntilQuiet();

        assertThat(gaps(CmAttribute.REQ)).containsExactly(500L, 1000L, 2000L, 4000L);
        assertIdenticalContent(CmAttribute.REQ);
        assertThat(network.lastSent(CmAttribute.REJ).atNanos() - start)
                .isEqualTo(Duration.ofMillis(11_500).toNanos());
        assertThat(client.eventTypes()).containsExactly(UNREACHABLE);
        assertThat(client.lastEvent().status()).isEqualTo(CmEvent.ETIMEDOUT);
        assertThat(client.lastEvent().explanation())
                .isEqualTo("no answer from 127.0.0.3 port 7174 to 5 connection requests");
        assertThat(client.isFailed(active)).isTrue();
        assertThat(active.state()).isEqualTo(ConnectionState.IDLE);
        assertThat(client.agent().connectionCount()).isZero();
        assertThat(client.agent().counters().resent()).isEqualTo(4);
    }

    @Test
    @Requirement("ROCE-CM-6")
    void aRequestIsRepeatedLikeOnLinux() {
        network.leave(server.gid());
        CmEndpoint linux = linuxClient();

        linux.connect(server, PORT);
        network.runUntilQuiet();

        assertThat(gaps(CmAttribute.REQ)).hasSize(15).containsOnly(6144L);
        assertIdenticalContent(CmAttribute.REQ);
        assertThat(linux.eventTypes()).containsExactly(UNREACHABLE);
    }

    @Test
    @Requirement("ROCE-CM-6")
    void aReplyIsRepeatedUnchangedAndThenUnreachable() {
        server.acceptEverything();
        client.connect(server, PORT);
        network.leave(client.gid());
        network.runUntilQuiet();

        assertThat(gaps(CmAttribute.REP)).containsExactly(500L, 1000L);
        assertIdenticalContent(CmAttribute.REP);
        assertThat(network.nowNanos() - network.lastSent(CmAttribute.REP).atNanos())
                .as("it waits as long as without a limit")
                .isGreaterThan(9_000_000_000L);
        assertThat(server.eventTypes(server.lastRequest()))
                .containsSubsequence(UNREACHABLE, TIMEWAIT_EXIT);
        assertThat(server.isFailed(server.lastRequest())).isTrue();
        assertThat(server.agent().connectionCount()).isZero();
    }

    @Test
    @Requirement("ROCE-CM-6")
    void aReplyIsRepeatedLikeOnLinux() {
        CmEndpoint linux = linuxServer();
        linux.acceptEverything();
        client.connect(linux, PORT);
        network.leave(client.gid());
        network.runUntilQuiet();

        assertThat(gaps(CmAttribute.REP)).containsExactly(4096L, 4096L);
        assertIdenticalContent(CmAttribute.REP);
    }

    @Test
    @Requirement("ROCE-CM-6")
    void aReplyIsRepeatedNoMoreOftenThanTheRequestAllows() {
        server.acceptEverything();
        server.receive(client.gid(), lostRequest().put8(51, 1 << 4));
        network.leave(client.gid());
        network.runUntilQuiet();

        assertThat(network.sent(CmAttribute.REP)).hasSize(2);
    }

    @Test
    @Requirement({"ROCE-CM-6", "ROCE-CM-14"})
    void aDisconnectIsRepeatedUnchangedAndEndsWithoutAnswer() {
        Pair pair = establish();
        network.leave(server.gid());

        client.disconnect(pair.active());
        network.runUntilQuiet();

        assertThat(gaps(CmAttribute.DREQ)).containsExactly(500L, 1000L, 2000L, 4000L);
        assertIdenticalContent(CmAttribute.DREQ);
        assertThat(client.eventTypes()).containsExactly(ESTABLISHED, DISCONNECTED, TIMEWAIT_EXIT);
        assertThat(client.events().get(1).status()).isEqualTo(CmEvent.ETIMEDOUT);
    }

    @Test
    @Requirement("ROCE-CM-6")
    void aLostRequestOrReplyIsMadeUpFor() {
        network.loseFirst(1, CmAttribute.REQ);
        Pair first = establishSlowly();
        network.loseFirst(2, CmAttribute.REP);
        Pair second = establishSlowly();

        assertThat(first.active().state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(second.active().state()).isEqualTo(ConnectionState.ESTABLISHED);
    }

    /// Its REQ comes again after 6.1 s, when no more replies come by themselves.
    @Test
    @Requirement("ROCE-CM-6")
    void aSlowClientGetsTheReplyAtOnceWhenItAsksAgain() {
        CmEndpoint slow = linuxClient();
        network.loseFirst(3, CmAttribute.REP);
        server.acceptEverything();

        Connection active = slow.connect(server, PORT);
        network.run(Duration.ofMillis(6144).plus(EXCHANGE));

        assertThat(active.state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(server.lastRequest().state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(network.sent(CmAttribute.REP)).hasSize(4);
        assertIdenticalContent(CmAttribute.REP);
    }

    @Test
    void bothSidesMeasureTheHandshake() {
        Pair pair = establish();

        long roundTrip = 2 * CmNetwork.LATENCY.toNanos();
        assertThat(client.handshakeNanos(pair.active())).isEqualTo(roundTrip);
        assertThat(server.handshakeNanos(pair.passive())).isEqualTo(roundTrip);
    }

    /// Nobody could tell which copy was answered (Karn's rule).
    @Test
    void aRepeatedMessageMeasuresNothing() {
        network.loseFirst(1, CmAttribute.REQ);
        Pair first = establishSlowly();
        assertThat(client.handshakeNanos(first.active())).isZero();
        assertThat(server.handshakeNanos(first.passive())).isPositive();

        network.loseFirst(1, CmAttribute.RTU);
        Pair second = establishSlowly();
        assertThat(client.handshakeNanos(second.active())).isPositive();
        assertThat(server.handshakeNanos(second.passive())).isZero();
    }

    private Pair establishSlowly() {
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        network.run(Duration.ofSeconds(5));
        Connection passive = server.lastRequest();
        assertThat(passive.state()).isEqualTo(ConnectionState.ESTABLISHED);
        return new Pair(active, passive);
    }

    @Test
    @Requirement("ROCE-CM-6")
    void anAnswerStopsTheTimer() {
        establish();
        network.forgetSent();
        network.run(LONG);

        assertThat(network.sent()).isEmpty();
    }

    @Test
    @Requirement("ROCE-CM-11")
    void aDuplicateRequestIsAcknowledgedWhileTheApplicationIsUndecided() {
        client.connect(server, PORT);
        network.run(Duration.ofMillis(600));

        assertThat(server.events()).hasSize(1);
        assertThat(network.sent(CmAttribute.REQ)).hasSize(2);
        assertThat(network.lastSent(CmAttribute.MRA).message())
                .isEqualTo(
                        new MessageReceiptAcknowledgement(
                                server.lastRequest().localId(),
                                ((ConnectionRequest) network.lastSent(CmAttribute.REQ).message())
                                        .localId(),
                                MessageReceiptAcknowledgement.OF_REQ,
                                24,
                                Octets.EMPTY.padded(222)));
        assertThat(network.lastSent(CmAttribute.MRA).datagram().transactionId())
                .isEqualTo(network.lastSent(CmAttribute.REQ).datagram().transactionId());
    }

    @Test
    @Requirement("ROCE-CM-11")
    void anAcknowledgedRequestWaitsForTheServiceTimeoutAndIsThenRepeated() {
        Connection active = client.connect(server, PORT);
        network.run(Duration.ofMillis(600));
        assertThat(active.state()).isEqualTo(ConnectionState.MRA_REQ_RCVD);

        // 65536 ms of code 24 and 2048 ms of the ACK timeout's code 19.
        network.run(Duration.ofMillis(67_400));
        assertThat(network.sent(CmAttribute.REQ)).hasSize(2);
        network.run(Duration.ofSeconds(1));
        assertThat(network.sent(CmAttribute.REQ)).hasSize(3);
        assertIdenticalContent(CmAttribute.REQ);
        // The next receipt counts, too.
        assertThat(active.state()).isEqualTo(ConnectionState.MRA_REQ_RCVD);

        server.accept(server.lastRequest());
        network.run(EXCHANGE);
        assertThat(active.state()).isEqualTo(ConnectionState.ESTABLISHED);
    }

    @Test
    @Requirement("ROCE-CM-11")
    void acknowledgementsCannotHoldAConnectForEver() {
        Connection active = client.connect(server, PORT);
        network.lose(_ -> true);
        network.run(EXCHANGE);
        for (int i = 0; i < 100 && active.state() != ConnectionState.IDLE; i++) {
            client.receive(
                    server.gid(),
                    new MessageReceiptAcknowledgement(
                            7, active.localId(), 0, TimeoutCode.MAX, Octets.EMPTY));
            network.run(Duration.ofSeconds(10));
        }

        assertThat(client.eventTypes()).containsExactly(UNREACHABLE);
    }

    @Test
    @Requirement("ROCE-CM-11")
    void anAcknowledgedReplyWaitsLonger() {
        server.acceptEverything();
        network.lose(sent -> sent.attribute() == CmAttribute.REP);
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        Connection passive = server.lastRequest();
        server.receive(
                client.gid(),
                new MessageReceiptAcknowledgement(
                        active.localId(),
                        passive.localId(),
                        MessageReceiptAcknowledgement.OF_REP,
                        20,
                        Octets.EMPTY));
        assertThat(passive.state()).isEqualTo(ConnectionState.MRA_REP_RCVD);

        network.run(Duration.ofSeconds(6));
        assertThat(network.sent(CmAttribute.REP)).hasSize(1);
        network.run(Duration.ofMillis(200));
        assertThat(network.sent(CmAttribute.REP)).hasSize(2);
        assertThat(passive.state()).isEqualTo(ConnectionState.REP_SENT);
        network.loseNothing();
        network.run(Duration.ofSeconds(2));
        assertThat(network.sent(CmAttribute.REP)).hasSize(3);
        assertThat(passive.state()).isEqualTo(ConnectionState.ESTABLISHED);
    }

    @Test
    void anRtuEndsTheLongerWaitToo() {
        server.acceptEverything();
        network.lose(sent -> sent.attribute() == CmAttribute.RTU);
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        Connection passive = server.lastRequest();
        server.receive(
                client.gid(),
                new MessageReceiptAcknowledgement(
                        active.localId(), passive.localId(), 1, 20, Octets.EMPTY));
        server.receive(
                client.gid(),
                new ReadyToUse(active.localId(), passive.localId(), Octets.EMPTY.padded(224)));

        assertThat(passive.state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(server.agent().deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void policiesAddUpToTheLimit() {
        Duration first = Duration.ofMillis(500);
        Duration longest = Duration.ofSeconds(4);

        assertThat(ResendPolicy.within(first, longest, Duration.ofSeconds(1)).total())
                .isEqualTo(Duration.ofMillis(1_500));
        assertThat(ResendPolicy.within(first, longest, Duration.ofSeconds(10)).total())
                .isEqualTo(Duration.ofMillis(11_500));
        assertThat(ResendPolicy.within(first, longest, Duration.ofMillis(1)).resends()).isZero();
        ResendPolicy patient = ResendPolicy.within(first, longest, Duration.ofMinutes(5));
        assertThat(patient.resends()).isLessThanOrEqualTo(15);
        assertThat(patient.total()).isGreaterThanOrEqualTo(Duration.ofMinutes(5));
        assertThat(patient.total()).isLessThan(Duration.ofMinutes(7));
    }

    @Test
    void policiesRefuseWhatDoesNotFit() {
        Duration second = Duration.ofSeconds(1);

        assertThatThrownBy(() -> ResendPolicy.constant(second, 16))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 to 15");
        assertThatThrownBy(() -> ResendPolicy.constant(Duration.ZERO, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ResendPolicy(second, Duration.ofMillis(10), 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void timeCodesAreThoseOfLinux() {
        assertThat(TimeoutCode.nanos(0)).isEqualTo(Duration.ofMillis(1).toNanos());
        assertThat(TimeoutCode.nanos(8)).isEqualTo(Duration.ofMillis(1).toNanos());
        assertThat(TimeoutCode.nanos(19)).isEqualTo(Duration.ofMillis(2048).toNanos());
        assertThat(TimeoutCode.nanos(20)).isEqualTo(Duration.ofMillis(4096).toNanos());
        assertThat(TimeoutCode.nanos(24)).isEqualTo(Duration.ofMillis(65_536).toNanos());
        assertThat(TimeoutCode.ackTimeout(15, 18)).isEqualTo(19);
        assertThat(TimeoutCode.ackTimeout(18, 18)).isEqualTo(20);
        assertThat(TimeoutCode.ackTimeout(19, 18)).isEqualTo(20);
        assertThat(TimeoutCode.ackTimeout(20, 18)).isEqualTo(21);
        assertThat(TimeoutCode.ackTimeout(31, 18)).isEqualTo(31);
    }
}
