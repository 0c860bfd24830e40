package dev.outboard.fabric.roce.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.SimulatedDevice;
import dev.outboard.fabric.roce.SimulatedDevice.Endpoint;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.testkit.Seeds;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Who gets a turn when many queue pairs of one network card want one.
class TurnsTest {
    private static final int PORT = 7174;
    private static final long DELAY_NANOS = 50_000;
    private static final int LONG = 64 << 10;
    private static final int SHORT = 64;
    private static final Gid CLIENT = Gid.ofIpv4(0x0A4D_0002);
    private static final Gid SERVER = Gid.ofIpv4(0x0A4D_0003);

    /// One client with many queue pairs, connected to one server whose memory they write.
    private static final class Crowd {
        final SimulatedNetwork<Gid> network;
        final SimulatedDevice client;
        final SimulatedDevice server;
        final List<Endpoint> clients = new ArrayList<>();
        final List<Endpoint> servers = new ArrayList<>();
        final RegisteredRegion source;
        final RegisteredRegion target;

        /// The payload that each queue pair of the server was sent, repetitions included.
        final Map<Integer, Long> sentBytes = new HashMap<>();

        private final DatagramReader reader = new DatagramReader(SERVER, Path.DESTINATION_PORT);

        Crowd(SplittableRandom random, NetworkFaults faults, int count) {
            network = new SimulatedNetwork<>(random.split(), faults);
            client = new SimulatedDevice(network, CLIENT, random.split());
            server = new SimulatedDevice(network, SERVER, random.split());
            server.listen(PORT);
            server.application(
                    event -> {
                        if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
                            Endpoint accepted = server.requested(event.connection());
                            servers.add(accepted);
                            server.accept(event.connection(), accepted);
                        }
                    },
                    () -> {});
            source = memory(client);
            target = memory(server);
            int[] established = {0};
            client.application(
                    event -> {
                        assertThat(event.type()).isEqualTo(ConnectionEvent.Type.ESTABLISHED);
                        established[0]++;
                    },
                    () -> {});
            for (int i = 0; i < count; i++) {
                Endpoint endpoint = client.create();
                clients.add(endpoint);
                client.connect(SERVER, PORT, endpoint);
            }
            while (established[0] < count) {
                assertThat(network.step()).isTrue();
            }
            network.filter(this::note);
        }

        private static RegisteredRegion memory(SimulatedDevice device) {
            return device.regions.register(
                    SimulatedDevice.DOMAIN,
                    Arena.ofAuto().allocate(LONG),
                    Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
        }

        private boolean note(SimulatedNetwork.Datagram<Gid> datagram) {
            if (datagram.to().equals(SERVER)) {
                Packet packet =
                        Objects.requireNonNull(reader.read(datagram.from(), datagram.bytes()));
                if (packet.opcode().transport() == Opcode.Transport.RC) {
                    sentBytes.merge(
                            packet.destinationQpn(), (long) packet.payloadLength(), Long::sum);
                }
            }
            return true;
        }

        void write(Endpoint endpoint, int bytes) {
            SendRequest request =
                    new SendRequest()
                            .payload(source, 0, bytes)
                            .write(target.address(), target.remoteKey());
            assertThat(endpoint.post(request)).isTrue();
        }

        long totalSentBytes() {
            return sentBytes.values().stream().mapToLong(each -> each).sum();
        }

        /// Whether a request of `endpoint` has ended since the last call.
        boolean hasCompleted(Endpoint endpoint) {
            Completion completion = new Completion();
            if (!endpoint.sendCompletions.poll(completion)) {
                return false;
            }
            assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
            return true;
        }

        /// Steps until every one of them has completed a request.
        void awaitAll(List<Endpoint> those) {
            List<Endpoint> left = new ArrayList<>(those);
            while (!left.isEmpty()) {
                assertThat(network.step()).as("%d wait still", left.size()).isTrue();
                left.removeIf(this::hasCompleted);
            }
        }
    }

    /// Those that were served last are at most two turns behind, of 60 packets each.
    @Test
    void everyQueuePairGetsItsShare() {
        Crowd crowd = new Crowd(new SplittableRandom(1), NetworkFaults.none(DELAY_NANOS), 100);
        for (Endpoint each : crowd.clients) {
            for (int i = 0; i < 8; i++) {
                crowd.write(each, LONG);
            }
        }
        long total = 100L * 8 * LONG;
        while (crowd.totalSentBytes() < total / 2) {
            assertThat(crowd.network.step()).isTrue();
        }

        LongSummaryStatistics shares =
                crowd.sentBytes.values().stream().mapToLong(each -> each).summaryStatistics();
        assertThat(shares.getCount()).isEqualTo(100);
        assertThat(shares.getMax() - shares.getMin()).isLessThan(2 * 64 * 1024);
    }

    @Test
    void whatIsReadyLeavesBeforeTimePasses() {
        Crowd crowd = new Crowd(new SplittableRandom(4), NetworkFaults.none(DELAY_NANOS), 100);
        crowd.network.runUntil(crowd.network.nowNanos() + 60_000_000_000L);

        crowd.clients.forEach(each -> crowd.write(each, SHORT));
        crowd.network.runUntil(crowd.network.nowNanos());

        assertThat(crowd.sentBytes).hasSize(100);
    }

    /// A message of one packet and its answer need one round trip, whatever the neighbour does.
    @Test
    void aStreamKeepsNobodyWaiting() {
        Crowd crowd = new Crowd(new SplittableRandom(2), NetworkFaults.none(DELAY_NANOS), 51);
        Endpoint stream = crowd.clients.getFirst();
        for (int i = 0; i < 16; i++) {
            crowd.write(stream, LONG);
        }
        crowd.network.step();
        long start = crowd.network.nowNanos();
        List<Endpoint> others = new ArrayList<>(crowd.clients.subList(1, 51));
        others.forEach(each -> crowd.write(each, SHORT));

        while (!others.isEmpty()) {
            assertThat(crowd.network.step()).isTrue();
            others.removeIf(crowd::hasCompleted);
            while (crowd.hasCompleted(stream)) {
                crowd.write(stream, LONG);
            }
        }

        assertThat(crowd.network.nowNanos() - start).isLessThanOrEqualTo(4 * DELAY_NANOS);
    }

    @Test
    void tenThousandQueuePairsAllGetThere() {
        Crowd crowd = new Crowd(new SplittableRandom(3), NetworkFaults.none(DELAY_NANOS), 10_000);
        crowd.clients.forEach(each -> crowd.write(each, SHORT));
        crowd.awaitAll(crowd.clients);
        assertThat(crowd.sentBytes).hasSize(10_000);
        assertThat(crowd.sentBytes.values()).as("nothing went twice").containsOnly((long) SHORT);
    }

    @Test
    void everybodyGetsThereOverAFaultyNetwork() {
        Seeds.campaign(
                30,
                seed -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    NetworkFaults faults =
                            NetworkFaults.none(random.nextLong(1_000, 1_000_000))
                                    .withLoss(random.nextDouble(0.05))
                                    .withDuplication(random.nextDouble(0.05))
                                    .withReordering(random.nextDouble(0.05))
                                    .withCorruption(random.nextDouble(0.02))
                                    .withJitter(random.nextLong(100_000))
                                    .withTurn(random.nextLong(100_000))
                                    .withInbox(random.nextInt(50, 1_000));
                    Crowd crowd = new Crowd(random.split(), faults, random.nextInt(1, 100));
                    crowd.clients.forEach(
                            each -> crowd.write(each, random.nextBoolean() ? LONG : SHORT));
                    crowd.awaitAll(crowd.clients);
                });
    }
}
