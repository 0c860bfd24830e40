package dev.outboard.fabric.roce.cm;

import static dev.outboard.fabric.ConnectionEvent.Type.ESTABLISHED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.CmMessage;
import dev.outboard.fabric.roce.wire.cm.DatagramFlaw;
import dev.outboard.fabric.roce.wire.cm.DisconnectReply;
import dev.outboard.fabric.roce.wire.cm.DisconnectRequest;
import dev.outboard.fabric.roce.wire.cm.GoldenCmTest;
import dev.outboard.fabric.roce.wire.cm.MessageReceiptAcknowledgement;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.ReadyToUse;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Peers that send what they should not: nothing is thrown, nothing grows without bound, everything
/// dropped is counted.
class HostilePeerTest extends TwoAgents {
    private static final int FUZZ_SEEDS = 50;
    private static final int FUZZ_DATAGRAMS = 1000;
    private static final int MAXIMUM_ACCEPTED = 20;

    @Test
    void requestsBeyondTheBacklogAreDroppedSilently() {
        RawMad request = lostRequest();
        for (int i = 1; i <= BACKLOG; i++) {
            server.receive(client.gid(), request.localIdAndQpn(i, 0x1000 + i));
        }
        assertThat(server.events()).hasSize(BACKLOG);

        server.receive(client.gid(), request.localIdAndQpn(99, 0x2000));
        assertThat(server.events()).hasSize(BACKLOG);
        assertThat(network.sent()).isEmpty();
        assertThat(server.discarded(CmDiscard.BACKLOG_FULL)).isEqualTo(1);

        // An answer makes room.
        server.accept(server.lastRequest());
        server.receive(client.gid(), request);
        assertThat(server.events()).hasSize(BACKLOG + 1);
    }

    @Test
    void connectionsBeyondTheLimitAreDroppedSilentlyUntilTimewaitIsOver() {
        CmConfiguration configuration =
                CmEndpoint.configuration(SERVER_IPV4, 2).withMaximumAccepted(2);
        CmEndpoint small = new CmEndpoint(network, configuration, 2);
        small.agent().listen(PORT, BACKLOG);
        small.acceptEverything();
        Connection first = client.connect(small, PORT);
        client.connect(small, PORT);
        network.run(EXCHANGE);
        client.disconnect(first);
        network.run(EXCHANGE);

        Connection third = client.connect(small, PORT);
        network.run(EXCHANGE);
        assertThat(third.state()).isEqualTo(ConnectionState.REQ_SENT);
        assertThat(small.discarded(CmDiscard.CONNECTION_LIMIT)).isEqualTo(1);

        network.run(TIMEWAIT.multipliedBy(2));
        assertThat(third.state()).isEqualTo(ConnectionState.ESTABLISHED);
    }

    @Test
    void theLimitDoesNotHinderOurOwnConnects() {
        CmConfiguration configuration =
                CmEndpoint.configuration(CLIENT_IPV4, 1).withMaximumAccepted(0);
        CmEndpoint closed = new CmEndpoint(network, configuration, 1);
        server.acceptEverything();

        closed.connect(server, PORT);
        network.run(EXCHANGE);

        assertThat(closed.eventTypes()).containsExactly(ESTABLISHED);
    }

    @ParameterizedTest
    @CsvSource({
        // byte of the MAD header, value, reason
        "0, 2, WRONG_VERSION",
        "1, 3, OTHER_CLASS",
        "2, 1, WRONG_VERSION",
        "3, 0x81, OTHER_METHOD",
        "16, 1, UNSUPPORTED_ATTRIBUTE",
        "17, 0x0F, UNSUPPORTED_ATTRIBUTE",
        "17, 0x1B, UNSUPPORTED_ATTRIBUTE",
    })
    void datagramsOfOtherKindsAreCounted(int at, String value, DatagramFlaw reason) {
        server.receive(client.gid(), lostRequest().header8(at, Integer.decode(value)));

        assertThat(server.discarded(reason)).isEqualTo(1);
        assertThat(server.events()).isEmpty();
        assertThat(network.sent()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 23, 24, 255, 257, 4096})
    void datagramsOfOtherLengthsAreCounted(int length) {
        server.agent().receive(client.gid(), new byte[length], network.nowNanos());

        assertThat(server.discarded(DatagramFlaw.WRONG_LENGTH)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"0, 0x100", "7, 0", "7, 1", "7, 0xFFFFFF"})
    void impossibleIdsAndQueuePairsAreCounted(int localId, String qpn) {
        server.receive(client.gid(), lostRequest().localIdAndQpn(localId, Integer.decode(qpn)));

        assertThat(server.discarded(CmDiscard.MALFORMED)).isEqualTo(1);
        assertThat(server.events()).isEmpty();
        assertThat(network.sent()).isEmpty();
    }

