package dev.outboard.console.spec;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One catalog sorted by what is known of its rows. A proven row is proven even if a line of
/// `out-of-scope.tsv` covers it; a failing one never is.
///
/// @param states the state of each row and of each clause, by ID, in the order of the catalog
/// @param exceptions the rows and clauses that are left out, by the line that says why; none for a
///   line whose rows are proven all the same, such as that of a refusal
record Coverage(
        Catalog catalog,
        Map<String, State> states,
        Map<OutOfScope.Entry, List<String>> exceptions) {

    static Coverage of(Catalog catalog, TestResults results, TestMarks marks, OutOfScope scope) {
        Coverage coverage = new Coverage(catalog, new LinkedHashMap<>(), new LinkedHashMap<>());
        for (Row row : catalog.rows().values()) {
            State worst =
                    row.marks().stream()
                            .map(mark ->
                                    coverage.sort(row, mark, results.stateOf(mark, marks), scope))
                            .max(Comparator.naturalOrder())
                            .orElseThrow();
            coverage.states.put(row.id(), worst);
        }
        return coverage;
    }

    private State sort(Row row, String mark, State found, OutOfScope scope) {
        State state = found;
        Optional<OutOfScope.Entry> exception =
                scope.entryFor(mark).or(() -> scope.entryFor(row.id()));
        if (exception.isPresent()) {
            List<String> leftOut =
                    exceptions.computeIfAbsent(exception.get(), entry -> new ArrayList<>());
            if (state == State.MISSING || state == State.SKIPPED) {
                leftOut.add(mark);
                state = exception.get().kind();
            }
        }
        states.put(mark, state);
        return state;
    }

    State state(String mark) {
        return states.getOrDefault(mark, State.MISSING);
    }

    /// How many rows are in `state`, a row with clauses counted once.
    int count(State state) {
        return (int) catalog.rows().keySet().stream().filter(id -> states.get(id) == state).count();
    }

    /// What tests have to prove and is in `state`: rows, and clauses of the rows that have them.
    List<String> marks(State state) {
        return catalog.rows().values().stream()
                .flatMap(row -> row.marks().stream())
                .filter(mark -> states.get(mark) == state)
                .toList();
    }
}
