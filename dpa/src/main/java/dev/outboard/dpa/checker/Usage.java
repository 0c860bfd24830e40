package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.Observer.Counter;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// DPA-CHK-16, DPA-CHK-17: how counters are used and, on request, barriers.
final class Usage {
    /// How often a barrier that never had anything to do is taken for one that never has.
    static final int OFTEN = 2;

    private final Scene scene;
    private final Map<Integer, Barrier> barriers = new HashMap<>();
    private final List<@Nullable Reading[]> readings = new ArrayList<>();

    private static final class Barrier {
        final ActorState by;
        final String operation;
        int times;
        boolean useful;

        Barrier(ActorState by, String operation) {
            this.by = by;
            this.operation = operation;
        }
    }

    private record Reading(int unit, int site) {}

    Usage(Scene scene) {
        this.scene = scene;
    }

    /// A counter was read.
    void counter(ActorState by, Counter counter, int unit, int site) {
        while (readings.size() <= by.number) {
            readings.add(new @Nullable Reading[Counter.values().length]);
        }
        @Nullable Reading[] mine = readings.get(by.number);
        Reading before = mine[counter.ordinal()];
        mine[counter.ordinal()] = new Reading(unit, site);
        if (before != null
                && before.unit() != unit
                && scene.findings.isNew(Rule.COUNTER_ACROSS_EU, by, before.site(), by, site)) {
            scene.findings.add(
                    new Finding(
                            Rule.COUNTER_ACROSS_EU,
                            Rule.COUNTER_ACROSS_EU.severity(),
                            scene.findings.spot(
                                    by, "reading on unit " + before.unit(), before.site()),
                            scene.findings.spot(by, "reading on unit " + unit, site),
                            "",
                            Optional.empty(),
                            Optional.empty()));
        }
    }

    /// An activation begins: what the one before has read is gone.
    void begin(ActorState by) {
        if (by.number < readings.size()) {
            Arrays.fill(readings.get(by.number), null);
        }
    }

    /// A barrier was executed.
    ///
    /// @param useful whether there was something to order or to push
    void barrier(ActorState by, String operation, boolean useful, int site) {
        Barrier barrier = barriers.computeIfAbsent(site, any -> new Barrier(by, operation));
        barrier.times++;
        barrier.useful |= useful;
    }

    /// Whether a fence has stores to order, or cached copies to drop.
    boolean isUseful(ActorState by, Space space, Op predecessors, Op successors) {
        boolean copies =
                AddressKind.covers(space, AddressKind.WINDOW)
                        && predecessors.reads()
                        && successors.reads()
                        && !by.copies.isEmpty();
        boolean stores = false;
        for (int kind = AddressKind.HEAP; kind <= AddressKind.OUTBOX; kind++) {
            stores |= AddressKind.covers(space, kind) && by.latest[kind] > 0;
        }
        return copies || (predecessors.writes() && stores);
    }

    /// DPA-CHK-17: those that never had anything to do.
    void redundant() {
        barriers.forEach((site, barrier) -> {
            if (!barrier.useful && barrier.times >= OFTEN) {
                Spot spot = scene.findings.spot(barrier.by, barrier.operation, site);
                scene.findings.add(
                        new Finding(
                                Rule.REDUNDANT,
                                Rule.REDUNDANT.severity(),
                                spot,
                                spot,
                                "",
                                Optional.empty(),
                                Optional.empty()));
            }
        });
    }
}
