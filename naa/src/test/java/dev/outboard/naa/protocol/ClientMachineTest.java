package dev.outboard.naa.protocol;

import static dev.outboard.fabric.SendRequest.Operation.RDMA_WRITE;
import static dev.outboard.fabric.SendRequest.Operation.SEND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.MrspMessage.MrspError;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.NaaTimeoutException;
import dev.outboard.naa.NaaTransferException;
import dev.outboard.naa.RegionFlags;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.protocol.MachineDriver.Posted;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The rows of section 11.2 that concern the connection, region setup, failures and time.
class ClientMachineTest {
    private final MemorySegment a = Arena.ofAuto().allocate(10);
    private final MemorySegment b = Arena.ofAuto().allocate(20);
    private final MemorySegment c = Arena.ofAuto().allocate(30);
    private ClientFixture client = ClientFixture.simple();

    // ---- connection -----------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-CONN-1", "NAA-STATE-2"})
    void connectsStepByStep() {
        assertThat(client.machine.state()).isEqualTo(NaaState.INIT);
        assertThat(client.on(ConnectionEvent.Type.ADDRESS_RESOLVED))
                .isEqualTo(ClientMachine.Step.PREPARE);
        assertThat(client.machine.state()).isEqualTo(NaaState.READY);
        assertThat(client.on(ConnectionEvent.Type.ROUTE_RESOLVED))
                .isEqualTo(ClientMachine.Step.CONNECT);
        assertThat(client.machine.state()).isEqualTo(NaaState.READY);
        assertThat(client.on(ConnectionEvent.Type.ESTABLISHED)).isEqualTo(ClientMachine.Step.NONE);
        assertThat(client.machine.state()).isEqualTo(NaaState.CONNECTED);
    }

    @Test
    @Requirement("NAA-CONN-1")
    void isNotConnectedOutOfOrder() {
        assertThat(client.on(ConnectionEvent.Type.ROUTE_RESOLVED))
                .isEqualTo(ClientMachine.Step.NONE);
        client.on(ConnectionEvent.Type.ESTABLISHED);
        assertThat(client.machine.state()).isEqualTo(NaaState.INIT);
        client.on(ConnectionEvent.Type.ADDRESS_RESOLVED);
        assertThat(client.on(ConnectionEvent.Type.ADDRESS_RESOLVED))
                .isEqualTo(ClientMachine.Step.NONE);
        assertThat(client.machine.state()).isEqualTo(NaaState.READY);
    }

    @ParameterizedTest
    @CsvSource({
        "ADDRESS_ERROR, ADDRESS_RESOLUTION",
        "ROUTE_ERROR, ROUTE_RESOLUTION",
        "CONNECT_ERROR, CONNECT_ERROR",
        "UNREACHABLE, UNREACHABLE",
        "REJECTED, REJECTED",
        "DEVICE_REMOVAL, DEVICE_REMOVED"
    })
    @Requirement({"NAA-CONN-8", "NAA-STATE-2"})
    void failsWithTheReasonOfTheEvent(
            ConnectionEvent.Type event, NaaConnectException.Reason reason) {
        for (boolean ready : new boolean[] {false, true}) {
            client = new ClientFixture(Dialect.UPSTREAM_2026, RegionSpec.input(a));
            if (ready) {
                client.on(ConnectionEvent.Type.ADDRESS_RESOLVED);
            }
            client.on(event);
            assertThat(client.machine.state()).isEqualTo(NaaState.ERROR);
            assertThat(client.failure(NaaConnectException.class).reason()).isEqualTo(reason);
        }
    }

    @Test
    @Requirement({"NAA-CONN-6", "NAA-CONN-7"})
    void aRejectCarriesReasonAndDataAndShowsTextHarmlessly() {
        client.on(ConnectionEvent.Type.ADDRESS_RESOLVED);
        byte[] data = new byte[148];
        byte[] text =
                "%s no \u001b[31mroom\0hidden".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        System.arraycopy(text, 0, data, 0, text.length);
        client.machine.on(MachineDriver.event(ConnectionEvent.Type.REJECTED, 28, "", data));
        NaaConnectException failure = client.failure(NaaConnectException.class);
        assertThat(failure.rejectReason()).isEqualTo(28);
        assertThat(failure.rejectData()).isEqualTo(data);
        assertThat(failure).hasMessageContaining("\"%s no .[31mroom\"");
        assertThat(failure.getMessage()).doesNotContain("hidden");
    }

