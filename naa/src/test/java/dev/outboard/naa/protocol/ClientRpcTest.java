package dev.outboard.naa.protocol;

import static dev.outboard.fabric.SendRequest.Operation.RDMA_WRITE;
import static dev.outboard.fabric.SendRequest.Operation.RDMA_WRITE_WITH_IMMEDIATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.protocol.MachineDriver.Posted;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The rows of section 11.2 that concern RPCs, and what the sections on the transfer ask for.
class ClientRpcTest {
    private static final int USER_BYTES = 0xCCBBAA;

    private final MemorySegment a = Arena.ofAuto().allocate(10);
    private final MemorySegment b = Arena.ofAuto().allocate(20);
    private final MemorySegment c = Arena.ofAuto().allocate(30);
    private ClientFixture client = ClientFixture.simple();

    @Test
    @Requirement({"NAA-XFER-1", "NAA-XFER-14", "NAA-ADDR-7", "NAA-STATE-2"})
    void postsTheReceiveThenWritesInIndexOrderWithTheImmediateLast() {
        client =
                new ClientFixture(
                        Dialect.UPSTREAM_2026,
                        RegionSpec.input(a),
                        RegionSpec.output(b),
                        RegionSpec.input(c));
        client.reach(NaaState.MRSP_DONE);
        client.driver.order.clear();
        client.machine.setUserBytes(USER_BYTES);
        client.machine.startRpc(client.driver.now);
        List<Posted> writes = client.driver.take();
        assertThat(client.driver.order)
                .containsExactly("receive", "RDMA_WRITE", "RDMA_WRITE_WITH_IMMEDIATE");
        assertThat(writes)
                .containsExactly(
                        new Posted(
                                2,
                                RDMA_WRITE,
                                10,
                                ClientFixture.peer(0, 0).address(),
                                100,
                                0,
                                false),
                        new Posted(
                                2,
                                RDMA_WRITE_WITH_IMMEDIATE,
                                30,
                                ClientFixture.peer(2, 0).address(),
                                102,
                                0xccbbaa80 | ClientFixture.FUNCTION,
                                true));
        assertThat(client.machine.state()).isEqualTo(NaaState.DATA_SENDING);
    }

    @Test
    @Requirement("NAA-XFER-1")
    void oneInputIsOneWriteWithImmediate() {
        client.reach(NaaState.MRSP_DONE);
        client.machine.startRpc(client.driver.now);
        assertThat(client.driver.take())
                .singleElement()
                .satisfies(w -> assertThat(w.operation()).isEqualTo(RDMA_WRITE_WITH_IMMEDIATE));
    }

