package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What fails is told once, with all that is known, to whom it concerns: a client's failure to its
/// caller, that of a connection to the server's observer. Both count it by its kind.
class FailureReportTest extends HostileSuite {
    private static final Duration SHORT_TIME = Duration.ofMillis(200);
    private static final int CALL_INCREMENT = 0x81;

    // ---- server ---------------------------------------------------------------------------------

    /// What a client does to a server, and what the server's observer is told.
    enum Harm {
        ASKS_FOR_NOTHING(
                NaaTimeoutException.class,
                NaaState.MRSP_RECEIVING,
                "region setup with",
                "the client did not ask for regions within",
                "errors.timeout"),
        SENDS_NO_MESSAGE(
                MrspException.class,
                NaaState.MRSP_RECEIVING,
                "region setup with",
                "refused the client: ",
                "errors.mrsp"),
        ASKS_FOR_TOO_MUCH(
                MrspException.class,
                NaaState.MRSP_RECEIVING,
                "region setup with",
                "not enough memory for 1 regions",
                "errors.mrsp"),
        GIVES_UP(
                MrspException.class,
                NaaState.MRSP_RECEIVING,
                "region setup with",
                "the client gave up with code 0x05",
                "errors.mrsp"),
        TAKES_NO_ANSWER(
                NaaTransferException.class,
                NaaState.DATA_SENDING,
                "RPC with",
                "a transfer failed: ",
                "errors.transfer");

        private final Class<? extends NaaException> type;
        private final NaaState state;
        private final String phase;
        private final String cause;
        private final String counter;

        Harm(
                Class<? extends NaaException> type,
                NaaState state,
                String phase,
                String cause,
                String counter) {
            this.type = type;
            this.state = state;
            this.phase = phase;
            this.cause = cause;
            this.counter = counter;
        }

        void happen(RawClient client) {
            switch (this) {
                case ASKS_FOR_NOTHING -> {}
                case SENDS_NO_MESSAGE -> client.send(new byte[] {1});
                case ASKS_FOR_TOO_MUCH -> client.send(request(client, TOTAL_BYTES + 1));
                case GIVES_UP -> client.send(new byte[] {0, 5, 0, 0});
                case TAKES_NO_ANSWER ->
                        client.call(
                                client.setUp(request(client, 100)).getFirst(), 0, CALL_INCREMENT);
            }
        }

        private static AdvertiseRequest request(RawClient client, long size) {
            return new AdvertiseRequest(
                    List.of(client.region(RegionFlags.INPUT | RegionFlags.OUTPUT, size)));
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"NAA-ROB-5a", "NAA-ROB-5b", "NAA-ROB-5c", "NAA-ROB-6c"})
    void theFailureOfAConnectionIsToldOnceToTheObserver(Harm harm) {
        serve(
                ServerOptions.builder()
                        .maxTotalBytes(TOTAL_BYTES)
                        .setupLimit(
                                harm == Harm.ASKS_FOR_NOTHING ? SHORT_TIME : Duration.ofHours(1)));
        try (RawClient client = raw(clientDevice, 0)) {
            harm.happen(client);
            server.awaitEvent("failed");
            awaitNoConnections();
        }

        assertThat(server.failures).hasSize(1).first().isInstanceOf(harm.type);
        NaaException failure = (NaaException) server.failures.element();
        assertThat(failure.state()).isEqualTo(harm.state);
        assertThat(failure.peer()).startsWith(clientDevice.address().getHostAddress() + ":");
        assertThat(failure)
                .hasMessageStartingWith(harm.phase + " " + failure.peer() + ": ")
                .hasMessageContaining(harm.cause)
                .hasMessageEndingWith("(state " + harm.state + ")");
        assertThat(errors(server.server.counters())).isEqualTo(Map.of(harm.counter, 1L));
    }

