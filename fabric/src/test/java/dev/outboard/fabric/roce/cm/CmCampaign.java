package dev.outboard.fabric.roce.cm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/// One seeded run of two devices that connect to each other and ask each other for datagram
/// services, over an IPv4 or IPv6 network that loses, duplicates and reorders, with applications
/// that do everything they may at random times. Invariants are checked all along and at the end.
final class CmCampaign {
    /// What the network does to a datagram. Nothing lives longer than TIMEWAIT.
    ///
    /// @param loss probability, 0..1
    /// @param duplication probability, 0..1
    record Weather(double loss, double duplication, Duration longestDelay) {
        static Weather random(SplittableRandom random) {
            Duration[] delays = {
                Duration.ofMillis(1), Duration.ofMillis(100), Duration.ofSeconds(1)
            };
            return new Weather(
                    random.nextInt(21) / 100.0,
                    random.nextInt(21) / 100.0,
                    delays[random.nextInt(delays.length)]);
        }
    }

    /// What applications do.
    enum Manners {
        /// Accept at once, wait patiently, disconnect some time after the connection is in use.
        PATIENT,
        /// Accept, reject, fail, give up and disconnect whenever it suits them.
        ERRATIC
    }

    private static final int PORT = 7174;
    private static final int MAX_CONNECTS = 6;
    private static final ConnectionParameters DEFAULTS = ConnectionParameters.defaults();

    private static final List<String> ACTIVE_STORIES =
            List.of(
                    "ESTABLISHED DISCONNECTED TIMEWAIT_EXIT",
                    "REJECTED",
                    "REJECTED TIMEWAIT_EXIT",
                    "UNREACHABLE",
                    "CONNECT_ERROR");
    private static final List<String> PASSIVE_STORIES =
            List.of(
                    "CONNECT_REQUEST",
                    "CONNECT_REQUEST REJECTED",
                    "CONNECT_REQUEST REJECTED TIMEWAIT_EXIT",
                    "CONNECT_REQUEST UNREACHABLE TIMEWAIT_EXIT",
                    "CONNECT_REQUEST DISCONNECTED TIMEWAIT_EXIT",
                    "CONNECT_REQUEST ESTABLISHED DISCONNECTED TIMEWAIT_EXIT");

    private final SplittableRandom random;
    private final Weather weather;
    private final Manners manners;
    private final CmNetwork network = new CmNetwork();
    private final List<CmEndpoint> endpoints = new ArrayList<>();
    private final ResolutionTraffic resolutions;

    /// The active side's connections by what they say in their private data.
    private final Map<Long, Connection> connects = new HashMap<>();

    CmCampaign(long seed, Manners manners) {
        this(new SplittableRandom(seed), manners);
    }

    private CmCampaign(SplittableRandom random, Manners manners) {
        this.random = random;
        this.manners = manners;
        this.weather =
                manners == Manners.ERRATIC
                        ? Weather.random(random)
                        : new Weather(0.1, 0.1, Duration.ofMillis(200));
        network.fate(this::fate);
        CmTimers timers = CmTimers.within(Duration.ofSeconds(30));
        boolean ipv6 = random.nextBoolean();
        for (int host = 2; host <= 3; host++) {
            Gid gid = ipv6 ? new Gid(0xFD77L << 48, host) : Gid.ofIpv4(0x7F00_0000 + host);
            CmConfiguration configuration =
                    CmEndpoint.configuration(gid, random.nextLong()).withTimers(timers);
            CmEndpoint endpoint = new CmEndpoint(network, configuration, random.nextLong());
            endpoint.agent().listen(PORT, MAX_CONNECTS);
            endpoint.react(event -> react(endpoint, event));
            if (manners == Manners.ERRATIC) {
                endpoint.refuseQueuePairs(() -> chance(0.05));
            }
            endpoints.add(endpoint);
        }
        resolutions = new ResolutionTraffic(random.split(), manners, network, endpoints);
    }

    /// Runs until nothing moves any more, and checks how it ended.
    void run() {
        int connectCount = 1 + random.nextInt(MAX_CONNECTS);
        for (int i = 0; i < connectCount; i++) {
            network.at(within(Duration.ofSeconds(5)), this::connect);
        }
        resolutions.start();
        network.runUntilQuiet();
        resolutions.check();
        endpoints.forEach(this::checkEnd);
        if (manners == Manners.PATIENT) {
            connects.values().forEach(this::checkPerfect);
        }
    }

