package dev.outboard.dpa.litmus;

/// Text that is no litmus test. The message names line and column, what was found there, and what
/// would be valid.
public final class LitmusSyntaxException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int line;
    private final int column;

    LitmusSyntaxException(Place place, String problem) {
        super("Line %d, column %d: %s".formatted(place.line(), place.column(), problem));
        line = place.line();
        column = place.column();
    }

    /// Where the text is wrong.
    public Place place() {
        return new Place(line, column);
    }
}