    @Test
    @Requirement({"NAA-XFER-5", "NAA-XFER-6"})
    void sendsASingleSendRegionWithTheFirstRpcOnly() {
        client =
                new ClientFixture(
                        Dialect.UPSTREAM_2026,
                        RegionSpec.singleSend(a),
                        RegionSpec.input(b),
                        RegionSpec.output(c));
        client.reach(NaaState.MRSP_DONE);
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> client.machine.startMrsp(List.of(), List.of(), client.driver.now));
        assertThat(client.runRpc()).containsExactly(10L, 20L);
        assertThat(client.runRpc()).containsExactly(20L);
        assertThat(client.runRpc()).containsExactly(20L);
    }

    @Test
    @Requirement("NAA-XFER-7")
    void startsAnRpcWithoutInputsWithAnEmptyWrite() {
        client =
                new ClientFixture(
                        Dialect.UPSTREAM_2026, RegionSpec.output(a), RegionSpec.output(b));
        client.reach(NaaState.MRSP_DONE);
        client.machine.startRpc(client.driver.now);
        assertThat(client.driver.take())
                .containsExactly(
                        new Posted(
                                2,
                                RDMA_WRITE_WITH_IMMEDIATE,
                                0,
                                ClientFixture.peer(0, 0).address(),
                                100,
                                0x80 | ClientFixture.FUNCTION,
                                true));
    }

    @Test
    @Requirement({"NAA-XFER-8", "NAA-XFER-9", "NAA-XFER-10"})
    void sendsAsManyBytesAsWasSet() {
        client = new ClientFixture(Dialect.UPSTREAM_2026, RegionSpec.input(a), RegionSpec.input(b));
        client.reach(NaaState.CONNECTED);
        assertThatIllegalStateException().isThrownBy(() -> client.machine.setBytesToSend(0, 5));
        client.reach(NaaState.MRSP_DONE);
        client.machine.setBytesToSend(0, 5);
        client.machine.setBytesToSend(1, 0);
        assertThat(client.runRpc()).containsExactly(5L, 0L);
        client.machine.setBytesToSend(0, 10);
        client.machine.setBytesToSend(1, 20);
        assertThat(client.runRpc()).containsExactly(10L, 20L);
        assertThatThrownBy(() -> client.machine.setBytesToSend(0, 11))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    @Requirement({"NAA-XFER-4", "NAA-META-1", "NAA-META-2", "NAA-META-4"})
    void ap1WritesMetadataAndEveryRegionInEveryRpc() {
        client =
                new ClientFixture(
                        Dialect.AP1_2023, RegionSpec.unmarked(a), RegionSpec.singleSend(b));
        client.reach(NaaState.MRSP_DONE);
        client.machine.regions().setReturnRegion(2);
        assertThat(client.runRpc()).containsExactly(8L, 10L, 20L);
        assertThat(metadata()).isEqualTo(b.address());
        client.machine.regions().setReturnRegion(1);
        assertThat(client.runRpc()).containsExactly(8L, 10L, 20L);
        assertThat(metadata()).isEqualTo(a.address());
        assertThat(client.driver.sends.getLast().immediate()).isEqualTo(ClientFixture.FUNCTION);
    }

    /// What a later routine may want to say there comes after the return address.
    @Test
    @Requirement("NAA-META-9a")
    void theMetadataRegionMayBeLonger() {
        client = ClientFixture.withMetadata(24, RegionSpec.unmarked(a), RegionSpec.unmarked(b));
        MemorySegment metadata = client.regions.getFirst().spec().memory();
        metadata.fill((byte) 7);
        client.reach(NaaState.MRSP_DONE);
        client.machine.regions().setReturnRegion(2);
        assertThat(client.runRpc()).containsExactly(24L, 10L, 20L);
        assertThat(metadata()).isEqualTo(b.address());
        assertThat(metadata.asSlice(8).toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
    }

    @Test
    @Requirement({"NAA-META-3", "NAA-META-5"})
    void ap1NeedsAParameterAsReturnRegion() {
        client = new ClientFixture(Dialect.AP1_2023, RegionSpec.unmarked(a));
        client.reach(NaaState.MRSP_DONE);
        assertThatIllegalStateException()
                .isThrownBy(() -> client.machine.startRpc(client.driver.now))
                .withMessageContaining("return region");
        assertThat(client.driver.take()).isEmpty();
        assertThat(client.driver.receives).isEmpty();
        for (int index : new int[] {-1, 0, 2}) {
            assertThatThrownBy(() -> client.machine.regions().setReturnRegion(index))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        client = new ClientFixture(Dialect.UPSTREAM_2026, RegionSpec.unmarked(a));
        assertThatIllegalStateException()
                .isThrownBy(() -> client.machine.regions().setReturnRegion(0));
    }

    @Test
    @Requirement("NAA-XFER-11")
    void userBytesTakeEffectWithTheNextRpc() {
        client.reach(NaaState.MRSP_DONE);
        client.machine.startRpc(client.driver.now);
        List<Posted> first = client.driver.take();
        assertThat(first.getLast().immediate()).isEqualTo(0x80 | ClientFixture.FUNCTION);
        first.forEach(client.driver::sendCompletes);
        client.driver.immediateArrives(0, 0);
        client.machine.setUserBytes(USER_BYTES);
        client.machine.startRpc(client.driver.now);
        assertThat(client.driver.take().getLast().immediate())
                .isEqualTo(0xccbbaa80 | ClientFixture.FUNCTION);
        client = new ClientFixture(Dialect.AP1_2023, RegionSpec.input(a));
        assertThatIllegalStateException().isThrownBy(() -> client.machine.setUserBytes(1));
    }

    @Test
    @Requirement({"NAA-STATE-2", "NAA-XFER-15"})
    void countsWritesThenWaitsForTheResult() {
        client = new ClientFixture(Dialect.UPSTREAM_2026, RegionSpec.input(a), RegionSpec.input(b));
        client.reach(NaaState.MRSP_DONE);
        client.machine.startRpc(client.driver.now);
        List<Posted> writes = client.driver.take();
        assertThat(client.driver.receives).hasSize(1);
        client.driver.sendCompletes(writes.get(0));
        assertThat(client.machine.state()).isEqualTo(NaaState.DATA_SENDING);
        assertThat(client.machine.writesCompleted()).isEqualTo(1);
        client.driver.sendCompletes(writes.get(1));
        assertThat(client.machine.state()).isEqualTo(NaaState.DATA_RECEIVING);
        client.driver.immediateArrives(0, 0);
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
        assertThat(client.machine.result()).isNotNull();
    }

    @Test
    @Requirement({"NAA-XFER-19", "NAA-STATE-2"})
    void acceptsTheResultBeforeTheCompletionsOfItsWrites() {
        client =
                new ClientFixture(Dialect.UPSTREAM_2026, RegionSpec.input(a), RegionSpec.output(b));
        client.reach(NaaState.MRSP_DONE);
        client.machine.startRpc(client.driver.now);
        Posted write = client.driver.take().getFirst();
        client.driver.immediateArrives(0, 20);
        assertThat(client.machine.state()).isEqualTo(NaaState.DATA_SENDING);
        assertThat(client.machine.result()).isNull();
        client.driver.sendCompletes(write);
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
        assertThat(client.machine.result().bytesReceived()).isEqualTo(20);
    }

    @Test
    @Requirement({"NAA-RET-11", "NAA-RET-12", "NAA-RET-9", "NAA-RET-8"})
    void keepsTheFullReturnCodeAndBothByteCounts() {
        client =
                new ClientFixture(
                        Dialect.UPSTREAM_2026,
                        RegionSpec.input(a),
                        RegionSpec.output(b),
                        RegionSpec.inputOutput(c));
        client.reach(NaaState.DATA_RECEIVING);
        client.received += 50;
        client.driver.immediateArrives(0, 30);
        RpcResult success = client.machine.result();
        assertThat(success.isSuccess()).isTrue();
        assertThat(success.bytesReceived()).isEqualTo(30);
        assertThat(success.totalBytesReceived()).isEqualTo(50);
        assertThat(success.missingBytes()).isZero();
        client.machine.startRpc(client.driver.now);
        client.driver.take().forEach(client.driver::sendCompletes);
        client.driver.immediateArrives(0xabcdef01, 0);
        RpcResult failure = client.machine.result();
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
        assertThat(failure.returnCode()).isEqualTo(0xabcdef);
        assertThat(failure.totalBytesReceived()).isZero();
        assertThat(failure.missingBytes()).isZero();
        client.machine.startRpc(client.driver.now);
        assertThat(client.machine.state()).isEqualTo(NaaState.DATA_SENDING);
    }

    @Test
    @Requirement("NAA-RET-12")
    void tellsHowManyBytesAServerKeptBack() {
        client =
                new ClientFixture(
                        Dialect.UPSTREAM_2026,
                        RegionSpec.input(a),
                        RegionSpec.output(b),
                        RegionSpec.output(c));
        client.received = 1000;
        client.reach(NaaState.DATA_RECEIVING);
        // A message in between is no part of the answer.
        client.received += 4;
        client.driver.bytesArrive(4);
        client.driver.take();
        client.received += 20 + 7;
        client.driver.immediateArrives(0, 7);
        RpcResult result = client.machine.result();
        assertThat(result.bytesReceived()).isEqualTo(7);
        assertThat(result.totalBytesReceived()).isEqualTo(27);
        assertThat(result.expectedBytes()).isEqualTo(50);
        assertThat(result.missingBytes()).isEqualTo(23);
    }

    @Test
    @Requirement("NAA-RET-12")
    void ap1ExpectsTheReturnRegion() {
        client =
                new ClientFixture(Dialect.AP1_2023, RegionSpec.unmarked(a), RegionSpec.unmarked(b));
        client.machine.regions().setReturnRegion(2);
        client.reach(NaaState.DATA_RECEIVING);
        client.received += 5;
        client.driver.immediateArrives(0, 5);
        assertThat(client.machine.result().missingBytes()).isEqualTo(15);
    }

    @Test
    @Requirement("NAA-RET-8")
    void ap1TakesTheWholeImmediateValue() {
        client = new ClientFixture(Dialect.AP1_2023, RegionSpec.unmarked(a));
        client.machine.regions().setReturnRegion(1);
        client.reach(NaaState.DATA_RECEIVING);
        client.driver.immediateArrives(0x105, 0);
        assertThat(client.machine.result().returnCode()).isEqualTo(0x105);
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
    }

    @Test
    @Requirement("NAA-STATE-2")
    void ignoresAMessageWhileWaitingAndReplacesTheReceive() {
        client.reach(NaaState.DATA_RECEIVING);
        client.driver.bytesArrive(4);
        assertThat(client.machine.state()).isEqualTo(NaaState.DATA_RECEIVING);
        client.driver.take();
        assertThat(client.driver.receives).hasSize(1);
        client.driver.immediateArrives(0, 10);
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
    }

    @Test
    @Requirement({"NAA-XFER-16", "NAA-STATE-2"})
    void signalsAHostErrorWhenItCannotPrepare() {
        for (NaaState from : List.of(NaaState.MRSP_DONE, NaaState.FINISHED)) {
            client = ClientFixture.simple().reach(from);
            client.driver.take();
            client.machine.startRpc(client.driver.now);
            client.machine.nextReceive(new dev.outboard.fabric.ReceiveRequest());
            client.machine.refused("a receive");
            assertThat(client.driver.take())
                    .containsExactly(
                            new Posted(
                                    3,
                                    RDMA_WRITE_WITH_IMMEDIATE,
                                    0,
                                    ClientFixture.peer(0, 0).address(),
                                    100,
                                    0,
                                    true));
            assertThat(client.machine.state()).isEqualTo(NaaState.ERROR);
            assertThat(client.failure(NaaException.class)).hasMessageContaining("a receive");
        }
    }

    @Test
    @Requirement({"NAA-RPC-2", "NAA-STATE-7"})
    void refusesWhatTheStateDoesNotAllowWithoutSideEffects() {
        for (NaaState target : ClientFixture.STATES) {
            client = ClientFixture.simple().reach(target);
            client.driver.take();
            int receives = client.driver.receives.size();
            if (target != NaaState.MRSP_DONE && target != NaaState.FINISHED) {
                assertThatIllegalStateException()
                        .as("an RPC in %s", target)
                        .isThrownBy(() -> client.machine.startRpc(client.driver.now))
                        .withMessageContaining(target.toString());
            }
            if (target != NaaState.CONNECTED) {
                assertThatIllegalStateException()
                        .as("region setup in %s", target)
                        .isThrownBy(() -> client.startMrsp(List.of()))
                        .withMessageContaining(target.toString());
            }
            assertThat(client.machine.state()).isEqualTo(target);
            assertThat(client.driver.take()).isEmpty();
            assertThat(client.driver.receives).hasSize(receives);
        }
    }

    @Test
    @Requirement({"NAA-RET-20", "NAA-ROB-7"})
    void postsExactlyOneReceivePerRpc() {
        client.reach(NaaState.MRSP_DONE);
        for (int i = 0; i < 1000; i++) {
            assertThat(client.driver.receives).isEmpty();
            assertThat(client.runRpc()).hasSize(1);
        }
        assertThat(client.machine.counters().get(Counter.RPCS)).isEqualTo(1000);
    }

    private long metadata() {
        return client.regions
                .getFirst()
                .spec()
                .memory()
                .get(ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), 0);
    }
}
