package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Several clients contend for one server's memory over a faulty network, many seeds: each atomic
/// is executed once, a lock made of atomics excludes, and everybody gets done.
class ContentionCampaignTest {
    private static final int SEEDS = 300;
    private static final int MAX_CLIENTS = 5;
    private static final int CLIENT_QPN = 0x11;
    private static final int FIRST_ADDRESS = 0x7F000002;
    private static final int[] MTUS = {256, 1024, 4096};
    private static final int ACK_TIMEOUT_CODE = 11;

    /// Longer than any run that makes progress.
    private static final long MAX_NANOS = 60_000_000_000L;

    @Test
    @Requirement({"ROCE-RC-13", "ROCE-RC-25", "ROCE-RC-35"})
    void everyAtomicIsExecutedOnceAndALockExcludes() {
        Seeds.parallelCampaign(
                SEEDS,
                seed -> {
                    try (Arena arena = Arena.ofShared()) {
                        new Run(new SplittableRandom(seed), arena).run();
                    }
                });
    }

    private static final class Run {
        private final SplittableRandom random;
        private final Arena arena;
        private final SimulatedNetwork<Gid> network;
        private final SharedMemoryServer server;
        private final MemorySegment shared;
        private final List<ContendingClient> clients = new ArrayList<>();
        private final int rounds;
        private final int tableBytes;
        private final int mtu;

        Run(SplittableRandom random, Arena arena) {
            this.random = random;
            this.arena = arena;
            rounds = random.nextInt(1, 6);
            mtu = MTUS[random.nextInt(MTUS.length)];
            tableBytes = Long.BYTES * random.nextInt(1, 3 * mtu / Long.BYTES);
            network = new SimulatedNetwork<>(random.split(), drawFaults(random.split()));
            shared = arena.allocate(ContendingClient.TABLE + tableBytes, Long.BYTES);
            server = new SharedMemoryServer(network, addressOf(-1), shared, random.split());
            server.limitDatagramsPerTurn(random.nextInt(1, 65));
            int count = random.nextInt(2, MAX_CLIENTS + 1);
            for (int i = 0; i < count; i++) {
                connect(i);
            }
        }

        private static NetworkFaults drawFaults(SplittableRandom random) {
            double loss = random.nextDouble(0.1);
            double duplication = random.nextDouble(0.1);
            double reordering = random.nextDouble(0.1);
            double corruption = random.nextDouble(0.02);
            long delayNanos = random.nextLong(1_000, 50_000);
            long jitterNanos = random.nextLong(50_000);
            long turnNanos = random.nextLong(50_000);
            int inboxDatagrams = random.nextInt(8, 64);
            return NetworkFaults.none(delayNanos)
                    .withLoss(loss)
                    .withDuplication(duplication)
                    .withReordering(reordering)
                    .withCorruption(corruption)
                    .withJitter(jitterNanos)
                    .withTurn(turnNanos)
                    .withInbox(inboxDatagrams);
        }

        private static Gid addressOf(int client) {
            return Gid.ofIpv4(FIRST_ADDRESS + 1 + client);
        }

        private void connect(int index) {
            int clientPsn = random.nextInt(1 << 24);
            int serverPsn = random.nextInt(1 << 24);
            int readAtomics = random.nextInt(1, 5);
            int window = random.nextInt(1, 129);
            int serverQpn = SharedMemoryServer.queuePairNumber(index);
            RcConnection connection =
                    connection(
                            addressOf(index),
                            addressOf(-1),
                            serverQpn,
                            clientPsn,
                            serverPsn,
                            window,
                            readAtomics);
            var client = new ContendingClient(random.split(), index + 1, rounds, tableBytes);
            var endpoint =
                    new SimulatedEndpoint(
                            network,
                            addressOf(index),
                            CLIENT_QPN,
                            new QueueSizes(4, 1, 1, 0),
                            true,
                            random.split(),
                            client,
                            new WireWatch(connection));
            endpoint.queuePair.connect(connection);
            server.serve(
                    connection(
                            addressOf(-1),
                            addressOf(index),
                            CLIENT_QPN,
                            serverPsn,
                            clientPsn,
                            window,
                            readAtomics));
            client.start(endpoint, server.memory, arena);
            clients.add(client);
        }

        private RcConnection connection(
                Gid from, Gid to, int qpn, int sendPsn, int receivePsn, int window, int reads) {
            return RcConnection.builder(SimulatedEndpoint.path(from, to))
                    .destinationQpn(qpn)
                    .pathMtuBytes(mtu)
                    .sendPsn(sendPsn)
                    .receivePsn(receivePsn)
                    .minRnrTimerCode(1)
                    .ackTimeoutCode(ACK_TIMEOUT_CODE)
                    .retryCount(7)
                    .rnrRetryCount(7)
                    .maxWindowPackets(window)
                    .maxReadAtomic(reads)
                    .maxDestinationReadAtomic(reads)
                    .build();
        }

        void run() {
            while (!clients.stream().allMatch(ContendingClient::isDone)
                    && network.nowNanos() < MAX_NANOS
                    && network.step()) {
                // The clients check what they see.
            }
            assertThat(clients).as("done in time").allMatch(ContendingClient::isDone);
            assertThat(shared.get(ValueLayout.JAVA_LONG, ContendingClient.LOCK)).isZero();
            for (long at = 0; at < tableBytes; at += Long.BYTES) {
                assertThat(shared.get(ValueLayout.JAVA_LONG, ContendingClient.TABLE + at))
                        .as("word at %d of the table", at)
                        .isEqualTo((long) rounds * clients.size());
            }
            checkAdditions();
        }

        /// Every addition saw what exactly one other left, from 0 up to the total.
        private void checkAdditions() {
            Map<Long, Long> additions = new HashMap<>();
            for (ContendingClient client : clients) {
                client.additions.forEach((original, added) ->
                        assertThat(additions.put(original, added))
                                .as("two additions to %d", original)
                                .isNull());
            }
            assertThat(additions).hasSize(rounds * clients.size());
            long total = 0;
            while (additions.containsKey(total)) {
                total += additions.remove(total);
            }
            assertThat(additions).as("additions to a value that never was").isEmpty();
            assertThat(shared.get(ValueLayout.JAVA_LONG, ContendingClient.TOTAL)).isEqualTo(total);
        }
    }
}
