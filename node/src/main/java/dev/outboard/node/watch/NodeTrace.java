package dev.outboard.node.watch;

import dev.outboard.dpa.trace.Trace;
import dev.outboard.dpa.trace.Tracer;
import dev.outboard.fabric.Device;
import dev.outboard.naa.server.NaaServerContext;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerObserver;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A trace of the RPCs of a node, step by step, for Perfetto: what waited, what computed and what
/// sent the answer. An RPC that is in the trace of its client too is joined with it. Any thread may
/// use it.
public final class NodeTrace implements ServerObserver {
    /// How many accelerators it shows.
    static final int MOST_OTHERS = 16;

    private final Trace trace = Tracer.monotonic().start(Trace.MOST_EVENTS);
    private final String group = "node, process " + ProcessHandle.current().pid();

    /// Of data-path accelerators.
    private final List<Trace> others = new ArrayList<>();

    /// How many came when there were too many.
    private int lostOthers;

    private Optional<NicTrace> nic = Optional.empty();

    /// Begins one.
    public NodeTrace() {
        // Nothing has happened yet.
    }

    /// Where else there is something to show: times are those of [System#nanoTime].
    public Trace trace() {
        return trace;
    }

    /// The trace of an accelerator belongs to it. There is a limited number of them; one more is
    /// ended and counted.
    public synchronized void add(Trace other) {
        if (others.size() < MOST_OTHERS) {
            others.add(other);
        } else {
            other.close();
            lostOthers++;
        }
    }

    /// Shows the packets of the node's device from now on, until [#end].
    public synchronized void watch(Device device) {
        nic = Optional.of(new NicTrace(device));
    }

    /// Ends what [#watch] has begun.
    public synchronized void end() {
        nic.ifPresent(NicTrace::close);
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
    public synchronized void connected(NaaServerContext connection) {
        nic.ifPresent(packets ->
                packets.connected(connection.queuePairNumber(), connection.peerAddress()));
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
        end();
        if (lostOthers > 0) {
            long now = trace.now();
            String lost = "%d accelerators more than the trace shows".formatted(lostOthers);
            trace.slice(group, "lost", lost, now, now, 0);
        }
        List<Trace> all = new ArrayList<>(List.of(trace));
        nic.ifPresent(packets -> all.add(packets.trace()));
        all.addAll(others);
        Trace.writeAll(all, out);
    }
}
