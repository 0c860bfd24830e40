package dev.outboard.fabric.roce.cm;

import static dev.outboard.fabric.ConnectionEvent.Type.CONNECT_REQUEST;
import static dev.outboard.fabric.ConnectionEvent.Type.DISCONNECTED;
import static dev.outboard.fabric.ConnectionEvent.Type.ESTABLISHED;
import static dev.outboard.fabric.ConnectionEvent.Type.TIMEWAIT_EXIT;
import static dev.outboard.fabric.ConnectionEvent.Type.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The limit that an application sets to an attempt to connect, on either side.
class AttemptLimitTest extends TwoAgents {
    @Test
    @Requirement("ROCE-CM-6")
    void anAttemptEndsAtItsLimit() {
        network.leave(server.gid());
        Connection active = client.connect(server, PORT);

        long limit = network.nowNanos() + 700_000_000;
        client.agent().limit(active, limit);
        network.runUntilQuiet();

        assertThat(network.lastSent(CmAttribute.REJ).atNanos()).isEqualTo(limit);
        assertThat(client.eventTypes()).containsExactly(UNREACHABLE);
        assertThat(client.lastEvent().status()).isEqualTo(CmEvent.ETIMEDOUT);
        assertThat(client.lastEvent().explanation())
                .contains("to 2 connection requests within the limit");
        assertThat(client.agent().connectionCount()).isZero();
    }

    @Test
    @Requirement("ROCE-CM-11")
    void theLimitEndsAnAttemptWhosePeerAskedForMoreTimeToo() {
        Connection active = client.connect(server, PORT);
        client.agent().limit(active, network.nowNanos() + 3_000_000_000L);
        network.run(Duration.ofSeconds(2));
        assertThat(active.state()).isEqualTo(ConnectionState.MRA_REQ_RCVD);

        network.run(Duration.ofSeconds(1));

        assertThat(client.eventTypes()).containsExactly(UNREACHABLE);
    }

    @Test
    void theLimitOfAnAttemptThatSucceededBoundsNothing() {
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        client.agent().limit(active, network.nowNanos() + 1_000_000_000);
        network.run(Duration.ofSeconds(2));
        network.leave(server.gid());

        client.disconnect(active);
        network.runUntilQuiet();

        assertThat(network.sent(CmAttribute.DREQ)).hasSize(5);
        assertThat(client.eventTypes()).containsExactly(ESTABLISHED, DISCONNECTED, TIMEWAIT_EXIT);
    }

    /// An application that never decides: every request but the first is answered with a minute
    /// more.
    @Test
    @Requirement("ROCE-CM-11")
    void withoutALimitAPeerThatAsksForMoreTimeIsWaitedForFiveMinutesAtMost() {
        long start = network.nowNanos();
        client.connect(server, PORT);
        network.runUntilQuiet();

        assertThat(client.eventTypes()).containsExactly(UNREACHABLE);
        assertThat(network.sent(CmAttribute.REQ)).hasSize(5);
        assertThat(Duration.ofNanos(network.lastSent(CmAttribute.REJ).atNanos() - start))
                .isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
    }

    /// As long as nobody answers, however late the service starts.
    @Test
    @Requirement("ROCE-CM-6")
    void anAttemptLastsUntilItsLimit() {
        network.leave(server.gid());
        Connection active = client.connect(server, PORT);
        long limit = network.nowNanos() + Duration.ofMinutes(1).toNanos();
        client.agent().limit(active, limit);
        network.runUntilQuiet();

        assertThat(network.lastSent(CmAttribute.REQ).atNanos())
                .as("asks to the end")
                .isBetween(limit - Duration.ofSeconds(8).toNanos(), limit);
        assertThat(network.lastSent(CmAttribute.REJ).atNanos()).isEqualTo(limit);
        assertThat(client.lastEvent().explanation()).endsWith("within the limit of this attempt");
    }

