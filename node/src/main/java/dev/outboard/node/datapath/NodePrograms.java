package dev.outboard.node.datapath;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.node.offload.CKernels;
import dev.outboard.node.offload.KernelLanguage;

/// The handlers of a node, which compute its own routines, or forward calls to the function of an
/// FPGA.
record NodePrograms(HandlerProgram computing, HandlerProgram forwarding) {
    private static final NodePrograms IN_JAVA = of(NodeHandlersStub.APP);

    /// @throws IllegalArgumentException if this machine cannot compile those in C
    static NodePrograms in(KernelLanguage language) {
        return language == KernelLanguage.JAVA
                ? IN_JAVA
                : of(CKernels.compile("handlers", new NaaCalls(), "edge_rows.h", "naa_dev.h"));
    }

    /// The app in C has the name and the functions of the one in Java, and takes its calls.
    private static NodePrograms of(DpaApp<DpaThread> app) {
        return new NodePrograms(
                new HandlerProgram(app, NodeHandlersStub.compute, NodeHandlersStub::send),
                new HandlerProgram(app, NodeHandlersStub.forward, NodeHandlersStub::send));
    }
}
