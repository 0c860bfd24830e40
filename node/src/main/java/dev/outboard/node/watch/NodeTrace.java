package dev.outboard.node.watch;

import dev.outboard.dpa.trace.Trace;
import dev.outboard.dpa.trace.Tracer;
import dev.outboard.naa.server.NaaServerContext;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerObserver;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/// A trace of the RPCs of a node, step by step, for Perfetto: what waited, what computed and what
/// sent the answer. An RPC that is in the trace of its client too is joined with it. Any thread may
/// use it.
public final class NodeTrace implements ServerObserver {
    private final Trace trace =
            new Tracer("monotonic clock", System::nanoTime).start(Trace.MOST_EVENTS);
    private final String group = "node, process " + ProcessHandle.current().pid();

    /// Of data-path accelerators.
    private final List<Trace> others = new ArrayList<>();

    /// Begins one.
    public NodeTrace() {
        // Nothing has happened yet.
    }

    /// The trace of an accelerator belongs to it.
    public synchronized void add(Trace other) {
        others.add(other);
    }

    /// Routines that tell of each of their runs.
    public RoutineSet around(RoutineSet routines) {
        RoutineSet told = routines;
        for (RoutineSpec spec : routines.routines()) {
            told = told.replacing(spec.runBy(rpc -> run(spec, rpc)));
        }
        return told;
    }

    private int run(RoutineSpec spec, RpcContext rpc) throws Exception {
        long from = System.nanoTime();
        try {
            return spec.routine().run(rpc);
        } finally {
            trace.slice(group, "routines", spec.name(), from, System.nanoTime(), rpc.id());
        }
    }

    @Override
    public void answered(NaaServerContext connection, RpcContext rpc, int returnCode, long nanos) {
        long arrived = rpc.arrivedNanos();
        long computed = arrived + nanos;
        long now = System.nanoTime();
        String name = "function %d for %s".formatted(rpc.functionCode(), connection.peer());
        trace.slice(group, "RPCs", name, arrived, now, rpc.id());
        if (rpc.waitedNanos() > 0) {
            trace.slice(group, "steps", "wait", arrived, arrived + rpc.waitedNanos(), 0);
        }
        trace.slice(group, "steps", "compute", arrived + rpc.waitedNanos(), computed, rpc.id());
        trace.slice(group, "steps", "WRITEs of the answer", computed, now, rpc.id());
    }

    /// Ends it and writes it.
    public synchronized void write(OutputStream out) throws IOException {
        trace.writeAbsolute(out, 0);
        for (int i = 0; i < others.size(); i++) {
            others.get(i).writeAbsolute(out, i + 1);
        }
    }
}
