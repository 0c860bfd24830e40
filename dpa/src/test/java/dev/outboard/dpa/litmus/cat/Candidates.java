package dev.outboard.dpa.litmus.cat;

import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Observation;
import dev.outboard.dpa.litmus.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Makes up all executions of the events of one way through a program, stage by stage, and gives up
/// each as soon as a check fails.
final class Candidates {
    private final LitmusProgram program;
    private final boolean coherent;
    private final Events events;
    private final Execution execution;
    private final CatModel model;
    private final Set<Outcome> outcomes;
    private final boolean observesMemory;
    private final boolean observesView;

    private final List<Integer> reads = new ArrayList<>();
    private final Reads.Choice[] chosen;
    private final Map<String, List<Integer>> orders = new HashMap<>();
    private long never;

    /// @param coherent whether the NIC sees all at once
    /// @param outcomes gets those that are found
    Candidates(
            LitmusProgram program,
            boolean coherent,
            Events events,
            Execution execution,
            CatModel model,
            Set<Outcome> outcomes) {
        this.program = program;
        this.coherent = coherent;
        this.events = events;
        this.execution = execution;
        this.model = model;
        this.outcomes = outcomes;
        observesView =
                program.observed().stream().anyMatch(o -> o instanceof Observation.OfNicView);
        observesMemory =
                observesView
                        || events.initial.containsKey(Events.ARRIVALS)
                        || program.observed().stream()
                                .anyMatch(o -> o instanceof Observation.OfMemory);
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).is("R")) {
                reads.add(i);
            }
        }
        chosen = new Reads.Choice[events.size()];
    }

    void tryAll() {
        events.describe(execution);
        if (!model.allows(execution, Stage.PROGRAM)) {
            return;
        }
        List<Integer> optional = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).isStore() && events.get(i).is("X")) {
                optional.add(i);
            }
        }
        for (int choice = 0; choice < 1 << optional.size(); choice++) {
            never = 0;
            for (int i = 0; i < optional.size(); i++) {
                never |= (choice >> i & 1) != 0 ? 1L << optional.get(i) : 0;
            }
            execution.put("NEVER", Relation.identity(events.size(), never));
            if (model.allows(execution, Stage.DRAINED)) {
                read(0);
            }
        }
    }

    private void read(int index) {
        if (index < reads.size()) {
            int read = reads.get(index);
            for (Reads.Choice choice : Reads.choices(events, read, never)) {
                if (choice.copies().isEmpty() || isFetch(choice.copies().getFirst())) {
                    chosen[read] = choice;
                    read(index + 1);
                }
            }
            return;
        }
        int[] sources = new int[events.size()];
        reads.forEach(read -> sources[read] = chosen[read].source());
        Values values = new Values(events, sources);
        if (!values.fit() || (!observesMemory && outcomes.contains(outcome(values)))) {
            return;
        }
        takeValues(values);
    }

    /// Makes known where all reads have their values from.
    private void takeValues(Values values) {
        Relation from = Relation.of(events.size());
        Relation pending = Relation.of(events.size());
        Relation held = Relation.of(events.size());
        List<Integer> replacing = new ArrayList<>();
        for (int read : reads) {
            from.add(chosen[read].source(), read);
            if (chosen[read].pending()) {
                pending.add(chosen[read].source(), read);
            }
            List<Integer> copies = new ArrayList<>(chosen[read].copies());
            copies.add(read);
            for (int i = 1; i < copies.size(); i++) {
                held.add(copies.get(i - 1), copies.get(i));
                if (copies.get(i) != read && !replacing.contains(copies.get(i))) {
                    replacing.add(copies.get(i));
                }
            }
        }
        execution.put("rf", from);
        execution.put("fwd", pending);
        execution.put("held", held);
        cache(new ArrayList<>(), replacing, values);
    }

    private boolean isFetch(int load) {
        return !chosen[load].pending() && chosen[load].copies().isEmpty();
    }

    /// Puts the stores that replaced copies between the loads and fences of their threads.
    private void cache(List<List<Integer>> threads, List<Integer> replacing, Values values) {
        int thread = threads.size();
        if (thread < events.byActor.size()) {
            List<Integer> order = new ArrayList<>();
            for (int event : events.byActor.get(thread)) {
                Step.Event step = events.get(event);
                if (step.is("T") && (step.isWindowLoad() || step.place().isEmpty())) {
                    order.add(event);
                }
            }
            List<Integer> own =
                    replacing.stream().filter(write -> events.actors.get(write) == thread).toList();
            for (List<Integer> one : insertions(order, own)) {
                List<List<Integer>> longer = new ArrayList<>(threads);
                longer.add(one);
                cache(longer, replacing, values);
            }
            return;
        }
        Relation order = Relation.of(events.size());
        for (List<Integer> one : threads) {
            for (int i = 0; i < one.size(); i++) {
                for (int j = i + 1; j < one.size(); j++) {
                    order.add(one.get(i), one.get(j));
                }
            }
        }
        execution.put("cao", order);
        if (model.allows(execution, Stage.READS)) {
            orders.clear();
            orderWrites(new ArrayList<>(events.writes.keySet()), values);
        }
    }

    private static List<List<Integer>> insertions(List<Integer> order, List<Integer> more) {
        if (more.isEmpty()) {
            return List.of(order);
        }
        List<List<Integer>> result = new ArrayList<>();
        for (List<Integer> rest : insertions(order, more.subList(1, more.size()))) {
            for (int at = 0; at <= rest.size(); at++) {
                List<Integer> longer = new ArrayList<>(rest);
                longer.add(at, more.getFirst());
                result.add(longer);
            }
        }
        return result;
    }

    private void orderWrites(List<String> places, Values values) {
        if (!places.isEmpty()) {
            String place = places.getFirst();
            List<Integer> writes = new ArrayList<>(events.writes.get(place));
            writes.removeIf(write -> (never >> write & 1) != 0);
            for (List<Integer> order : insertions(List.of(), writes)) {
                List<Integer> all = new ArrayList<>(List.of(events.initial(place)));
                all.addAll(order);
                orders.put(place, all);
                orderWrites(places.subList(1, places.size()), values);
            }
            return;
        }
        if (!observesView && outcomes.contains(outcome(values))) {
            return;
        }
        Relation coherence = Relation.of(events.size());
        for (List<Integer> order : orders.values()) {
            for (int i = 0; i < order.size(); i++) {
                for (int j = i + 1; j < order.size(); j++) {
                    coherence.add(order.get(i), order.get(j));
                }
            }
        }
        execution.put("co", coherence);
        if (model.allows(execution, Stage.COHERENCE)) {
            show(values);
        }
    }

    /// All at first: what is allowed is found sooner then.
    private void show(Values values) {
        List<Integer> writes = coherent ? List.of() : List.copyOf(events.views.keySet());
        for (int choice = (1 << writes.size()) - 1; choice >= 0; choice--) {
            Relation view = Relation.of(events.size());
            long shown = coherent ? -1L : 0;
            for (int i = 0; i < writes.size(); i++) {
                if ((choice >> i & 1) != 0) {
                    view.add(writes.get(i), events.view(writes.get(i)));
                    shown |= 1L << writes.get(i);
                }
            }
            execution.put("vis", view);
            if (model.allows(execution, Stage.VIEW)) {
                outcomes.add(outcome(values, shown));
                if (!observesView) {
                    return;
                }
            }
        }
    }

    private Outcome outcome(Values values) {
        return outcome(values, 0);
    }

    private Outcome outcome(Values values, long shown) {
        Map<String, String> told = new TreeMap<>();
        for (Observation observation : program.observed()) {
            told.put(observation.name(), value(observation, values, shown));
        }
        return new Outcome(told, false);
    }

    private String value(Observation observation, Values values, long shown) {
        return switch (observation) {
            case Observation.OfRegister o -> {
                int actor = 0;
                while (!program.actors().get(actor).name().equals(o.actor())) {
                    actor++;
                }
                Integer arrivals = values.arrivals.get(actor).get(o.register());
                yield arrivals == null
                        ? number(values.registers.get(actor).getOrDefault(o.register(), 0L))
                        : arrived(arrivals);
            }
            case Observation.OfMemory o ->
                    number(values.written(last((o.external() ? "X." : "M.") + o.variable(), -1L)));
            case Observation.OfNicView o ->
                    number(values.written(last("M." + o.variable(), shown)));
        };
    }

    /// The last write of a place that the NIC made itself, or that is one of those.
    private int last(String place, long shown) {
        List<Integer> order = orders.get(place);
        if (order == null) {
            return events.initial(place);
        }
        int last = order.getFirst();
        for (int write : order) {
            last = !events.get(write).is("T") || (shown >> write & 1) != 0 ? write : last;
        }
        return last;
    }

    private String arrived(int read) {
        List<String> names = new ArrayList<>();
        for (int write : orders.getOrDefault(Events.ARRIVALS, List.of())) {
            events.get(write).doorbell().ifPresent(names::add);
            if (write == chosen[read].source()) {
                break;
            }
        }
        return String.join(",", names);
    }

    private static String number(long value) {
        return Long.toUnsignedString(value);
    }
}
