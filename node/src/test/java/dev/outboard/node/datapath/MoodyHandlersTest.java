package dev.outboard.node.datapath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.offload.TargetError;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Handlers and clients that misbehave.
class MoodyHandlersTest {
    private static final int BYTES = 100_000;
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Arena arena = Arena.ofShared();
    private Device card;
    private Device other;
    private DpaDataPath path;
    private NaaServer server;

    @BeforeEach
    void open() {
        card = Fabric.open("roce://auto?peer=127.0.0.1");
        other = Fabric.open("roce://auto?peer=127.0.0.1");
        path =
                DpaDataPath.of(
                        card,
                        new HandlerProgram(
                                MoodyHandlersStub.APP,
                                MoodyHandlersStub.serve,
                                MoodyHandlersStub::send),
                        Set.of(),
                        LIMIT);
        server = NaaServer.start(card, 0, RoutineSet.of(), options(Duration.ZERO), path);
    }

    @AfterEach
    void close() {
        server.close();
        path.close();
        other.close();
        card.close();
        arena.close();
    }

    private ServerOptions options(Duration idleLimit) {
        return ServerOptions.builder()
                .anyDialect()
                .idleLimit(idleLimit)
                .probe(Duration.ofMillis(100), Duration.ofMillis(500))
                .observer(
                        new ServerObserver() {
                            @Override
                            public void failed(String peer, RuntimeException failure) {
                                failures.add(String.valueOf(failure.getMessage()));
                            }
                        })
                .build();
    }

    private NaaClientBuilder builder(Device from, int function) {
        return NaaClient.builder(card.address().getHostAddress(), server.port())
                .device(from)
                .functionCode(function);
    }

    private NaaClient client(Device from, int function) {
        return builder(from, function).region(RegionSpec.inputOutput(arena.allocate(BYTES))).open();
    }

    private static void addsOne(NaaClient client) {
        MemorySegment bytes = client.regions().getFirst().memory();
        byte before = bytes.get(ValueLayout.JAVA_BYTE, BYTES - 1);
        assertThat(client.invoke().isSuccess()).isTrue();
        assertThat(bytes.get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo((byte) (before + 1));
        assertThat(bytes.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) (before + 1));
    }

