package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.text.Plural;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// DPA-CHK-20: looks for the smallest set of insertions that removes all findings of a program of
/// kernels. An insertion is tried in the running program, which stays as it is written.
public final class ProgramRepair {
    private static final int MOST_TOGETHER = 3;

    private ProgramRepair() {}

    /// Looks for a repair.
    ///
    /// @param check what is found in the program with changes
    /// @param report what was found
    /// @param base the changes of the program with which that was found
    public static Repair find(
            Function<ProgramEdits, CheckReport> check, CheckReport report, ProgramEdits base) {
        return new InsertionSearch(
                        edits -> check.apply(insert(edits, base)),
                        remedy -> Optional.of(edit(remedy)),
                        edits -> true,
                        MOST_TOGETHER)
                .beside(List.of(), report)
                .map(edits ->
                        new Repair(
                                true,
                                edits,
                                "Nothing is found any more in %s; too large for a proof by EXPLORE."
                                        .formatted(Plural.of(report.runs(), "run")),
                                ""))
                .orElseGet(() ->
                        new Repair(
                                false,
                                List.of(),
                                "no fence, writeback or invalidation in one place for each finding"
                                        + " removes what was found.",
                                ""));
    }

    private static Edit edit(Remedy remedy) {
        String call = remedy.operation().edit().text();
        return remedy.before()
                .map(end -> Edit.insert(call, Edit.Where.BEFORE, end.place()))
                .orElseGet(() -> Edit.insert(call, Edit.Where.AFTER, remedy.after().place()));
    }

    /// The changes that a repair of a program of kernels makes, to run it with.
    ///
    /// @param edits of the repair
    /// @param base the changes that it was found with
    public static ProgramEdits insert(List<Edit> edits, ProgramEdits base) {
        Map<CodePlace, List<ProgramEdits.Operation>> before = new HashMap<>();
        Map<CodePlace, List<ProgramEdits.Operation>> after = new HashMap<>();
        for (Edit edit : edits) {
            var side = edit.where() == Edit.Where.BEFORE ? before : after;
            side.computeIfAbsent(edit.at(), any -> new ArrayList<>()).add(operation(edit));
        }
        return new ProgramEdits(before, after, base.omitted());
    }

    private static ProgramEdits.Operation operation(Edit edit) {
        return Arrays.stream(Remedy.Operation.values())
                .map(Remedy.Operation::edit)
                .filter(operation -> operation.text().equals(edit.operation()))
                .findFirst()
                .orElseThrow();
    }
}
