package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.node.routine.RoutineCatalog;
import org.junit.jupiter.api.Test;

class RoutinesCommandTest {
    @Test
    void listsEveryRoutineWithItsRegions() {
        Execution run = Execution.ofOutboard("naa", "routines");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines())
                .contains(
                        "CODE  ROUTINE     WHAT IT DOES AND ITS REGIONS",
                        "   1  increment   adds 1 to every byte",
                        "                    inout any number of regions",
                        "  10  vector-add  c = a + b",
                        "                    in    a: float32[n]",
                        "                    out   c: float32[n]");
        RoutineCatalog.ROUTINES
                .routines()
                .forEach(info -> assertThat(run.out()).contains(" " + info.name() + " "));
    }
}
