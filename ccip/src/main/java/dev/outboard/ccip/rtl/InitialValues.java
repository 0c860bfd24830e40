package dev.outboard.ccip.rtl;

/// What the registers and memories of a design hold before anything sets them. Those of most boards
/// hold zero, and a design that relies on it works there; begun at random it shows what it relies
/// on.
///
/// @param zero whether all hold zero
/// @param seed else what they hold follows from it
public record InitialValues(boolean zero, long seed) {
    /// As on most boards.
    public static final InitialValues ZERO = new InitialValues(true, 0);

    /// Values that follow from a seed.
    public static InitialValues random(long seed) {
        return new InitialValues(false, seed);
    }

    /// Other values; zero has none beside it.
    InitialValues other() {
        return new InitialValues(zero, ~seed);
    }
}
