package dev.outboard.fabric.roce.cm;

import static dev.outboard.fabric.ConnectionEvent.Type.CONNECT_REQUEST;
import static dev.outboard.fabric.ConnectionEvent.Type.ESTABLISHED;
import static dev.outboard.fabric.ConnectionEvent.Type.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.CmMessage;
import dev.outboard.fabric.roce.wire.cm.IpAddressHeader;
import dev.outboard.fabric.roce.wire.cm.SidrReply;
import dev.outboard.fabric.roce.wire.cm.SidrRequest;
import dev.outboard.fabric.roce.wire.cm.SidrStatus;
import dev.outboard.testkit.Golden;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Service ID resolution, both sides (roce.md 5.4).
final class SidrTest extends TwoAgents {
    private static final int QUEUE_KEY = 0x0123_4567;
    private static final byte[] HELLO = {1, 2, 3};
    private static final byte[] WELCOME = {9, 8};

    private final Listener service = server.agent().resolver().listen(PORT, BACKLOG);

    @BeforeEach
    void acceptEverything() {
        server.reactToResolutions(event -> server.accept(event.resolution(), QUEUE_KEY, WELCOME));
    }

    @Test
    @Requirement("ROCE-CM-17")
    void oneRequestAndOneReplyBringQueuePairKeyAndPrivateData() {
        Resolution asked = client.resolve(server, PORT, HELLO);
        network.run(EXCHANGE);

        ResolutionEvent request = server.resolutionEvents().getFirst();
        assertThat(request.type()).isEqualTo(CONNECT_REQUEST);
        assertThat(request.resolution().listener()).contains(service);
        assertThat(request.resolution().remoteGid()).isEqualTo(client.gid());
        assertThat(request.resolution().remotePort()).isEqualTo(asked.localPort());
        assertThat(request.privateData().toByteArray()).startsWith(HELLO).hasSize(180);
        ResolutionEvent answer = client.resolutionEvents().getFirst();
        assertThat(answer.type()).isEqualTo(ESTABLISHED);
        assertThat(answer.resolution()).isSameAs(asked);
        assertThat(answer.status()).isZero();
        assertThat(answer.qpn()).isEqualTo(0x100);
        assertThat(answer.queueKey()).isEqualTo(QUEUE_KEY);
        assertThat(answer.privateData().toByteArray()).startsWith(WELCOME).hasSize(136);
        assertThat(network.sent()).hasSize(2);
    }

    @Test
    void aRequestEndsAtItsLimit() {
        network.leave(server.gid());
        Resolution asked = client.resolve(server, PORT, HELLO);

        long limit = network.nowNanos() + 700_000_000;
        client.agent().resolver().limit(asked, limit);
        network.runUntilQuiet();

        assertThat(network.nowNanos()).isEqualTo(limit);
        ResolutionEvent answer = client.resolutionEvents().getFirst();
        assertThat(answer.type()).isEqualTo(UNREACHABLE);
        assertThat(answer.status()).isEqualTo(CmEvent.ETIMEDOUT);
        assertThat(answer.explanation()).contains("to 2 requests within the limit");
    }

    /// Nothing repeats an answer but the request.
    @Test
    void aForgedRequestCostsOneDatagram() {
        network.lose(_ -> true);
        client.destroy(client.resolve(server, PORT, HELLO));
        RawMad request = RawMad.of(network.lastSent(CmAttribute.SIDR_REQ));
        network.loseNothing();
        network.forgetSent();
        network.leave(client.gid());

        server.receive(client.gid(), request);
        network.runUntilQuiet();

        assertThat(network.sent()).hasSize(1);
    }

