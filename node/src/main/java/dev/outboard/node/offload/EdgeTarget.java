package dev.outboard.node.offload;

import dev.outboard.ccip.afu.example.EdgeDetector;
import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.ccip.rtl.RtlDesign;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.rv.Ecalls;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.fabric.Device;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.node.routine.EdgeDetection;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Edge detection elsewhere than on a processor.
public final class EdgeTarget {
    private static final int MOST_THREADS = 128;

    private EdgeTarget() {}

    /// Opens what an RPC hands it to.
    ///
    /// @throws IllegalArgumentException if this machine cannot compile kernels in C that are wanted
    static OffloadedRoutine open(
            Target target, KernelLanguage kernels, Device device, Consumer<String> says) {
        if (target == Target.AFU) {
            return AfuRoutine.of(function(target, RtlBuild::onThisMachine, says));
        }
        DpaApp<DpaThread> app =
                kernels == KernelLanguage.C
                        ? CKernels.compile("edges", Ecalls.NONE, "edge_rows.h")
                        : EdgeKernelsStub.APP;
        return DpaRoutine.of(device, app, EdgeTarget::launch);
    }

    /// The function of an FPGA: in SystemVerilog, on a machine that can compile it, else in Java.
    ///
    /// @param target that it is for
    /// @param build of this machine; it may have none
    /// @param says is told which of them it is, and why
    public static AfuFunction function(
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

    /// The app in C has the name and the functions of the one in Java, and takes its calls.
    private static DpaRoutine.Launch launch(RpcContext rpc, DpaRoutine.Job job)
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
}
