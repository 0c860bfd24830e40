package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.contract.roce.Stranger;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.DisconnectReply;
import dev.outboard.fabric.roce.wire.cm.DisconnectRequest;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.ReadyToUse;
import dev.outboard.fabric.roce.wire.cm.RejectReason;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Hosts that connect without end, half, twice, or too late. `-Dcycles=10000` connects and
/// disconnects that often; the usual number keeps the build short.
class HostileHandshakesTest extends HostileSuite {
    private static final int CYCLES = Integer.getInteger("cycles", 1_000);
    private static final int HALF_OPEN = 500;
    private static final int QUEUE_PAIR = 0x100;

    @Test
    @Requirement({"NAA-CONN-16", "NAA-MULTI-4", "NAA-ROB-2", "NAA-ROB-7", "NAA-DISC-3"})
    void thousandsOfConnectionsLeaveNothingBehind() {
        serve(strict());
        assertServesAsBefore();
        Baseline before = Baseline.take();
        for (int i = 0; i < CYCLES; i++) {
            // Every tenth has regions when it leaves.
            try (RawClient client = raw()) {
                if (i % 10 == 0) {
                    Entry entry = client.region(RegionFlags.INPUT, 4096);
                    assertThat(client.setUp(new AdvertiseRequest(List.of(entry)))).hasSize(1);
                }
            }
            awaitNoConnections();
        }
        assertThat(server.server.counters()).containsEntry("connections.ended", CYCLES + 1L);
        assertServesAsBefore();
        before.assertReached();
    }

    @Test
    @Requirement({"NAA-MULTI-3", "NAA-MULTI-4", "NAA-ROB-2"})
    void halfOpenHandshakesKeepNobodyOut() {
        serve(strict());
        assertServesAsBefore();
        MemorySegment memory = server.memory(100, 0);
        Baseline before = Baseline.take();
        try (Stranger stranger = new Stranger(serverDevice);
                NaaClient connected = goodClient(memory)) {
            for (int i = 1; i <= HALF_OPEN; i++) {
                stranger.send(stranger.request(server.server.port(), i, QUEUE_PAIR + i, 18));
            }
            // Whoever is in stays in; whoever comes gets in as soon as the first ones are given up.
            assertServed(connected, memory);
            try (NaaClient late = openSoon()) {
                assertThat(late.invoke().isSuccess()).isTrue();
            }
            assertServed(connected, memory);
        }
        assertThat(server.server.counters().get("rejected.half-open")).isPositive();
        assertServesAsBefore();
        before.assertReached();
    }

    /// Connects; tries again while all places are taken.
    private NaaClient openSoon() {
        Optional<NaaClient> open = Optional.empty();
        long start = System.nanoTime();
        while (open.isEmpty()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Duration.ofSeconds(30));
            try {
                open = Optional.of(client(10).open());
            } catch (NaaConnectException e) {
                assertThat(e).hasMessageContaining("connections are in use");
            }
        }
        return open.get();
    }

    @Test
    @Requirement({"NAA-CONN-2", "NAA-ROB-2", "NAA-MULTI-5"})
    void repeatedMessagesChangeNothing() {
        serve(strict());
        try (Stranger stranger = new Stranger(serverDevice)) {
            ConnectionRequest request = stranger.request(server.server.port(), 7, QUEUE_PAIR, 18);
            stranger.send(request);
            ConnectionReply reply = stranger.await(ConnectionReply.class);
            for (int i = 0; i < 5; i++) {
                stranger.send(request);
            }
            for (int i = 0; i < 5; i++) {
                stranger.send(Stranger.readyToUse(reply));
            }
            server.awaitEvent("connected");
            for (int i = 0; i < 5; i++) {
                stranger.send(request);
            }
            Eventually.until(() -> counted("cm.discarded.duplicate") == 10);
            assertThat(server.server.connections()).hasSize(1);
            DisconnectRequest end = disconnect(reply, reply.local().qpn());
            for (int i = 0; i < 5; i++) {
                stranger.send(end);
                assertThat(stranger.await(DisconnectReply.class).remoteId()).isEqualTo(7);
            }
            server.awaitEvent("disconnected");
        }
        Eventually.until(() -> server.server.counters().get("connections.ended") == 1);
        assertServesAsBefore();
    }

    @Test
    @Requirement({"NAA-ROB-2", "NAA-MULTI-5", "NAA-STATE-5"})
    void messagesOfOldAndForeignConnectionsChangeNothing() {
        serve(strict());
        MemorySegment memory = server.memory(100, 0);
        try (Stranger stranger = new Stranger(serverDevice);
                NaaClient good = goodClient(memory)) {
            int port = server.server.port();
            ConnectionReply old = stranger.connect(port, 7, QUEUE_PAIR, 18);
            DisconnectRequest end = disconnect(old, old.local().qpn());
            stranger.send(end);
            stranger.await(DisconnectReply.class);
            Eventually.until(() -> server.server.connections().size() == 1);

            // What an old connection left in the network.
            stranger.send(Stranger.readyToUse(old));
            stranger.send(
                    new Rejection(
                            7,
                            old.localId(),
                            1,
                            0,
                            28,
                            Octets.EMPTY.padded(72),
                            Octets.EMPTY.padded(148)));
            stranger.send(end);
            stranger.await(DisconnectReply.class);

            // Guesses at the connections of others: every ID near those that were seen.
            for (int id = old.localId() - 200; id < old.localId() + 200; id++) {
                stranger.send(new ReadyToUse(7, id, Octets.EMPTY.padded(224)));
                stranger.send(
                        new DisconnectRequest(7, id, old.local().qpn(), Octets.EMPTY.padded(220)));
            }
            stranger.await(DisconnectReply.class);
            assertServed(good, memory);

            // The same queue pair connects anew, as after a restart: the old connection was stale.
            stranger.connect(port, 8, QUEUE_PAIR + 1, 18);
            Eventually.until(() -> server.server.connections().size() == 2);
            stranger.send(stranger.request(port, 9, QUEUE_PAIR + 1, 18));
            assertThat(stranger.await(Rejection.class).reason())
                    .isEqualTo(RejectReason.STALE_CONNECTION.code());
            Eventually.until(() -> server.server.connections().size() == 1);
            assertServed(good, memory);
        }
        assertServesAsBefore();
    }

    private long counted(String name) {
        return serverDevice.counters().getOrDefault(name, 0L);
    }

    private static DisconnectRequest disconnect(ConnectionReply reply, int queuePair) {
        int ours = reply.remoteId();
        int theirs = reply.localId();
        return new DisconnectRequest(ours, theirs, queuePair, Octets.EMPTY.padded(220));
    }
}
