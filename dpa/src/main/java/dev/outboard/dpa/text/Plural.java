package dev.outboard.dpa.text;

/// Counts in reports.
public final class Plural {
    private Plural() {}

    /// As in `1 run` or `2 runs`.
    public static String of(long count, String word) {
        return count == 1 ? "1 " + word : count + " " + word + "s";
    }
}