    /// Sixteen requests with doubling waits take nine hours.
    @Test
    void anAttemptMayLastLongerThanItsRepetitions() {
        network.leave(server.gid());
        Connection active = client.connect(server, PORT);
        long limit = network.nowNanos() + Duration.ofDays(365).toNanos();
        client.agent().limit(active, limit);
        network.runUntilQuiet();

        assertThat(network.sent(CmAttribute.REQ)).hasSize(16);
        assertThat(network.lastSent(CmAttribute.REJ).atNanos()).isEqualTo(limit);
    }

    @Test
    @Requirement("ROCE-CM-6")
    void aGrantEndsAtItsLimit() {
        client.connect(server, PORT);
        network.run(EXCHANGE);
        network.leave(client.gid());
        Connection passive = server.lastRequest();
        server.accept(passive);

        server.agent().limit(passive, network.nowNanos() + 700_000_000);
        network.run(Duration.ofMillis(699));
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST);
        network.run(Duration.ofMillis(1));

        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, UNREACHABLE);
        assertThat(server.lastEvent().status()).isEqualTo(CmEvent.ETIMEDOUT);
        assertThat(server.lastEvent().explanation())
                .isEqualTo(
                        "no answer from 127.0.0.2 to 2 replies within the limit of this attempt");
        assertThat(server.isFailed(passive)).isTrue();
        network.runUntilQuiet();
        assertThat(server.agent().connectionCount()).as("after its time to wait").isZero();
    }

    /// The REQ allows no repetition: a confirmation may come late all the same.
    @Test
    void aGrantLastsUntilItsLimit() {
        server.receive(client.gid(), lostRequest().put8(51, 0));
        network.leave(client.gid());
        Connection passive = server.lastRequest();
        server.accept(passive);

        server.agent().limit(passive, network.nowNanos() + Duration.ofMinutes(1).toNanos());
        network.run(Duration.ofSeconds(59));
        assertThat(passive.state()).isEqualTo(ConnectionState.REP_SENT);
        network.run(Duration.ofSeconds(1));

        assertThat(network.sent(CmAttribute.REP)).hasSize(1);
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, UNREACHABLE);
    }

    /// A peer that still asks has not seen any.
    @Test
    @Requirement("ROCE-CM-7")
    void aReplyThatIsRepeatedNoMoreAnswersARepeatedRequest() {
        RawMad request = lostRequest().put8(51, 0);
        server.receive(client.gid(), request);
        Connection passive = server.lastRequest();
        server.accept(passive);
        server.agent().limit(passive, network.nowNanos() + Duration.ofMinutes(1).toNanos());
        network.run(Duration.ofSeconds(30));
        assertThat(network.sent(CmAttribute.REP)).hasSize(1);

        server.receive(client.gid(), request);
        server.receive(client.gid(), request);

        List<byte[]> replies =
                network.sent(CmAttribute.REP).stream().map(CmNetwork.Sent::mad).toList();
        assertThat(replies).hasSize(3).allMatch(reply -> Arrays.equals(reply, replies.getFirst()));
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST);
    }

    @Test
    void theLimitOfAGrantThatWasConfirmedBoundsNothing() {
        client.connect(server, PORT);
        network.run(EXCHANGE);
        Connection passive = server.lastRequest();
        server.accept(passive);
        server.agent().limit(passive, network.nowNanos() + 1_000_000_000);
        network.run(Duration.ofSeconds(2));
        network.leave(client.gid());

        server.disconnect(passive);
        network.runUntilQuiet();

        assertThat(network.sent(CmAttribute.DREQ)).hasSize(5);
        assertThat(server.eventTypes())
                .containsExactly(CONNECT_REQUEST, ESTABLISHED, DISCONNECTED, TIMEWAIT_EXIT);
    }

    @Test
    void theLimitOfAGrantThatWasWithdrawnBoundsNothing() {
        client.connect(server, PORT);
        network.run(EXCHANGE);
        network.leave(client.gid());
        Connection passive = server.lastRequest();
        server.accept(passive);
        server.agent().limit(passive, network.nowNanos() + 1_000_000_000);

        server.disconnect(passive);
        network.run(Duration.ofSeconds(2));

        assertThat(passive.state()).isEqualTo(ConnectionState.DREQ_SENT);
    }
}
