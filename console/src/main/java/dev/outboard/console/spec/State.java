package dev.outboard.console.spec;

import java.util.Locale;

/// What is known of a requirement, from the best to the worst. A row with clauses is in the state
/// of its worst clause.
enum State {
    /// A test of it passed and none failed.
    PROVEN,
    /// Left out because the catalog permits that.
    OPTIONAL,
    /// Left out because nothing here could keep or break it.
    NOT_APPLICABLE,
    /// Not built yet.
    PLANNED,
    /// The implementation does otherwise, on purpose.
    DEVIATION,
    /// None of its tests ran: they were skipped, or their module has no results of them.
    SKIPPED,
    /// No test names it.
    MISSING,
    /// A test of it failed.
    FAILING;

    /// The word for it in tables and in `out-of-scope.tsv`, with `separator` between its parts.
    String word(String separator) {
        return name().toLowerCase(Locale.ROOT).replace("_", separator);
    }

    /// Whether it is declared in `out-of-scope.tsv` rather than found by tests.
    boolean isDeclared() {
        return compareTo(OPTIONAL) >= 0 && compareTo(DEVIATION) <= 0;
    }
}