    @Test
    void aRequestThatNamesAnotherSenderIsDropped() {
        server.receive(STRANGER, lostRequest());

        assertThat(server.discarded(CmDiscard.WRONG_SOURCE)).isEqualTo(1);
        assertThat(server.events()).isEmpty();
        assertThat(network.sent()).isEmpty();
    }

    @Test
    void aStrangerWhoKnowsTheIdsChangesNothing() {
        network.lose(sent -> sent.attribute() == CmAttribute.RTU);
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        Connection passive = server.lastRequest();
        int theirs = active.localId();
        int ours = passive.localId();
        CmMessage[] forgeries = {
            new ReadyToUse(theirs, ours, Octets.EMPTY),
            new MessageReceiptAcknowledgement(theirs, ours, 1, 31, Octets.EMPTY),
            new Rejection(theirs, ours, Rejection.OF_REP, 0, 28, Octets.EMPTY, Octets.EMPTY),
            new DisconnectRequest(theirs, ours, passive.localQpn(), Octets.EMPTY),
            new DisconnectReply(theirs, ours, Octets.EMPTY),
        };
        network.forgetSent();
        for (CmMessage forgery : forgeries) {
            server.receive(STRANGER, forgery);
        }

        assertThat(passive.state()).isEqualTo(ConnectionState.REP_SENT);
        assertThat(network.sent()).isEmpty();
        assertThat(server.discarded(CmDiscard.WRONG_SOURCE)).isEqualTo(forgeries.length);
    }

    @Test
    void aReplyWithAnImpossibleQueuePairIsDropped() {
        network.lose(sent -> sent.attribute() == CmAttribute.REP);
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        RawMad reply = RawMad.of(network.lastSent(CmAttribute.REP));
        client.receive(server.gid(), reply.put24(12, 0));
        client.receive(server.gid(), reply.put24(12, 0x100).put32(0, 0));

        assertThat(active.state()).isEqualTo(ConnectionState.REQ_SENT);
        assertThat(client.discarded(CmDiscard.MALFORMED)).isEqualTo(2);
    }

