package dev.outboard.dpa.litmus.cat;

import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// The events of one way through a program: the initial writes first, then those of the actors in
/// program order, then those of the NIC's view. An event is known by its number.
final class Events {
    /// The place that all doorbells write to, for the one who reads the order of arrival.
    static final String ARRIVALS = "arrivals";

    private static final int NOBODY = -1;

    /// The steps of each actor.
    final List<List<Step>> ways;

    /// What each event is.
    final List<Step.Event> all = new ArrayList<>();

    /// The actor of each event.
    final List<Integer> actors = new ArrayList<>();

    /// The events of each actor's steps, in their order.
    final List<List<Integer>> byActor = new ArrayList<>();

    /// The initial write of each place.
    final Map<String, Integer> initial = new LinkedHashMap<>();

    /// The writes of each place but the initial one.
    final Map<String, List<Integer>> writes = new LinkedHashMap<>();

    /// For each store to DPA memory the event that shows it to the NIC.
    final Map<Integer, Integer> views = new LinkedHashMap<>();

    Events(LitmusProgram program, List<List<Step>> ways) {
        this.ways = ways;
        for (Variable variable : program.variables()) {
            initial(place(variable), variable.inDpaMemory() ? "M" : "X", Optional.of(variable));
        }
        if (ways.stream()
                .flatMap(List::stream)
                .anyMatch(step -> step instanceof Step.Event e && e.place().equals(ARRIVALS))) {
            initial(ARRIVALS, "O", Optional.empty());
        }
        for (int actor = 0; actor < ways.size(); actor++) {
            List<Integer> own = new ArrayList<>();
            for (Step step : ways.get(actor)) {
                if (step instanceof Step.Event event) {
                    own.add(add(event, actor));
                }
            }
            byActor.add(own);
        }
        for (int event = 0; event < byActor.stream().mapToInt(List::size).sum(); event++) {
            order(initial.size() + event);
        }
    }

    static String place(Variable variable) {
        return (variable.inDpaMemory() ? "M." : "X.") + variable.name();
    }

    private void initial(String place, String space, Optional<Variable> variable) {
        Step.Event write = Step.Event.in(Set.of("I", "W", space), place).withVariable(variable);
        initial.put(place, add(write, NOBODY));
        writes.put(place, new ArrayList<>());
    }

    private int add(Step.Event event, int actor) {
        all.add(event);
        actors.add(actor);
        return all.size() - 1;
    }

    /// Enters a write into the order of its place, and gives it its event of the NIC's view.
    private void order(int event) {
        Step.Event step = all.get(event);
        if (!step.is("W")) {
            return;
        }
        String place = step.is("O") ? ARRIVALS : step.place();
        if (writes.containsKey(place)) {
            writes.get(place).add(event);
        }
        if (step.is("T") && step.is("M")) {
            views.put(event, add(Step.Event.in(Set.of("V"), ""), NOBODY));
        }
    }

    int size() {
        return all.size();
    }

    /// The initial write of a place.
    int initial(String place) {
        return Objects.requireNonNull(initial.get(place), place);
    }

    /// The event that shows a store to the NIC.
    int view(int store) {
        return Objects.requireNonNull(views.get(store));
    }

    Step.Event get(int event) {
        return all.get(event);
    }

    boolean inProgramOrder(int first, int second) {
        return first < second
                && actors.get(first) != NOBODY
                && actors.get(first).equals(actors.get(second));
    }

    /// Whether they are of one place.
    boolean samePlace(int first, int second) {
        String place = get(first).place();
        return !place.isEmpty() && place.equals(get(second).place());
    }

    /// Whether a fetch of the first may capture the second too (DPA-OPM-9).
    boolean sameLine(int first, int second) {
        Optional<Variable> one = get(first).variable();
        Optional<Variable> other = get(second).variable();
        return one.isPresent()
                && other.isPresent()
                && !one.get().inDpaMemory()
                && !other.get().inDpaMemory()
                && one.get().line() == other.get().line();
    }

    /// Tells an execution what is so in all executions of these events.
    void describe(Execution execution) {
        execution.clear(size());
        Relation programOrder = Relation.of(size());
        Relation places = Relation.of(size());
        for (int i = 0; i < size(); i++) {
            for (String set : get(i).sets()) {
                execution.add(set, i);
            }
            for (int j = 0; j < size(); j++) {
                int group = get(i).group();
                if (inProgramOrder(i, j) && (group == 0 || group != get(j).group())) {
                    programOrder.add(i, j);
                }
                if (i != j && samePlace(i, j)) {
                    places.add(i, j);
                }
            }
        }
        execution.put("po", programOrder);
        execution.put("loc", places);
        execution.put("rings", rings());
    }

    private Relation rings() {
        Relation rings = Relation.of(size());
        Map<String, Integer> rung = new HashMap<>();
        for (int i = 0; i < size(); i++) {
            Step.Event step = get(i);
            if (step.doorbell().isPresent()
                    && step.is("O")
                    && rung.put(step.doorbell().get(), i) != null) {
                throw new UnsupportedOperationException(
                        "Doorbell %s rings twice: outside of the fragment of dpa.cat"
                                .formatted(step.doorbell().get()));
            }
        }
        for (int i = 0; i < size(); i++) {
            Step.Event step = get(i);
            if (step.doorbell().isPresent() && !step.is("O")) {
                Integer from = rung.get(step.doorbell().get());
                if (from == null) {
                    // Nobody rings: the wait never ends, and no execution passes.
                    rings.add(i, i);
                } else {
                    rings.add(from, i);
                }
            }
        }
        return rings;
    }
}
