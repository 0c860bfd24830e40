package dev.outboard.dpa.litmus;

/// Where in its text something stands, both counted from 1.
public record Place(int line, int column) {
    /// The place of what no text names.
    public static final Place NONE = new Place(0, 0);

    @Override
    public String toString() {
        return line + ":" + column;
    }
}