    @Test
    @Requirement({"ROCE-CM-17", "ROCE-CM-1", "ROCE-CM-2"})
    void theMessagesLookLikeThoseOfLinux() {
        Resolution asked = client.resolve(server, PORT, HELLO);
        network.run(EXCHANGE);

        CmDatagram sent = network.lastSent(CmAttribute.SIDR_REQ).datagram();
        SidrRequest golden = (SidrRequest) golden("cm_sidr_req");
        SidrRequest request = (SidrRequest) sent.message();
        assertThat(request.serviceId()).isEqualTo(golden.serviceId());
        assertThat(request.partitionKey()).isEqualTo(golden.partitionKey());
        assertThat(request.requestId()).isEqualTo(asked.requestId()).isNotZero();
        assertThat(IpAddressHeader.parse(request.privateData()))
                .isEqualTo(new IpAddressHeader(asked.localPort(), client.gid(), server.gid()));
        CmDatagram answered = network.lastSent(CmAttribute.SIDR_REP).datagram();
        SidrReply reply = (SidrReply) answered.message();
        SidrReply goldenReply = (SidrReply) golden("cm_sidr_rep");
        assertThat(reply.queueKey()).isEqualTo(goldenReply.queueKey());
        assertThat(reply.status()).isEqualTo(goldenReply.status());
        assertThat(reply.requestId()).isEqualTo(request.requestId());
        assertThat(reply.serviceId()).isEqualTo(request.serviceId());
        assertThat(answered.transactionId()).isEqualTo(sent.transactionId());
    }

    @Test
    @Requirement("ROCE-CM-17")
    void withoutAListenerTheServiceIsUnsupported() {
        client.resolve(server, PORT + 1);
        network.run(EXCHANGE);

        assertFailed(SidrStatus.UNSUPPORTED, "nobody listens");
        assertThat(server.resolutionEvents()).isEmpty();
    }

    @Test
    void listenersOfConnectionsAndOfDatagramsDoNotKnowEachOther() {
        server.agent().resolver().close(service);
        client.resolve(server, PORT);
        network.run(EXCHANGE);

        assertFailed(SidrStatus.UNSUPPORTED, "nobody listens");
        assertThat(listener.port()).isEqualTo(PORT);
    }

    @Test
    @Requirement("ROCE-CM-17")
    void theApplicationRejectsWithPrivateData() {
        server.reactToResolutions(event -> server.reject(event.resolution(), (byte) 7));
        client.resolve(server, PORT);
        network.run(EXCHANGE);

        assertFailed(SidrStatus.REJECTED, "rejected by the application");
        assertThat(client.resolutionEvents().getFirst().privateData().toByteArray())
                .startsWith((byte) 7)
                .hasSize(136);
    }

    @ParameterizedTest
    @CsvSource({
        "1, nobody listens",
        "2, rejected",
        "3, no queue pair",
        "4, redirected",
        "5, unsupported version",
        "77, unknown status"
    })
    @Requirement("ROCE-CM-17")
    void everyStatusOfAPeerIsReported(int status, String explanation) {
        network.lose(_ -> true);
        client.resolve(server, PORT);
        RawMad reply = RawMad.of(reply(lastRequest())).put8(4, status);
        client.receive(server.gid(), reply);

        ResolutionEvent event = client.resolutionEvents().getFirst();
        assertThat(event.type()).isEqualTo(UNREACHABLE);
        assertThat(event.status()).isEqualTo(status);
        assertThat(event.explanation()).contains(explanation).contains("status " + status);
    }

    @Test
    @Requirement("ROCE-CM-17")
    void anUnansweredRequestIsRepeatedFifteenTimesEvery4096Milliseconds() {
        CmConfiguration linux = CmEndpoint.configuration(0x7F00_0005, 5).withTimers(CmTimers.LINUX);
        CmEndpoint patient = new CmEndpoint(network, linux, 5);
        network.lose(_ -> true);
        patient.resolve(server, PORT, HELLO);
        network.runUntilQuiet();

        List<CmNetwork.Sent> sent = network.sent(CmAttribute.SIDR_REQ);
        assertThat(sent).hasSize(16);
        for (int i = 1; i < sent.size(); i++) {
            assertThat(sent.get(i).mad()).isEqualTo(sent.getFirst().mad());
            assertThat(sent.get(i).atNanos() - sent.get(i - 1).atNanos())
                    .isEqualTo(Duration.ofMillis(4096).toNanos());
        }
        ResolutionEvent event = patient.resolutionEvents().getFirst();
        assertThat(event.type()).isEqualTo(UNREACHABLE);
        assertThat(event.status()).isEqualTo(CmEvent.ETIMEDOUT);
        assertThat(event.explanation()).contains("16 requests");
        assertThat(patient.agent().resolver().resolutionCount()).isZero();
    }

