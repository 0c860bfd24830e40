package dev.outboard.dpa.litmus.cat;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// An expression of a model. Equal names are one object, so that the value of each is computed once
/// for each choice that it depends on.
final class Term {
    /// What there is in the subset of cat that `dpa.cat` uses.
    enum Kind {
        /// A set or relation that the execution gives.
        GIVEN,
        /// `0`: empty.
        NONE,
        /// `_`: all events.
        ALL,
        /// `id`.
        IDENTITY,
        /// `a | b`.
        UNION,
        /// `a & b`.
        INTERSECTION,
        /// `a \ b`.
        DIFFERENCE,
        /// `a; b`.
        SEQUENCE,
        /// `S * T`.
        PRODUCT,
        /// `a^-1`.
        INVERSE,
        /// `a+`.
        CLOSURE,
        /// `a?`.
        OPTIONAL,
        /// `domain(a)`.
        DOMAIN,
        /// `range(a)`.
        RANGE
    }

    final Kind kind;
    final String name;
    final List<Term> parts;

    /// The last of the choices that its value depends on.
    final Stage stage;

    private @Nullable Relation value;
    private long computed;

    Term(Kind kind, String name, List<Term> parts) {
        this.kind = kind;
        this.name = name;
        this.parts = parts;
        Stage last = kind == Kind.GIVEN ? Stage.of(name) : Stage.PROGRAM;
        for (Term part : parts) {
            last = part.stage.compareTo(last) > 0 ? part.stage : last;
        }
        stage = last;
    }

    Relation value(Execution execution) {
        long changed = execution.changed(stage);
        if (value == null || computed <= changed) {
            value = compute(execution);
            computed = execution.now();
        }
        return value;
    }

    private Relation compute(Execution execution) {
        int size = execution.size();
        return switch (kind) {
            case GIVEN -> execution.given(name);
            case NONE -> Relation.of(size);
            case ALL, IDENTITY -> Relation.identity(size, -1L);
            case UNION -> first(execution).union(second(execution));
            case INTERSECTION -> first(execution).intersection(second(execution));
            case DIFFERENCE -> first(execution).without(second(execution));
            case SEQUENCE -> first(execution).then(second(execution));
            case PRODUCT ->
                    Relation.product(size, first(execution).domain(), second(execution).domain());
            case INVERSE -> first(execution).inverse();
            case CLOSURE -> first(execution).closure();
            case OPTIONAL -> first(execution).union(Relation.identity(size, -1L));
            case DOMAIN -> Relation.identity(size, first(execution).domain());
            case RANGE -> Relation.identity(size, first(execution).range());
        };
    }

    private Relation first(Execution execution) {
        return parts.get(0).value(execution);
    }

    private Relation second(Execution execution) {
        return parts.get(1).value(execution);
    }
}
