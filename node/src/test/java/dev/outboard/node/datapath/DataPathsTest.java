package dev.outboard.node.datapath;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.node.offload.Offload;
import dev.outboard.node.offload.Placement;
import dev.outboard.node.offload.RoutinePlan;
import dev.outboard.node.offload.Target;
import dev.outboard.node.routine.RoutineCatalog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Routines that bring the program of their handler.
class DataPathsTest {
    private static final HandlerProgram PROGRAM =
            new HandlerProgram(
                    MoodyHandlersStub.APP, MoodyHandlersStub.serve, MoodyHandlersStub::send);
    private static final Offload KERNEL =
            _ -> {
                throw new AssertionError("opened, though a handler is wanted");
            };
    private static final RoutineSet ROUTINES =
            RoutineCatalog.ROUTINES.with(
                    RoutineSet.of(
                            RoutineSpec.of(64, "first", new HandledOffload(KERNEL, PROGRAM)),
                            RoutineSpec.of(65, "second", new HandledOffload(KERNEL, PROGRAM)),
                            RoutineSpec.of(66, "kernel", KERNEL)));

    private final Device card = Fabric.open("sim://data-paths/10.6.2.1");

    @AfterEach
    void close() {
        card.close();
    }

    @Test
    void routinesOfOneProgramAreTogetherOnTheDataPath() {
        try (DataPaths paths =
                open(Map.of("first", Target.DPA_HANDLER, "second", Target.DPA_HANDLER))
                        .orElseThrow()) {
            assertThat(paths.routines().routines())
                    .extracting(RoutineSpec::name)
                    .isEqualTo(List.of("first", "second"));
        }
    }

    @Test
    void routinesOfTwoProgramsAreNot() {
        assertThatThrownBy(() ->
                        open(Map.of("first", Target.DPA_HANDLER, "edges", Target.DPA_HANDLER)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(
                        "routines \\[(first, edges|edges, first)\\] are of 2 programs of the DPA; a node has one on its data path");
    }

    @Test
    void aRoutineWithoutAHandlerIsRefusedAndOneWithADoesNotDriveFunctions() {
        assertThatThrownBy(() -> open(Map.of("kernel", Target.DPA_HANDLER)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "routine 'kernel' does not run on target 'dpa-handler'; valid: none, it brings what it runs on");
        assertThatThrownBy(() -> open(Map.of("first", Target.CHAIN)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("routine 'first' does not run on target 'chain'; valid: dpa-handler");
    }

    private Optional<DataPaths> open(Map<String, Target> wanted) {
        Map<String, Placement> places =
                wanted.entrySet().stream()
                        .collect(toMap(Map.Entry::getKey, entry -> Placement.on(entry.getValue())));
        return DataPaths.open(
                new RoutinePlan(ROUTINES, places, Map.of()), card, Duration.ZERO, _ -> {});
    }
}
