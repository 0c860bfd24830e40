package dev.outboard.fabric.roce.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.Finding.Verdict;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.explain.CapturedPair.End;
import dev.outboard.fabric.roce.explain.CapturedPair.Fate;
import dev.outboard.fabric.roce.explain.CapturedPair.Script;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Opcode.Transport;
import dev.outboard.fabric.roce.wire.Packet;
import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Ways in which a transfer fails, or nearly does, each made by two devices on a simulated network:
/// what the capture of one of them is taken for. All of them are told right.
class FailureTest {
    private static final int FIRST_PSN = 0xFFFFFC;

    static Script dropping(BiPredicate<Packet, Boolean> isLost) {
        return (packet, isFromClient) ->
                isLost.test(packet, isFromClient) ? Fate.IS_LOST : Fate.ARRIVES;
    }

    static boolean isData(Packet packet) {
        return packet.opcode().transport() == Transport.RC;
    }

    /// Loses the first `count` of the packets that fit.
    static Script losing(int count, BiPredicate<Packet, Boolean> those) {
        int[] lost = {0};
        return dropping((packet, isFromClient) ->
                lost[0] < count && those.test(packet, isFromClient) && lost[0]++ >= 0);
    }

    /// The findings are one of that verdict about it, and others are in order.
    static Finding only(Verdict verdict, List<Finding> findings) {
        List<Finding> bad =
                findings.stream().filter(finding -> finding.verdict() != Verdict.OK).toList();
        assertThat(bad).as("%s", findings).hasSize(1);
        assertThat(bad.getFirst().verdict()).isEqualTo(verdict);
        assertThat(bad.getFirst().remedy()).isNotEmpty();
        return bad.getFirst();
    }

    static void fails(List<Finding> findings, String... words) {
        assertThat(only(Verdict.FAIL, findings).detail()).contains(words);
    }

    private static void warns(List<Finding> findings, String... words) {
        assertThat(only(Verdict.WARN, findings).detail()).contains(words);
    }

    // Silence.

    @Test
    void thePeerIsKilledInTheMiddle() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.post(pair.write(0, 4096));
            pair.run(5);
            pair.script(dropping((_, _) -> true));
            pair.post(pair.write(0, 4096));
            pair.run(60_000);

