package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.NaaListener;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Sessions over a fabric that is told to misbehave.
class SessionEdgesTest {
    @RegisterExtension private final SimulatedFabric fabric = new SimulatedFabric();
    private final InterposedDevice between = new InterposedDevice();
    private final Device serverDevice = between.over(fabric.device());
    private final Device clientDevice = between.over(fabric.device());
    private ServerUnderTest server = serve(ServerOptions.builder());

    private ServerUnderTest serve(ServerOptions.Builder options) {
        return new ServerUnderTest(serverDevice, clientDevice, options);
    }

    private NaaClientBuilder client() {
        return server.client().region(RegionSpec.inputOutput(server.memory(100, 0)));
    }

    @AfterEach
    void nothingStaysOpen() {
        fabric.heal();
        server.close();
        assertThat(between.violations).isEmpty();
    }

    @Test
    @Requirement({"NAA-CONN-4", "NAA-CONN-5"})
    void proposesItsParameters() {
        client().open().close();
        client().retryCount(3).open().close();
        assertThat(between.requests)
                .containsExactly(
                        new ConnectionParameters(1, 1, 7, 6, new byte[0]),
                        new ConnectionParameters(1, 1, 3, 6, new byte[0]));
        assertThat(between.grants).containsOnly(new ConnectionParameters(1, 1, 7, 6, new byte[0]));
    }

    @Test
    @Requirement("NAA-CONN-10")
    void limitsTheResolutionOfAddressAndRoute() {
        client().open().close();
        client().resolveLimits(Duration.ofSeconds(7), Duration.ofSeconds(8)).open().close();
        assertThat(between.limitsGiven)
                .containsExactly(
                        Duration.ofMillis(100),
                        Duration.ofMillis(500),
                        Duration.ofSeconds(7),
                        Duration.ofSeconds(8));
    }

    @Test
    @Requirement("NAA-CONN-14")
    void createsQueuesOfTheSizeItNeeds() {
        between.limits = own -> own.toBuilder().maxCompletions(100).maxWorkRequests(40).build();
        client().open().close();
        assertThat(between.queuePairs)
                .allSatisfy(a -> {
                    assertThat(a.maxScatterGather()).isEqualTo(1);
                    assertThat(a.maxReceives()).isGreaterThanOrEqualTo(4);
                    assertThat(a.maxSends()).isBetween(2, 40);
                });
    }

    @Test
    @Requirement({"NAA-CONN-9a", "NAA-TIME-1"})
    void givesUpConnectingAfterTheLimit() {
        fabric.cut();
        Duration limit = Duration.ofMillis(500);
        try (NaaClient client = client().connectLimit(limit).build()) {
            long start = System.nanoTime();
            NaaTimeoutException failure =
                    catchThrowableOfType(NaaTimeoutException.class, client::connect);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(limit, Duration.ofSeconds(30));
            assertThat(failure.phase()).isEqualTo(NaaException.Phase.CONNECT);
            assertThat(failure).hasMessageContaining("500 ms");
            assertThat(client.state()).isEqualTo(NaaState.ERROR);
        }
    }

    @Test
    @Requirement({"NAA-CONN-11", "NAA-DISC-3"})
    void aFailureToCreateResourcesEndsTheSetup() {
        between.refusesQueues = true;
        NaaConnectException failure =
                catchThrowableOfType(NaaConnectException.class, client()::open);
        between.refusesQueues = false;
        assertThat(failure.reason()).isEqualTo(NaaConnectException.Reason.CONNECT_ERROR);
        assertThat(failure).hasCauseInstanceOf(FabricException.class);
    }

    /// [SimulatedFabric] looks for what stays open.
    @Test
    @Requirement("NAA-DISC-3")
    void aDeviceThatFailsUnexpectedlyLeavesNothingOpen() {
        between.failsToResolve = true;
        assertThatIllegalStateException().isThrownBy(client()::open).withMessage("told to fail");
    }

    @Test
    @Requirement("NAA-ROB-2")
    void aServerWithoutResourcesRejectsAndServesTheNext() {
        try (NaaClient client = client().build()) {
            Eventually.until(() -> {
                client.pollAndHandleConnectionEvent(Duration.ZERO);
                between.refusesQueues = client.state() == NaaState.READY;
                return between.refusesQueues;
            });
            NaaConnectException failure =
                    catchThrowableOfType(NaaConnectException.class, client::connect);
            assertThat(failure).hasMessageContaining("out of resources");
        } finally {
            between.refusesQueues = false;
        }
        server.awaitEvent("rejected");
        try (NaaClient client = client().open()) {
            assertThat(client.invoke().isSuccess()).isTrue();
        }
    }

    @Test
    @Requirement("NAA-LIM-4")
    void transfersRegionsThatExceedOneMessage() {
        between.limits =
                own ->
                        own.toBuilder()
                                .maxMessageBytes(30)
                                .maxCompletions(100)
                                .maxWorkRequests(6)
                                .build();
        MemorySegment memory = server.memory(1000, 0);
        try (NaaClient client =
                server.client()
                        .region(RegionSpec.inputOutput(memory))
                        .region(RegionSpec.inputOutput(server.memory(31, 0)))
                        .open()) {
            AtomicInteger immediates = fabric.countImmediates();
            RpcResult result = client.invoke();
            assertThat(client.writesCompleted()).isEqualTo(34 + 2);
            assertThat(result.totalBytesReceived()).isEqualTo(1031);
            assertThat(immediates).as("one each way").hasValue(2);
        }
        assertThat(memory.mismatch(server.memory(1000, 1))).isEqualTo(-1);
    }

