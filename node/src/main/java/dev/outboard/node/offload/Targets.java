package dev.outboard.node.offload;

import dev.outboard.ccip.afu.example.EdgeDetector;
import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.ccip.rtl.RtlDesign;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.Device;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.node.routine.EdgeDetection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The routines of a node that run elsewhere than on its processors, and what computes them.
public final class Targets implements AutoCloseable {
    private static final String EDGES = "edges";
    private static final int MOST_THREADS = 128;

    private final List<OffloadedRoutine> opened = new ArrayList<>();
    private final Consumer<String> says;
    private RoutineSet routines;

    private Targets(RoutineSet routines, Consumer<String> says) {
        this.routines = routines;
        this.says = says;
    }

    /// Has routines run where they are wanted.
    ///
    /// @param device of the node
    /// @param wanted by the names of routines
    /// @param says takes a line about what computes one, where there is more than one choice
    /// @throws IllegalArgumentException if there is no such routine, or it is not for that target
    public static Targets open(
            RoutineSet routines, Device device, Map<String, Target> wanted, Consumer<String> says) {
        Targets made = new Targets(routines, says);
        try {
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

    private void move(String name, Target target, Device device) {
        RoutineSpec spec =
                routines.routines().stream()
                        .filter(one -> one.name().equals(name))
                        .findAny()
                        .orElseThrow(() ->
                                new IllegalArgumentException(
                                        "routine '%s'; valid: %s".formatted(name, names())));
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
                        ? AfuRoutine.of(edgeDetector(target, RtlBuild::onThisMachine, says))
                        : DpaRoutine.of(device, EdgeKernelsStub.APP, Targets::edges);
        opened.add(routine);
        routines = routines.replacing(spec.runBy(routine));
    }

    /// The edge detector: in SystemVerilog, on a machine that can compile it, else in Java.
    ///
    /// @param target that it is for
    /// @param build of this machine; it may have none
    /// @param says is told which of them it is, and why
    public static AfuFunction edgeDetector(
            Target target, Supplier<RtlBuild> build, Consumer<String> says) {
        String about = "edges on target %s: ".formatted(target.word());
        try {
            RtlBuild telling = build.get().reporting(step -> says.accept(about + step));
            RtlDesign design = telling.resources(EdgeDetector.class, EdgeDetector.SYSTEM_VERILOG);
            AfuFunction function = AfuFunction.of(telling.compile(design));
            says.accept(about + "a function in SystemVerilog");
            return function;
        } catch (RtlException e) {
            String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            says.accept(about + "the function in Java (" + why + ")");
            return AfuFunction.of(EdgeDetector.AFU_ID, EdgeDetector::new);
        }
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