            assertThat(pair.client.statuses())
                    .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.RETRY_EXCEEDED);
            fails(
                    pair.findings(),
                    "10.0.0.2 did not answer from PSN 0x",
                    "(RDMA WRITE of 4096 bytes) was sent 10 times over",
                    "before that it had answered",
                    "nothing at all came from that address since");
        }
    }

    @Test
    void onlyOurPacketsGetLost() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.client.receive(64);
            pair.client.receive(64);
            pair.script(dropping((packet, isFromClient) -> isFromClient && isData(packet)));
            pair.post(pair.write(0, 64));
            pair.run(5);
            pair.server.send(64);
            pair.run(60_000);

            List<Finding> findings = pair.findings();
            assertThat(findings.getFirst().detail())
                    .contains("10.0.0.2 did not answer", "Other packets still came from there");
            assertThat(findings.getFirst().remedy()).contains("our packets do not get there");
        }
    }

    @Test
    void onlyTheAnswersGetLost() {
        try (CapturedPair pair = CapturedPair.at("server").connected()) {
            pair.script(dropping((packet, isFromClient) -> !isFromClient && isData(packet)));
            pair.post(pair.write(0, 64));
            pair.run(60_000);

            fails(
                    pair.findings(),
                    "10.0.0.2 answered, but 10.0.0.1 goes on repeating PSN 0x",
                    "times more over",
                    "the answers do not get there");
        }
    }

    @Test
    void anAnswerIsLostOnce() {
        try (CapturedPair pair = CapturedPair.at("server").connected()) {
            pair.script(losing(1, (packet, isFromClient) -> !isFromClient && isData(packet)));
            pair.post(pair.write(0, 64));
            pair.run(1_000);

            warns(pair.findings(), "10.0.0.1 repeated what 10.0.0.2 had received already");
        }
    }

    @Test
    void theAnswersOfSeveralRequestsAreLostOnce() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.script(losing(8, (packet, isFromClient) -> !isFromClient && isData(packet)));
            for (int i = 0; i < 8; i++) {
                pair.post(pair.write(0, 64));
                pair.run(1);
            }
            pair.run(1_000);

            assertThat(only(Verdict.WARN, pair.findings()).detail())
                    .containsAnyOf("its answers were lost", "had to repeat after a timeout");
        }
    }

    @Test
    void aPacketOrItsAnswerIsLost() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.script(losing(1, (packet, isFromClient) -> isFromClient && isData(packet)));
            pair.post(pair.write(0, 64));
            pair.run(1_000);

            warns(pair.findings(), "10.0.0.1 had to repeat after a timeout: once");
        }
    }

    @Test
    void thePathIsTooNarrow() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.script(dropping((packet, isFromClient) -> isFromClient && packet.length() > 600));
            pair.post(pair.write(0, 64));
            pair.post(pair.write(0, 512));
            pair.run(5);
            pair.post(pair.write(0, 4096));
            pair.run(60_000);

            fails(
                    pair.findings(),
                    "no packet with more than 512 bytes of payload got through to 10.0.0.2",
                    "(RDMA WRITE of 4096 bytes)");
            assertThat(pair.findings().getFirst().remedy()).contains("MTU");
        }
    }

    @Test
    void thePeerWasStartedAnew() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.post(pair.write(0, 64));
            pair.run(5);
            End before = pair.server;
            QueuePair old = pair.client.pair();
            SendRequest late = pair.write(0, 64);
            pair.restartServer();
            assertThat(before).isNotSameAs(pair.server);
            assertThat(old.post(late)).isTrue();
            pair.run(20);
            pair.connected();
            pair.run(60_000);

            Finding told = pair.findings().getFirst();
            assertThat(told.verdict()).isEqualTo(Verdict.FAIL);
            assertThat(told.detail())
                    .contains(
                            "10.0.0.2 has probably been started anew",
                            "no longer answers on this one",
                            "(RDMA WRITE of 64 bytes) was sent");
        }
    }

    @Test
    void thePeerLeavesWhileWeSend() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.post(pair.write(0, 64));
            pair.run(5);
            // The request to disconnect is captured, and the client's program is deaf to it.
            pair.script((packet, isFromClient) ->
                    isFromClient || isData(packet) ? Fate.ARRIVES : Fate.IS_UNHEARD);
            assertThat(pair.server.id).isNotNull();
            pair.server.id.disconnect();
            pair.run(5);
            pair.post(pair.write(0, 64));
            pair.run(60_000);

            assertThat(pair.findings().getFirst().verdict()).isEqualTo(Verdict.FAIL);
            assertThat(pair.findings().getFirst().detail())
                    .contains("10.0.0.2 closed the connection", "while 10.0.0.1 still sent");
        }
    }

    @Test
    void theQueuePairIsAnotherOne() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            QueuePair stray = pair.client.spare();
            connect(stray, pair.server, pair.server.pair().number() + 0x100, 0x10);
            assertThat(stray.post(pair.write(0, 64))).isTrue();
            pair.run(60_000);

            fails(
                    pair.findings(),
                    "10.0.0.1 sends to queue pair 0x%06x of 10.0.0.2"
                            .formatted(pair.server.pair().number() + 0x100),
                    "agreed on 0x%06x".formatted(pair.server.pair().number()));
        }
    }

    // Loss and order.

    @Test
    void packetsInTheMiddleAreLost() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            int[] seen = {0};
            pair.script(
                    dropping((packet, isFromClient) ->
                            isFromClient && isData(packet) && ++seen[0] % 7 == 3));
            for (int i = 0; i < 20; i++) {
                pair.post(pair.write(0, 16_384));
                pair.run(100);
            }
            pair.run(1_000);

            assertThat(pair.client.statuses()).hasSize(20).containsOnly(CompletionStatus.SUCCESS);
            List<Finding> findings = pair.findings();
            assertThat(findings).noneMatch(finding -> finding.verdict() == Verdict.FAIL);
            assertThat(findings.getFirst().detail())
                    .contains("10.0.0.2 missed packets of 10.0.0.1", "all was answered in the end");
        }
    }

    @Test
    void onePacketIsLostEachTime() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.post(pair.write(0, 4096));
            pair.run(5);
            Set<Integer> doomed = new HashSet<>();
            pair.script(
                    dropping((packet, isFromClient) -> {
                        if (isFromClient
                                && doomed.isEmpty()
                                && packet.opcode() == Opcode.WRITE_MIDDLE) {
                            doomed.add(packet.psn());
                        }
                        return isFromClient && doomed.contains(packet.psn());
                    }));
            pair.post(pair.write(0, 8192));
            pair.run(60_000);

            assertThat(pair.client.statuses()).contains(CompletionStatus.RETRY_EXCEEDED);
            fails(
                    pair.findings(),
                    "10.0.0.2 answers, but PSN 0x%06x never got there"
                            .formatted(doomed.iterator().next()));
        }
    }

    @Test
    void packetsOvertakeEachOther() {
        try (CapturedPair pair = CapturedPair.at("server").connected()) {
            pair.post(pair.write(0, 16_384));
            pair.run(5);
            var packets = pair.packets();
            List<Integer> middles = new java.util.ArrayList<>();
            for (int i = 0; i < packets.size(); i++) {
                if (packets.get(i).bytes()[28] == Opcode.WRITE_MIDDLE.code()) {
                    middles.add(i);
                }
            }
            java.util.Collections.swap(packets, middles.get(3), middles.get(4));

            warns(
                    CapturedPair.explain(packets),
                    "packets of 10.0.0.1 overtook each other on the way: once");
        }
    }

    @Test
    void responsesToReadsAreLost() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.script(
                    losing(
                            1,
                            (packet, isFromClient) -> packet.opcode() == Opcode.READ_RESP_MIDDLE));
            pair.post(pair.read(8192));
            pair.run(1_000);

            assertThat(pair.client.statuses()).containsOnly(CompletionStatus.SUCCESS);
            warns(pair.findings(), "responses of 10.0.0.2 to a READ were lost", "once");
        }
    }

    @Test
    void anAtomicIsRepeated() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.script(losing(1, (packet, _) -> packet.opcode() == Opcode.ATOMIC_ACK));
            pair.post(pair.add());
            pair.run(1_000);

            List<Finding> findings = pair.findings();
            assertThat(findings).noneMatch(finding -> finding.verdict() == Verdict.FAIL);
            assertThat(findings)
                    .anyMatch(finding ->
                            finding.detail()
                                    .contains(
                                            "10.0.0.1 repeated an atomic once; it is carried out once"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void numbersWrapInTheMiddleOfRetries(boolean isPeerGone) {
        try (CapturedPair pair = CapturedPair.at("client")) {
            QueuePair ours = pair.client.spare();
            QueuePair theirs = pair.server.spare();
            connect(ours, pair.server, theirs.number(), FIRST_PSN);
            connect(theirs, pair.client, ours.number(), FIRST_PSN);
            assertThat(ours.post(pair.write(0, 2048))).isTrue();
            pair.run(5);
            pair.script(
                    isPeerGone
                            ? dropping((_, isFromClient) -> isFromClient)
                            : losing(3, (_, isFromClient) -> isFromClient));
            assertThat(ours.post(pair.write(0, 8192))).isTrue();
            pair.run(60_000);

            if (isPeerGone) {
                fails(pair.findings(), "10.0.0.2 did not answer from PSN 0xfffffe on");
            } else {
                assertThat(pair.client.statuses())
                        .hasSize(2)
                        .containsOnly(CompletionStatus.SUCCESS);
                warns(pair.findings(), "PSN 0xfffffe (RDMA WRITE)");
            }
        }
    }

    // Refusals.

    @Test
    void thereIsNoReceive() {
        try (CapturedPair pair = CapturedPair.at("client")) {
            pair.parameters = new ConnectionParameters(8, 8, 7, 2, new byte[0]);
            pair.connected();
            pair.client.send(64);
            pair.run(60_000);

            assertThat(pair.client.statuses()).containsOnly(CompletionStatus.RNR_RETRY_EXCEEDED);
            fails(
                    pair.findings(),
                    "10.0.0.2 had no receive posted for PSN 0x",
                    "'receiver not ready' 3 times over");
        }
    }

    @Test
    void theReceiverIsSlow() {
        try (CapturedPair pair = CapturedPair.at("client")) {
            pair.parameters = new ConnectionParameters(8, 8, 7, 7, new byte[0]);
            pair.connected();
            pair.client.send(64);
            pair.run(20);
            pair.server.receive(64);
            pair.run(1_000);

            assertThat(pair.client.statuses()).containsOnly(CompletionStatus.SUCCESS);
            warns(pair.findings(), "10.0.0.2 had no receive posted in time", "once");
        }
    }

    @Test
    void theKeyIsUnknown() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.post(
                    new SendRequest()
                            .payload(pair.client.region, 0, 64)
                            .write(pair.server.region.address(), 0x12345678));
            pair.run(1_000);

            fails(
                    pair.findings(),
                    "with 'remote access error': key 0x12345678",
                    "no request with this key was granted");
        }
    }

    @Test
    void theAddressIsOutOfRange() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.post(pair.write(0, 64));
            pair.run(5);
            pair.post(pair.write(CapturedPair.MEMORY - 32, 64));
            pair.run(1_000);

            fails(pair.findings(), "remote access error", "this one goes beyond");
        }
    }

    @Test
    void theRegionLacksTheRight() {
        try (CapturedPair pair =
                new CapturedPair(true, 10_000, Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
            pair.connected();
            pair.post(pair.write(0, 64));
            pair.run(5);
            pair.post(pair.read(64));
            pair.run(1_000);

            fails(
                    pair.findings(),
                    "(RDMA READ) with 'remote access error'",
                    "not for this one: its region lacks the right");
        }
    }

    @Test
    void theRegionIsGone() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.post(pair.write(0, 64));
            pair.run(5);
            SendRequest again = pair.write(0, 64);
            pair.server.region.close();
            pair.post(again);
            pair.run(1_000);

            fails(pair.findings(), "remote access error", "deregistered");
        }
    }

    @Test
    void theRequestIsInvalid() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            pair.post(
                    new SendRequest()
                            .payload(pair.client.region, 0, 8)
                            .fetchAndAdd(
                                    pair.server.region.address() + 4,
                                    pair.server.region.remoteKey(),
                                    1));
            pair.run(1_000);

            assertThat(pair.client.statuses())
                    .containsOnly(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR);
            fails(pair.findings(), "(fetch and add) with 'remote invalid request'");
        }
    }

    @Test
    void theReceiverFailsLocally() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            MemoryRegion gone =
                    pair.server.domain.register(Arena.ofAuto().allocate(64), Access.LOCAL_WRITE);
            assertThat(pair.server.pair().post(new ReceiveRequest().buffer(gone, 0, 64))).isTrue();
            gone.close();
            pair.client.send(64);
            pair.run(1_000);

            assertThat(pair.client.statuses())
                    .containsOnly(CompletionStatus.REMOTE_OPERATION_ERROR);
            fails(pair.findings(), "(SEND) with 'remote operational error'");
        }
    }

    // Damage and time.

    @Test
    void bitsFlipOnTheWay() {
        try (CapturedPair pair = CapturedPair.at("server").connected()) {
            int[] seen = {0};
            pair.script((packet, isFromClient) ->
                    isFromClient && isData(packet) && ++seen[0] == 2
                            ? Fate.IS_DAMAGED
                            : Fate.ARRIVES);
            pair.post(pair.write(0, 4096));
            pair.run(1_000);

            List<Finding> findings = pair.findings();
            assertThat(findings).noneMatch(finding -> finding.verdict() == Verdict.FAIL);
            assertThat(findings)
                    .anyMatch(finding ->
                            finding.verdict() == Verdict.WARN
                                    && finding.subject().equals("10.0.0.1")
                                    && finding.detail().contains("1 packet of ")
                                    && finding.detail().contains("damaged on the way"));
        }
    }

    @Test
    void somethingRewritesHeaders() {
        try (CapturedPair pair = CapturedPair.at("server")) {
            pair.script((_, isFromClient) -> isFromClient ? Fate.IS_DAMAGED : Fate.ARRIVES);
            pair.listen();
            pair.request();
            pair.run(10_000);

            fails(pair.findings(), "packets from there have a wrong checksum (ICRC)");
            assertThat(pair.findings().getFirst().remedy()).contains("NAT");
        }
    }

    @Test
    void theTimeoutIsTooShort() {
        try (CapturedPair pair =
                new CapturedPair(true, 20_000_000, Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
            pair.onIdentified =
                    id -> id.prefer(QueuePairChange.to(QueuePairState.READY_TO_SEND).timeout(12));
            pair.listen();
            pair.request();
            pair.run(1_000);
            pair.post(pair.write(0, 64));
            pair.run(1_000);

            assertThat(pair.client.statuses()).containsOnly(CompletionStatus.SUCCESS);
            warns(pair.findings(), "10.0.0.1 repeats before the answer can be there");
        }
    }

    @Test
    void theWayIsCongested() {
        try (CapturedPair pair = CapturedPair.at("server").connected()) {
            pair.script((packet, isFromClient) ->
                    isFromClient && isData(packet) ? Fate.IS_MARKED : Fate.ARRIVES);
            pair.post(pair.write(0, 16_384));
            pair.run(1_000);

            warns(
                    pair.findings(),
                    "the way from 10.0.0.1 to 10.0.0.2 is congested: a switch marked 16 packets");
        }
    }

    // No failures.

    @ParameterizedTest
    @CsvSource({"client", "server"})
    void aHealthyConnectionThatWasIdleIsInOrder(String place) {
        try (CapturedPair pair = CapturedPair.at(place).connected()) {
            pair.server.receive(64);
            pair.client.send(64);
            pair.post(pair.write(0, 100_000));
            pair.post(pair.read(100_000));
            pair.post(pair.read(64));
            pair.post(pair.add());
            pair.run(5_000);
            assertThat(pair.server.id).isNotNull();
            pair.server.id.disconnect();
            pair.run(1_000);

            List<Finding> findings = pair.findings();
            assertThat(findings).isNotEmpty().allMatch(f -> f.verdict() == Verdict.OK);
            assertThat(findings.getFirst().detail())
                    .contains(
                            "all requests were answered",
                            "10.0.0.2 closed the connection after 5 s");
        }
    }

    @Test
    void aCaptureMayBeginInTheMiddle() {
        try (CapturedPair pair = CapturedPair.at("client")) {
            pair.capture(false);
            pair.connected();
            pair.post(pair.write(0, 4096));
            pair.run(5);
            pair.capture(true);
            pair.post(pair.write(0, 4096));
            pair.post(pair.read(4096));
            pair.run(5);

            assertThat(pair.findings())
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.verdict()).isEqualTo(Verdict.OK);
                        assertThat(finding.detail())
                                .contains("has not seen how the connection was made");
                    });
        }
    }

    @Test
    void packetsThatWereCapturedTwiceAreNoRepetitions() {
        try (CapturedPair pair = CapturedPair.at("client").connected()) {
            for (int i = 0; i < 5; i++) {
                pair.post(pair.write(0, 4096));
                pair.post(pair.read(4096));
                pair.run(5);
            }
            var twice =
                    pair.packets().stream()
                            .flatMap(packet -> java.util.stream.Stream.of(packet, packet))
                            .toList();

            assertThat(CapturedPair.explain(twice))
                    .isNotEmpty()
                    .allMatch(finding -> finding.verdict() == Verdict.OK)
                    .anyMatch(finding -> finding.detail().contains("captured twice"));
        }
    }

    private static void connect(QueuePair pair, End peer, int number, int psn) {
        pair.modify(QueuePairChange.to(QueuePairState.INIT).access(Access.REMOTE_WRITE));
        pair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(AddressVector.to(peer.device.address()))
                        .destinationNumber(number)
                        .pathMtu(1024)
                        .receivePsn(psn)
                        .maxDestinationReadAtomic(1)
                        .minRnrTimer(12));
        pair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                        .sendPsn(psn)
                        .timeout(14)
                        .retryCount(7)
                        .rnrRetryCount(7)
                        .maxReadAtomic(1));
    }
}
