package dev.outboard.fabric.roce.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.SimulatedDevice;
import dev.outboard.fabric.roce.SimulatedDevice.Endpoint;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.ReadyToUse;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How connection manager and queue pairs of one network card act together.
class NicMachineTest {
    private static final int PORT = 7174;
    private static final int LENGTH = 1000;
    private static final long DELAY_NANOS = 100_000;
    private static final Gid CLIENT = Gid.ofIpv4(0x0A4D_0002);
    private static final Gid SERVER = Gid.ofIpv4(0x0A4D_0003);
    private static final Gid OTHER = Gid.ofIpv4(0x0A4D_0004);

    private final SplittableRandom random = new SplittableRandom(1);
    private final SimulatedNetwork<Gid> network =
            new SimulatedNetwork<>(random.split(), NetworkFaults.none(DELAY_NANOS));
    private final SimulatedDevice client = new SimulatedDevice(network, CLIENT, random.split());
    private final RegisteredRegion region =
            client.regions.register(
                    SimulatedDevice.DOMAIN,
                    Arena.ofAuto().allocate(LENGTH),
                    Set.of(Access.LOCAL_WRITE));
    private final List<ConnectionEvent.Type> clientStory = new ArrayList<>();

    /// Accepts whoever asks, and posts a receive before the peer can send.
    private final class Server {
        final SimulatedDevice device;
        final List<ConnectionEvent.Type> story = new ArrayList<>();
        Endpoint accepted;

        Server(Gid address) {
            device = new SimulatedDevice(network, address, random.split());
            device.listen(PORT);
            device.application(
                    event -> {
                        story.add(event.type());
                        if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
                            accepted = device.requested(event.connection());
                            device.accept(event.connection(), accepted);
                        }
                    },
                    () -> {});
        }

