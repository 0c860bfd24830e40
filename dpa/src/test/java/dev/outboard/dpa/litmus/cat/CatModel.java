package dev.outboard.dpa.litmus.cat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A model: the checks that an execution has to pass. A value of this type keeps results between
/// executions of one program and belongs to one thread.
final class CatModel {
    /// What is checked of a term.
    enum Property {
        /// No pairs.
        EMPTY,
        /// No event with itself.
        IRREFLEXIVE,
        /// No cycle.
        ACYCLIC
    }

    /// One check.
    record Check(Property property, Term term, String name) {
        boolean holds(Execution execution) {
            Relation value = term.value(execution);
            return switch (property) {
                case EMPTY -> value.isEmpty();
                case IRREFLEXIVE -> value.isIrreflexive();
                case ACYCLIC -> value.isAcyclic();
            };
        }
    }

    /// All checks of the text.
    final List<Check> checks;

    private final List<List<Check>> byStage = new ArrayList<>();

    /// @param flags those that an `if "…"` finds set
    CatModel(String text, Set<String> flags) {
        checks = new CatParser(text, flags).checks();
        for (Stage stage : Stage.values()) {
            List<Check> now = new ArrayList<>();
            for (Check check : checks) {
                if (check.term().stage == stage) {
                    now.add(check);
                } else if (check.property() == Property.ACYCLIC
                        && check.term().stage.compareTo(stage) > 0) {
                    early(check, stage, now);
                }
            }
            byStage.add(now);
        }
    }

    /// What is part of a relation without cycles has none: the part that is known already is looked
    /// at, so that many executions need not be completed.
    private static void early(Check check, Stage stage, List<Check> checks) {
        List<Term> known = new ArrayList<>();
        collect(check.term(), stage, known);
        if (known.stream().anyMatch(term -> term.stage == stage)) {
            Term union = known.getFirst();
            for (Term term : known.subList(1, known.size())) {
                union = new Term(Term.Kind.UNION, "", List.of(union, term));
            }
            checks.add(new Check(Property.ACYCLIC, union, check.name()));
        }
    }

    private static void collect(Term term, Stage stage, List<Term> known) {
        if (term.stage.compareTo(stage) <= 0) {
            known.add(term);
        } else if (term.kind == Term.Kind.UNION) {
            term.parts.forEach(part -> collect(part, stage, known));
        }
    }

    /// Whether nothing speaks against what is chosen up to that stage.
    boolean allows(Execution execution, Stage stage) {
        for (Check check : byStage.get(stage.ordinal())) {
            if (!check.holds(execution)) {
                return false;
            }
        }
        return true;
    }
}
