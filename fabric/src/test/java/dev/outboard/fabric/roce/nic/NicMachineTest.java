package dev.outboard.fabric.roce.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.SimulatedHost;
import dev.outboard.fabric.roce.SimulatedHost.End;
import dev.outboard.fabric.roce.Simulation;
import dev.outboard.fabric.roce.device.Inside;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.ReadyToUse;
import dev.outboard.fabric.sim.SimNetwork;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.testkit.Requirement;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How connection manager and queue pairs of one network card act together.
class NicMachineTest {
    private static final int PORT = 7174;
    private static final int LENGTH = 1000;
    private static final long DELAY_NANOS = 100_000;

    /// What the bits of a few packets take.
    private static final long SLACK_NANOS = 1_000;

    private static final String CLIENT = "10.77.0.2";
    private static final String SERVER = "10.77.0.3";
    private static final String OTHER = "10.77.0.4";

    private final Simulation simulation =
            new Simulation("seed=1&latency=" + DELAY_NANOS + "ns&bandwidth=999999Gbit");
    private final SimulatedHost client = simulation.host(CLIENT);
    private final MemoryRegion region = client.register(LENGTH);
    private final List<ConnectionEvent.Type> clientStory = new ArrayList<>();

    @AfterEach
    void close() {
        simulation.close();
    }

    /// Accepts whoever asks, and posts a receive before the peer can send.
    private final class Server {
        final SimulatedHost host;
        final List<ConnectionEvent.Type> story = new ArrayList<>();
        End accepted;

        Server(String address) {
            host = simulation.host(address);
            host.listen(PORT);
            host.application(
                    event -> {
                        story.add(event.type());
                        if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
                            accepted = host.endFor(event);
                            accepted.accept();
                        }
                    },
                    () -> {});
        }

