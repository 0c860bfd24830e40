package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.CodePlace;

/// Something that an actor did, and where.
///
/// @param actor its name
/// @param action such as `store`, `load` or `doorbell`
/// @param place where it stands in the program
public record Spot(String actor, String action, CodePlace place) {
    /// As in `store by T1 at Ring.java:12 (send)`.
    @Override
    public String toString() {
        String where = place.equals(CodePlace.NONE) ? "" : " at " + place;
        return "%s by %s%s".formatted(action, actor, where);
    }
}
