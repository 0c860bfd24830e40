package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramEdits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// DPA-CHK-20: looks for the smallest set of insertions that removes all findings of a program of
/// kernels. An insertion is tried in the running program, which stays as it is written.
public final class ProgramRepair {
    private static final int MOST_TOGETHER = 3;

    private final ProgramCheck program;
    private final Profile profile;
    private final int runs;
    private final long seed;
    private final ProgramEdits base;

    private ProgramRepair(
            ProgramCheck program, Profile profile, int runs, long seed, ProgramEdits base) {
        this.program = program;
        this.profile = profile;
        this.runs = runs;
        this.seed = seed;
        this.base = base;
    }

    /// Looks for a repair.
    ///
    /// @param report what was found
    /// @param base the changes of the program with which that was found
    public static Repair find(
            ProgramCheck program,
            CheckReport report,
            Profile profile,
            int runs,
            long seed,
            ProgramEdits base) {
        ProgramRepair search = new ProgramRepair(program, profile, runs, seed, base);
        return new InsertionSearch(
                        search::check,
                        remedy -> Optional.of(edit(remedy)),
                        edits -> true,
                        MOST_TOGETHER)
                .beside(List.of(), report)
                .map(edits ->
                        new Repair(
                                true,
                                edits,
                                "Nothing is found any more in %d runs; too large for a proof by EXPLORE."
                                        .formatted(runs),
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

    private CheckReport check(List<Edit> edits) {
        Map<CodePlace, List<ProgramEdits.Operation>> before = new HashMap<>();
        Map<CodePlace, List<ProgramEdits.Operation>> after = new HashMap<>();
        for (Edit edit : edits) {
            var side = edit.where() == Edit.Where.BEFORE ? before : after;
            side.computeIfAbsent(edit.at(), any -> new ArrayList<>()).add(operation(edit));
        }
        return program.run(profile, runs, seed, new ProgramEdits(before, after, base.omitted()));
    }

    private static ProgramEdits.Operation operation(Edit edit) {
        return Arrays.stream(Remedy.Operation.values())
                .map(Remedy.Operation::edit)
                .filter(operation -> operation.text().equals(edit.operation()))
                .findFirst()
                .orElseThrow();
    }
}
