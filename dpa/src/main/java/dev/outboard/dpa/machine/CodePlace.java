package dev.outboard.dpa.machine;

/// Where in a program something stands.
///
/// @param file its file
/// @param line counted from 1; 0 where it is not known
/// @param column counted from 1; 0 where lines are all that is known, as in class files
/// @param function the function or method, or the actor of a litmus program
public record CodePlace(String file, int line, int column, String function) {

    /// The place of what nobody wrote.
    public static final CodePlace NONE = new CodePlace("", 0, 0, "");

    /// As in `Ring.java:12 (send)`.
    @Override
    public String toString() {
        if (equals(NONE)) {
            return "nowhere";
        }
        String where = column == 0 ? file + ":" + line : file + ":" + line + ":" + column;
        return "%s (%s)".formatted(where, function);
    }
}
