package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.CodePlace;
import java.util.Optional;

/// One line of a repair: an operation that is inserted, or a statement that moves.
///
/// @param operation what is inserted, as the program writes it; empty if a statement moves
/// @param from the statement that moves
/// @param where on which side of the place
/// @param at the place
public record Edit(String operation, Optional<CodePlace> from, Where where, CodePlace at) {

    /// On which side of a place.
    public enum Where {
        /// Before it.
        BEFORE,
        /// After it.
        AFTER,
        /// At the begin of the body of the loop there.
        IN_LOOP
    }

    static Edit insert(String operation, Where where, CodePlace at) {
        return new Edit(operation, Optional.empty(), where, at);
    }

    static Edit move(CodePlace from, Where where, CodePlace at) {
        return new Edit("", Optional.of(from), where, at);
    }

    /// Whether a statement moves.
    public boolean isMove() {
        return from.isPresent();
    }

    /// As in `insert memory_writeback before send.dpa:3:24 (T)`.
    @Override
    public String toString() {
        String side =
                switch (where) {
                    case BEFORE -> "before";
                    case AFTER -> "after";
                    case IN_LOOP -> "in the loop at";
                };
        return from.map(statement -> "move %s %s %s".formatted(statement, side, at))
                .orElseGet(() -> "insert %s %s %s".formatted(operation, side, at));
    }
}