    @Test
    @Requirement("NAA-MULTI-4")
    void aDeadClientFreesItsPlace() {
        server.close();
        server =
                serve(
                        ServerOptions.builder()
                                .maxConnections(1)
                                .probe(Duration.ofMillis(20), Duration.ofMillis(20)));
        NaaClient dead = client().closeLimit(Duration.ofMillis(1)).open();
        dead.invoke();
        server.awaitEvent("answered");
        fabric.cut();
        assertThat(server.awaitEvent("failed")).contains("does not answer any more");
        Eventually.until(() -> server.server.connections().isEmpty());
        fabric.heal();
        try (NaaClient next = client().open()) {
            assertThat(next.invoke().isSuccess()).isTrue();
        }
        dead.close();
    }

    @Test
    @Requirement({"NAA-DISC-2a", "NAA-DISC-2b", "NAA-DISC-2c", "NAA-DISC-2d"})
    void closesThoughTheServerDoesNotAnswer() {
        Duration limit = Duration.ofMillis(10);
        NaaClient client = client().closeLimit(limit).open();
        fabric.cut();
        between.longestWait = Duration.ZERO;
        // Success is that nothing is thrown; [SimulatedFabric] looks for what stays open.
        client.close();
        assertThat(client.state()).isEqualTo(NaaState.DISCONNECTED);
        assertThat(between.longestWait).isPositive().isLessThanOrEqualTo(limit);
        server.breakConnections();
    }

    @Test
    @Requirement("NAA-DISC-7")
    void aFailureWhileClosingDoesNotKeepTheRestOpen() {
        NaaClient client = client().region(RegionSpec.input(server.memory(1, 0))).open();
        between.failsToClose = Thread.currentThread();
        NaaException failure = catchThrowableOfType(NaaException.class, client::close);
        between.failsToClose = null;
        assertThat(failure)
                .hasMessageContaining("2 resources could not be released")
                .hasMessageContaining("told to fail");
        assertThat(failure.getSuppressed()).hasSize(1);
        assertThat(failure.phase()).isEqualTo(NaaException.Phase.DISCONNECT);
        assertThat(client.state()).isEqualTo(NaaState.DISCONNECTED);
        client.close();
    }

    @Test
    @Requirement("NAA-DISC-8")
    void keepsMemoryRegisteredUntilTheQueuePairIsGone() {
        NaaClient client = client().open();
        client.startRpc();
        client.close();
        server.awaitEvent("disconnected");
        Eventually.until(() -> server.server.connections().isEmpty());
        assertThat(between.violations).isEmpty();
    }

    @Test
    @Requirement({"NAA-INT-2", "NAA-FLAG-7"})
    void replacesInternalRegionsUntilTheyAreAnnounced() {
        try (NaaClient client = client().internal(InternalRegion.of(10)).build()) {
            client.setInternalRegions(List.of(InternalRegion.of(20), InternalRegion.of(30)));
            client.connect();
            client.setInternalRegions(List.of(InternalRegion.of(40)));
            client.registerRegions();
            client.runMrsp();
            assertThatIllegalStateException()
                    .isThrownBy(() -> client.setInternalRegions(List.of()))
                    .withMessageContaining("MRSP_DONE");
            assertThat(server.server.connections().getFirst().internals())
                    .extracting(RoutineRegion::size)
                    .containsExactly(40L);
        }
    }

    @Test
    @Requirement("NAA-API-2")
    void registersBeforeOrAfterConnecting() {
        for (boolean first : new boolean[] {true, false}) {
            try (NaaClient client = client().build()) {
                if (first) {
                    client.registerRegions();
                }
                client.connect();
                assertThatIllegalStateException().isThrownBy(client::invoke);
                client.registerRegions();
                client.runMrsp();
                assertThat(client.invoke().isSuccess()).isTrue();
                assertThatIllegalStateException().isThrownBy(client::runMrsp);
                assertThatIllegalStateException().isThrownBy(client::registerRegions);
                assertThatIllegalStateException().isThrownBy(client::connect);
            }
        }
    }

    @Test
    void regionSetupNeedsRegistration() {
        try (NaaClient client = client().build()) {
            client.connect();
            assertThatIllegalStateException()
                    .isThrownBy(client::runMrsp)
                    .withMessageContaining("not registered");
            assertThat(client.state()).isEqualTo(NaaState.CONNECTED);
        }
    }

    @Test
    @Requirement({"NAA-CONN-15"})
    void listensOnThePortItIsGiven() {
        int free = server.server.port();
        assertThat(free).isPositive();
        FabricException taken =
                catchThrowableOfType(
                        FabricException.class,
                        () ->
                                NaaListener.bind(
                                        serverDevice, free, ServerOptions.builder().build()));
        assertThat(taken.reason()).isEqualTo(FabricException.Reason.SERVICE_IN_USE);
        assertThat(between.backlog).isGreaterThanOrEqualTo(10);
    }

    @Test
    @Requirement("NAA-XFER-20")
    void aStepCanBeTakenForAnyCompletion() {
        try (NaaClient client = client().open()) {
            Completion broken = new Completion();
            broken.set(0, CompletionStatus.RETRY_EXCEEDED, CompletionOpcode.RDMA_WRITE, 0, 0);
            NaaTransferException failure =
                    catchThrowableOfType(NaaTransferException.class, () -> client.handle(broken));
            assertThat(failure.status()).isEqualTo(CompletionStatus.RETRY_EXCEEDED);
            assertThat(client.state()).isEqualTo(NaaState.ERROR);
        }
    }
}
