package dev.outboard.naa.protocol;

import static dev.outboard.fabric.SendRequest.Operation.RDMA_WRITE;
import static dev.outboard.fabric.SendRequest.Operation.RDMA_WRITE_WITH_IMMEDIATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.MrspError;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.NaaTimeoutException;
import dev.outboard.naa.NaaTransferException;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.RegionFlags;
import dev.outboard.naa.protocol.MachineDriver.Posted;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Every row of section 11.3, and what the sections on region setup and RPCs ask of a server.
class ServerMachineTest {
    private static final int IN = RegionFlags.INPUT;
    private static final int OUT = RegionFlags.OUTPUT;

    private ServerFixture server = ServerFixture.simple();

    // ---- connection and region setup ------------------------------------------------------------

    @Test
    @Requirement({"NAA-CONN-3", "NAA-STATE-3", "NAA-STATE-4", "NAA-RET-20"})
    void postsAReceiveBeforeItAcceptsAndAnotherBeforeItAnswers() {
        server.machine.connectRequested();
        server.driver.take();
        assertThat(state()).isEqualTo(NaaState.READY);
        assertThat(server.driver.receives).hasSize(1);
        server.machine.established(server.driver.now);
        assertThat(state()).isEqualTo(NaaState.CONNECTED);
        server.machine.startMrsp(server.driver.now);
        server.driver.take();
        assertThat(state()).isEqualTo(NaaState.MRSP_RECEIVING);
        assertThat(server.driver.receives).hasSize(2);
    }

    @Test
    @Requirement({"NAA-MRSP-11"})
    void everyReceiveHoldsTheLargestRequest() {
        server.reach(NaaState.MRSP_RECEIVING);
        assertThat(server.driver.receives)
                .allSatisfy(r -> assertThat(r.scatter().length(0)).isEqualTo(6124));
        assertThat(server.driver.receives)
                .extracting(r -> r.scatter().offset(0))
                .doesNotHaveDuplicates();
    }