    @Test
    void aLostRequestOrReplyIsMadeUpForAndTheApplicationIsAskedOnce() {
        network.loseFirst(1, CmAttribute.SIDR_REQ);
        client.resolve(server, PORT, HELLO);
        network.runUntilQuiet();
        network.loseFirst(2, CmAttribute.SIDR_REP);
        client.resolve(server, PORT, HELLO);
        network.runUntilQuiet();

        assertThat(client.resolutionEvents())
                .extracting(ResolutionEvent::type)
                .containsExactly(ESTABLISHED, ESTABLISHED);
        assertThat(server.resolutionEvents()).hasSize(2);
        List<CmNetwork.Sent> replies = network.sent(CmAttribute.SIDR_REP);
        assertThat(replies).hasSize(4);
        assertThat(replies.getLast().mad()).isEqualTo(replies.get(1).mad());
        assertThat(server.agent().resolver().resolutionCount()).isZero();
    }

    @Test
    void bothSidesCountWhatTheySendAndRepeat() {
        network.loseFirst(1, CmAttribute.SIDR_REQ);
        client.resolve(server, PORT, HELLO);
        network.runUntilQuiet();
        network.loseFirst(1, CmAttribute.SIDR_REP);
        client.resolve(server, PORT, HELLO);
        network.runUntilQuiet();

        assertThat(client.agent().counters().snapshot())
                .isEqualTo(
                        Map.of(
                                "cm.sent.sidr-req",
                                2L,
                                "cm.received.sidr-rep",
                                2L,
                                "cm.resent",
                                2L));
        assertThat(server.agent().counters().snapshot())
                .isEqualTo(
                        Map.of(
                                "cm.received.sidr-req", 3L,
                                "cm.sent.sidr-rep", 2L,
                                "cm.resent", 1L,
                                "cm.discarded.duplicate", 1L));
    }

