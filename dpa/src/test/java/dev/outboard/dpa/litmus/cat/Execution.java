package dev.outboard.dpa.litmus.cat;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/// The sets and relations of one execution, which change as other executions are tried, and when
/// each stage of them changed.
final class Execution {
    private static final Set<String> SETS =
            Set.of(
                    "T", "N", "I", "R", "W", "M", "X", "O", "HEAP", "RL", "MWB", "WWB", "INV", "FH",
                    "FM", "FX", "FS", "PR", "PW", "SR", "SW", "V", "NEVER");

    private final Map<String, Relation> given = new HashMap<>();
    private final long[] changed = new long[Stage.values().length];
    private long clock;
    private int size;

    /// Begins with other events, and with empty sets.
    void clear(int events) {
        if (events > Long.SIZE) {
            throw new IllegalArgumentException(
                    "%d events: at most %d can be told apart".formatted(events, Long.SIZE));
        }
        size = events;
        given.clear();
        for (String set : SETS) {
            given.put(set, Relation.of(events));
        }
        for (Stage stage : Stage.values()) {
            change(stage);
        }
    }

    int size() {
        return size;
    }

    /// Puts an event into a set.
    void add(String set, int event) {
        given(set).add(event, event);
    }

    void put(String name, Relation relation) {
        given.put(name, relation);
        change(Stage.of(name));
    }

    Relation given(String name) {
        Relation relation = given.get(name);
        if (relation == null) {
            throw new IllegalArgumentException("Neither defined nor given: '%s'".formatted(name));
        }
        return relation;
    }

    private void change(Stage stage) {
        changed[stage.ordinal()] = now();
    }

    /// When one of the stages up to that one changed last.
    long changed(Stage stage) {
        long last = 0;
        for (int i = 0; i <= stage.ordinal(); i++) {
            last = Math.max(last, changed[i]);
        }
        return last;
    }

    /// A moment after all others.
    long now() {
        return ++clock;
    }
}
