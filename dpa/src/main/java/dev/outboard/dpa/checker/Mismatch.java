package dev.outboard.dpa.checker;

/// DPA-CHK-8: what stands in the place of what is missing, and does not do.
///
/// @param kind why not
/// @param found what it is, as litmus programs write it
/// @param spot where
/// @param needed what would do
public record Mismatch(Kind kind, String found, Spot spot, Remedy.Operation needed) {

    /// Why it does not do.
    public enum Kind {
        /// It is for another space.
        WRONG_SPACE,
        /// Its operations do not match, or it orders where something has to be pushed.
        WRONG_OPS
    }

    /// One sentence.
    @Override
    public String toString() {
        return "%s: %s stands between (%s), and %s is needed."
                .formatted(kind, found, spot.place(), needed.litmus());
    }
}