    @Test
    @Requirement({"NAA-STATE-2", "NAA-CONN-8", "NAA-TIME-4"})
    void aDisconnectFailsWhatIsPendingInEveryState() {
        for (NaaState target : ClientFixture.STATES) {
            if (target.isTerminal()) {
                continue;
            }
            client = ClientFixture.simple().reach(target);
            client.on(ConnectionEvent.Type.DISCONNECTED);
            assertThat(client.machine.state())
                    .as("from %s", target)
                    .isEqualTo(NaaState.DISCONNECTED);
            NaaConnectException failure = client.failure(NaaConnectException.class);
            assertThat(failure.reason()).isEqualTo(NaaConnectException.Reason.DISCONNECTED);
            assertThat(failure.state()).isEqualTo(target);
        }
    }

    @Test
    @Requirement("NAA-STATE-2")
    void anUnexpectedEventIsReportedAndChangesNothing() {
        assertThatThrownBy(() -> client.on(ConnectionEvent.Type.MULTICAST_JOIN))
                .isInstanceOf(NaaException.class)
                .hasMessageContaining("MULTICAST_JOIN");
        assertThat(client.machine.state()).isEqualTo(NaaState.INIT);
    }

    // ---- region setup ---------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-MRSP-26", "NAA-STATE-2"})
    void tellsTheServerThatItsAnswerCannotBeUsed() {
        client = ClientFixture.simple().reach(NaaState.MRSP_RECEIVING);
        MemorySegment buffer = client.driver.receives.getFirst().scatter().region(0).segment();
        client.driver.messageArrives(ClientFixture.advertise(1, 2, 3));
        assertThat(client.machine.state()).isEqualTo(NaaState.ERROR);
        assertThat(client.driver.take())
                .singleElement()
                .satisfies(sent -> {
                    assertThat(sent.operation()).isEqualTo(SEND);
                    assertThat(sent.solicited()).isTrue();
                    assertThat(MrspCodec.decode(buffer.asSlice(0, sent.length())))
                            .isEqualTo(new MrspError(MrspException.MALFORMED));
                });
        assertThat(client.driver.take()).isEmpty();
    }

    @Test
    @Requirement("NAA-MRSP-26")
    void answersAnErrorWithNothing() {
        client = ClientFixture.simple().reach(NaaState.MRSP_RECEIVING);
        client.driver.messageArrives(new MrspError(1));
        assertThat(client.driver.take()).isEmpty();
    }