    /// It is neither repeated nor answered once more, and its port is free.
    @Test
    void anAnsweredRequestIsOver() {
        Resolution asked = client.resolve(server, PORT);
        Resolution refused = client.resolve(server, PORT + 1);
        network.run(EXCHANGE);
        assertThat(client.resolutionEvents()).hasSize(2);
        assertThat(List.of(asked.state(), refused.state())).containsOnly(Resolution.State.OVER);
        assertThat(client.agent().resolver().resolutionCount()).isZero();
        assertThat(client.agent().deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(client.agent().resolver().listen(asked.localPort(), 1).port())
                .isEqualTo(asked.localPort());

        network.runUntilQuiet();
        assertThat(network.sent(CmAttribute.SIDR_REQ)).hasSize(2);
    }

    @Test
    void everyRequestHasIdsOfItsOwn() {
        network.lose(_ -> true);
        for (int i = 0; i < 3; i++) {
            client.resolve(server, PORT);
        }
        List<CmDatagram> sent =
                network.sent(CmAttribute.SIDR_REQ).stream().map(CmNetwork.Sent::datagram).toList();
        int first = ((SidrRequest) sent.getFirst().message()).requestId();

        for (int i = 0; i < 3; i++) {
            assertThat(((SidrRequest) sent.get(i).message()).requestId()).isEqualTo(first + i);
            assertThat((int) sent.get(i).transactionId()).isEqualTo(first + i);
            assertThat(sent.get(i).transactionId() >>> 32)
                    .isNotZero()
                    .isEqualTo(sent.getFirst().transactionId() >>> 32);
        }
    }

    @Test
    void anUndecidedApplicationIsAskedOnce() {
        server.reactToResolutions(_ -> {});
        client.resolve(server, PORT);
        network.run(Duration.ofSeconds(3));
        assertThat(network.sent(CmAttribute.SIDR_REQ).size()).isGreaterThan(2);
        assertThat(server.resolutionEvents()).hasSize(1);

        server.accept(server.resolutionEvents().getFirst().resolution(), QUEUE_KEY);
        network.run(EXCHANGE);
        assertThat(client.resolutionEvents()).hasSize(1);
    }

    @Test
    void requestsBeyondTheBacklogAreDroppedAndCounted() {
        server.reactToResolutions(_ -> {});
        for (int i = 0; i < BACKLOG + 1; i++) {
            client.resolve(server, PORT);
        }
        network.run(EXCHANGE);

        assertThat(server.resolutionEvents()).hasSize(BACKLOG);
        assertThat(server.discarded(CmDiscard.BACKLOG_FULL)).isOne();
        server.accept(server.resolutionEvents().getFirst().resolution(), QUEUE_KEY);
        network.run(Duration.ofSeconds(1));
        assertThat(server.resolutionEvents()).as("there is room again").hasSize(BACKLOG + 1);
    }

    @Test
    void answersAreRememberedForAWhileAndInLimitedNumber() {
        CmConfiguration small = CmEndpoint.configuration(0x7F00_0006, 6).withMaximumAccepted(2);
        CmEndpoint host = new CmEndpoint(network, small, 6);
        host.agent().resolver().listen(PORT, BACKLOG);
        host.reactToResolutions(event -> host.accept(event.resolution(), QUEUE_KEY));
        for (int i = 0; i < 5; i++) {
            client.resolve(host, PORT);
        }
        network.run(EXCHANGE);

        assertThat(client.resolutionEvents()).hasSize(5);
        assertThat(host.agent().resolver().resolutionCount()).isEqualTo(2);
        network.run(SidrResponder.ANSWER_KEPT);
        assertThat(host.agent().resolver().resolutionCount()).isZero();
    }

    @Test
    @Requirement({"ROCE-CM-17", "ROCE-CM-2"})
    void aForeignHeaderVersionOrDestinationIsRejected() {
        network.lose(_ -> true);
        client.resolve(server, PORT);
        RawMad request = RawMad.of(network.lastSent(CmAttribute.SIDR_REQ));
        server.receive(client.gid(), RawMad.of(request.bytes()).put8(16, 0x10));
        assertThat(lastStatus()).isEqualTo(SidrStatus.REJECTED.code());
        server.receive(client.gid(), RawMad.of(request.bytes()).put8(16 + 35, 99));
        assertThat(lastStatus()).isEqualTo(SidrStatus.REJECTED.code());
        assertThat(network.sent(CmAttribute.SIDR_REP)).hasSize(2);

        assertThat(server.resolutionEvents()).isEmpty();
    }

    @Test
    void requestsAndRepliesOfSomebodyElseAreDropped() {
        network.lose(_ -> true);
        client.resolve(server, PORT);
        SidrRequest request = lastRequest();
        server.receive(STRANGER, request);
        client.receive(STRANGER, reply(request));
        client.receive(server.gid(), RawMad.of(reply(request)).put32(0, request.requestId() + 1));
        client.receive(server.gid(), RawMad.of(reply(request)).put8(19, 1));
        client.receive(server.gid(), RawMad.of(reply(request)).put24(8, 1));
        server.receive(client.gid(), RawMad.of(request).put32(0, 0));

        assertThat(server.discarded(CmDiscard.WRONG_SOURCE)).isOne();
        assertThat(server.discarded(CmDiscard.MALFORMED)).isOne();
        assertThat(client.discarded(CmDiscard.WRONG_SOURCE)).isOne();
        assertThat(client.discarded(CmDiscard.UNKNOWN_ID)).isOne();
        assertThat(client.discarded(CmDiscard.MALFORMED)).isEqualTo(2);
        assertThat(client.resolutionEvents()).isEmpty();
        assertThat(server.resolutionEvents()).isEmpty();
        client.receive(server.gid(), reply(request));
        assertThat(client.resolutionEvents()).hasSize(1);
    }

    @Test
    @Requirement({"ROCE-CM-17", "ROCE-CM-13"})
    void privateDataIsLimited() {
        byte[] most = filled(180);
        assertThatThrownBy(() -> client.resolve(server, PORT, filled(181)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 180");
        server.reactToResolutions(event -> {
            assertThatThrownBy(() -> server.accept(event.resolution(), 1, filled(137)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at most 136");
            server.accept(event.resolution(), 1, filled(136));
        });
        client.resolve(server, PORT, most);
        network.run(EXCHANGE);

        assertThat(server.resolutionEvents().getFirst().privateData().toByteArray())
                .isEqualTo(most);
        assertThat(client.resolutionEvents().getFirst().privateData().toByteArray())
                .isEqualTo(filled(136));
    }

    @Test
    void answeringTwiceIsRefused() {
        client.resolve(server, PORT);
        network.run(EXCHANGE);
        Resolution answered = server.resolutionEvents().getFirst().resolution();

        assertThatThrownBy(() -> server.reject(answered)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aDestroyedRequestIsNotRepeatedAndAnUndecidedOneIsRejected() {
        network.lose(_ -> true);
        Resolution given = client.resolve(server, PORT);
        client.destroy(given);
        client.destroy(given);
        network.runUntilQuiet();
        assertThat(network.sent(CmAttribute.SIDR_REQ)).hasSize(1);
        assertThat(client.resolutionEvents()).isEmpty();

        network.loseNothing();
        server.reactToResolutions(event -> server.destroy(event.resolution()));
        client.resolve(server, PORT);
        network.run(EXCHANGE);
        assertFailed(SidrStatus.REJECTED, "rejected");
    }

    @Test
    void shuttingDownRejectsTheUndecidedAndForgetsAll() {
        server.reactToResolutions(_ -> {});
        client.resolve(server, PORT);
        server.resolve(client, PORT);
        network.run(CmNetwork.LATENCY);
        server.agent().shutDown(network.nowNanos());
        assertThat(server.agent().resolver().resolutionCount()).isZero();
        network.run(EXCHANGE);

        assertFailed(SidrStatus.REJECTED, "rejected");
        assertThat(server.agent().deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aTakenPortIsRefusedAndAClosedOneIsFree() {
        ServiceResolver resolver = server.agent().resolver();
        assertThatThrownBy(() -> resolver.listen(PORT, 1))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("taken");
        resolver.close(service);
        resolver.close(service);
        assertThat(resolver.listen(PORT, 1).port()).isEqualTo(PORT);
        assertThat(resolver.listen(0, 1).port()).isBetween(32768, 60999);
    }

    private void assertFailed(SidrStatus status, String explanation) {
        ResolutionEvent event = client.resolutionEvents().getFirst();
        assertThat(event.type()).isEqualTo(UNREACHABLE);
        assertThat(event.status()).isEqualTo(status.code());
        assertThat(event.explanation()).contains(explanation);
    }

    private SidrRequest lastRequest() {
        return (SidrRequest) network.lastSent(CmAttribute.SIDR_REQ).message();
    }

    private int lastStatus() {
        return ((SidrReply) network.lastSent(CmAttribute.SIDR_REP).message()).status();
    }

    private static SidrReply reply(SidrRequest request) {
        return SidrReply.builder()
                .requestId(request.requestId())
                .qpn(0x222)
                .serviceId(request.serviceId())
                .queueKey(QUEUE_KEY)
                .build();
    }

    private static CmMessage golden(String name) {
        byte[] packet = Golden.packet(name);
        return CmDatagram.parse(Arrays.copyOfRange(packet, 48, 48 + CmDatagram.LENGTH)).message();
    }

    private static byte[] filled(int length) {
        byte[] bytes = new byte[length];
        IntStream.range(0, length).forEach(i -> bytes[i] = (byte) (i + 1));
        return bytes;
    }
}
