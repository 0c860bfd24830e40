package dev.outboard.node.datapath;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;

/// A program of the DPA whose handler serves clients.
///
/// ```java
/// @DpaProgram("sums")
/// final class Sums {
///     @DpaGlobal
///     static void serve(DpaThread thread, long client) { … }
///
///     @DpaRpc
///     static long send(DpaThread thread, DpaAddr client, int length, int ready) {
///         return NaaDev.sendForHost(thread, client, length, ready);
///     }
/// }
///
/// new HandlerProgram(SumsStub.APP, SumsStub.serve, SumsStub::send)
/// ```
///
/// @param handler is activated when a client has called, see [NaaDev]
/// @param send how the host has the handler's queue pair send
public record HandlerProgram(DpaApp<DpaThread> app, DpaFunction<DpaThread> handler, HostSend send) {
    /// The call of the function of the program that hands over to [NaaDev#sendForHost].
    public interface HostSend {
        /// Makes it.
        DpaCall<DpaThread> call(DpaAddr client, int length, int ready);
    }
}