    @Test
    void receiptsThatFitNothingAreCounted() {
        Pair pair = establish();
        int theirs = pair.active().localId();
        int ours = pair.passive().localId();
        // Of the REP, by an unknown peer; of nothing that waits; of a LAP.
        server.receive(
                client.gid(),
                new MessageReceiptAcknowledgement(theirs + 1, ours, 1, 9, Octets.EMPTY));
        server.receive(
                client.gid(), new MessageReceiptAcknowledgement(theirs, ours, 1, 9, Octets.EMPTY));
        server.receive(
                client.gid(), new MessageReceiptAcknowledgement(theirs, ours, 2, 9, Octets.EMPTY));
        server.receive(
                client.gid(), new MessageReceiptAcknowledgement(theirs, ours, 0, 9, Octets.EMPTY));

        assertThat(server.discarded(CmDiscard.UNKNOWN_ID)).isEqualTo(1);
        assertThat(server.discarded(CmDiscard.WRONG_STATE)).isEqualTo(3);
        assertThat(server.agent().deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatComesAfterTheEndIsCounted() {
        Pair pair = establish();
        RawMad reply = RawMad.of(network.lastSent(CmAttribute.REP));
        client.disconnect(pair.active());
        network.run(EXCHANGE);
        RawMad disconnect = RawMad.of(network.lastSent(CmAttribute.DREQ));
        RawMad disconnectReply = RawMad.of(network.lastSent(CmAttribute.DREP));
        int ours = pair.active().localId();
        int theirs = pair.passive().localId();

        client.receive(server.gid(), reply);
        client.receive(server.gid(), disconnectReply);
        client.receive(
                server.gid(), new Rejection(theirs, ours, 2, 0, 28, Octets.EMPTY, Octets.EMPTY));
        server.receive(client.gid(), disconnect);

        assertThat(client.discarded(CmDiscard.WRONG_STATE)).isEqualTo(3);
        assertThat(server.discarded(CmDiscard.DUPLICATE)).isEqualTo(1);
        assertThat(pair.active().state()).isEqualTo(ConnectionState.TIMEWAIT);
    }

    /// Whoever is there gets three datagrams of the size of the one that was forged.
    @Test
    @Requirement("ROCE-CM-6")
    void aForgedRequestCostsThreeDatagramsAtMost() {
        server.acceptEverything();
        server.receive(STRANGER, forged());
        network.runUntilQuiet();

        assertThat(network.sent()).hasSize(3).allMatch(sent -> sent.to().equals(STRANGER));
        assertThat(network.sent(CmAttribute.REP)).hasSize(3);
        assertThat(server.agent().counters().withheld()).isEqualTo(2);
        assertThat(server.agent().counters().snapshot()).containsEntry("cm.withheld", 2L);
        assertThat(server.agent().connectionCount()).isZero();
    }

    @Test
    void thatIsSoWhateverTheApplicationDoes() {
        server.acceptEverything();
        server.receive(STRANGER, forged());
        network.run(Duration.ofSeconds(1));
        server.disconnect(server.lastRequest());
        network.runUntilQuiet();
        assertThat(network.sent()).as("disconnects").hasSize(3);

        network.forgetSent();
        server.react(_ -> {});
        server.receive(STRANGER, forged().localIdAndQpn(77, 0x777));
        server.agent().reject(server.lastRequest(), new byte[0]);
        network.runUntilQuiet();
        assertThat(network.sent()).as("rejects").hasSize(1);
    }

    @Test
    void eachRequestOfAStrangerIsWorthThreeMore() {
        server.acceptEverything();
        RawMad request = forged();
        server.receive(STRANGER, request);
        network.run(Duration.ofSeconds(5));
        assertThat(network.sent()).hasSize(3);

        server.receive(STRANGER, request);
        assertThat(network.sent()).as("what was withheld").hasSize(4);
        network.runUntilQuiet();
        assertThat(network.sent()).hasSizeLessThanOrEqualTo(6);
    }

    /// A valid REQ that names the stranger's address as its own.
    private RawMad forged() {
        CmEndpoint stranger = new CmEndpoint(network, CmEndpoint.configuration(STRANGER, 9), 9);
        network.lose(_ -> true);
        Connection connection = stranger.connect(server, PORT);
        RawMad request = RawMad.of(network.lastSent(CmAttribute.REQ));
        stranger.destroy(connection);
        network.leave(STRANGER);
        network.loseNothing();
        network.forgetSent();
        return request;
    }

    @Test
    void countersHaveNames() {
        Pair pair = establish();
        client.disconnect(pair.active());
        network.run(EXCHANGE);
        server.agent().receive(client.gid(), new byte[3], network.nowNanos());
        client.connect(server, PORT + 1);
        network.run(EXCHANGE);
        network.lose(_ -> true);
        client.connect(server, PORT);
        network.run(Duration.ofMillis(600));

        assertThat(client.agent().counters().snapshot())
                .isEqualTo(
                        Map.of(
                                "cm.sent.req", 3L,
                                "cm.sent.rtu", 1L,
                                "cm.sent.dreq", 1L,
                                "cm.received.rep", 1L,
                                "cm.received.drep", 1L,
                                "cm.received.rej", 1L,
                                "cm.resent", 1L));
        assertThat(server.agent().counters().snapshot())
                .isEqualTo(
                        Map.of(
                                "cm.sent.rep", 1L,
                                "cm.sent.drep", 1L,
                                "cm.sent.rej", 1L,
                                "cm.received.req", 2L,
                                "cm.received.rtu", 1L,
                                "cm.received.dreq", 1L,
                                "cm.discarded.wrong-length", 1L));
        assertThat(client.agent().counters().sent(CmAttribute.REQ)).isEqualTo(3);
    }

    static LongStream fuzzSeeds() {
        Long only = Long.getLong("seed");
        return only == null ? LongStream.range(0, FUZZ_SEEDS) : LongStream.of(only);
    }

    /// Random bytes, and real datagrams with some of their bytes changed, at a server in the middle
    /// of its work.
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("fuzzSeeds")
    void anyBytesAtAllAreTaken(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        CmConfiguration configuration =
                CmEndpoint.configuration(SERVER_IPV4, 2).withMaximumAccepted(MAXIMUM_ACCEPTED);
        CmEndpoint target = new CmEndpoint(network, configuration, seed);
        Listener targetListener = target.agent().listen(PORT, BACKLOG);
        target.acceptEverything();
        for (int i = 0; i < 3; i++) {
            client.connect(target, PORT);
        }
        network.run(EXCHANGE);
        target.react(_ -> {});
        Connection own = target.connect(client, PORT);
        List<byte[]> corpus = corpus();

        for (int i = 0; i < FUZZ_DATAGRAMS; i++) {
            int before = network.sent().size();
            target.agent()
                    .receive(
                            random.nextInt(10) == 0 ? STRANGER : client.gid(),
                            mutated(corpus.get(random.nextInt(corpus.size())), random, target),
                            network.nowNanos());
            assertThat(network.sent().size() - before).isLessThanOrEqualTo(2);
            assertThat(target.agent().connectionCount()).isLessThanOrEqualTo(MAXIMUM_ACCEPTED + 1);
            assertThat(targetListener.undecided).isBetween(0, BACKLOG);
            corpus.addAll(
                    network.sent().subList(before, network.sent().size()).stream()
                            .map(CmNetwork.Sent::mad)
                            .toList());
            decide(target, random);
        }

        assertThat(own.isActive()).isTrue();
        assertEverythingEnds(target);
    }

    private static void assertEverythingEnds(CmEndpoint target) {
        target.events().forEach(event -> target.destroy(event.connection()));
        long start = target.agent().deadlineNanos();
        long now = start;
        while (target.agent().deadlineNanos() != Long.MAX_VALUE) {
            now = target.agent().deadlineNanos();
            target.agent().onTimer(now);
        }
        assertThat(target.agent().connectionCount()).isZero();
        assertThat(now - start).isLessThan(Duration.ofMinutes(10).toNanos());
    }

    private static List<byte[]> corpus() {
        List<byte[]> corpus = new ArrayList<>();
        GoldenCmTest.goldenDatagrams().forEach(name -> corpus.add(GoldenCmTest.mad(name)));
        return corpus;
    }

    private void decide(CmEndpoint target, SplittableRandom random) {
        Predicate<Connection> isOpen = c -> c.state() == ConnectionState.REQ_RCVD;
        target.events().stream()
                .map(CmEvent::connection)
                .filter(isOpen)
                .findFirst()
                .ifPresent(connection -> {
                    switch (random.nextInt(20)) {
                        case 0 -> target.accept(connection);
                        case 1 -> target.agent().reject(connection, new byte[0]);
                        case 2 -> target.destroy(connection);
                        default -> {}
                    }
                });
        if (random.nextInt(20) == 0) {
            network.run(Duration.ofMillis(random.nextInt(3000)));
        }
    }

    private byte[] mutated(byte[] original, SplittableRandom random, CmEndpoint target) {
        if (random.nextInt(20) == 0) {
            byte[] noise = new byte[random.nextInt(2 * CmDatagram.LENGTH)];
            random.nextBytes(noise);
            return noise;
        }
        RawMad mad = RawMad.of(original);
        if (random.nextInt(3) != 0) {
            mad.header8(17, 0x10 + random.nextInt(9));
        }
        for (int changes = random.nextInt(6); changes > 0; changes--) {
            int at = random.nextInt(CmMessage.LENGTH - 8);
            switch (random.nextInt(5)) {
                case 0 -> mad.put8(at, random.nextInt());
                case 1 -> mad.put8(at, 0xFF);
                case 2 -> mad.put32(random.nextInt(2) * 4, knownId(random, target));
                case 3 -> mad.put64(8, 0x0106_0000L + PORT);
                default -> plausible(mad, random);
            }
        }
        return mad.bytes();
    }

    /// As a REQ, it gets past the first checks.
    private void plausible(RawMad mad, SplittableRandom random) {
        mad.localIdAndQpn(random.nextInt(1, 50), random.nextInt(2, 50));
        mad.put64(56, 0).put32(64, 0xFFFF).put32(68, CLIENT_IPV4);
        mad.put64(72, 0).put32(80, 0xFFFF).put32(84, SERVER_IPV4);
        mad.put32(140 + 32, SERVER_IPV4);
    }

    private static int knownId(SplittableRandom random, CmEndpoint target) {
        List<CmEvent> events = target.events();
        Connection connection = events.get(random.nextInt(events.size())).connection();
        return random.nextBoolean() ? connection.localId() : connection.remoteId;
    }
}
