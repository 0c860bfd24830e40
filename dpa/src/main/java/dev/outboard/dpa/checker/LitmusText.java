package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.CodePlace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The text of a litmus test, and edits of it that leave all else as it is written.
final class LitmusText {
    private final String text;
    private final List<Integer> lineStarts = new ArrayList<>();

    /// A piece of the text that is replaced by another one.
    private record Change(int from, int to, String by) {}

    LitmusText(String text) {
        this.text = text;
        lineStarts.add(0);
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\n') {
                lineStarts.add(i + 1);
            }
        }
    }

    /// The text with the edits.
    String edited(List<Edit> edits) {
        List<Change> changes = new ArrayList<>();
        for (Edit edit : edits) {
            String statement = edit.operation();
            if (edit.from().isPresent()) {
                int from = offset(edit.from().get());
                statement = text.substring(from, end(from));
                changes.add(removal(from));
            }
            changes.add(insertion(edit, statement));
        }
        // What comes first at one offset is applied last, and so stands before the others.
        changes.sort(Comparator.comparingInt(Change::from));
        StringBuilder edited = new StringBuilder(text);
        for (Change change : changes.reversed()) {
            edited.replace(change.from(), change.to(), change.by());
        }
        return edited.toString();
    }

    private int offset(CodePlace place) {
        return lineStarts.get(place.line() - 1) + place.column() - 1;
    }

    private Change insertion(Edit edit, String statement) {
        int at = offset(edit.at());
        return switch (edit.where()) {
            case BEFORE -> new Change(at, at, statement + "; ");
            case AFTER -> new Change(end(at), end(at), "; " + statement);
            case IN_LOOP -> {
                int brace = text.indexOf('{', at);
                int end = end(at);
                if (brace < 0 || brace >= end) {
                    yield new Change(end, end, " {" + statement + "}");
                }
                boolean empty = text.substring(brace + 1, end).strip().startsWith("}");
                yield new Change(brace + 1, brace + 1, statement + (empty ? "" : "; "));
            }
        };
    }

    /// Takes a statement away with the semicolon behind it or, if it is the last one, before it.
    private Change removal(int from) {
        int end = end(from);
        if (end < text.length() && text.charAt(end) == ';') {
            int next = end + 1;
            while (next < text.length() && text.charAt(next) == ' ') {
                next++;
            }
            return new Change(from, next, "");
        }
        int before = from;
        while (before > 0 && Character.isWhitespace(text.charAt(before - 1))) {
            before--;
        }
        boolean separated = before > 0 && text.charAt(before - 1) == ';';
        return new Change(separated ? before - 1 : from, end, "");
    }

    /// Where the statement ends that begins there: before a semicolon, a brace that closes, the
    /// next actor, a comment or the end of the line, outside of its own brackets.
    private int end(int from) {
        int depth = 0;
        int at = from;
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '{' || c == '(' || c == '[') {
                depth++;
            } else if (depth > 0) {
                depth -= c == '}' || c == ')' || c == ']' ? 1 : 0;
            } else if (";}#\n∥".indexOf(c) >= 0 || text.startsWith("||", at)) {
                break;
            }
        }
        while (at > from && Character.isWhitespace(text.charAt(at - 1))) {
            at--;
        }
        return at;
    }

    /// The lines that differ, old and new ones after each other; both texts have as many lines.
    static String diff(String name, String before, String after) {
        List<String> old = before.lines().toList();
        List<String> changed = after.lines().toList();
        StringBuilder diff = new StringBuilder();
        for (int i = 0; i < old.size(); i++) {
            if (!old.get(i).equals(changed.get(i))) {
                if (diff.isEmpty()) {
                    diff.append("--- ").append(name).append('\n');
                    diff.append("+++ ").append(name).append(" (repaired)\n");
                }
                diff.append("@@ -%1$d +%1$d @@%n".formatted(i + 1));
                diff.append('-').append(old.get(i)).append('\n');
                diff.append('+').append(changed.get(i)).append('\n');
            }
        }
        return diff.toString();
    }
}
