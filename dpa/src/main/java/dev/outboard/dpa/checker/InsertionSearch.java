package dev.outboard.dpa.checker;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/// DPA-CHK-20: looks for the fewest insertions that remove all findings of a program. What the
/// findings propose is inserted, and what is then found proposes more.
///
/// @param check what is found in the program with edits
/// @param proposal what a finding proposes, if that has a place
/// @param accepts whether edits that remove all findings will do
/// @param mostTogether of how many insertions all choices are tried
record InsertionSearch(
        Function<List<Edit>, CheckReport> check,
        Function<Remedy, Optional<Edit>> proposal,
        Predicate<List<Edit>> accepts,
        int mostTogether) {
    private static final int ROUNDS = 4;

    /// Looks for insertions beside edits that are made already.
    ///
    /// @param report what is found with those
    /// @return all edits, those among them
    Optional<List<Edit>> beside(List<Edit> made, CheckReport report) {
        Set<Edit> pool = new LinkedHashSet<>();
        CheckReport latest = report;
        for (int round = 0; round < ROUNDS; round++) {
            if (!pool.addAll(proposals(latest))) {
                return Optional.empty();
            }
            latest = check.apply(join(made, pool));
            if (latest.isClean()) {
                return smallest(made, new ArrayList<>(pool));
            }
        }
        return Optional.empty();
    }

    private List<Edit> proposals(CheckReport report) {
        List<Edit> edits = new ArrayList<>();
        for (CheckReport.Entry entry : report.entries()) {
            entry.finding().remedy().flatMap(proposal).ifPresent(edits::add);
        }
        return edits;
    }

    /// The smallest part of the pool that does it; all of it is known to remove the findings.
    private Optional<List<Edit>> smallest(List<Edit> made, List<Edit> pool) {
        for (int size = 1; size < pool.size() && size <= mostTogether; size++) {
            Optional<List<Edit>> found = choose(made, pool, 0, size);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.of(join(made, pool)).filter(accepts);
    }

    private Optional<List<Edit>> choose(List<Edit> made, List<Edit> pool, int from, int size) {
        if (size == 0) {
            boolean cures = check.apply(made).isClean() && accepts.test(made);
            return cures ? Optional.of(made) : Optional.empty();
        }
        for (int i = from; i <= pool.size() - size; i++) {
            Optional<List<Edit>> found =
                    choose(join(made, List.of(pool.get(i))), pool, i + 1, size - 1);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static List<Edit> join(List<Edit> made, Iterable<Edit> more) {
        List<Edit> all = new ArrayList<>(made);
        more.forEach(all::add);
        return all;
    }
}
