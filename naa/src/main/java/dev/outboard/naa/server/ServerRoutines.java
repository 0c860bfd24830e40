package dev.outboard.naa.server;

import dev.outboard.naa.protocol.ServerCounters;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// What the connections of a server share to run routines. Any thread may call.
final class ServerRoutines {
    /// What is offered until something else is.
    private record Offer(Map<Integer, ServedRoutine> byCode, RoutineUsers users) {}

    /// The latest routine of each name that was ever offered.
    private final Map<String, ServedRoutine> byName = new ConcurrentHashMap<>();

    private volatile Offer offer;
    private final RoutineWorkers workers;
    private final ServerCounters counters;
    private volatile boolean draining;

    ServerRoutines(RoutineSet routines, ServerOptions options, ServerCounters counters) {
        this.offer = offerOf(routines);
        this.workers =
                new RoutineWorkers(
                        options.workers(), options.share().workers(), options.maxQueuedRpcs());
        this.counters = counters;
    }

    private Offer offerOf(RoutineSet routines) {
        RoutineUsers users = new RoutineUsers();
        Map<Integer, ServedRoutine> byCode = new HashMap<>();
        for (RoutineSpec spec : routines.routines()) {
            ServedRoutine served =
                    byName.compute(
                            spec.name(),
                            (_, before) ->
                                    before == null
                                            ? ServedRoutine.of(spec, users)
                                            : before.followedBy(spec, users));
            byCode.put(spec.functionCode(), served);
        }
        return new Offer(byCode, users);
    }

    /// Offers others from now on. One thread at a time may call.
    ///
    /// @param whenUnused runs when no call uses the routines before any more
    void offer(RoutineSet routines, Runnable whenUnused) {
        Offer before = offer;
        offer = offerOf(routines);
        before.users().retire(whenUnused);
    }

    /// The routine with this function code. Whoever gets it has entered it, and leaves it.
    ///
    /// NAA-KERN-1: as it came with the RPC.
    Optional<ServedRoutine> find(int functionCode) {
        while (true) {
            Optional<ServedRoutine> found = Optional.ofNullable(offer.byCode().get(functionCode));
            // It may have gone between the two: then others are offered.
            if (found.isEmpty() || found.get().enter()) {
                return found;
            }
        }
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
        byName.values().forEach(served -> served.addTo(sums));
        sums.put("workers.queued", (long) workers.queued());
        sums.put("workers.stuck", (long) workers.stuck());
    }
}