    @Test
    @Requirement({"NAA-MRSP-1", "NAA-MRSP-3", "NAA-MRSP-7", "NAA-MRSP-10", "NAA-STATE-3"})
    void answersARequestWithOneSolicitedSendThatLeavesOutInternalRegions() {
        server = ServerFixture.upstream(IN, RegionFlags.INTERNAL, OUT, RegionFlags.INTERNAL);
        server.reach(NaaState.MRSP_RECEIVING).request();
        server.driver.order.clear();
        List<Posted> sent = server.driver.take();
        assertThat(server.driver.order).containsExactly("receive", "SEND");
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().solicited()).isTrue();
        Advertise answer = (Advertise) server.message(sent.getFirst());
        assertThat(answer.regions()).extracting(PeerRegion::size).containsExactly(10L, 30L);
        assertThat(answer.regions())
                .extracting(PeerRegion::address)
                .containsExactly(server.granted.get(0).address(), server.granted.get(1).address());
        assertThat(state()).isEqualTo(NaaState.MRSP_SENDING);
        server.driver.sendCompletes(sent.getFirst());
        assertThat(state()).isEqualTo(NaaState.MRSP_DONE);
    }

    @Test
    @Requirement("NAA-STATE-3")
    void acceptsARequestThatComesBeforeTheWorkerIsReady() {
        server.reach(NaaState.CONNECTED).request();
        assertThat(state()).isEqualTo(NaaState.MRSP_SENDING);
    }

    @Test
    @Requirement({"NAA-MRSP-22", "NAA-MRSP-24", "NAA-MRSP-12", "NAA-STATE-3"})
    void refusesWithAnErrorAndFailsOnlyWhenItHasArrived() {
        List<byte[]> wrong =
                List.of(
                        new byte[] {1, 1, 0, 0},
                        new byte[] {1, 0, 0, 0},
                        new byte[] {3, 1, 0, 0},
                        new byte[] {77, 1, 0, 0},
                        new byte[] {1},
                        new byte[] {});
        for (byte[] bytes : wrong) {
            server = ServerFixture.simple().reach(NaaState.MRSP_RECEIVING);
            server.driver.bytesArrive(bytes);
            List<Posted> sent = server.driver.take();
            assertThat(server.message(sent.getFirst()))
                    .isEqualTo(new MrspError(MrspException.MALFORMED));
            assertThat(sent.getFirst().solicited()).isTrue();
            assertThat(state()).isEqualTo(NaaState.MRSP_SENDING);
            server.driver.sendCompletes(sent.getFirst());
            assertThat(state()).isEqualTo(NaaState.ERROR);
            assertThat(server.failure(MrspException.class).code())
                    .isEqualTo(MrspException.MALFORMED);
        }
    }

    @Test
    @Requirement("NAA-ROB-5b")
    void aClientThatDoesNotTakeItsRefusalIsToldOfAsRefused() {
        server.reach(NaaState.MRSP_RECEIVING);
        server.driver.bytesArrive(new byte[] {1});
        assertThat(server.driver.take()).hasSize(1);
        server.machine.timePassed(server.driver.now + ServerFixture.TRANSFER_LIMIT.toNanos());
        assertThat(state()).isEqualTo(NaaState.ERROR);
        assertThat(server.failure(MrspException.class)).hasMessageContaining("refused the client");
    }

    @Test
    @Requirement({"NAA-MRSP-24", "NAA-SCOPE-11", "NAA-LIM-5"})
    void refusesWhatTheOptionsDoNotAllow() {
        server =
                new ServerFixture(
                        new SettingsBuilder().maxBytes(100),
                        Dialect.UPSTREAM_2026,
                        ServerFixture.entry(0, IN, 101));
        server.reach(NaaState.MRSP_RECEIVING).request();
        assertThat(server.message(server.driver.take().getFirst()))
                .isEqualTo(new MrspError(MrspException.NO_MEMORY));
        assertThat(server.granted).isEmpty();
    }

    @Test
    @Requirement("NAA-MRSP-24")
    void refusesAMessageInTheMiddleOfRpcs() {
        server.reach(NaaState.DATA_RECEIVING);
        server.driver.messageArrives(new AdvertiseRequest(List.of(ServerFixture.entry(0, IN, 10))));
        List<Posted> sent = server.driver.take();
        assertThat(server.message(sent.getFirst()))
                .isEqualTo(new MrspError(MrspException.MALFORMED));
        server.driver.sendCompletes(sent.getFirst());
        assertThat(state()).isEqualTo(NaaState.ERROR);
    }

    @Test
    @Requirement("NAA-STATE-3")
    void anErrorOfTheClientFailsTheSession() {
        server.reach(NaaState.MRSP_RECEIVING);
        server.driver.messageArrives(new MrspError(0x42));
        assertThat(state()).isEqualTo(NaaState.ERROR);
        assertThat(server.failure(MrspException.class).code()).isEqualTo(0x42);
        assertThat(server.driver.take()).isEmpty();
    }

    @Test
    @Requirement("NAA-MRSP-13")
    void keepsTheRegionsThatAClientAdvertisesByItself() {
        server.reach(NaaState.MRSP_RECEIVING);
        PeerRegion region = new PeerRegion(0x1234, 5, 678);
        server.machine.handle(new Advertise(List.of(region)));
        assertThat(server.machine.peerRegions()).containsExactly(region);
        assertThat(state()).isEqualTo(NaaState.MRSP_RECEIVING);
    }

    @Test
    @Requirement({"NAA-STATE-5", "NAA-STATE-7"})
    void answersNobodyWhoHasLeft() {
        server.reach(NaaState.MRSP_RECEIVING);
        server.driver.messageArrives(new AdvertiseRequest(List.of(ServerFixture.entry(0, IN, 10))));
        assertThat(server.machine.pendingRequest()).isPresent();
        server.machine.disconnected();
        assertThat(server.machine.pendingRequest()).isEmpty();
        assertThatIllegalStateException()
                .isThrownBy(() -> server.machine.sendMessage(new MrspError(1), server.driver.now));
        assertThat(state()).isEqualTo(NaaState.FINISHED);
        assertThat(server.driver.take()).isEmpty();
    }

    @Test
    void sendsNoRequest() {
        server.reach(NaaState.MRSP_RECEIVING);
        AdvertiseRequest request = new AdvertiseRequest(List.of(ServerFixture.entry(0, IN, 10)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> server.machine.sendMessage(request, server.driver.now));
        assertThat(state()).isEqualTo(NaaState.MRSP_RECEIVING);
    }

    // ---- RPC ------------------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-XFER-12", "NAA-XFER-13", "NAA-STATE-3"})
    void decodesWhatIsCalled() {
        server.reach(NaaState.DATA_RECEIVING).call(127);
        assertThat(state()).isEqualTo(NaaState.CALCULATING);
        assertThat(server.machine.functionCode()).isEqualTo(127);
        assertThat(server.machine.userBytes()).isEqualTo(0xCCBBAA);
        server = ServerFixture.ap1(1).reach(NaaState.DATA_RECEIVING);
        server.call(0xff);
        assertThat(server.machine.functionCode()).isEqualTo(0xff);
        assertThat(server.machine.userBytes()).isZero();
    }

    @Test
    @Requirement({"NAA-STATE-3"})
    void keepsAnRpcThatComesEarly() {
        for (NaaState early : List.of(NaaState.MRSP_SENDING, NaaState.MRSP_DONE)) {
            server = ServerFixture.simple().reach(early);
            server.call(ServerFixture.CODE);
            assertThat(state()).isEqualTo(early);
            server.reach(NaaState.CALCULATING);
            assertThat(server.machine.functionCode()).isEqualTo(ServerFixture.CODE);
            assertThat(server.machine.counters().get(Counter.RPCS)).isEqualTo(1);
        }
    }

    @Test
    void keepsTheNextRpcOfAClientThatIsFasterThanTheAcknowledgement() {
        server.reach(NaaState.DATA_SENDING);
        List<Posted> writes = server.driver.take();
        server.driver.immediateArrives(Dialect.UPSTREAM_2026.requestImmediate(5, 0), 10);
        assertThat(state()).isEqualTo(NaaState.DATA_SENDING);
        writes.forEach(server.driver::sendCompletes);
        assertThat(state()).isEqualTo(NaaState.CALCULATING);
        assertThat(server.machine.functionCode()).isEqualTo(5);
    }

    /// Whether the completion of an RPC that comes too early is polled during the calculation or
    /// after it depends on the routine; the outcome does not.
    @Test
    void keepsAnRpcThatComesBeforeTheResultOfTheLastUntilThatHasArrived() {
        server.reach(NaaState.CALCULATING);
        server.driver.immediateArrives(Dialect.UPSTREAM_2026.requestImmediate(5, 0), 10);
        assertThat(state()).isEqualTo(NaaState.CALCULATING);
        assertThat(server.machine.functionCode()).isEqualTo(ServerFixture.CODE);
        server.machine.reply(0, server.driver.now);
        server.driver.take().forEach(server.driver::sendCompletes);
        assertThat(state()).isEqualTo(NaaState.CALCULATING);
        assertThat(server.machine.functionCode()).isEqualTo(5);
    }

    @Test
    @Requirement({"NAA-XFER-17", "NAA-STATE-3"})
    void aHostErrorRunsNothingAndLeavesTheServerWaiting() {
        for (int immediate : new int[] {0, 0xccbbaa00, 0x80}) {
            server = ServerFixture.simple().reach(NaaState.DATA_RECEIVING);
            server.driver.immediateArrives(immediate, 0);
            assertThat(state()).isEqualTo(NaaState.DATA_RECEIVING);
            assertThat(server.driver.take()).isEmpty();
            assertThat(server.machine.takeHostError()).isTrue();
            assertThat(server.machine.takeHostError()).isFalse();
            server.call(ServerFixture.CODE);
            assertThat(state()).isEqualTo(NaaState.CALCULATING);
        }
    }

    @Test
    @Requirement({"NAA-RET-1", "NAA-RET-3", "NAA-RET-4", "NAA-RET-7", "NAA-STATE-3"})
    void upstreamReturnsTheOutputsInOrderWithOneImmediateValue() {
        server =
                ServerFixture.upstream(OUT, IN, IN | OUT, RegionFlags.INTERNAL | OUT)
                        .reach(NaaState.CALCULATING);
        server.machine.reply(0, server.driver.now);
        List<Posted> writes = server.driver.take();
        assertThat(writes)
                .containsExactly(
                        write(RDMA_WRITE, 10, 0, 0), write(RDMA_WRITE_WITH_IMMEDIATE, 30, 2, 0));
        server.driver.sendCompletes(writes.get(0));
        assertThat(state()).isEqualTo(NaaState.DATA_SENDING);
        server.driver.sendCompletes(writes.get(1));
        assertThat(state()).isEqualTo(NaaState.DATA_RECEIVING);
    }

    @Test
    @Requirement("NAA-RET-5")
    void returnsAnEmptyWriteIfThereIsNoOutput() {
        server = ServerFixture.upstream(IN, IN).reach(NaaState.CALCULATING);
        server.machine.reply(0, server.driver.now);
        assertThat(server.driver.take()).containsExactly(write(RDMA_WRITE_WITH_IMMEDIATE, 0, 0, 0));
    }

    @Test
    @Requirement({"NAA-RET-6", "NAA-RET-7"})
    void upstreamReturnsNothingButTheCodeOnError() {
        server = ServerFixture.upstream(IN, OUT, OUT).reach(NaaState.CALCULATING);
        server.machine.reply(5, server.driver.now);
        assertThat(server.driver.take())
                .containsExactly(write(RDMA_WRITE_WITH_IMMEDIATE, 0, 0, 0x500));
    }

    @Test
    @Requirement({"NAA-RET-2", "NAA-META-6"})
    void ap1ReturnsTheRegionThatTheMetadataNames() {
        server = ServerFixture.ap1(3).reach(NaaState.DATA_RECEIVING);
        server.setReturnAddress(ServerFixture.clientAddress(2));
        server.call(ServerFixture.CODE);
        assertThat(server.machine.returnRegion()).isEqualTo(2);
        server.machine.reply(0, server.driver.now);
        assertThat(server.driver.take())
                .containsExactly(write(RDMA_WRITE_WITH_IMMEDIATE, 30, 2, 0));
    }

    @Test
    @Requirement({"NAA-RET-6", "NAA-RET-7"})
    void ap1SendsAnErrorCodeToTheReturnRegion() {
        server = ServerFixture.ap1(2).reach(NaaState.DATA_RECEIVING);
        server.setReturnAddress(ServerFixture.clientAddress(2));
        server.call(ServerFixture.CODE);
        server.machine.reply(5, server.driver.now);
        assertThat(server.driver.take()).containsExactly(write(RDMA_WRITE_WITH_IMMEDIATE, 0, 2, 5));
    }

    @Test
    @Requirement("NAA-META-7")
    void ap1AnswersMetadataThatNamesNoRegionWithAnError() {
        List<Long> wrong =
                List.of(
                        ServerFixture.clientAddress(0),
                        ServerFixture.clientAddress(1) + 1,
                        ServerFixture.clientAddress(3),
                        -1L);
        for (long address : wrong) {
            server = ServerFixture.ap1(2).reach(NaaState.DATA_RECEIVING);
            server.setReturnAddress(address);
            server.call(ServerFixture.CODE);
            assertThat(state()).isEqualTo(NaaState.DATA_SENDING);
            List<Posted> writes = server.driver.take();
            assertThat(writes).containsExactly(write(RDMA_WRITE_WITH_IMMEDIATE, 0, 0, 0x10));
            writes.forEach(server.driver::sendCompletes);
            assertThat(state()).isEqualTo(NaaState.DATA_RECEIVING);
        }
    }

    @Test
    @Requirement({"NAA-RET-20", "NAA-ROB-7"})
    void keepsTwoReceivesPostedHoweverManyRpcs() {
        server.reach(NaaState.DATA_RECEIVING);
        for (int i = 0; i < 1000; i++) {
            server.driver.take();
            assertThat(server.driver.receives).hasSize(2);
            server.call(ServerFixture.CODE);
            server.machine.reply(0, server.driver.now);
            server.driver.take().forEach(server.driver::sendCompletes);
        }
        assertThat(server.machine.counters().get(Counter.RPCS)).isEqualTo(1000);
    }

    @Test
    @Requirement("NAA-RET-14")
    void answersOnlyWhatIsPending() {
        for (NaaState wrong : ServerFixture.ALIVE) {
            if (wrong != NaaState.CALCULATING) {
                server = ServerFixture.simple().reach(wrong);
                server.driver.take();
                assertThatIllegalStateException()
                        .as("in %s", wrong)
                        .isThrownBy(() -> server.machine.reply(0, server.driver.now))
                        .withMessageContaining(wrong.toString());
                assertThat(state()).isEqualTo(wrong);
                assertThat(server.driver.take()).isEmpty();
            }
        }
    }

    @Test
    @Requirement("NAA-RET-14")
    void anRpcWhileAnotherIsPendingEndsTheSession() {
        server.reach(NaaState.DATA_SENDING);
        int immediate = Dialect.UPSTREAM_2026.requestImmediate(5, 0);
        server.driver.immediateArrives(immediate, 10);
        server.driver.immediateArrives(immediate, 10);
        List<Posted> sent = server.driver.take();
        assertThat(server.message(sent.getLast()))
                .isEqualTo(new MrspError(MrspException.MALFORMED));
        sent.forEach(server.driver::sendCompletes);
        assertThat(state()).isEqualTo(NaaState.ERROR);
    }

    // ---- end and time ---------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-STATE-3", "NAA-STATE-5", "NAA-DISC-5", "NAA-RET-14"})
    void aDisconnectEndsTheSessionForGood() {
        for (NaaState from : ServerFixture.ALIVE) {
            server = ServerFixture.simple().reach(from);
            server.driver.take();
            server.machine.disconnected();
            assertThat(state()).as("from %s", from).isEqualTo(NaaState.FINISHED);
            server.driver.fails(CompletionStatus.WORK_REQUEST_FLUSHED);
            server.driver.fails(CompletionStatus.RETRY_EXCEEDED);
            server.machine.timePassed(server.driver.now + Duration.ofDays(1).toNanos());
            assertThat(state()).isEqualTo(NaaState.FINISHED);
            assertThat(server.machine.takeFailure()).isEmpty();
            assertThat(server.driver.take()).isEmpty();
            server.machine.closed();
            assertThat(state()).isEqualTo(NaaState.DISCONNECTED);
        }
    }

    @Test
    @Requirement("NAA-STATE-3")
    void anErrorStatusFailsTheSession() {
        for (NaaState from : ServerFixture.ALIVE) {
            server = ServerFixture.simple().reach(from);
            server.driver.fails(CompletionStatus.RETRY_EXCEEDED);
            assertThat(state()).isEqualTo(NaaState.ERROR);
            assertThat(server.failure(NaaTransferException.class).state()).isEqualTo(from);
            server.machine.disconnected();
            assertThat(state()).isEqualTo(NaaState.ERROR);
        }
    }

    @Test
    @Requirement("NAA-STATE-3")
    void losingTheDeviceFailsTheSession() {
        server.reach(NaaState.DATA_RECEIVING).machine.deviceRemoved();
        assertThat(state()).isEqualTo(NaaState.ERROR);
        assertThat(server.failure(NaaConnectException.class).reason())
                .isEqualTo(NaaConnectException.Reason.DEVICE_REMOVED);
    }

    @Test
    void aFlushThatComesFirstTellsOfADisconnect() {
        server.reach(NaaState.DATA_RECEIVING);
        server.driver.fails(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(state()).isEqualTo(NaaState.FINISHED);
    }

    @Test
    @Requirement({"NAA-STATE-3"})
    void aClientThatTakesTooLongFails() {
        expires(ServerFixture.simple().reach(NaaState.CONNECTED), ServerFixture.REQUEST_LIMIT);
        expires(ServerFixture.simple().reach(NaaState.MRSP_RECEIVING), ServerFixture.REQUEST_LIMIT);
        expires(ServerFixture.simple().reach(NaaState.MRSP_SENDING), ServerFixture.TRANSFER_LIMIT);
        expires(ServerFixture.simple().reach(NaaState.DATA_SENDING), ServerFixture.TRANSFER_LIMIT);
    }

    private void expires(ServerFixture fixture, Duration limit) {
        server = fixture;
        server.driver.take();
        NaaState before = state();
        server.machine.timePassed(server.driver.now + limit.toNanos() - 1);
        assertThat(state()).isEqualTo(before);
        server.machine.timePassed(server.driver.now + limit.toNanos());
        assertThat(state()).isEqualTo(NaaState.ERROR);
        assertThat(server.failure(NaaTimeoutException.class).state()).isEqualTo(before);
    }

    @Test
    void anIdleConnectionLastsUnlessThereIsALimit() {
        server.reach(NaaState.DATA_RECEIVING);
        assertThat(server.machine.nanosUntilDue(server.driver.now))
                .isEqualTo(ServerFixture.PROBE.toNanos());
        SettingsBuilder limited = new SettingsBuilder().idleLimit(Duration.ofSeconds(2));
        server =
                new ServerFixture(limited, Dialect.UPSTREAM_2026, ServerFixture.entry(0, IN, 10))
                        .reach(NaaState.DATA_RECEIVING);
        server.machine.timePassed(server.driver.now + Duration.ofSeconds(2).toNanos());
        assertThat(state()).isEqualTo(NaaState.ERROR);
    }

    @Test
    @Requirement({"NAA-MULTI-4"})
    void anIdleClientIsProbedWithAWriteOfNoBytesAndGivenUpIfItDoesNotAnswer() {
        server.reach(NaaState.DATA_RECEIVING);
        long interval = ServerFixture.PROBE.toNanos();
        long limit = ServerFixture.PROBE_LIMIT.toNanos();
        server.machine.timePassed(server.driver.now + interval);
        List<Posted> probe = server.driver.take();
        assertThat(probe)
                .containsExactly(
                        new Posted(
                                probe.getFirst().id(),
                                RDMA_WRITE,
                                0,
                                ServerFixture.clientAddress(0),
                                100,
                                0,
                                false));
        server.driver.sendCompletes(probe.getFirst());
        server.machine.timePassed(server.driver.now + 2 * interval);
        assertThat(server.driver.take()).hasSize(1);
        server.machine.timePassed(server.driver.now + 2 * interval + limit - 1);
        assertThat(state()).isEqualTo(NaaState.DATA_RECEIVING);
        server.machine.timePassed(server.driver.now + 2 * interval + limit);
        assertThat(state()).isEqualTo(NaaState.ERROR);
        assertThat(server.failure(NaaConnectException.class).reason())
                .isEqualTo(NaaConnectException.Reason.UNREACHABLE);
    }

    @Test
    @Requirement("NAA-MULTI-4")
    void aClientThatWaitsForItsResultIsProbedTooButNotWhileItIsSent() {
        server.reach(NaaState.CALCULATING);
        long interval = ServerFixture.PROBE.toNanos();
        assertThat(server.machine.nanosUntilDue(server.driver.now)).isEqualTo(interval);
        server.driver.now += interval;
        server.machine.timePassed(server.driver.now);
        Posted probe = server.driver.take().getFirst();
        assertThat(probe.operation()).isEqualTo(RDMA_WRITE);
        assertThat(server.machine.counters().get(Counter.PROBES)).isEqualTo(1);
        server.driver.sendCompletes(probe);
        server.machine.reply(0, server.driver.now);
        assertThat(server.driver.take()).hasSize(1);
        server.machine.timePassed(server.driver.now + interval);
        assertThat(server.driver.take()).isEmpty();
    }

    @Test
    @Requirement("NAA-MULTI-4")
    void aClientThatDoesNotAnswerAProbeWhileItWaitsForItsResultIsGivenUp() {
        server.reach(NaaState.CALCULATING);
        server.driver.now += ServerFixture.PROBE.toNanos();
        server.machine.timePassed(server.driver.now);
        server.machine.timePassed(server.driver.now + ServerFixture.PROBE_LIMIT.toNanos());
        assertThat(server.failure(NaaConnectException.class).reason())
                .isEqualTo(NaaConnectException.Reason.UNREACHABLE);
    }

    @Test
    void theAnswerToAProbeMayComeDuringAnRpc() {
        server.reach(NaaState.DATA_RECEIVING);
        server.machine.timePassed(server.driver.now + ServerFixture.PROBE.toNanos());
        Posted probe = server.driver.take().getFirst();
        server.call(ServerFixture.CODE);
        server.driver.sendCompletes(probe);
        assertThat(state()).isEqualTo(NaaState.CALCULATING);
    }

    private Posted write(
            dev.outboard.fabric.SendRequest.Operation operation,
            long length,
            int region,
            int immediate) {
        return new Posted(
                11,
                operation,
                length,
                ServerFixture.clientAddress(region),
                100 + region,
                immediate,
                operation == RDMA_WRITE_WITH_IMMEDIATE);
    }

    private NaaState state() {
        return server.machine.state();
    }
}
