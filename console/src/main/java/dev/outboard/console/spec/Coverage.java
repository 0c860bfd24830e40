package dev.outboard.console.spec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One catalog sorted by what is known of its rows. A proven row is proven even if a pattern puts
/// it out of scope; a failing one never is.
///
/// @param proven rows with a passing test and no failing one
/// @param failing rows with a failing test
/// @param outOfScope rows that are left out on purpose, by the line that says why
/// @param missing rows with neither
record Coverage(
        Catalog catalog,
        List<String> proven,
        List<String> failing,
        Map<OutOfScope.Entry, List<String>> outOfScope,
        List<String> missing) {

    static Coverage of(Catalog catalog, TestResults results, OutOfScope scope) {
        Coverage coverage =
                new Coverage(
                        catalog,
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new LinkedHashMap<>(),
                        new ArrayList<>());
        catalog.rows().keySet().forEach(id -> coverage.sort(id, results, scope));
        return coverage;
    }

    private void sort(String id, TestResults results, OutOfScope scope) {
        Optional<OutOfScope.Entry> leftOut = scope.entryFor(id);
        if (results.isFailing(id)) {
            failing.add(id);
        } else if (results.isProven(id)) {
            proven.add(id);
        } else if (leftOut.isPresent()) {
            outOfScope.computeIfAbsent(leftOut.get(), entry -> new ArrayList<>()).add(id);
        } else {
            missing.add(id);
        }
    }

    int outOfScopeCount() {
        return outOfScope.values().stream().mapToInt(List::size).sum();
    }
}
