package dev.outboard.fabric.roce.cm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What comes out when both sides have said what they want.
class NegotiationTest extends TwoAgents {
    private Pair establish(ConnectionParameters wanted, ConnectionParameters granted) {
        Connection active = client.connect(server, PORT, wanted);
        network.run(EXCHANGE);
        Connection passive = server.lastRequest();
        server.accept(passive, granted);
        network.run(EXCHANGE);
        assertThat(active.state()).isEqualTo(ConnectionState.ESTABLISHED);
        assertThat(passive.state()).isEqualTo(ConnectionState.ESTABLISHED);
        return new Pair(active, passive);
    }

    private static ConnectionParameters depths(int responderResources, int initiatorDepth) {
        return new ConnectionParameters(responderResources, initiatorDepth, 7, 6, new byte[0]);
    }

    /// Resources of one side meet the depth of the other; 16 is what the devices can do.
    @ParameterizedTest
    @CsvSource({
        // client: resources, depth; server: resources, depth; client issues, server issues
        " 1,  1,  1,  1,  1,  1",
        " 0,  0,  0,  0,  0,  0",
        " 0,  0,  4,  4,  0,  0",
        " 4,  8,  2,  3,  2,  3",
        " 4,  8, 10, 10,  8,  4",
        "16, 16, 16, 16, 16, 16",
        "255, 255, 255, 255, 16, 16",
        " 3,  0,  5,  5,  0,  3",
        " 0,  3,  5,  5,  3,  0",
    })
    @Requirement("ROCE-CM-12")
    void depthsAreThoseThatBothSidesCanDo(
            int clientResources,
            int clientDepth,
            int serverResources,
            int serverDepth,
            int clientIssues,
            int serverIssues) {
        Pair pair =
                establish(
                        depths(clientResources, clientDepth), depths(serverResources, serverDepth));

        NegotiatedAttributes active = client.attributes(pair.active());
        NegotiatedAttributes passive = server.attributes(pair.passive());
        assertThat(active.maxReadAtomic()).isEqualTo(clientIssues);
        assertThat(passive.maxDestinationReadAtomic()).isEqualTo(clientIssues);
        assertThat(passive.maxReadAtomic()).isEqualTo(serverIssues);
        assertThat(active.maxDestinationReadAtomic()).isEqualTo(serverIssues);
        assertThat(active.remoteReadAllowed()).isEqualTo(serverIssues > 0);
        assertThat(active.remoteAtomicAllowed()).isEqualTo(serverIssues > 0);
        assertThat(passive.remoteReadAllowed()).isEqualTo(clientIssues > 0);
        assertThat(passive.remoteAtomicAllowed()).isEqualTo(clientIssues > 0);
        ConnectionReply reply = (ConnectionReply) network.lastSent(CmAttribute.REP).message();
        assertThat(reply.flow().initiatorDepth()).isEqualTo(serverIssues);
        assertThat(reply.flow().responderResources()).isEqualTo(clientIssues);
    }

    /// A peer that grants more than was asked for.
    @Test
    @Requirement("ROCE-CM-12")
    void theActiveSideIssuesAndServesNoMoreThanItAskedFor() {
        network.lose(sent -> sent.attribute() == CmAttribute.REP);
        server.acceptEverything();
        Connection active = client.connect(server, PORT, depths(3, 5));
        network.run(EXCHANGE);
        client.receive(
                server.gid(),
                RawMad.of(network.lastSent(CmAttribute.REP)).put8(24, 255).put8(25, 255));

        assertThat(client.attributes(active).maxReadAtomic()).isEqualTo(5);
        assertThat(client.attributes(active).maxDestinationReadAtomic()).isEqualTo(3);
    }

    @Test
    @Requirement("ROCE-CM-12")
    void theRetryCountIsTheRequestsAndEachSideTakesTheOthersRnrRetryCount() {
        Pair pair =
                establish(
                        new ConnectionParameters(0, 0, 3, 5, new byte[0]),
                        new ConnectionParameters(0, 0, 6, 2, new byte[0]));

        assertThat(client.attributes(pair.active()).retryCount()).isEqualTo(3);
        assertThat(server.attributes(pair.passive()).retryCount()).isEqualTo(3);
        assertThat(client.attributes(pair.active()).rnrRetryCount()).isEqualTo(2);
        assertThat(server.attributes(pair.passive()).rnrRetryCount()).isEqualTo(5);
    }

    @Test
    @Requirement("ROCE-CM-12")
    void thePathMtuIsTheRequests() {
        CmConfiguration narrow =
                CmConfiguration.of(client.configuration().caGuid(), client.gid(), PathMtu.MTU_1024);
        CmEndpoint smallClient = new CmEndpoint(network, narrow, 1);
        server.acceptEverything();
        Connection active = smallClient.connect(server, PORT);
        network.run(EXCHANGE);

        assertThat(smallClient.attributes(active).pathMtu()).isEqualTo(PathMtu.MTU_1024);
        assertThat(server.attributes(server.lastRequest()).pathMtu()).isEqualTo(PathMtu.MTU_1024);
    }

