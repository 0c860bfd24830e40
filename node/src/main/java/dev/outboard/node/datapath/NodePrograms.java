package dev.outboard.node.datapath;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
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

    private static NodePrograms of(DpaApp<DpaThread> app) {
        DpaFunction<DpaThread> send = app.function(NodeHandlersStub.send.name());
        HandlerProgram.HostSend sends =
                (client, length, ready) ->
                        new DpaCall<>(
                                send, NodeHandlersStub.send(client, length, ready).arguments());
        return new NodePrograms(
                new HandlerProgram(app, app.function(NodeHandlersStub.compute.name()), sends),
                new HandlerProgram(app, app.function(NodeHandlersStub.forward.name()), sends));
    }
}
