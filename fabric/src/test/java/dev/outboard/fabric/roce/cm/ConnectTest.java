package dev.outboard.fabric.roce.cm;

import static dev.outboard.fabric.ConnectionEvent.Type.CONNECT_REQUEST;
import static dev.outboard.fabric.ConnectionEvent.Type.ESTABLISHED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.GoldenCmTest;
import dev.outboard.fabric.roce.wire.cm.IpAddressHeader;
import dev.outboard.fabric.roce.wire.cm.LocalEnd;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.PathRecord;
import dev.outboard.fabric.roce.wire.cm.ServiceId;
import dev.outboard.testkit.Requirement;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// REQ, REP, RTU without loss.
class ConnectTest extends TwoAgents {
    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return bytes;
    }

    private static ConnectionParameters withPrivateData(int length) {
        return new ConnectionParameters(0, 0, 7, 6, bytes(length));
    }

    @Test
    void bothSidesAreEstablished() {
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        Connection passive = server.lastRequest();

        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST);
        assertThat(passive.listener()).contains(listener);
        assertThat(passive.remoteGid()).isEqualTo(client.gid());
        assertThat(passive.remotePort()).isEqualTo(active.localPort());
        assertThat(passive.localPort()).isEqualTo(PORT);

        assertThat(server.accept(passive)).isTrue();
        network.run(EXCHANGE);

        assertThat(client.eventTypes()).containsExactly(ESTABLISHED);
        assertThat(server.eventTypes()).containsExactly(CONNECT_REQUEST, ESTABLISHED);
        assertThat(client.agent().deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(server.agent().deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Requirement("ROCE-CM-2")
    void aRequestNamesServiceAndAddresses() {
        Connection active = client.connect(server, PORT);

        ConnectionRequest request = (ConnectionRequest) network.lastSent(CmAttribute.REQ).message();

        assertThat(request.service().id().value()).isEqualTo(0x0106_1C06L);
        assertThat(IpAddressHeader.parse(request.privateData()))
                .isEqualTo(new IpAddressHeader(active.localPort(), client.gid(), server.gid()));
        byte[] header = Arrays.copyOf(request.privateData().toByteArray(), 36);
        assertThat(header[0]).isZero();
        assertThat(header[1]).isEqualTo((byte) 0x40);
        // Not IPv4-mapped, unlike the GIDs of the path.
        assertThat(Arrays.copyOfRange(header, 4, 20))
                .containsExactly(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 2);
        assertThat(request.paths().primary().localGid()).isEqualTo(client.gid());
        assertThat(request.paths().primary().remoteGid()).isEqualTo(server.gid());
    }

    /// The constants that Linux sends, except for what differs per connection.
    @Test
    @Requirement("ROCE-CM-1")
    void aRequestHasTheConstantsOfLinux() {
        Connection active =
                client.connect(server, PORT, new ConnectionParameters(1, 1, 7, 7, new byte[0]));
        ConnectionRequest ours = (ConnectionRequest) network.lastSent(CmAttribute.REQ).message();
        ConnectionRequest rping =
                (ConnectionRequest) CmDatagram.parse(GoldenCmTest.mad("cm_req")).message();

        ConnectionRequest expected =
                new ConnectionRequest(
                        ours.localId(),
                        rping.service(),
                        expectedEnd(
                                rping.local(),
                                client.configuration().caGuid(),
                                ours.local().qpn(),
                                ours.local().startingPsn()),
                        rping.flow(),
                        rping.responses(),
                        new ConnectionRequest.Paths(
                                rping.paths().partitionKey(),
                                PathMtu.MTU_4096.code(),
                                rping.paths().retryCount(),
                                expectedPath(rping.paths().primary(), active.localPort()),
                                rping.paths().alternate()),
                        ours.privateData());
        assertThat(ours).isEqualTo(expected);
    }

    /// The end that `rping` describes, with what differs per connection.
    private static LocalEnd expectedEnd(LocalEnd rping, long caGuid, int qpn, int startingPsn) {
        return LocalEnd.builder()
                .vendorId(rping.vendorId())
                .caGuid(caGuid)
                .queueKey(rping.queueKey())
                .qpn(qpn)
                .eecn(rping.eecn())
                .startingPsn(startingPsn)
                .sharedReceiveQueue(rping.sharedReceiveQueue())
                .build();
    }

    /// The path of `rping`, between our addresses.
    private PathRecord expectedPath(PathRecord rping, int localPort) {
        return PathRecord.builder()
                .localLid(rping.localLid())
                .remoteLid(rping.remoteLid())
                .localGid(client.gid())
                .remoteGid(server.gid())
                .flowLabel((localPort * 31 + PORT) & 0xFFFFF)
                .packetRate(rping.packetRate())
                .trafficClass(rping.trafficClass())
                .hopLimit(rping.hopLimit())
                .serviceLevel(rping.serviceLevel())
                .subnetLocal(rping.subnetLocal())
                .localAckTimeout(rping.localAckTimeout())
                .build();
    }

    @Test
    @Requirement("ROCE-CM-1")
    void aReplyHasTheConstantsOfLinux() {
        server.react(event -> {
            if (event.type() == CONNECT_REQUEST) {
                server.accept(
                        event.connection(), new ConnectionParameters(1, 1, 7, 7, new byte[0]));
            }
        });
        client.connect(server, PORT, new ConnectionParameters(1, 1, 7, 7, new byte[0]));
        network.run(EXCHANGE);
        ConnectionReply ours = (ConnectionReply) network.lastSent(CmAttribute.REP).message();
        ConnectionReply rping =
                (ConnectionReply) CmDatagram.parse(GoldenCmTest.mad("cm_rep")).message();

        assertThat(ours)
                .isEqualTo(
                        new ConnectionReply(
                                server.lastRequest().localId(),
                                client.lastEvent().connection().localId(),
                                expectedEnd(
                                        rping.local(),
                                        server.configuration().caGuid(),
                                        server.lastRequest().localQpn(),
                                        ours.local().startingPsn()),
                                rping.flow(),
                                rping.targetAckDelay(),
                                rping.failoverAccepted(),
                                Octets.EMPTY.padded(196)));
        long transaction = network.lastSent(CmAttribute.REQ).datagram().transactionId();
        assertThat((int) transaction).isEqualTo(client.lastEvent().connection().localId());
        assertThat(transaction >>> 32).isNotZero();
        assertThat(network.sent())
                .extracting(sent -> sent.datagram().transactionId())
                .containsOnly(transaction);
    }

    /// The starting PSN on the wire is what its sender expects to receive first.
    @Test
    @Requirement("ROCE-CM-3")
    void eachSideSendsFromThePsnThatTheOtherOneNamed() {
        Pair pair = establish();
        int inRequest =
                ((ConnectionRequest) network.lastSent(CmAttribute.REQ).message())
                        .local()
                        .startingPsn();
        int inReply =
                ((ConnectionReply) network.lastSent(CmAttribute.REP).message())
                        .local()
                        .startingPsn();

        assertThat(inRequest).isNotEqualTo(inReply);
        assertThat(client.attributes(pair.active()).receivePsn()).isEqualTo(inRequest);
        assertThat(client.attributes(pair.active()).sendPsn()).isEqualTo(inReply);
        assertThat(server.attributes(pair.passive()).receivePsn()).isEqualTo(inReply);
        assertThat(server.attributes(pair.passive()).sendPsn()).isEqualTo(inRequest);
    }

    @Test
    void eachSideLearnsTheOthersQueuePairAndAddress() {
        Pair pair = establish();

        NegotiatedAttributes active = client.attributes(pair.active());
        NegotiatedAttributes passive = server.attributes(pair.passive());
        assertThat(active.localQpn()).isEqualTo(pair.active().localQpn());
        assertThat(active.remoteQpn()).isEqualTo(pair.passive().localQpn());
        assertThat(active.remoteGid()).isEqualTo(server.gid());
        assertThat(passive.localQpn()).isEqualTo(pair.passive().localQpn());
        assertThat(passive.remoteQpn()).isEqualTo(pair.active().localQpn());
        assertThat(passive.remoteGid()).isEqualTo(client.gid());
        assertThat(pair.active().attributes()).contains(active);
        assertThat(pair.passive().attributes()).contains(passive);
    }

    @Test
    @Requirement("ROCE-CM-9")
    void thePassiveQueuePairIsReadyBeforeTheReplyLeaves() {
        establish();

        assertThat(server.journal())
                .containsExactly(
                        "event CONNECT_REQUEST",
                        "connect queue pair",
                        "send REP",
                        "event ESTABLISHED");
    }

    @Test
    @Requirement("ROCE-CM-9")
    void theActiveQueuePairIsReadyBeforeRtuAndEvent() {
        establish();

        assertThat(client.journal())
                .containsExactly("send REQ", "connect queue pair", "send RTU", "event ESTABLISHED");
    }

    @Test
    @Requirement("ROCE-CM-13")
    void privateDataArrivesPaddedWithZeros() {
        server.react(event -> {
            if (event.type() == CONNECT_REQUEST) {
                server.accept(event.connection(), withPrivateData(7));
            }
        });
        client.connect(server, PORT, withPrivateData(5));
        network.run(EXCHANGE);

        assertThat(server.events().getFirst().parameters().privateData())
                .containsExactly(Arrays.copyOf(bytes(5), 56));
        assertThat(client.lastEvent().parameters().privateData())
                .containsExactly(Arrays.copyOf(bytes(7), 196));
    }

    @Test
    @Requirement("ROCE-CM-13")
    void theLargestPrivateDataArrivesWhole() {
        server.react(event -> {
            if (event.type() == CONNECT_REQUEST) {
                server.accept(event.connection(), withPrivateData(196));
            }
        });
        client.connect(server, PORT, withPrivateData(56));
        network.run(EXCHANGE);

        assertThat(server.events().getFirst().parameters().privateData())
                .containsExactly(bytes(56));
        assertThat(client.lastEvent().parameters().privateData()).containsExactly(bytes(196));
    }

    @Test
    @Requirement("ROCE-CM-13")
    void tooMuchPrivateDataIsRefusedBeforeAnythingHappens() {
        assertThatThrownBy(() -> client.connect(server, PORT, withPrivateData(57)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("57 bytes")
                .hasMessageContaining("at most 56");
        assertThat(network.sent()).isEmpty();
        assertThat(client.agent().connectionCount()).isZero();

        client.connect(server, PORT);
        network.run(EXCHANGE);
        Connection passive = server.lastRequest();
        assertThatThrownBy(() -> server.accept(passive, withPrivateData(197)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 196");
        assertThatThrownBy(() -> server.agent().reject(passive, bytes(149)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 148");
        assertThat(server.isConnected(passive)).isFalse();
        assertThat(passive.state()).isEqualTo(ConnectionState.REQ_RCVD);
    }

    @Test
    @Requirement("ROCE-CM-19")
    void activeConnectionsHavePortsOfTheirOwn() {
        Set<Integer> ports = new HashSet<>();
        Listener free = client.agent().listen(0, 1);
        ports.add(free.port());
        for (int i = 0; i < 200; i++) {
            ports.add(client.connect(server, PORT).localPort());
        }

        assertThat(ports).hasSize(201).allMatch(port -> port >= 32768 && port <= 60999);
    }

    @Test
    @Requirement("ROCE-CM-19")
    void portsStartAtRandomAndAreFreedAtTheEnd() {
        Set<Integer> first = new HashSet<>();
        for (int seed = 0; seed < 20; seed++) {
            CmEndpoint endpoint = new CmEndpoint(network, 0x7F00_0100 + seed, seed);
            first.add(endpoint.connect(server, PORT).localPort());
        }
        assertThat(first).hasSizeGreaterThan(15);

        int count = Ports.LAST_EPHEMERAL - Ports.FIRST_EPHEMERAL + 1;
        for (int i = 0; i < count + 1; i++) {
            client.destroy(client.connect(server, PORT));
        }
    }

    @Test
    @Requirement("ROCE-CM-19")
    void connectFailsWhenAllPortsAreTaken() {
        int count = Ports.LAST_EPHEMERAL - Ports.FIRST_EPHEMERAL + 1;
        for (int i = 0; i < count; i++) {
            client.agent().listen(0, 1);
        }

        assertThatThrownBy(() -> client.connect(server, PORT))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e ->
                                assertThat(e.reason())
                                        .isEqualTo(FabricException.Reason.LIMIT_REACHED));
    }

    @Test
    @Requirement({"ROCE-CM-1", "ROCE-CM-19"})
    void connectsOverIpv6() {
        CmEndpoint client6 = ipv6Endpoint(2);
        CmEndpoint server6 = ipv6Endpoint(1);
        server6.agent().listen(PORT, BACKLOG);
        server6.acceptEverything();

        Connection active = client6.connect(server6, PORT);
        network.run(EXCHANGE);

        ConnectionRequest request = (ConnectionRequest) network.lastSent(CmAttribute.REQ).message();
        byte[] header = request.privateData().toByteArray();
        assertThat(header[1]).isEqualTo((byte) 0x60);
        assertThat(Arrays.copyOfRange(header, 4, 20))
                .containsExactly(0xFD, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);
        assertThat(active.state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(server6.lastRequest().state()).isEqualTo(ConnectionState.ESTABLISHED);
    }

    private CmEndpoint ipv6Endpoint(int host) {
        CmConfiguration configuration =
                CmConfiguration.of(
                        0x0200_0000_0000_0000L + host,
                        new Gid(0xFD77_0000_0000_0000L, host),
                        PathMtu.MTU_1024);
        return new CmEndpoint(network, configuration, host);
    }

    @Test
    void aDeviceConnectsToItself() {
        server.acceptEverything();

        Connection active = server.connect(server, PORT);
        network.run(EXCHANGE);

        assertThat(active.state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(server.lastRequest().state()).isEqualTo(ConnectionState.ESTABLISHED);
        server.disconnect(active);
        network.runUntilQuiet();
        assertThat(server.agent().connectionCount()).isZero();
    }

    @Test
    void aTakenPortIsRefused() {
        assertThatThrownBy(() -> server.agent().listen(PORT, 1))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e ->
                                assertThat(e.reason())
                                        .isEqualTo(FabricException.Reason.SERVICE_IN_USE));

        server.agent().close(listener);
        server.agent().close(listener);

        Listener second = server.agent().listen(PORT, 1);
        assertThat(second.port()).isEqualTo(PORT);
        // The port is the second listener's now.
        server.agent().close(listener);
        assertThatThrownBy(() -> server.agent().listen(PORT, 1))
                .isInstanceOf(FabricException.class);
        client.connect(server, PORT);
        network.run(EXCHANGE);
        assertThat(server.lastRequest().listener()).contains(second);
    }

    @Test
    void argumentsOutOfRangeAreRefused() {
        long now = network.nowNanos();
        CmAgent agent = client.agent();
        ConnectionParameters defaults = CmEndpoint.DEFAULTS;

        assertThatThrownBy(() -> agent.listen(65536, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65536");
        assertThatThrownBy(() -> agent.listen(1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("backlog");
        assertThatThrownBy(() ->
                        agent.connect(server.gid(), 0, 0x100, PathMtu.MTU_1024, defaults, now))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("port");
        assertThatThrownBy(
                        () -> agent.connect(server.gid(), PORT, 1, PathMtu.MTU_1024, defaults, now))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("queue pair number");
    }

    @Test
    void aRequestIsAnsweredOnce() {
        Pair pair = establish();

        assertThatThrownBy(() -> server.accept(pair.passive()))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> server.agent().reject(pair.passive(), new byte[0]))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> client.accept(pair.active()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void configurationsOutOfRangeAreRefused() {
        CmConfiguration good = client.configuration();

        assertThatThrownBy(() -> good.withMaximumReadAtomicDepth(256))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("READ/atomic depth is 256; valid: 0 to 255");
        assertThatThrownBy(() -> good.withPacketLifetime(21))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 to 20");
        assertThatThrownBy(() -> good.withMaximumAccepted(-1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void connectionsAndListenersReadWell() {
        Pair pair = establish();

        assertThat(pair.active().toString())
                .isEqualTo(
                        "connection %08x to 127.0.0.3 port 7174, local port %d, ESTABLISHED"
                                .formatted(pair.active().localId(), pair.active().localPort()));
        assertThat(pair.passive().toString())
                .contains(" from 127.0.0.2 port " + pair.active().localPort());
        assertThat(listener).hasToString("listener on port 7174");
        assertThat(network.lastSent(CmAttribute.RTU).message().toString())
                .endsWith("privateData=224:]");
        assertThat(Octets.of((byte) 0, (byte) 0x1F, (byte) 0)).hasToString("3:001f");
        assertThat(new ServiceId(0x0106_1C06L)).hasToString("0x0000000001061c06");
    }
}