    // ---- client ---------------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-ROB-5a", "NAA-ROB-5b", "NAA-ROB-5c", "NAA-ROB-6c"})
    void aRejectionIsToldToWhoeverConnects() {
        serve(ServerOptions.builder().maxConnections(1));
        try (NaaClient _ = client(10).open();
                NaaClient client = client(10).build()) {
            NaaException failure = catchThrowableOfType(NaaException.class, client::connect);
            assertTold(failure, NaaConnectException.class, NaaException.Phase.CONNECT);
            assertThat(failure).hasMessageContaining("all 1 connections are in use");
            assertOver(client, "errors.connection");
            // No connection has failed: the observer learns of it all the same.
            server.awaitEvent("rejected");
            assertThat(server.server.counters()).containsEntry("rejected.full", 1L);
        }
        assertThat(server.awaitEvent("")).as("told once").isEqualTo("disconnected");
    }

    @Test
    @Requirement({"NAA-ROB-5a", "NAA-ROB-5b", "NAA-ROB-5c", "NAA-ROB-6c"})
    void aRefusalIsToldToWhoeverAsks() {
        serve(strict());
        try (NaaClient client = client(TOTAL_BYTES + 1).build()) {
            client.connect();
            client.registerRegions();
            NaaException failure = catchThrowableOfType(NaaException.class, client::runMrsp);
            assertTold(failure, MrspException.class, NaaException.Phase.REGION_SETUP);
            assertThat(failure.state()).isEqualTo(NaaState.MRSP_RECEIVING);
            assertThat(failure).hasMessageContaining("memory");
            assertOver(client, "errors.mrsp");
        }
    }

    @Test
    @Requirement({"NAA-ROB-5a", "NAA-ROB-5b", "NAA-ROB-5c", "NAA-ROB-6c"})
    void anErrorOfARoutineIsToldToTheCallerAndToTheObserver() {
        serve(
                strict(),
                _ -> {
                    throw new IllegalArgumentException("no such matrix");
                });
        try (NaaClient client = client(10).functionCode(CUSTOM).open()) {
            NaaException failure = catchThrowableOfType(NaaException.class, client::invoke);
            assertTold(failure, RpcException.class, NaaException.Phase.RPC);
            assertThat(failure).hasMessageContaining("0x10");
            assertThat(errors(client.counters())).isEqualTo(Map.of("errors.return-code", 1L));
            assertThat(server.awaitEvent("routine failed"))
                    .isEqualTo("routine failed: no such matrix");
            assertThat(server.awaitEvent("")).as("told once").startsWith("answered ");
            assertThat(server.server.counters()).containsEntry("routines.failed", 1L);
        }
        awaitNoConnections();
        assertThat(server.failures).isEmpty();
        assertThat(errors(server.server.counters())).isEqualTo(Map.of("errors.return-code", 1L));
    }

    @Test
    @Requirement({"NAA-ROB-5a", "NAA-ROB-5b", "NAA-ROB-5c", "NAA-ROB-6c"})
    void aTimeoutIsToldToTheCaller() {
        HeldRoutine held = new HeldRoutine();
        serve(strict(), held);
        try (NaaClient client = client(10).functionCode(CUSTOM).open()) {
            NaaException failure =
                    catchThrowableOfType(NaaException.class, () -> client.invoke(SHORT_TIME));
            assertTold(failure, NaaTimeoutException.class, NaaException.Phase.RPC);
            assertOver(client, "errors.timeout");
        }
        held.release();
    }

    @Test
    @Requirement({"NAA-ROB-5a", "NAA-ROB-5b", "NAA-ROB-5c", "NAA-ROB-6c"})
    void aLostConnectionIsToldToTheCaller() {
        HeldRoutine held = new HeldRoutine();
        serve(strict(), held);
        try (NaaClient client = client(10).functionCode(CUSTOM).open()) {
            CompletableFuture<NaaException> call =
                    CompletableFuture.supplyAsync(
                            () -> catchThrowableOfType(NaaException.class, client::invoke));
            held.awaitCall();
            server.breakConnections();
            NaaException failure = call.join();
            assertTold(failure, NaaConnectException.class, NaaException.Phase.RPC);
            assertThat(failure).hasMessageContaining("closed by the other side or broke");
            assertOver(client, "errors.connection");
        }
        held.release();
    }

    private void assertTold(
            NaaException failure, Class<? extends NaaException> type, NaaException.Phase phase) {
        assertThat(failure).isInstanceOf(type);
        assertThat(failure.phase()).isEqualTo(phase);
        assertThat(failure.peer()).isEqualTo(server.host + ":" + server.server.port());
        assertThat(failure)
                .hasMessageContaining(failure.peer() + ": ")
                .hasMessageContaining("(state " + failure.state() + ")");
    }