    /// Everything that was sent and everything that was raised, in order.
    String transcript() {
        return network.sent().stream()
                        .map(sent -> sent.atNanos() + " " + sent.message())
                        .collect(Collectors.joining("\n"))
                + endpoints.stream()
                        .map(endpoint -> String.join("\n", endpoint.journal()))
                        .collect(Collectors.joining("\n"));
    }

    private List<Duration> fate(CmNetwork.Sent sent) {
        if (sent.message() instanceof ConnectionReply reply) {
            checkReady(sent, reply);
        }
        List<Duration> delays = new ArrayList<>();
        if (!chance(weather.loss())) {
            delays.add(within(weather.longestDelay()));
        }
        if (chance(weather.duplication())) {
            delays.add(within(weather.longestDelay()));
        }
        return delays;
    }

    private void connect() {
        CmEndpoint from = endpoints.get(random.nextInt(2));
        CmEndpoint to = other(from);
        boolean nobodyListens = manners == Manners.ERRATIC && chance(0.1);
        long number = random.nextLong();
        Connection connection =
                from.connect(to, nobodyListens ? PORT + 1 : PORT, withNumber(number));
        connects.put(number, connection);
        if (manners == Manners.ERRATIC && chance(0.1)) {
            network.at(within(Duration.ofSeconds(3)), () -> from.destroy(connection));
        }
    }

    private void react(CmEndpoint endpoint, CmEvent event) {
        Connection connection = event.connection();
        switch (event.type()) {
            case CONNECT_REQUEST -> {
                assertThat(connects).containsKey(number(event));
                answer(endpoint, connection, number(event));
            }
            case ESTABLISHED -> {
                if (connection.isActive()) {
                    assertThat(connects.get(number(event) - 1)).isSameAs(connection);
                    CmEndpoint peer = other(endpoint);
                    int qpn = endpoint.attributes(connection).remoteQpn();
                    if (manners == Manners.PATIENT || chance(0.5)) {
                        network.at(within(Duration.ofSeconds(1)), () -> packetArrives(peer, qpn));
                    }
                } else {
                    checkAgreement(endpoint, connection);
                }
                end(endpoint, connection);
            }
            default -> {}
        }
    }

    private void answer(CmEndpoint endpoint, Connection connection, long number) {
        ConnectionParameters reply = withNumber(number + 1);
        if (manners == Manners.PATIENT) {
            assertThat(endpoint.accept(connection, reply)).isTrue();
            return;
        }
        Duration thinking = chance(0.5) ? Duration.ZERO : within(Duration.ofSeconds(2));
        int choice = random.nextInt(100);
        network.at(
                thinking,
                () -> {
                    if (choice < 70) {
                        endpoint.accept(connection, reply);
                    } else if (choice < 80) {
                        endpoint.accept(connection, reply);
                        if (connection.state() != ConnectionState.IDLE) {
                            endpoint.disconnect(connection);
                        }
                    } else if (choice < 95) {
                        endpoint.agent().reject(connection, new byte[] {1});
                    } else {
                        endpoint.destroy(connection);
                    }
                });
    }

    /// Every established connection ends at some time, from either side or both.
    private void end(CmEndpoint endpoint, Connection connection) {
        Duration atLeast = Duration.ofSeconds(manners == Manners.PATIENT ? 2 : 0);
        boolean destroys = manners == Manners.ERRATIC && chance(0.2);
        network.at(
                atLeast.plus(within(Duration.ofSeconds(6))),
                () -> {
                    if (destroys) {
                        endpoint.destroy(connection);
                    } else {
                        endpoint.disconnect(connection);
                    }
                });
    }

    private static void packetArrives(CmEndpoint endpoint, int qpn) {
        endpoint.connected().stream()
                .filter(connection -> connection.localQpn() == qpn)
                .forEach(endpoint.agent()::queuePairReceivedPacket);
    }