    @Test
    @Requirement({"NAA-MRSP-1", "NAA-MRSP-2", "NAA-MRSP-3", "NAA-STATE-2"})
    void postsTheReceiveThenAnnouncesAllRegionsInOneSolicitedSend() {
        client =
                new ClientFixture(
                        Dialect.UPSTREAM_2026,
                        RegionSpec.input(a),
                        RegionSpec.output(b),
                        RegionSpec.input(c));
        client.reach(NaaState.CONNECTED);
        client.startMrsp(List.of());
        List<Posted> sent = client.driver.take();
        assertThat(client.driver.order).containsExactly("receive", "SEND");
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().solicited()).isTrue();
        assertThat(sent.getFirst().length()).isEqualTo(4 + 3 * 24);
        assertThat(client.machine.state()).isEqualTo(NaaState.MRSP_SENDING);
    }

    @Test
    @Requirement({"NAA-FLAG-3", "NAA-FLAG-4", "NAA-FLAG-5"})
    void upstreamAnnouncesTheMarks() {
        client =
                new ClientFixture(
                        Dialect.UPSTREAM_2026,
                        RegionSpec.singleSend(a),
                        RegionSpec.input(b),
                        RegionSpec.inputOutput(c),
                        RegionSpec.output(a),
                        RegionSpec.unmarked(b));
        assertThat(client.announced(List.of()).entries())
                .extracting(Entry::flags)
                .containsExactly(0x06, 0x04, 0x0c, 0x08, 0x00);
    }

    @Test
    @Requirement({"NAA-FLAG-2", "NAA-META-1", "NAA-MRSP-6"})
    void ap1AnnouncesMetadataFirstAndNoMarks() {
        client =
                new ClientFixture(
                        Dialect.AP1_2023, RegionSpec.inputOutput(a), RegionSpec.singleSend(b));
        Entry internal = new Entry(RegionFlags.INTERNAL, 0x2000, 0x2000, 0, 32);
        List<Entry> entries = client.announced(List.of(internal)).entries();
        assertThat(entries).extracting(Entry::flags).containsExactly(0, 0, 0, 1);
        assertThat(entries).extracting(Entry::size).containsExactly(8L, 10L, 20L, 32L);
    }

    @Test
    @Requirement("NAA-MRSP-6")
    void announcesParametersThenInternalRegionsInOrder() {
        client =
                new ClientFixture(Dialect.UPSTREAM_2026, RegionSpec.input(a), RegionSpec.output(b));
        List<Entry> internals =
                List.of(new Entry(1, 0x1000, 0, 0, 77), new Entry(1, 0x2000, 0, 0, 88));
        List<Entry> entries = client.announced(internals).entries();
        assertThat(entries).extracting(Entry::size).containsExactly(10L, 20L, 77L, 88L);
        assertThat(entries.subList(2, 4)).isEqualTo(internals);
        assertThat(entries).extracting(Entry::address).startsWith(a.address(), b.address());
    }

    @Test
    @Requirement("NAA-STATE-2")
    void setsUpRegions() {
        client.reach(NaaState.MRSP_RECEIVING);
        client.driver.messageArrives(ClientFixture.advertise(10));
        assertThat(client.machine.state()).isEqualTo(NaaState.MRSP_DONE);
        assertThat(client.machine.regions().peers()).containsExactly(ClientFixture.peer(0, 10));
    }

    @Test
    @Requirement({"NAA-MRSP-5", "NAA-STATE-2"})
    void acceptsTheAnswerBeforeTheCompletionOfItsOwnMessage() {
        client.reach(NaaState.CONNECTED);
        client.startMrsp(List.of());
        Posted message = client.driver.take().getFirst();
        client.driver.messageArrives(ClientFixture.advertise(10));
        assertThat(client.machine.state()).isEqualTo(NaaState.MRSP_SENDING);
        client.driver.sendCompletes(message);
        assertThat(client.machine.state()).isEqualTo(NaaState.MRSP_DONE);
    }

    @ParameterizedTest
    @CsvSource({"1", "3", "255", "66"})
    @Requirement({"NAA-MRSP-23", "NAA-MRSP-25", "NAA-STATE-2"})
    void anErrorFailsTheSetupWithItsCode(int code) {
        client.reach(NaaState.MRSP_RECEIVING);
        client.driver.messageArrives(new MrspError(code));
        assertThat(client.machine.state()).isEqualTo(NaaState.ERROR);
        MrspException failure = client.failure(MrspException.class);
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure.phase()).isEqualTo(NaaException.Phase.REGION_SETUP);
        assertThat(failure).hasMessageContaining("0x%02x".formatted(code));
    }

    @Test
    @Requirement({"NAA-MRSP-8", "NAA-MRSP-24", "NAA-STATE-2"})
    void usesNothingOfAWrongAnswer() {
        List<MrspMessage> wrong =
                List.of(
                        new Advertise(
                                List.of(ClientFixture.peer(0, 10), ClientFixture.peer(1, 10))),
                        ClientFixture.advertise(9),
                        new AdvertiseRequest(List.of(new Entry(0, 0, 1, 2, 10))));
        for (MrspMessage message : wrong) {
            client = ClientFixture.simple();
            client.reach(NaaState.MRSP_RECEIVING);
            client.driver.messageArrives(message);
            assertThat(client.machine.state()).as("%s", message).isEqualTo(NaaState.ERROR);
            assertThat(client.failure(MrspException.class).code())
                    .isEqualTo(MrspException.MALFORMED);
            assertThat(client.machine.regions().peers()).isEmpty();
        }
    }

    @Test
    @Requirement({"NAA-MRSP-8", "NAA-MRSP-24"})
    void failsOnBytesThatAreNoMessage() {
        for (long length : new long[] {0, 3, 19, 21}) {
            client = ClientFixture.simple();
            client.reach(NaaState.MRSP_RECEIVING);
            MrspCodec.encode(
                    ClientFixture.advertise(10),
                    client.driver
                            .receives
                            .getFirst()
                            .scatter()
                            .region(0)
                            .segment()
                            .asSlice(MrspCodec.MAX_LENGTH));
            client.driver.bytesArrive(length);
            assertThat(client.machine.state()).isEqualTo(NaaState.ERROR);
        }
    }

    @Test
    @Requirement("NAA-MRSP-8")
    void acceptsLargerRegionsThanAnnounced() {
        client.reach(NaaState.MRSP_RECEIVING);
        client.driver.messageArrives(ClientFixture.advertise(11));
        assertThat(client.machine.state()).isEqualTo(NaaState.MRSP_DONE);
    }

    // ---- failures and time ----------------------------------------------------------------------

    @Test
    @Requirement({"NAA-XFER-20", "NAA-STATE-2"})
    void anErrorStatusFailsTheSession() {
        for (NaaState target : ClientFixture.STATES) {
            if (target.isTerminal()) {
                continue;
            }
            client = ClientFixture.simple().reach(target);
            client.driver.fails(CompletionStatus.REMOTE_ACCESS_ERROR);
            assertThat(client.machine.state()).isEqualTo(NaaState.ERROR);
            NaaTransferException failure = client.failure(NaaTransferException.class);
            assertThat(failure.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
            assertThat(failure.state()).isEqualTo(target);
            assertThat(failure).hasMessageContaining("server:1");
        }
    }

    @Test
    @Requirement({"NAA-STATE-5", "NAA-ROB-5a"})
    void theFirstEndCountsAndIsReportedOnce() {
        client.reach(NaaState.DATA_RECEIVING);
        client.on(ConnectionEvent.Type.DISCONNECTED);
        client.driver.fails(CompletionStatus.RETRY_EXCEEDED);
        client.driver.immediateArrives(0, 10);
        client.machine.timePassed(client.driver.now + ClientFixture.TIMEOUT.toNanos());
        client.on(ConnectionEvent.Type.ESTABLISHED);
        assertThat(client.machine.state()).isEqualTo(NaaState.DISCONNECTED);
        assertThat(client.machine.result()).isNull();
        assertThat(client.machine.takeFailure()).get().isInstanceOf(NaaConnectException.class);
        assertThat(client.machine.takeFailure()).isEmpty();
    }

    @Test
    @Requirement("NAA-ROB-6c")
    void aQueuePairWithoutRoomIsAFailureOfTheConnection() {
        client.reach(NaaState.MRSP_DONE);
        client.machine.refused("a send");
        assertThat(client.failure(NaaException.class)).hasMessageContaining("no room for a send");
        assertThat(client.machine.counters().get(Counter.CONNECTION_ERRORS)).isEqualTo(1);
    }

    @Test
    void aFlushThatComesFirstTellsOfADisconnect() {
        client.reach(NaaState.DATA_RECEIVING);
        client.driver.fails(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(client.machine.state()).isEqualTo(NaaState.DISCONNECTED);
        assertThat(client.failure(NaaConnectException.class).reason())
                .isEqualTo(NaaConnectException.Reason.DISCONNECTED);
    }

    @Test
    @Requirement({"NAA-TIME-1", "NAA-TIME-2"})
    void aTimeoutNamesPhaseAndStateAndEndsTheSession() {
        for (NaaState target :
                List.of(
                        NaaState.MRSP_SENDING,
                        NaaState.MRSP_RECEIVING,
                        NaaState.DATA_SENDING,
                        NaaState.DATA_RECEIVING)) {
            client = ClientFixture.simple().reach(target);
            client.machine.timePassed(client.driver.now + ClientFixture.TIMEOUT.toNanos() - 1);
            assertThat(client.machine.state()).isEqualTo(target);
            client.machine.timePassed(client.driver.now + ClientFixture.TIMEOUT.toNanos());
            assertThat(client.machine.state()).isEqualTo(NaaState.ERROR);
            NaaTimeoutException failure = client.failure(NaaTimeoutException.class);
            assertThat(failure.state()).isEqualTo(target);
            assertThat(failure.phase())
                    .isEqualTo(
                            target.code() < 20
                                    ? NaaException.Phase.REGION_SETUP
                                    : NaaException.Phase.RPC);
            assertThatIllegalStateException()
                    .isThrownBy(() -> client.machine.startRpc(client.driver.now));
        }
    }

    @Test
    void nothingIsDueBetweenRpcs() {
        for (NaaState idle : List.of(NaaState.MRSP_DONE, NaaState.FINISHED)) {
            client = ClientFixture.simple().reach(idle);
            client.machine.timePassed(client.driver.now + 10 * ClientFixture.TIMEOUT.toNanos());
            assertThat(client.machine.state()).isEqualTo(idle);
            assertThat(client.machine.nanosUntilDue(client.driver.now)).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void probesAServerThatTakesLongWithAWriteOfNoBytes() {
        client.reach(NaaState.DATA_RECEIVING);
        client.machine.timePassed(client.driver.now + ClientFixture.PROBE.toNanos());
        List<Posted> probe = client.driver.take();
        assertThat(probe)
                .containsExactly(
                        new Posted(
                                4,
                                RDMA_WRITE,
                                0,
                                ClientFixture.peer(0, 0).address(),
                                100,
                                0,
                                false));
        client.machine.timePassed(client.driver.now + 2 * ClientFixture.PROBE.toNanos());
        assertThat(client.driver.take()).as("one at a time").isEmpty();
        client.driver.immediateArrives(0, 10);
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
        client.driver.sendCompletes(probe.getFirst());
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
    }

    @Test
    void probesAServerThatTakesLongToSetUpTheRegionsBeforeItsAddressesAreKnown() {
        client.reach(NaaState.MRSP_RECEIVING);
        client.machine.timePassed(client.driver.now + ClientFixture.PROBE.toNanos());
        List<Posted> probe = client.driver.take();
        assertThat(probe).containsExactly(new Posted(4, RDMA_WRITE, 0, 0, 0, 0, false));
        client.reach(NaaState.MRSP_DONE);
        client.driver.sendCompletes(probe.getFirst());
        assertThat(client.machine.state()).isEqualTo(NaaState.MRSP_DONE);
        assertThat(client.machine.nanosUntilDue(client.driver.now)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Requirement("NAA-STATE-2")
    void canBeClosedInEveryState() {
        for (NaaState target : ClientFixture.STATES) {
            client = ClientFixture.simple().reach(target);
            client.machine.closed();
            assertThat(client.machine.state()).isEqualTo(NaaState.DISCONNECTED);
        }
    }

    @Test
    @Requirement("NAA-STATE-2")
    void anUnexpectedCompletionIsReportedAndChangesNothing() {
        client.reach(NaaState.FINISHED);
        assertThatThrownBy(() ->
                        client.driver.sendCompletes(new Posted(2, RDMA_WRITE, 0, 0, 0, 0, false)))
                .isInstanceOf(NaaException.class)
                .hasMessageContaining("unexpected");
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
        assertThatThrownBy(
                        () -> client.driver.sendCompletes(new Posted(1, SEND, 0, 0, 0, 0, false)))
                .isInstanceOf(NaaException.class);
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
    }
}
