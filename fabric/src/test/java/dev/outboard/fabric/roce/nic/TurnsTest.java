package dev.outboard.fabric.roce.nic;

import static dev.outboard.fabric.roce.Simulation.percent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.SimulatedHost;
import dev.outboard.fabric.roce.SimulatedHost.End;
import dev.outboard.fabric.roce.Simulation;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.SimNetwork;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.testkit.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Who gets a turn when many queue pairs of one network card want one.
class TurnsTest {
    private static final int PORT = 7174;
    private static final long DELAY_NANOS = 50_000;
    private static final int LONG = 64 << 10;
    private static final int SHORT = 64;
    private static final String CLIENT = "10.77.0.2";
    private static final String SERVER = "10.77.0.3";
    private static final String DELAY = "latency=" + DELAY_NANOS + "ns&";

    /// One client with many queue pairs, connected to one server whose memory they write.
    private static final class Crowd implements AutoCloseable {
        final Simulation simulation;
        final SimulatedHost client;
        final SimulatedHost server;
        final List<End> clients = new ArrayList<>();
        final List<End> servers = new ArrayList<>();
        final MemoryRegion source;
        final MemoryRegion target;

        /// The payload that each queue pair of the server was sent, repetitions included.
        final Map<Integer, Long> sentBytes = new HashMap<>();

        private final DatagramReader reader;
        private final CompletionQueue sends;

        /// The queue pairs whose completions nobody has asked for, once for each.
        private final Map<Integer, Integer> completed = new HashMap<>();

        /// @param options of the network
        Crowd(String options, int count) {
            simulation = new Simulation(options);
            client = simulation.host(CLIENT);
            server = simulation.host(SERVER);
            reader = new DatagramReader(Gid.of(server.address()), Path.DESTINATION_PORT);
            server.listen(PORT);
            server.application(
                    event -> {
                        if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
                            End accepted = server.endFor(event);
                            servers.add(accepted);
                            accepted.accept();
                        }
                    },
                    () -> {});
            sends = client.shareSends(1 << 15);
            source = client.register(LONG);
            target = server.register(LONG);
            int[] established = {0};
            client.application(
                    event -> {
                        assertThat(event.type()).isEqualTo(ConnectionEvent.Type.ESTABLISHED);
                        established[0]++;
                    },
                    () -> {});
            for (int i = 0; i < count; i++) {
                End end = client.endTo(server.address(), PORT);
                clients.add(end);
                end.connect();
            }
            while (established[0] < count) {
                assertThat(simulation.step()).isTrue();
            }
            simulation.network().filter(this::note);
        }

        private boolean note(SimNetwork.Frame frame) {
            if (frame.to().equals(server.address())) {
                Packet packet =
                        Objects.requireNonNull(reader.read(Gid.of(frame.from()), frame.bytes()));
                if (packet.opcode().transport() == Opcode.Transport.RC) {
                    sentBytes.merge(
                            packet.destinationQpn(), (long) packet.payloadLength(), Long::sum);
                }
            }
            return true;
        }

        void write(End end, int bytes) {
            SendRequest request =
                    new SendRequest()
                            .payload(source, 0, bytes)
                            .write(target.address(), target.remoteKey());
            assertThat(end.queuePair.post(request)).isTrue();
        }

        long totalSentBytes() {
            return sentBytes.values().stream().mapToLong(each -> each).sum();
        }

        /// Whether a request of `end` has ended since the last call.
        boolean hasCompleted(End end) {
            takeCompletions();
            return take(end);
        }

        private boolean take(End end) {
            int number = end.queuePair.number();
            boolean hasOne = completed.containsKey(number);
            completed.computeIfPresent(number, (_, count) -> count == 1 ? null : count - 1);
            return hasOne;
        }

        private void takeCompletions() {
            Completion completion = new Completion();
            while (sends.poll(completion)) {
                assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
                completed.merge(completion.queuePairNumber(), 1, Integer::sum);
            }
        }