        void postReceive() {
            RegisteredRegion buffer =
                    device.regions.register(
                            SimulatedDevice.DOMAIN,
                            Arena.ofAuto().allocate(LENGTH),
                            Set.of(Access.LOCAL_WRITE));
            assertThat(accepted.post(new ReceiveRequest().buffer(buffer, 0, LENGTH))).isTrue();
        }
    }

    @Test
    @Requirement("ROCE-CM-8")
    void theFirstPacketOfThePeerStandsInForALostRtu() {
        network.filter(datagram -> !isReadyToUse(datagram));
        Server server = new Server(SERVER);
        Endpoint endpoint = connect(SERVER);
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
        Endpoint silent = connect(SERVER);
        Endpoint lively = connect(OTHER);
        Path path = Objects.requireNonNull(silent.queuePair.path());
        Path other = Objects.requireNonNull(lively.queuePair.path());
        assertThat(client.nic.maySegment(path)).isTrue();
        awaitSilence();

        network.detach(SERVER);
        send(silent);
        while (status(silent) == null) {
            assertThat(network.step()).isTrue();
        }

        assertThat(client.nic.maySegment(path)).isFalse();
        assertThat(client.nic.maySegment(other)).as("another peer").isTrue();
        client.destroy(silent);
        assertThat(client.nic.maySegment(path)).as("nothing is kept of it").isTrue();
    }

    @Test
    void aQueuePairThatStartsAnewIsTrustedAgain() {
        new Server(SERVER);
        Endpoint endpoint = connect(SERVER);
        Path path = Objects.requireNonNull(endpoint.queuePair.path());
        network.detach(SERVER);
        send(endpoint);
        while (status(endpoint) == null) {
            assertThat(network.step()).isTrue();
        }
        assertThat(client.nic.maySegment(path)).isFalse();

        client.nic.modify(endpoint.connecting(), QueuePairChange.to(QueuePairState.RESET));

        assertThat(client.nic.maySegment(path)).isTrue();
    }

    @Test
    @Requirement("ROCE-SOCK-8a")
    void packetsTooLongForThePathFailItsQueuePairOnly() {
        Server server = new Server(SERVER);
        Server another = new Server(OTHER);
        Endpoint narrow = connect(SERVER);
        Endpoint wide = connect(OTHER);
        server.postReceive();
        another.postReceive();

        client.limitPath(SERVER, LENGTH / 2);
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
            Gid address = Gid.ofIpv4(0x0A4D_0000 + host);
            SimulatedDevice device = new SimulatedDevice(network, address, random.split());
            int first = device.create().queuePair.number();
            assertThat(first).isBetween(2, 0xFFFFFE);
            firsts.add(first);
        }
        assertThat(firsts).hasSize(100);
    }

    @Test
    @Requirement("ROCE-CM-15d")
    void theNumberOfAQueuePairIsNotGivenAgainInTimewait() {
        new Server(SERVER);
        Endpoint endpoint = client.create();
        var connection = client.connect(SERVER, PORT, endpoint);
        run(4);
        client.disconnect(connection);
        client.destroy(endpoint);
        int number = endpoint.queuePair.number();
        assertThat(client.nic.services().agent().isInTimewait(number)).isFalse();
        run(2);
        assertThat(client.nic.services().agent().isInTimewait(number)).isTrue();

        comeRoundTo(number);

        assertThat(client.nic.freeNumber()).isEqualTo(number + 1);
        network.runUntil(network.nowNanos() + 10_000_000_000L);
        comeRoundTo(number);
        assertThat(client.nic.freeNumber()).isEqualTo(number);
    }

    @Test
    void whatTheApplicationPrefersCountsWhenItIsConnected() {
        new Server(SERVER);
        Endpoint patient = connect(SERVER);
        Endpoint hasty = client.create();
        hasty.prefer(QueuePairChange.to(QueuePairState.READY_TO_SEND).retryCount(0));
        client.connect(SERVER, PORT, hasty);
        run(4);

        network.detach(SERVER);
        send(patient);
        send(hasty);
        while (status(hasty) == null) {
            assertThat(network.step()).isTrue();
        }
        assertThat(patient.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void anAcknowledgementWaitsForTheAnswerOfAnApplicationThatPolls() {
        assertThat(flushesPerAnswer(OTHER, false, 0)).isEqualTo(2);
        assertThat(flushesPerAnswer(SERVER, true, 0)).isEqualTo(1);
    }

    /// An application that takes what has come polls each of its queues until it is empty.
    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2"})
    void anAcknowledgementWaitsThoughQueuesArePolledUntilTheyAreEmpty(int looks, int flushes) {
        assertThat(flushesPerAnswer(SERVER, true, looks)).isEqualTo(flushes);
    }

    @Test
    void anAcknowledgementThatWaitsLongerThanALookTakesLeaves() {
        Server server = new Server(SERVER);
        Endpoint endpoint = connect(SERVER);
        NicMachine nic = server.device.nic;
        CompletionRing ring = server.accepted.receiveCompletions;
        server.postReceive();
        server.device.want(ring);
        int[] flushesBefore = {0};
        server.device.application(
                event -> {},
                () -> {
                    if (ring.poll(new Completion())) {
                        long now = server.device.nowNanos();
                        flushesBefore[0] = server.device.flushes();
                        assertThat(nic.turn(now + 20_000, true, ring)).isTrue();
                        assertThat(server.device.flushes()).isEqualTo(flushesBefore[0]);
                        nic.turn(now + 20_001, true, ring);
                        assertThat(server.device.flushes()).isEqualTo(flushesBefore[0] + 1);
                    }
                });
        send(endpoint);
        run(1);
        assertThat(flushesBefore[0]).as("the message came").isPositive();
    }

    @Test
    void whatElseIsDueDoesNotWaitWithTheAcknowledgement() {
        Server server = new Server(SERVER);
        Endpoint endpoint = connect(SERVER);
        NicMachine nic = server.device.nic;
        CompletionRing ring = server.accepted.receiveCompletions;
        Endpoint other = server.device.create();
        server.postReceive();
        server.device.want(ring);
        int[] flushes = {0};
        server.device.application(
                event -> {},
                () -> {
                    if (ring.poll(new Completion())) {
                        int before = server.device.flushes();
                        server.device.connect(CLIENT, PORT, other);
                        nic.turn(server.device.nowNanos(), true, ring);
                        flushes[0] = server.device.flushes() - before;
                    }
                });
        send(endpoint);
        run(1);
        assertThat(flushes[0]).as("with the connection request").isEqualTo(1);
    }

    @Test
    void withoutAnAnswerTheAcknowledgementLeavesInTheNextTurn() {
        Server server = new Server(SERVER);
        Endpoint endpoint = connect(SERVER);
        server.postReceive();
        server.device.want(server.accepted.receiveCompletions);

        send(endpoint);
        run(1);

        assertThat(status(endpoint)).isEqualTo(CompletionStatus.SUCCESS);
    }

    /// How often the server sends to acknowledge a message and to answer it.
    ///
    /// @param looks how often the application finds a queue empty in between
    private int flushesPerAnswer(Gid address, boolean polls, int looks) {
        Server server = new Server(address);
        Endpoint endpoint = connect(address);
        server.postReceive();
        SimulatedDevice device = server.device;
        Endpoint accepted = server.accepted;
        if (polls) {
            device.want(accepted.receiveCompletions);
        }
        Completion completion = new Completion();
        device.application(
                event -> {},
                () -> {
                    if (accepted.receiveCompletions.poll(completion)) {
                        for (int i = 0; i < looks; i++) {
                            device.nic.turn(device.nowNanos(), true, accepted.sendCompletions);
                        }
                        assertThat(accepted.post(new SendRequest().send())).isTrue();
                    }
                });
        int before = device.flushes();
        send(endpoint);
        run(1);
        return device.flushes() - before;
    }

    private Endpoint connect(Gid server) {
        client.application(event -> clientStory.add(event.type()), () -> {});
        Endpoint endpoint = client.create();
        client.connect(server, PORT, endpoint);
        run(4);
        assertThat(clientStory).contains(ConnectionEvent.Type.ESTABLISHED);
        return endpoint;
    }

    private void send(Endpoint endpoint) {
        assertThat(endpoint.post(new SendRequest().payload(region, 0, LENGTH))).isTrue();
    }

    /// Lets packets go to and fro that often.
    private void run(int roundTrips) {
        network.runUntil(network.nowNanos() + 2L * roundTrips * DELAY_NANOS);
    }

    /// Until no timer runs any more.
    private void awaitSilence() {
        network.runUntil(network.nowNanos() + 60_000_000_000L);
        assertThat(client.deadlineNanos()).isEqualTo(SimulatedNetwork.NEVER);
    }

    /// Takes numbers until the next one would be `number`.
    private void comeRoundTo(int number) {
        int before = number == 2 ? 0xFFFFFE : number - 1;
        while (client.nic.freeNumber() != before) {
            // The next one.
        }
    }

    /// How the only send ended; null if it has not.
    private static CompletionStatus status(Endpoint endpoint) {
        Completion completion = new Completion();
        return endpoint.sendCompletions.poll(completion) ? completion.status() : null;
    }

    private static boolean isReadyToUse(SimulatedNetwork.Datagram<Gid> datagram) {
        DatagramReader reader = new DatagramReader(datagram.to(), Path.DESTINATION_PORT);
        Packet packet = Objects.requireNonNull(reader.read(datagram.from(), datagram.bytes()));
        return packet.opcode().transport() == Opcode.Transport.UD
                && CmDatagram.parse(new QueuePairOne().datagram(packet)).message()
                        instanceof ReadyToUse;
    }
}
