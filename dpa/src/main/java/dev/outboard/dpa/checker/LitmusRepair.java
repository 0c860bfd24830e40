package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.Actor;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.litmus.Statement;
import dev.outboard.dpa.litmus.Variant;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.Profile;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// DPA-CHK-20: looks for the smallest set of insertions that removes all findings of a litmus
/// program, and where none does, for a line that has to move, alone or with insertions. What cures
/// is checked again, and proven by the explorer.
public final class LitmusRepair {
    private static final int MOST_TOGETHER = 5;

    private final LitmusProgram program;
    private final String file;
    private final Profile profile;
    private final int runs;
    private final long seed;
    private final RepairProof proof;
    private final InsertionSearch insertions;

    private LitmusRepair(LitmusProgram program, String file, Profile profile, int runs, long seed) {
        this.program = program;
        this.file = file;
        this.profile = profile;
        this.runs = runs;
        this.seed = seed;
        proof = new RepairProof(program, profile);
        insertions = new InsertionSearch(this::check, this::edit, this::addsNothing, MOST_TOGETHER);
    }

    /// Looks for a repair of one variant of a test.
    ///
    /// @param text of the test
    /// @param variant its name
    /// @param file the name for reports
    /// @param report what was found in it
    /// @param seed of the first run of that
    public static Repair find(
            String text, String variant, String file, CheckReport report, long seed) {
        Variant original = LitmusTest.parse(text).variant(variant);
        Profile profile = report.profile();
        int runs = report.runs();
        LitmusRepair search = new LitmusRepair(original.program(), file, profile, runs, seed);
        if (report.isClean()) {
            return new Repair(true, List.of(), "Nothing was found.", "");
        }
        Optional<List<Edit>> edits = search.search(report);
        if (edits.isEmpty()) {
            return new Repair(
                    false,
                    List.of(),
                    "neither a fence, writeback or invalidation in one place for each finding nor"
                            + " one line moved removes what was found.",
                    "");
        }
        String repaired = new LitmusText(text).edited(edits.get());
        LitmusProgram parsed = LitmusTest.parse(repaired).variant(variant).program();
        CheckReport again = LitmusCheck.of(parsed, file).run(profile, runs, seed);
        if (!again.isClean()) {
            throw new IllegalStateException(
                    "The repaired text is not what was checked: %s%n%s".formatted(again, repaired));
        }
        return new Repair(
                true,
                edits.get(),
                search.proof.of(parsed, runs),
                LitmusText.diff(file, text, repaired));
    }

    private CheckReport check(List<Edit> edits) {
        return LitmusCheck.of(LitmusEditor.apply(program, edits), file).run(profile, runs, seed);
    }

    private boolean cures(List<Edit> edits) {
        return check(edits).isClean() && addsNothing(edits);
    }

    private boolean addsNothing(List<Edit> edits) {
        return proof.addsNothing(LitmusEditor.apply(program, edits));
    }

    private Optional<List<Edit>> search(CheckReport report) {
        Optional<List<Edit>> inserted = insertions.beside(List.of(), report);
        return inserted.isPresent() ? inserted : moves(report);
    }

    private Optional<Edit> edit(Remedy remedy) {
        String operation = remedy.operation().litmus();
        if (remedy.before().isPresent()) {
            CodePlace place = remedy.before().get().place();
            return isInText(place)
                    ? Optional.of(Edit.insert(operation, Edit.Where.BEFORE, place))
                    : Optional.empty();
        }
        CodePlace place = remedy.after().place();
        boolean loop = remedy.operation() == Remedy.Operation.READ_INV;
        return isInText(place)
                ? Optional.of(
                        Edit.insert(operation, loop ? Edit.Where.IN_LOOP : Edit.Where.AFTER, place))
                : Optional.empty();
    }

    private boolean isInText(CodePlace place) {
        return program.actors().stream()
                .anyMatch(actor ->
                        LitmusEditor.find(actor.body(), LitmusEditor.place(place)).isPresent());
    }

    /// The shortest move of one statement that cures the program, alone or with insertions.
    private Optional<List<Edit>> moves(CheckReport report) {
        Set<String> involved = new LinkedHashSet<>();
        for (CheckReport.Entry entry : report.entries()) {
            involved.add(entry.finding().first().actor());
            involved.add(entry.finding().second().actor());
        }
        List<Edit> moves = new ArrayList<>();
        for (int distance = 1; distance < longest(); distance++) {
            for (Actor actor : program.actors()) {
                if (actor.kind() == Actor.Kind.THREAD && involved.contains(actor.name())) {
                    moves.addAll(moves(actor, distance));
                }
            }
        }
        for (Edit move : moves) {
            List<Edit> edits = List.of(move);
            if (cures(edits) && proof.removesAny(LitmusEditor.apply(program, edits))) {
                return Optional.of(edits);
            }
        }
        for (Edit move : moves) {
            Optional<List<Edit>> found = insertions.beside(List.of(move), check(List.of(move)));
            if (found.isPresent() && proof.removesAny(LitmusEditor.apply(program, found.get()))) {
                return found;
            }
        }
        return Optional.empty();
    }

    private int longest() {
        return program.actors().stream().mapToInt(actor -> actor.body().size()).max().orElse(0);
    }

    private List<Edit> moves(Actor actor, int distance) {
        List<Edit> moves = new ArrayList<>();
        List<Statement> body = actor.body();
        for (int i = 0; i < body.size(); i++) {
            if (!canMove(body.get(i))) {
                continue;
            }
            CodePlace from = place(actor, body.get(i));
            if (i + distance < body.size()) {
                moves.add(Edit.move(from, Edit.Where.AFTER, place(actor, body.get(i + distance))));
            }
            if (i - distance >= 0) {
                moves.add(Edit.move(from, Edit.Where.BEFORE, place(actor, body.get(i - distance))));
            }
        }
        return moves;
    }

    /// What only writes or orders; to load or to wait elsewhere would be another program.
    private static boolean canMove(Statement statement) {
        return statement instanceof Statement.Store
                || statement instanceof Statement.Fence
                || statement instanceof Statement.CacheOperation
                || statement instanceof Statement.Doorbell;
    }

    private CodePlace place(Actor actor, Statement statement) {
        return new CodePlace(
                file, statement.place().line(), statement.place().column(), actor.name());
    }
}
