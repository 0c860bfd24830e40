package dev.outboard.naa.server;

import dev.outboard.naa.protocol.ServerCounters;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// What the connections of a server share to run routines. Any thread may call.
final class ServerRoutines {
    private final Map<Integer, ServedRoutine> byCode;
    private final RoutineWorkers workers;
    private final ServerCounters counters;
    private volatile boolean draining;

    ServerRoutines(RoutineSet routines, ServerOptions options, ServerCounters counters) {
        this.byCode =
                routines.routines().stream()
                        .map(ServedRoutine::new)
                        .collect(
                                Collectors.toMap(
                                        served -> served.spec().functionCode(),
                                        Function.identity()));
        this.workers =
                new RoutineWorkers(
                        options.workers(), options.share().workers(), options.maxQueuedRpcs());
        this.counters = counters;
    }

    /// The routine with this function code.
    ///
    /// NAA-KERN-1: as it came with the RPC.
    Optional<ServedRoutine> find(int functionCode) {
        return Optional.ofNullable(byCode.get(functionCode));
    }

    RoutineWorkers workers() {
        return workers;
    }

    ServerCounters counters() {
        return counters;
    }

    /// From now on no routine begins.
    void drain() {
        draining = true;
    }

    boolean isDraining() {
        return draining;
    }

    /// Adds what was counted, and what is going on, by name.
    void addTo(Map<String, Long> sums) {
        counters.addTo(sums);
        byCode.values().forEach(served -> served.addTo(sums));
        sums.put("workers.queued", (long) workers.queued());
        sums.put("workers.stuck", (long) workers.stuck());
    }
}
