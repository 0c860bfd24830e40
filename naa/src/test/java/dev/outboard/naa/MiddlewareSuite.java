package dev.outboard.naa;

import static java.lang.foreign.MemorySegment.ofArray;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outboard.naa.client.NaaParameter;
import dev.outboard.naa.client.NaaSession;
import dev.outboard.naa.client.NaaSpec;
import dev.outboard.naa.client.NaaStatus;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/// The sessions of the middleware, the same over every fabric.
abstract class MiddlewareSuite extends SessionSuite {
    private static final Duration LONG = Duration.ofSeconds(30);

    /// What the routine of [#serveRecorder] got: flags and size per region, then its first byte.
    private final BlockingQueue<String> recorded = new LinkedBlockingQueue<>();

    /// One NAA with the server's address, for `function` with `inputs` inputs.
    private NaaSpec spec(int function, int inputs) {
        return NaaSpec.parse(item(function, inputs));
    }

    String item(int function, int inputs) {
        return "%s:%d:%d:%d".formatted(server.host, server.server.port(), function, inputs);
    }

    private NaaSession create(
            NaaSpec spec, int function, List<NaaParameter> inputs, List<NaaParameter> outputs) {
        return NaaSession.create(spec, function, inputs, outputs, b -> b.device(clientDevice));
    }

    private static List<NaaParameter> parameters(MemorySegment... memories) {
        return Arrays.stream(memories).map(NaaParameter::of).toList();
    }

    private void serveRecorder() {
        serve(
                ServerOptions.builder(),
                rpc -> {
                    StringBuilder regions = new StringBuilder();
                    for (RoutineRegion region : rpc.parameters()) {
                        byte first = region.memory().get(JAVA_BYTE, 0);
                        regions.append("%d:%d:%d ".formatted(region.flags(), region.size(), first));
                    }
                    recorded.add(regions.toString().strip());
                    return ReturnCode.SUCCESS;
                });
    }

    @Test
    @Requirement({"NAA-MW-1", "NAA-MW-2", "NAA-MW-8", "NAA-MW-9"})
    void createsAReadySessionAndWaitsForItsRpcs() {
        serve(
                ServerOptions.builder(),
                rpc -> {
                    for (int i = 0; i < 3; i++) {
                        byte sum =
                                (byte)
                                        (rpc.parameter(0).memory().get(JAVA_BYTE, i)
                                                + rpc.parameter(1).memory().get(JAVA_BYTE, i));
                        rpc.parameter(2).memory().set(JAVA_BYTE, i, sum);
                    }
                    return ReturnCode.SUCCESS;
                });
        byte[] a = {1, 2, 3};
        byte[] b = {10, 20, 30};
        byte[] sum = new byte[3];
        try (NaaSession session =
                create(
                        spec(CUSTOM, 2),
                        CUSTOM,
                        parameters(ofArray(a), ofArray(b)),
                        parameters(ofArray(sum)))) {
            assertThat(session.test().state()).isEqualTo(NaaState.MRSP_DONE);
            assertThatIllegalStateException().isThrownBy(session::await);
            session.invoke();
            NaaStatus status = session.await();
            assertThat(status.isComplete()).isTrue();
            assertThat(status.isSuccess()).isTrue();
            assertThat(status.state()).isEqualTo(NaaState.FINISHED);
            assertThat(status.bytesReceived()).isEqualTo(3);
            assertThat(sum).containsExactly(11, 22, 33);
            a[0] = 5;
            session.invoke();
            assertThat(session.await().isSuccess()).isTrue();
            assertThat(sum).containsExactly(15, 22, 33);
        }
    }