    /// Whoever goes on all the same learns where the session stands, and is not told again.
    private static void assertOver(NaaClient client, String counter) {
        assertThatIllegalStateException()
                .isThrownBy(client::invoke)
                .withMessageContaining("in state " + client.state());
        assertThat(errors(client.counters())).isEqualTo(Map.of(counter, 1L));
    }

    private static Map<String, Long> errors(Map<String, Long> counters) {
        Map<String, Long> errors = new TreeMap<>(counters);
        errors.entrySet()
                .removeIf(entry -> !entry.getKey().startsWith("errors.") || entry.getValue() == 0);
        return errors;
    }

    // ---- counters -------------------------------------------------------------------------------

    /// Two clients of one server, and what each connection counted at both ends.
    @Test
    @Requirement({"NAA-ROB-6a", "NAA-ROB-6b", "NAA-ROB-6c", "NAA-ROB-6d"})
    void eachConnectionCountsWhatItDid() {
        HeldRoutine held = new HeldRoutine();
        serve(ServerOptions.builder(), held);
        try (NaaClient quick =
                        server.client()
                                .region(RegionSpec.input(server.memory(1000, 0)))
                                .region(RegionSpec.inputOutput(server.memory(300, 0)))
                                .region(RegionSpec.output(server.memory(20, 0)))
                                .open();
                NaaClient failing = client(50).functionCode(99).open();
                NaaClient slow = client(7).functionCode(CUSTOM).open()) {
            quick.invoke();
            quick.setBytesToSend(0, 100);
            quick.invoke();
            assertThat(catchThrowableOfType(RpcException.class, failing::invoke)).isNotNull();
            long began = System.nanoTime();
            CompletableFuture<RpcResult> call = slow.invokeAsync();
            held.awaitCall();
            // The client calculates, by its clock, once it knows that its input has arrived.
            Eventually.until(() -> slow.state() == NaaState.DATA_RECEIVING);
            long called = System.nanoTime();
            Eventually.until(() -> System.nanoTime() - called > SHORT_TIME.toNanos());
            held.release();
            call.join();
            long elapsed = System.nanoTime() - began;

            assertCounted(quick.counters(), 2, 1700, 640, 0);
            assertCounted(failing.counters(), 1, 50, 0, 1);
            assertCounted(slow.counters(), 1, 7, 7, 0);
            assertThat(slow.counters().get("nanos.calculation"))
                    .isBetween(SHORT_TIME.toNanos(), elapsed);
            // The server counts an answer once it knows that it has arrived.
            Eventually.until(() -> atServer(7, "nanos.transfer") > 0);
            Eventually.until(() -> atServer(640, "nanos.transfer") > 0);
            assertCounted(countersAtServer(640), 2, 640, 1700, 0);
            assertCounted(countersAtServer(0), 1, 0, 50, 1);
            assertCounted(countersAtServer(7), 1, 7, 7, 0);
            assertThat(atServer(7, "nanos.calculation")).isBetween(SHORT_TIME.toNanos(), elapsed);
        }
    }

    private static void assertCounted(
            Map<String, Long> counters, long rpcs, long sent, long received, long errors) {
        assertThat(counters)
                .containsEntry("rpcs", rpcs)
                .containsEntry("bytes.sent", sent)
                .containsEntry("bytes.received", received)
                .containsEntry("errors.return-code", errors);
        assertThat(counters.get("nanos.mrsp")).isPositive();
        // A client whose inputs are acknowledged together with the answer knows no more than both.
        assertThat(counters.get("nanos.transfer") + counters.get("nanos.calculation")).isPositive();
    }

    private long atServer(long bytesSent, String counter) {
        return countersAtServer(bytesSent).get(counter);
    }

    /// What the server counted for the client that got so many bytes.
    private Map<String, Long> countersAtServer(long bytesSent) {
        return server.server.connections().stream()
                .map(connection -> connection.counters())
                .filter(counters -> counters.get("bytes.sent") == bytesSent)
                .findAny()
                .orElseThrow();
    }
}
