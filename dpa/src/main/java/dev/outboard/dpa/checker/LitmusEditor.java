package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.Actor;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Place;
import dev.outboard.dpa.litmus.Statement;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Applies edits to a litmus program. Statements keep their places; inserted ones get places that
/// no text has.
final class LitmusEditor {
    private final List<Edit> edits;
    private final Map<Place, Statement> moved = new HashMap<>();
    private int inserted;

    private LitmusEditor(LitmusProgram program, List<Edit> edits) {
        this.edits = edits;
        for (Edit edit : edits) {
            edit.from()
                    .ifPresent(from -> {
                        for (Actor actor : program.actors()) {
                            find(actor.body(), place(from))
                                    .ifPresent(statement -> moved.put(place(from), statement));
                        }
                    });
        }
    }

    static LitmusProgram apply(LitmusProgram program, List<Edit> edits) {
        LitmusEditor editor = new LitmusEditor(program, edits);
        return new LitmusProgram(
                program.variables(),
                program.roles(),
                program.actors().stream().map(editor::actor).toList(),
                program.observed(),
                program.observedOnHang());
    }

    static Place place(CodePlace place) {
        return new Place(place.line(), place.column());
    }

    static Optional<Statement> find(List<Statement> body, Place place) {
        for (Statement statement : body) {
            if (statement.place().equals(place)) {
                return Optional.of(statement);
            }
            Optional<Statement> inner =
                    switch (statement) {
                        case Statement.If choice ->
                                find(choice.then(), place)
                                        .or(() -> find(choice.otherwise(), place));
                        case Statement.Repeat repeat -> find(repeat.body(), place);
                        case Statement.Spin spin -> find(spin.body(), place);
                        default -> Optional.empty();
                    };
            if (inner.isPresent()) {
                return inner;
            }
        }
        return Optional.empty();
    }

    private Actor actor(Actor actor) {
        return new Actor(
                actor.place(), actor.kind(), actor.name(), actor.optional(), body(actor.body()));
    }

    private List<Statement> body(List<Statement> body) {
        List<Statement> edited = new ArrayList<>();
        for (Statement statement : body) {
            Place place = statement.place();
            add(edited, place, Edit.Where.BEFORE);
            if (!moved.containsKey(place)) {
                edited.add(within(statement));
            }
            add(edited, place, Edit.Where.AFTER);
        }
        return List.copyOf(edited);
    }

    private void add(List<Statement> edited, Place place, Edit.Where where) {
        for (Edit edit : edits) {
            if (edit.where() == where && place(edit.at()).equals(place)) {
                edited.add(statement(edit));
            }
        }
    }

    private Statement statement(Edit edit) {
        Statement statement = edit.from().map(from -> moved.get(place(from))).orElse(null);
        return statement != null ? statement : operation(edit.operation());
    }

    /// The statement that an operation is, at a place of its own.
    private Statement operation(String operation) {
        Place place = new Place(0, - ++inserted);
        for (var cache : Statement.CacheOperation.Operation.values()) {
            if (cache.word().equals(operation)) {
                return new Statement.CacheOperation(place, cache);
            }
        }
        Space space =
                operation.equals(Remedy.Operation.MEMORY_FENCE.litmus())
                        ? Space.MEMORY
                        : Space.MMIO;
        return new Statement.Fence(place, space, Op.W, Op.W);
    }

    private Statement within(Statement statement) {
        return switch (statement) {
            case Statement.If choice ->
                    new Statement.If(
                            choice.place(),
                            choice.condition(),
                            body(choice.then()),
                            body(choice.otherwise()));
            case Statement.Repeat repeat ->
                    new Statement.Repeat(repeat.place(), repeat.rounds(), body(repeat.body()));
            case Statement.Spin spin -> {
                List<Statement> inner = new ArrayList<>();
                add(inner, spin.place(), Edit.Where.IN_LOOP);
                inner.addAll(body(spin.body()));
                yield new Statement.Spin(
                        spin.place(),
                        spin.access(),
                        spin.comparison(),
                        spin.value(),
                        List.copyOf(inner));
            }
            default -> statement;
        };
    }
}
