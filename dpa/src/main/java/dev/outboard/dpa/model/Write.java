package dev.outboard.dpa.model;

import org.jspecify.annotations.Nullable;

/// DPA-OPM-1: a write that its thread has issued and that is not performed yet.
///
/// @param number its sequence number in its thread
/// @param target the granule, or the register of the outbox
/// @param mask the bytes that it writes
/// @param value the granule's value in those bytes; of a doorbell, which it is
/// @param bounds what must have happened before it is performed
/// @param rest what else of the line it rewrites; null if nothing
record Write(
        int number,
        Kind kind,
        int target,
        int mask,
        long value,
        int[] bounds,
        @Nullable RestOfLine rest) {
    /// Whether both go to the same bytes or the same register.
    boolean overlaps(Write other) {
        return kind == other.kind && target == other.target && (mask & other.mask) != 0;
    }

    /// The same write, which no longer rewrites what a later write of its thread stores.
    Write without(Write later) {
        if (rest == null || later.kind != Kind.WINDOW) {
            return this;
        }
        RestOfLine less = rest.without(later.target, later.mask);
        return new Write(number, kind, target, mask, value, bounds, less);
    }
}