    @Test
    void aFaultIsACodeForItsCallerAndNobodyElseNoticesAnything() {
        try (NaaClient good = client(other, MoodyHandlers.ADDS);
                NaaClient bad = client(other, MoodyHandlers.FAULTS)) {
            addsOne(good);
            assertThatThrownBy(bad::invoke)
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            failure ->
                                    assertThat(failure.returnCode())
                                            .isEqualTo(TargetError.FAILED.code()));
            assertThatThrownBy(bad::invoke)
                    .isInstanceOfSatisfying(
                            NaaConnectException.class,
                            failure ->
                                    assertThat(failure.reason())
                                            .isEqualTo(NaaConnectException.Reason.DISCONNECTED));
            addsOne(good);
            Eventually.until(() -> !failures.isEmpty());
            assertThat(failures).singleElement().asString().contains("STORE", "0x0");
        }
        try (NaaClient next = client(other, MoodyHandlers.ADDS)) {
            addsOne(next);
        }
    }

    @Test
    void aHandlerThatNeverEndsIsEnded() {
        try (NaaClient bad = client(other, MoodyHandlers.NEVER_ENDS)) {
            assertThatThrownBy(bad::invoke)
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            failure ->
                                    assertThat(failure.returnCode())
                                            .isEqualTo(TargetError.FAILED.code()));
            Eventually.until(() -> !failures.isEmpty());
            assertThat(failures).singleElement().asString().contains("watchdog");
        }
    }

    /// Together they compute for longer than one may.
    @Test
    void theLimitIsThatOfOneCall() {
        try (NaaClient client =
                builder(other, MoodyHandlers.COMPUTES)
                        .region(RegionSpec.inputOutput(arena.allocate(8)))
                        .open()) {
            for (int i = 0; i < 1500; i++) {
                assertThat(client.invoke().isSuccess()).isTrue();
            }
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void anErrorOfTheHandlerIsTheCodeOfTheCall() {
        try (NaaClient client = client(other, MoodyHandlers.ADDS)) {
            client.setUserImmediate((byte) 1, (byte) 0, (byte) 0);
            assertThatThrownBy(client::invoke)
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            failure -> assertThat(failure.returnCode()).isEqualTo(77));
            client.setUserImmediate((byte) 0, (byte) 0, (byte) 0);
            assertThat(client.invoke().isSuccess()).isTrue();
        }
    }

    @Test
    void aClientThatIsGoneWithoutAWordIsNoticed() {
        Device dying = Fabric.open("roce://auto?peer=127.0.0.1");
        NaaClient client = client(dying, MoodyHandlers.ADDS);
        addsOne(client);
        assertThat(server.connections()).hasSize(1);
        dying.close();
        Eventually.until(() -> server.connections().isEmpty());
        try (NaaClient next = client(other, MoodyHandlers.ADDS)) {
            addsOne(next);
        }
    }

    @Test
    void aClientWhoseCallsAreAnsweredIsNotIdle() {
        server.close();
        server = NaaServer.start(card, 0, RoutineSet.of(), options(Duration.ofMillis(400)), path);
        try (NaaClient client = client(other, MoodyHandlers.ADDS)) {
            long start = System.nanoTime();
            while (System.nanoTime() - start < Duration.ofSeconds(1).toNanos()) {
                addsOne(client);
            }
            Eventually.until(() -> server.connections().isEmpty());
            assertThat(failures).singleElement().asString().contains("made no RPC within");
        }
    }

    @Test
    void theOtherDialectIsRefusedWithAReason() {
        NaaClientBuilder old =
                builder(other, MoodyHandlers.ADDS)
                        .dialect(Dialect.AP1_2023)
                        .region(RegionSpec.unmarked(arena.allocate(BYTES)));
        assertThatThrownBy(old::open).isInstanceOf(NaaConnectException.class);
        Eventually.until(() -> !failures.isEmpty());
        assertThat(failures)
                .containsExactly(
                        "the client speaks ap1-2023; a handler of the DPA speaks upstream-2026");
    }

    @Test
    void regionsLieInTheMemoryOfTheDpaWhileThereIsRoom() {
        try (NaaClient client = client(other, MoodyHandlers.ADDS)) {
            addsOne(client);
            assertThat(server.counters()).containsEntry("dpa.bytes.heap", 102_400L);
        }
        MemorySegment large = arena.allocate(8 << 20);
        try (NaaClient client =
                builder(other, MoodyHandlers.TELLS_ADDRESSES)
                        .region(RegionSpec.inputOutput(large).at(1 << 30))
                        .region(RegionSpec.input(arena.allocate(4096)).at(1 << 20))
                        .open()) {
            assertThat(client.invoke().isSuccess()).isTrue();
            assertThat(large.asSlice(0, 16).toArray(ValueLayout.JAVA_LONG))
                    .containsExactly(1 << 30, 1 << 20);
            assertThat(server.counters()).containsEntry("dpa.bytes.heap", 102_400L + 4096);
        }
    }

    @Test
    void regionsThatShareMemoryDoSoInTheDpaToo() {
        MemorySegment all = arena.allocate(64);
        MemorySegment part = arena.allocate(8).fill((byte) 50);
        try (NaaClient client =
                builder(other, MoodyHandlers.ADDS)
                        .region(RegionSpec.inputOutput(all).at(4096))
                        .region(RegionSpec.input(part).at(4096 + 16))
                        .open()) {
            assertThat(client.invoke().isSuccess()).isTrue();
        }
        for (int i = 0; i < 64; i++) {
            assertThat(all.get(ValueLayout.JAVA_BYTE, i))
                    .as("byte %d", i)
                    .isEqualTo((byte) (i >= 16 && i < 24 ? 51 : 1));
        }
    }

    @Test
    void aRegionThatBeginsInTheMiddleOfAWordIsRefusedWithAReason() {
        NaaClientBuilder overlapping =
                builder(other, MoodyHandlers.ADDS)
                        .region(RegionSpec.input(arena.allocate(BYTES)).at(4096))
                        .region(RegionSpec.input(arena.allocate(BYTES)).at(4100));
        assertThatThrownBy(overlapping::open).isInstanceOf(NaaConnectException.class);
        Eventually.until(() -> !failures.isEmpty());
        assertThat(failures)
                .containsExactly(
                        "region 1 of the client begins 4 bytes behind one it shares memory with; valid for a handler of the DPA: multiples of 8");
    }

    @Test
    void handlersSeeTheAddressesThatWereAskedFor() {
        MemorySegment answer = arena.allocate(16);
        try (NaaClient client =
                builder(other, MoodyHandlers.TELLS_ADDRESSES)
                        .region(RegionSpec.output(answer).at(0x12_3456_7000L))
                        .region(RegionSpec.input(arena.allocate(8)).at(0x77_0000))
                        .open()) {
            assertThat(client.invoke().isSuccess()).isTrue();
        }
        assertThat(answer.toArray(ValueLayout.JAVA_LONG))
                .containsExactly(0x12_3456_7000L, 0x77_0000);
    }
}