    @Test
    @Requirement({"NAA-MW-3", "NAA-MW-4", "NAA-MW-12"})
    void ordersRegionsAndMergesOutputsThatAreInputs() throws Exception {
        serveRecorder();
        MemorySegment memory = server.memory(100, 0);
        List<NaaParameter> inputs =
                new ArrayList<>(
                        parameters(
                                memory.asSlice(10, 10),
                                memory.asSlice(40, 20),
                                memory.asSlice(60, 20)));
        List<NaaParameter> outputs =
                new ArrayList<>(
                        parameters(
                                memory.asSlice(0, 5),
                                memory.asSlice(60, 30),
                                memory.asSlice(20, 7),
                                memory.asSlice(40, 10)));
        try (NaaSession session = create(spec(CUSTOM, 3), CUSTOM, inputs, outputs)) {
            inputs.clear();
            outputs.clear();
            session.invoke();
            assertThat(session.await().isSuccess()).isTrue();
            // Single-send would be 2, input is 4, output 8.
            assertThat(recorded.take()).isEqualTo("4:10:10 12:20:40 12:30:60 8:5:0 8:7:0");
            assertThat(session.client().regions()).isUnmodifiable();
        }
    }

    @Test
    @Requirement("NAA-MW-4")
    void refusesAnyOtherOverlap() {
        serve(ServerOptions.builder());
        byte[] array = new byte[100];
        MemorySegment heap = ofArray(array);
        MemorySegment all = server.memory(100, 0);
        for (MemorySegment memory : List.of(heap, all)) {
            MemorySegment part = memory.asSlice(10, 10);
            refusesOverlap(parameters(memory), parameters(part));
            refusesOverlap(parameters(part), parameters(memory));
            refusesOverlap(parameters(memory, memory), List.of());
            refusesOverlap(parameters(memory), parameters(part, memory));
            refusesOverlap(List.of(), parameters(memory, memory));
        }
    }