        /// Steps until every one of them has completed a request.
        void awaitAll(List<End> those) {
            List<End> left = new ArrayList<>(those);
            while (!left.isEmpty()) {
                assertThat(simulation.step()).as("%d wait still", left.size()).isTrue();
                takeCompletions();
                left.removeIf(this::take);
            }
        }

        @Override
        public void close() {
            simulation.close();
        }
    }

    /// Those that were served last are at most two turns behind, of 60 packets each.
    @Test
    void everyQueuePairGetsItsShare() {
        try (Crowd crowd = new Crowd(DELAY + "seed=1", 100)) {
            for (End each : crowd.clients) {
                for (int i = 0; i < 8; i++) {
                    crowd.write(each, LONG);
                }
            }
            long total = 100L * 8 * LONG;
            while (crowd.totalSentBytes() < total / 2) {
                assertThat(crowd.simulation.step()).isTrue();
            }

            LongSummaryStatistics shares =
                    crowd.sentBytes.values().stream().mapToLong(each -> each).summaryStatistics();
            assertThat(shares.getCount()).isEqualTo(100);
            assertThat(shares.getMax() - shares.getMin()).isLessThan(2 * 64 * 1024);
        }
    }

    @Test
    void whatIsReadyLeavesBeforeTimePasses() {
        try (Crowd crowd = new Crowd(DELAY + "seed=4", 100)) {
            crowd.simulation.runUntil(crowd.simulation.nowNanos() + 60_000_000_000L);

            crowd.clients.forEach(each -> crowd.write(each, SHORT));
            crowd.simulation.runUntil(crowd.simulation.nowNanos());

            assertThat(crowd.sentBytes).hasSize(100);
        }
    }

    /// A message of one packet and its answer need one round trip, whatever the neighbour does.
    @Test
    void aStreamKeepsNobodyWaiting() {
        try (Crowd crowd = new Crowd(DELAY + "seed=2", 51)) {
            End stream = crowd.clients.getFirst();
            for (int i = 0; i < 16; i++) {
                crowd.write(stream, LONG);
            }
            crowd.simulation.step();
            long start = crowd.simulation.nowNanos();
            List<End> others = new ArrayList<>(crowd.clients.subList(1, 51));
            others.forEach(each -> crowd.write(each, SHORT));

            while (!others.isEmpty()) {
                assertThat(crowd.simulation.step()).isTrue();
                others.removeIf(crowd::hasCompleted);
                while (crowd.hasCompleted(stream)) {
                    crowd.write(stream, LONG);
                }
            }

            assertThat(crowd.simulation.nowNanos() - start).isLessThanOrEqualTo(4 * DELAY_NANOS);
        }
    }

    @Test
    void tenThousandQueuePairsAllGetThere() {
        try (Crowd crowd = new Crowd(DELAY + "seed=3", 10_000)) {
            crowd.clients.forEach(each -> crowd.write(each, SHORT));
            crowd.awaitAll(crowd.clients);
            assertThat(crowd.sentBytes).hasSize(10_000);
            assertThat(crowd.sentBytes.values())
                    .as("nothing went twice")
                    .containsOnly((long) SHORT);
        }
    }

    @Test
    void everybodyGetsThereOverAFaultyNetwork() {
        Seeds.parallelCampaign(
                30,
                seed -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    String faults =
                            "seed=%d&latency=%dns&loss=%s&duplicate=%s&reorder=%s&corrupt=%s&jitter=%dns&idle=%dns&inbox=%d"
                                    .formatted(
                                            seed,
                                            random.nextLong(1_000, 1_000_000),
                                            percent(random.nextDouble(0.05)),
                                            percent(random.nextDouble(0.05)),
                                            percent(random.nextDouble(0.05)),
                                            percent(random.nextDouble(0.02)),
                                            random.nextLong(100_000),
                                            random.nextLong(100_000),
                                            random.nextInt(50, 1_000));
                    try (Crowd crowd = new Crowd(faults, random.nextInt(1, 100))) {
                        crowd.clients.forEach(
                                each -> crowd.write(each, random.nextBoolean() ? LONG : SHORT));
                        crowd.awaitAll(crowd.clients);
                    }
                });
    }
}
