package dev.outboard.node.watch;

import dev.outboard.naa.server.NaaServerContext;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerObserver;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/// An RPC that a node has answered, as the flight recorder of Java (JFR) keeps it. It costs nothing
/// unless a recording asks for it.
@Name("dev.outboard.Rpc")
@Label("RPC")
@Category("Outboard")
@Description("An RPC of a network-attached accelerator, from its arrival to its answer")
@StackTrace(false)
public final class RpcEvent extends Event {
    @Label("Client")
    String client = "";

    @Label("Function code")
    int function;

    @Label("Return code")
    int code;

    @Label("Waited")
    @Timespan(Timespan.NANOSECONDS)
    long waited;

    @Label("Computed")
    @Timespan(Timespan.NANOSECONDS)
    long computed;

    @Label("Answered")
    @Timespan(Timespan.NANOSECONDS)
    long answered;

    private RpcEvent() {}

    /// Has each RPC recorded, if a recording asks for them.
    public static ServerObserver recording() {
        return new ServerObserver() {
            @Override
            public void answered(
                    NaaServerContext connection, RpcContext rpc, int returnCode, long nanos) {
                RpcEvent event = new RpcEvent();
                if (event.shouldCommit()) {
                    event.client = connection.peer();
                    event.function = rpc.functionCode();
                    event.code = returnCode;
                    event.waited = Math.min(rpc.waitedNanos(), nanos);
                    event.computed = nanos - event.waited;
                    event.answered = System.nanoTime() - rpc.arrivedNanos() - nanos;
                    event.commit();
                }
            }
        };
    }
}