    private void refusesOverlap(List<NaaParameter> inputs, List<NaaParameter> outputs) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(spec(1, inputs.size()), 1, inputs, outputs))
                .withMessageContaining("overlap");
    }

    @Test
    @Requirement("NAA-MW-5")
    void sendsASingleSendInputOnce() throws Exception {
        serveRecorder();
        MemorySegment once = server.memory(10, 1);
        MemorySegment always = server.memory(10, 1);
        try (NaaSession session =
                create(
                        spec(CUSTOM, 2),
                        CUSTOM,
                        List.of(NaaParameter.sentOnce(once), NaaParameter.of(always)),
                        List.of())) {
            for (int i = 0; i < 2; i++) {
                session.invoke();
                assertThat(session.await().isSuccess()).isTrue();
                once.fill((byte) 9);
                always.fill((byte) 9);
            }
            assertThat(recorded.take()).isEqualTo("6:10:1 4:10:1");
            assertThat(recorded.take()).isEqualTo("6:10:1 4:10:9");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        create(
                                spec(CUSTOM, 0),
                                CUSTOM,
                                List.of(),
                                List.of(NaaParameter.sentOnce(once))))
                .withMessageContaining("output 0");
    }

    @Test
    @Requirement({"NAA-MW-6", "NAA-MW-7", "NAA-MW-20"})
    void theCallerIsFreeWhileTheRpcProceeds() throws Exception {
        HeldRoutine held =
                new HeldRoutine(rpc -> {
                    rpc.parameter(0).memory().fill((byte) 7);
                    return ReturnCode.SUCCESS;
                });
        serve(ServerOptions.builder(), held);
        MemorySegment memory = server.memory(100_000, 0);
        try (NaaSession session =
                create(spec(CUSTOM, 1), CUSTOM, parameters(memory), parameters(memory))) {
            session.invoke();
            // Nobody polls: the inputs arrive and the routine runs.
            held.awaitCall();
            assertThat(session.test().isComplete()).isFalse();
            assertThat(session.await(Duration.ofMillis(1)).isComplete()).isFalse();
            assertThatIllegalStateException().isThrownBy(session::invoke);
            held.release();
            // The result arrives as well.
            Eventually.until(() -> memory.get(JAVA_BYTE, 99_999) == 7);
            assertThat(session.await(LONG).isSuccess()).isTrue();
            assertThat(session.test().isSuccess()).isTrue();
        }
    }

    @Test
    @Requirement({"NAA-MW-7", "NAA-MW-8", "NAA-MW-9"})
    void tellsErrorCodesAndFailuresInTheStatus() {
        serve(ServerOptions.builder().shutdownLimit(Duration.ofMillis(1)), _ -> 0x42);
        try (NaaSession session =
                create(spec(CUSTOM, 0), CUSTOM, List.of(), parameters(server.memory(9, 0)))) {
            session.invoke();
            NaaStatus status = session.await();
            assertThat(status.isComplete()).isTrue();
            assertThat(status.isSuccess()).isFalse();
            assertThat(status.state()).isEqualTo(NaaState.FINISHED);
            assertThat(status.returnCode()).isEqualTo(0x42);
            assertThat(status.failure()).isEmpty();
            session.invoke();
            session.await();
            server.server.close();
            Eventually.until(() -> fails(session));
            NaaStatus broken = session.test();
            assertThat(broken.isComplete()).isTrue();
            assertThat(broken.state()).isIn(NaaState.ERROR, NaaState.DISCONNECTED);
            assertThat(broken.failure()).isPresent();
            assertThatIllegalStateException().isThrownBy(session::invoke);
        }
    }

    private static boolean fails(NaaSession session) {
        session.invoke();
        return session.await().failure().isPresent();
    }

    @Test
    @Requirement({"NAA-MW-10", "NAA-MW-11", "NAA-MW-16"})
    void anEndedOrFailedSessionGivesItsNaaBack() {
        serve(ServerOptions.builder().maxRegions(2));
        NaaSpec spec = spec(1, 1);
        List<NaaParameter> inputs = parameters(server.memory(10, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(spec, 1, List.of(), inputs))
                .withMessageContaining("0 inputs for function 1")
                .withMessageContaining("it takes 1");
        assertThatExceptionOfType(MrspException.class)
                .isThrownBy(() ->
                        create(
                                spec,
                                1,
                                inputs,
                                parameters(server.memory(10, 0), server.memory(10, 0))));
        Eventually.until(() -> server.server.connections().isEmpty());
        NaaSession session = create(spec, 1, inputs, List.of());
        assertThatExceptionOfType(NaaConnectException.class)
                .isThrownBy(() -> create(spec, 1, inputs, List.of()))
                .withMessageContaining("in use: " + item(1, 1));
        session.close();
        Eventually.until(() -> server.server.connections().isEmpty());
        NaaSession next = create(spec, 1, inputs, List.of());
        session.close();
        assertThatExceptionOfType(NaaConnectException.class)
                .as("closing twice gives back once")
                .isThrownBy(() -> create(spec, 1, inputs, List.of()));
        next.close();
        assertThat(next.test().state()).isEqualTo(NaaState.DISCONNECTED);
        Eventually.until(() -> server.server.connections().isEmpty());
    }

    @Test
    @Requirement("NAA-MW-19")
    void anRpcOfAp1NamesItsOutput() {
        serve(ServerOptions.builder().dialect(Dialect.AP1_2023));
        byte[] first = new byte[10];
        byte[] second = new byte[20];
        try (NaaSession session =
                NaaSession.create(
                        spec(1, 2),
                        1,
                        parameters(ofArray(first), ofArray(second)),
                        List.of(),
                        b -> b.device(clientDevice).dialect(Dialect.AP1_2023))) {
            session.invoke(ofArray(second));
            assertThat(session.await().bytesReceived()).isEqualTo(20);
            assertThat(first).containsOnly(0);
            assertThat(second).containsOnly(1);
            session.invoke(ofArray(first));
            assertThat(session.await().bytesReceived()).isEqualTo(10);
            assertThat(first).containsOnly(1);
            assertThat(second).containsOnly(1);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> session.invoke(ofArray(new byte[10])));
        }
    }
}