    /// The queue pair is connected before the REP leaves.
    private void checkReady(CmNetwork.Sent sent, ConnectionReply reply) {
        CmEndpoint sender =
                endpoints.stream().filter(e -> e.gid().equals(sent.from())).findAny().orElseThrow();
        assertThat(sender.connected())
                .anySatisfy(connection -> {
                    assertThat(connection.localId()).isEqualTo(reply.localId());
                    assertThat(sender.attributes(connection).localQpn())
                            .isEqualTo(reply.local().qpn());
                });
    }

    /// Both queue pairs fit each other. When the passive side is established the active one is,
    /// too.
    private void checkAgreement(CmEndpoint endpoint, Connection connection) {
        NegotiatedAttributes passive = endpoint.attributes(connection);
        CmEndpoint peer = other(endpoint);
        NegotiatedAttributes active =
                peer.connected().stream()
                        .map(peer::attributes)
                        .filter(attributes -> attributes.localQpn() == passive.remoteQpn())
                        .findAny()
                        .orElseThrow(() -> new AssertionError("no peer of " + connection));
        assertThat(active.remoteQpn()).isEqualTo(passive.localQpn());
        assertThat(active.sendPsn()).isEqualTo(passive.receivePsn());
        assertThat(active.receivePsn()).isEqualTo(passive.sendPsn());
        assertThat(active.pathMtu()).isEqualTo(passive.pathMtu());
        assertThat(active.retryCount()).isEqualTo(passive.retryCount());
        assertThat(active.remoteGid()).isEqualTo(endpoint.gid());
        assertThat(passive.remoteGid()).isEqualTo(peer.gid());
    }

    private void checkEnd(CmEndpoint endpoint) {
        assertThat(endpoint.agent().connectionCount()).isZero();
        Map<Connection, String> stories =
                endpoint.events().stream()
                        .collect(
                                Collectors.groupingBy(
                                        CmEvent::connection,
                                        Collectors.mapping(
                                                event -> event.type().name(),
                                                Collectors.joining(" "))));
        stories.forEach((connection, story) -> {
            assertThat(connection.state()).isEqualTo(ConnectionState.IDLE);
            List<String> possible = connection.isActive() ? ACTIVE_STORIES : PASSIVE_STORIES;
            if (connection.isDestroyed) {
                assertThat(possible).anyMatch(whole -> whole.startsWith(story));
            } else {
                assertThat(possible).contains(story);
            }
        });
        for (Connection connection : endpoint.connected()) {
            assertThat(endpoint.isFailed(connection))
                    .as("%s is left connected", connection)
                    .isTrue();
            assertThat(endpoint.agent().isInTimewait(connection.localQpn())).isFalse();
        }
    }

    private void checkPerfect(Connection active) {
        for (CmEndpoint endpoint : endpoints) {
            endpoint.events().stream()
                    .filter(event -> event.type() == ConnectionEvent.Type.CONNECT_REQUEST)
                    .map(CmEvent::connection)
                    .filter(passive -> passive.request.localId() == active.localId())
                    .forEach(passive ->
                            assertThat(endpoint.eventTypes(passive))
                                    .contains(ConnectionEvent.Type.ESTABLISHED));
            assertThat(endpoint.events()).allSatisfy(event -> assertThat(event.status()).isZero());
        }
        assertThat(
                        endpoints.stream()
                                .flatMap(endpoint -> endpoint.eventTypes(active).stream())
                                .toList())
                .contains(ConnectionEvent.Type.ESTABLISHED, ConnectionEvent.Type.DISCONNECTED);
    }

    private CmEndpoint other(CmEndpoint endpoint) {
        return endpoints.get(endpoints.getFirst() == endpoint ? 1 : 0);
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    private Duration within(Duration longest) {
        return Duration.ofNanos(random.nextLong(longest.toNanos() + 1));
    }

    private static ConnectionParameters withNumber(long number) {
        return new ConnectionParameters(
                DEFAULTS.responderResources(),
                DEFAULTS.initiatorDepth(),
                DEFAULTS.retryCount(),
                DEFAULTS.rnrRetryCount(),
                ByteBuffer.allocate(Long.BYTES).putLong(number).array());
    }

    private static long number(CmEvent event) {
        return ByteBuffer.wrap(event.parameters().privateData()).getLong();
    }
}
