package dev.outboard.node.offload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.rtl.RtlDesign;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.Node;
import dev.outboard.node.NodeOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A function in SystemVerilog that a node compiles itself.
class RtlOffloadTest {
    private static final int CODE = 42;
    private static final int SAME_FUNCTION = 100;
    private static final int NOBODY = 43;
    private static final int MOODY = 7;
    private static final int ENDS_THE_SIMULATION = 6;

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private Arena arena;
    private Device ours;
    private Device theirs;

    @BeforeEach
    void open() {
        arena = Arena.ofShared();
        ours = RoceLoopback.open();
        theirs = RoceLoopback.open();
    }

    @AfterEach
    void close() {
        theirs.close();
        ours.close();
        arena.close();
    }

    private static Offload adds() {
        return new RtlOffload(Verilated.design("adds").withTop("adder"));
    }

    private Node node(Target target, RoutineSpec... specs) {
        RoutineSet routines = RoutineSet.of(specs);
        Map<String, Placement> places =
                routines.routines().stream()
                        .collect(Collectors.toMap(RoutineSpec::name, _ -> Placement.on(target)));
        return Node.start(
                ours,
                new NodeOptions(
                        0,
                        new RoutinePlan(
                                routines, places, Map.of(Target.AFU, new TargetLimit(1, 4))),
                        OptionalInt.empty(),
                        ServerOptions.builder().build()),
                new ServerLog(lines::add));
    }

    private NaaClientBuilder calling(Node node, int code) {
        return NaaClient.builder(ours.address().getHostAddress(), node.port())
                .device(theirs)
                .functionCode(code);
    }

    @ParameterizedTest
    @EnumSource(names = {"AFU", "CHAIN"})
    void clientsGetWhatTheFunctionHasWritten(Target target) throws Exception {
        Verilated.build();
        try (Node node =
                node(
                        target,
                        RoutineSpec.of(CODE, "adds", adds()),
                        RoutineSpec.of(SAME_FUNCTION, "same", adds()))) {
            MemorySegment bytes = arena.allocate(200);
            for (int code : new int[] {CODE, SAME_FUNCTION}) {
                bytes.fill((byte) 0xFE);
                try (NaaClient client =
                        calling(node, code).region(RegionSpec.inputOutput(bytes)).open()) {
                    assertThat(client.invoke().isSuccess()).isTrue();
                    assertThat(bytes.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0xFF);
                    assertThat(client.invoke().isSuccess()).isTrue();
                    assertThat(bytes.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
                }
            }
            try (NaaClient client =
                    calling(node, NOBODY).region(RegionSpec.inputOutput(bytes)).open()) {
                assertFails(client, ReturnCode.NOT_AVAILABLE);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"AFU", "CHAIN"})
    void regionsMayBeAsManyAsThereAreRegistersFor(Target target) throws Exception {
        Verilated.build();
        try (Node node = node(target, RoutineSpec.of(CODE, "adds", adds()))) {
            NaaClientBuilder most = calling(node, CODE);
            for (int i = 0; i < CallRegisters.MOST_REGIONS; i++) {
                most.region(some());
            }
            try (NaaClient client = most.open()) {
                assertThat(client.invoke().isSuccess()).isTrue();
            }
        }
    }

    private RegionSpec some() {
        return RegionSpec.inputOutput(arena.allocate(8));
    }

    @ParameterizedTest
    @EnumSource(names = {"AFU", "CHAIN"})
    void aFunctionThatEndsItsSimulationCostsItsCallerACode(Target target) throws Exception {
        Verilated.build();
        Offload moody = new RtlOffload(Verilated.design("moody"));
        try (Node node = node(target, RoutineSpec.of(MOODY, "moody", moody));
                NaaClient client = calling(node, MOODY).region(some()).open()) {
            for (int i = 0; i < 2; i++) {
                client.setUserImmediate((byte) ENDS_THE_SIMULATION, (byte) 0, (byte) 0);
                assertFails(client, TargetError.FAILED.code());
                client.setUserImmediate((byte) 0, (byte) 0, (byte) 0);
                assertThat(client.invoke().isSuccess()).isTrue();
            }
        }
    }

    private static void assertFails(NaaClient client, int code) {
        assertThatThrownBy(client::invoke)
                .isInstanceOfSatisfying(
                        RpcException.class,
                        failure -> assertThat(failure.returnCode()).isEqualTo(code));
    }

    @ParameterizedTest
    @EnumSource(names = {"AFU", "CHAIN"})
    void whatCannotBeCompiledIsToldWithItsLine(Target target, @TempDir Path directory)
            throws IOException {
        Verilated.build();
        Path json = Verilated.design("adds").json().orElseThrow();
        Path source =
                Files.writeString(
                        directory.resolve("wrong.sv"), "module ccip_std_afu;\n  nonsense\nend\n");
        Offload wrong = new RtlOffload(RtlDesign.of(json, source));

        assertThatThrownBy(() -> node(target, RoutineSpec.of(CODE, "wrong", wrong)))
                .isInstanceOfSatisfying(
                        RtlException.class,
                        failure ->
                                assertThat(failure.reason()).isEqualTo(RtlException.Reason.COMPILE))
                .hasMessageContaining(source + ":3:");
        assertThat(lines).contains("wrong.sv: Verilator reads ccip_std_afu");
    }

    @Test
    void itRunsWhereAFunctionIsAndHasNoSecondTarget() {
        RoutineSpec adds = RoutineSpec.of(CODE, "adds", adds());
        assertThatThrownBy(() -> node(Target.CPU, adds))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("routine 'adds' does not run on target 'cpu'; valid: afu, chain");
        RoutinePlan plan =
                new RoutinePlan(
                        RoutineSet.of(adds),
                        Map.of("adds", Placement.on(Target.AFU).orElse(Target.CPU)),
                        Map.of());
        assertThatThrownBy(() -> Targets.open(plan, ours, new ServerLog(lines::add)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "routine 'adds' does not run on second target 'cpu'; valid: none, it brings what it runs on");
    }

    @Test
    void twoFunctionsAreNotOnOneDataPath() {
        RoutineSpec adds = RoutineSpec.of(CODE, "adds", adds());
        RoutineSpec moody =
                RoutineSpec.of(MOODY, "moody", new RtlOffload(Verilated.design("moody")));
        assertThatThrownBy(() -> node(Target.CHAIN, adds, moody))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "routines [moody, adds] are 2 functions of FPGAs; a node has one on its data path");
    }
}