    @Test
    @Requirement("ROCE-CM-12")
    void eventsTellWhatThePeerProposed() {
        establish(
                new ConnectionParameters(3, 5, 4, 2, new byte[0]),
                new ConnectionParameters(7, 1, 6, 1, new byte[0]));

        ConnectionParameters proposed = server.events().getFirst().parameters();
        assertThat(proposed.responderResources()).isEqualTo(3);
        assertThat(proposed.initiatorDepth()).isEqualTo(5);
        assertThat(proposed.retryCount()).isEqualTo(4);
        assertThat(proposed.rnrRetryCount()).isEqualTo(2);
        ConnectionParameters granted = client.lastEvent().parameters();
        assertThat(granted.responderResources()).isEqualTo(5);
        assertThat(granted.initiatorDepth()).isEqualTo(1);
        assertThat(granted.rnrRetryCount()).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-CM-12")
    void ackTimeoutsAreThoseOfLinux() {
        Pair pair = establish();

        assertThat(client.attributes(pair.active()).ackTimeoutCode()).isEqualTo(19);
        assertThat(server.attributes(pair.passive()).ackTimeoutCode()).isEqualTo(19);
    }

    @ParameterizedTest
    @CsvSource({"0, 21", "1, 1", "17, 17", "21, 21", "22, 21", "31, 21"})
    @Requirement("ROCE-CM-12")
    void aPeersAckTimeoutIsTakenWithinLimits(int inRequest, int taken) {
        server.acceptEverything();
        server.receive(client.gid(), lostRequest().put8(95, inRequest << 3));

        assertThat(server.attributes(server.lastRequest()).ackTimeoutCode()).isEqualTo(taken);
    }

    @ParameterizedTest
    @CsvSource({"0, 19", "15, 19", "18, 20", "20, 21", "31, 21"})
    @Requirement("ROCE-CM-12")
    void aPeersAckDelayIsAddedWithinLimits(int inReply, int taken) {
        network.lose(sent -> sent.attribute() == CmAttribute.REP);
        server.acceptEverything();
        Connection active = client.connect(server, PORT);
        network.run(EXCHANGE);
        client.receive(
                server.gid(), RawMad.of(network.lastSent(CmAttribute.REP)).put8(26, inReply << 3));

        assertThat(client.attributes(active).ackTimeoutCode()).isEqualTo(taken);
    }

    @Test
    @Requirement("ROCE-CM-12")
    void aDeviceWithLessDepthOffersLess() {
        CmConfiguration modest =
                CmEndpoint.configuration(CLIENT_IPV4, 1).withMaximumReadAtomicDepth(2);
        new CmEndpoint(network, modest, 1).connect(server, PORT, depths(9, 9));

        ConnectionRequest request = (ConnectionRequest) network.lastSent(CmAttribute.REQ).message();
        assertThat(request.flow().responderResources()).isEqualTo(2);
        assertThat(request.flow().initiatorDepth()).isEqualTo(2);
    }

    @Test
    @Requirement("ROCE-CM-12")
    void aShorterPacketLifetimeShortensTheTimeouts() {
        CmConfiguration quick = CmEndpoint.configuration(CLIENT_IPV4, 1).withPacketLifetime(14);
        CmEndpoint quickClient = new CmEndpoint(network, quick, 1);
        server.acceptEverything();
        Connection active = quickClient.connect(server, PORT);
        network.run(EXCHANGE);

        assertThat(quickClient.attributes(active).ackTimeoutCode()).isEqualTo(16);
        assertThat(server.attributes(server.lastRequest()).ackTimeoutCode()).isEqualTo(16);
    }

    @Test
    void requestsGoAheadOfAcknowledgementsBetweenTwoThatBothTakeThem() {
        Pair pair = establish();

        assertThat(client.attributes(pair.active()).requestsAhead()).isTrue();
        assertThat(server.attributes(pair.passive()).requestsAhead()).isTrue();
    }

    /// The GUID of an InfiniBand adapter, one of a peer of another make, one of ours that declines.
    @ParameterizedTest
    @ValueSource(longs = {0x506B_4B03_0012_3456L, 0x0200_01FF_FE12_3456L, 0x024F_4200_0000_0001L})
    void requestsStayBehindAcknowledgementsWhenEitherSideDoesNotTakeThemAhead(long caGuid) {
        assertThat(CaGuid.takesRequestsAhead(caGuid)).isFalse();
        assertThat(CaGuid.takesRequestsAhead(0x024F_4201_0000_0001L)).isTrue();
    }
}