        void postReceive() {
            ReceiveRequest receive = new ReceiveRequest().buffer(host.register(LENGTH), 0, LENGTH);
            assertThat(accepted.queuePair.post(receive)).isTrue();
        }
    }

    @Test
    @Requirement("ROCE-CM-8")
    void theFirstPacketOfThePeerStandsInForALostRtu() {
        simulation.network().filter(frame -> !isReadyToUse(frame));
        Server server = new Server(SERVER);
        End endpoint = connect(SERVER);
        assertThat(server.story).containsExactly(ConnectionEvent.Type.CONNECT_REQUEST);
        server.postReceive();

        send(endpoint);
        run(4);

        assertThat(server.story)
                .containsExactly(
                        ConnectionEvent.Type.CONNECT_REQUEST, ConnectionEvent.Type.ESTABLISHED);
        assertThat(status(endpoint)).isEqualTo(CompletionStatus.SUCCESS);
    }

    @Test
    @Requirement("ROCE-SOCK-7c")
    void aPathWhosePacketsTimeOutIsSparedSegmentation() {
        new Server(SERVER);
        new Server(OTHER);
        End silent = connect(SERVER);
        End lively = connect(OTHER);
        Path path = pathOf(silent);
        Path other = pathOf(lively);
        assertThat(client.nic().maySegment(path)).isTrue();
        awaitSilence();

        simulation.kill(InetAddress.ofLiteral(SERVER));
        send(silent);
        while (status(silent) == null) {
            assertThat(simulation.step()).isTrue();
        }

        assertThat(client.nic().maySegment(path)).isFalse();
        assertThat(client.nic().maySegment(other)).as("another peer").isTrue();
        silent.close();
        assertThat(client.nic().maySegment(path)).as("nothing is kept of it").isTrue();
    }

    @Test
    void aQueuePairThatStartsAnewIsTrustedAgain() {
        new Server(SERVER);
        End endpoint = connect(SERVER);
        Path path = pathOf(endpoint);
        simulation.kill(InetAddress.ofLiteral(SERVER));
        send(endpoint);
        while (status(endpoint) == null) {
            assertThat(simulation.step()).isTrue();
        }
        assertThat(client.nic().maySegment(path)).isFalse();

        endpoint.queuePair.modify(QueuePairChange.to(QueuePairState.RESET));

        assertThat(client.nic().maySegment(path)).isTrue();
    }

    @Test
    @Requirement("ROCE-SOCK-8a")
    void packetsTooLongForThePathFailItsQueuePairOnly() {
        Server server = new Server(SERVER);
        Server another = new Server(OTHER);
        End narrow = connect(SERVER);
        End wide = connect(OTHER);
        server.postReceive();
        another.postReceive();

        simulation.network().limit(client.address(), server.host.address(), LENGTH / 2);
        send(narrow);
        send(wide);
        run(4);

        assertThat(status(narrow)).isEqualTo(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
        assertThat(narrow.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(status(wide)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(wide.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    @Requirement("ROCE-CM-15c")
    void numbersOfQueuePairsStartAtRandom() {
        Set<Integer> firsts = new HashSet<>();
        for (int host = 10; host < 110; host++) {
            SimulatedHost each = simulation.host("10.77.0." + host);
            int first = each.endTo(client.address(), PORT).queuePair.number();
            assertThat(first).isBetween(2, 0xFFFFFE);
            firsts.add(first);
        }
        assertThat(firsts).hasSize(100);
    }

    @Test
    @Requirement("ROCE-CM-15d")
    void theNumberOfAQueuePairIsNotGivenAgainInTimewait() {
        new Server(SERVER);
        End endpoint = connect(SERVER);
        endpoint.close();
        int number = endpoint.queuePair.number();
        assertThat(client.nic().services().agent().isInTimewait(number)).isFalse();
        run(2);
        assertThat(client.nic().services().agent().isInTimewait(number)).isTrue();

        comeRoundTo(number);

        assertThat(client.nic().freeNumber()).isEqualTo(number + 1);
        simulation.runUntil(simulation.nowNanos() + 10_000_000_000L);
        comeRoundTo(number);
        assertThat(client.nic().freeNumber()).isEqualTo(number);
    }

    @Test
    void whatTheApplicationPrefersCountsWhenItIsConnected() {
        new Server(SERVER);
        End patient = connect(SERVER);
        End hasty = client.endTo(InetAddress.ofLiteral(SERVER), PORT);
        hasty.id.prefer(QueuePairChange.to(QueuePairState.READY_TO_SEND).retryCount(0));
        hasty.connect();
        run(4);

        simulation.kill(InetAddress.ofLiteral(SERVER));
        send(patient);
        send(hasty);
        while (status(hasty) == null) {
            assertThat(simulation.step()).isTrue();
        }
        assertThat(patient.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void theEndOfAConnectionFailsTheQueuePairsOfBothEnds() {
        Server server = new Server(SERVER);
        End endpoint = connect(SERVER);

        server.accepted.id.disconnect();
        assertThat(server.accepted.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(endpoint.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        run(1);
        assertThat(endpoint.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    /// What its application does for the first time takes longer than the way to it.
    @Test
    void aPeerJustConnectedIsGivenTimeBeforeItIsAskedAgain() {
        Server server = new Server(SERVER);
        End endpoint = connect(SERVER);
        List<Long> sent = new ArrayList<>();
        simulation
                .network()
                .filter(frame -> {
                    if (frame.to().equals(server.host.address())) {
                        sent.add(simulation.nowNanos());
                    }
                    return false;
                });

        send(endpoint);
        simulation.runUntil(simulation.nowNanos() + 1_000_000_000L);

        assertThat(sent).hasSizeGreaterThan(1);
        assertThat(sent.get(1) - sent.getFirst()).isGreaterThanOrEqualTo(250_000_000L);
    }

    /// An application that takes what has come polls each of its queues until it is empty.
    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "2, 1", "3, 2"})
    void anAcknowledgementWaitsThoughQueuesArePolledUntilTheyAreEmpty(int looks, int flushes) {
        assertThat(callsPerAnswer(looks)).isEqualTo(flushes);
    }

    /// Who waits for a completion and does nothing then lets the acknowledgement go.
    @Test
    void anAcknowledgementThatWaitsLongerThanALookTakesLeaves() {
        Server server = new Server(SERVER);
        End endpoint = connect(SERVER);
        server.postReceive();
        long[] callsBefore = {0};
        server.host.application(
                event -> {},
                () -> {
                    if (SimulatedHost.poll(server.accepted.receives).isPresent()) {
                        callsBefore[0] = server.host.calls();
                    }
                });
        poll(server.accepted.receives);
        send(endpoint);
        run(1);
        assertThat(callsBefore[0]).as("the message came").isPositive();
        assertThat(server.host.calls()).isEqualTo(callsBefore[0] + 1);
    }

    @Test
    void whatElseIsDueDoesNotWaitWithTheAcknowledgement() {
        Server server = new Server(SERVER);
        End endpoint = connect(SERVER);
        End other = server.host.endTo(client.address(), PORT);
        server.postReceive();
        long[] calls = {0};
        server.host.application(
                event -> {},
                () -> {
                    if (SimulatedHost.poll(server.accepted.receives).isPresent()) {
                        long before = server.host.calls();
                        other.connect();
                        calls[0] = server.host.calls() - before;
                    }
                });
        poll(server.accepted.receives);
        send(endpoint);
        run(1);
        assertThat(calls[0]).as("with the connection request").isEqualTo(1);
    }

    @Test
    void withoutAnAnswerTheAcknowledgementLeavesInTheNextTurn() {
        Server server = new Server(SERVER);
        End endpoint = connect(SERVER);
        server.postReceive();
        poll(server.accepted.receives);

        send(endpoint);
        run(1);

        assertThat(status(endpoint)).isEqualTo(CompletionStatus.SUCCESS);
    }

    /// How often the server sends to acknowledge a message and to answer it.
    ///
    /// @param looks how often it finds a queue empty in between
    private long callsPerAnswer(int looks) {
        Server server = new Server(SERVER);
        End endpoint = connect(SERVER);
        server.postReceive();
        End accepted = server.accepted;
        server.host.application(
                event -> {},
                () -> {
                    if (SimulatedHost.poll(accepted.receives).isPresent()) {
                        for (int i = 0; i < looks; i++) {
                            poll(accepted.sends);
                        }
                        assertThat(accepted.queuePair.post(new SendRequest().send())).isTrue();
                    }
                });
        long before = server.host.calls();
        send(endpoint);
        run(1);
        return server.host.calls() - before;
    }

    private static void poll(CompletionQueue queue) {
        assertThat(SimulatedHost.poll(queue)).isEmpty();
    }

    private End connect(String server) {
        client.application(event -> clientStory.add(event.type()), () -> {});
        End endpoint = client.endTo(InetAddress.ofLiteral(server), PORT);
        endpoint.connect();
        run(4);
        assertThat(clientStory).contains(ConnectionEvent.Type.ESTABLISHED);
        return endpoint;
    }

    private void send(End endpoint) {
        SendRequest message = new SendRequest().payload(region, 0, LENGTH);
        assertThat(endpoint.queuePair.post(message)).isTrue();
    }

    /// Lets packets go to and fro that often.
    private void run(int roundTrips) {
        simulation.runUntil(simulation.nowNanos() + 2L * roundTrips * DELAY_NANOS + SLACK_NANOS);
    }

    /// Until no timer runs any more.
    private void awaitSilence() {
        simulation.runUntil(simulation.nowNanos() + 60_000_000_000L);
        assertThat(simulation.network().nextNanos()).isEqualTo(Simulation.NEVER);
    }

    /// Takes numbers until the next one would be `number`.
    private void comeRoundTo(int number) {
        int before = number == 2 ? 0xFFFFFE : number - 1;
        while (client.nic().freeNumber() != before) {
            // The next one.
        }
    }

    /// How the only send ended; null if it has not.
    private static CompletionStatus status(End endpoint) {
        return SimulatedHost.poll(endpoint.sends).map(Completion::status).orElse(null);
    }

    private static Path pathOf(End end) {
        return Objects.requireNonNull(Inside.of(end.queuePair).path());
    }

    private static boolean isReadyToUse(SimNetwork.Frame frame) {
        DatagramReader reader = new DatagramReader(Gid.of(frame.to()), Path.DESTINATION_PORT);
        Packet packet = Objects.requireNonNull(reader.read(Gid.of(frame.from()), frame.bytes()));
        return packet.opcode().transport() == Opcode.Transport.UD
                && CmDatagram.parse(new QueuePairOne().datagram(packet)).message()
                        instanceof ReadyToUse;
    }
}
