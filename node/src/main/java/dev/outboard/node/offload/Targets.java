package dev.outboard.node.offload;

import dev.outboard.ccip.afu.example.EdgeDetector;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.Device;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.node.routine.EdgeDetection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The routines of a node that run elsewhere than on its processors, and what computes them.
public final class Targets implements AutoCloseable {
    private static final String EDGES = "edges";
    private static final int MOST_THREADS = 128;

    private final List<OffloadedRoutine> opened = new ArrayList<>();
    private RoutineSet routines;

    private Targets(RoutineSet routines) {
        this.routines = routines;
    }

    /// Has routines run where they are wanted.
    ///
    /// @param device of the node
    /// @param wanted by the names of routines
    /// @throws IllegalArgumentException if there is no such routine, or it is not for that target
    public static Targets open(RoutineSet routines, Device device, Map<String, Target> wanted) {
        Targets made = new Targets(routines);
        try {
            made.openOffloads(device);
            wanted.forEach((name, target) -> made.move(name, target, device));
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    /// All routines.
    public RoutineSet routines() {
        return routines;
    }

    /// Opens what computes the routines that say so themselves.
    private void openOffloads(Device device) {
        Map<Offload, OffloadedRoutine> byOffload = new HashMap<>();
        for (RoutineSpec spec : routines.routines()) {
            if (spec.routine() instanceof Offload offload) {
                OffloadedRoutine routine =
                        byOffload.computeIfAbsent(
                                offload,
                                _ -> {
                                    opened.add(offload.open(device));
                                    return opened.getLast();
                                });
                routines = routines.replacing(spec.runBy(routine));
            }
        }
    }

    private void move(String name, Target target, Device device) {
        RoutineSpec spec =
                routines.routines().stream()
                        .filter(one -> one.name().equals(name))
                        .findAny()
                        .orElseThrow(() ->
                                new IllegalArgumentException(
                                        "routine '%s'; valid: %s".formatted(name, names())));
        if (spec.routine() instanceof OffloadedRoutine) {
            throw new IllegalArgumentException(
                    "routine '%s' brings what it runs on, and is not for target '%s'"
                            .formatted(name, target.word()));
        }
        if (target == Target.CPU) {
            return;
        }
        if (!name.equals(EDGES)) {
            throw new IllegalArgumentException(
                    "routine '%s' runs on the cpu only, not on target '%s'"
                            .formatted(name, target.word()));
        }
        OffloadedRoutine routine =
                target == Target.AFU
                        ? AfuRoutine.of(EdgeDetector::new, EdgeDetector.AFU_ID)
                        : DpaRoutine.of(device, EdgeKernelsStub.APP, Targets::edges);
        opened.add(routine);
        routines = routines.replacing(spec.runBy(routine));
    }

    private List<String> names() {
        return routines.routines().stream().map(RoutineSpec::name).toList();
    }

    private static DpaRoutine.Launch edges(RpcContext rpc, DpaRoutine.Job job)
            throws RoutineException {
        EdgeDetection.Image image = EdgeDetection.imageOf(rpc);
        int threads = Math.min(MOST_THREADS, image.height());
        long rows = EdgeRows.bytes(image.width()) * EdgeKernels.ROWS_OF_A_THREAD;
        DpaAddr words =
                job.words(
                        job.key(1),
                        job.address(1),
                        job.key(2),
                        job.address(2),
                        image.width(),
                        image.height(),
                        image.channels(),
                        job.block(rows * threads).value());
        return new DpaRoutine.Launch(EdgeKernelsStub.detect(words), threads);
    }

    /// Gives up what computes them. No RPC runs any more.
    @Override
    public void close() {
        opened.reversed().forEach(OffloadedRoutine::close);
    }
}
