package dev.outboard.console.node;

import java.util.Optional;

/// What a key was set to.
///
/// @param name that is part of the key; empty if none is, or if the value is that name
/// @param at where the file says so; empty if an option does
record Setting<T>(NodeKey<T> key, String name, T value, Optional<Position> at) {
    /// Whether an option says so.
    boolean isOption() {
        return at.isEmpty();
    }
}
