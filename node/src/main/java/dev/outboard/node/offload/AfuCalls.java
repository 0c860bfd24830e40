package dev.outboard.node.offload;

import dev.outboard.dpa.trace.Trace;

/// The calls of the function behind a port in a trace: a slice for each, with its cycles. One
/// thread at a time uses it.
public final class AfuCalls {
    private final Trace trace;
    private final AfuPort port;
    private long sinceNanos;
    private long sinceCycle;

    /// Those from now on.
    public AfuCalls(Trace trace, AfuPort port) {
        this.trace = trace;
        this.port = port;
    }

    /// A call begins.
    public void begin() {
        sinceNanos = trace.now();
        sinceCycle = port.cycles();
    }

    /// It has ended.
    ///
    /// @param function what it is of, and is shown on
    /// @param flow as of [Trace#slice]
    public void end(String function, boolean hasFailed, long flow) {
        trace.slice(
                "FPGA",
                function,
                "%s: %d cycles"
                        .formatted(
                                hasFailed ? "call that failed" : "call",
                                port.cycles() - sinceCycle),
                sinceNanos,
                trace.now(),
                flow);
    }
}
