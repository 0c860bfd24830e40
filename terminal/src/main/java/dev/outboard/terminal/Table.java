package dev.outboard.terminal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/// Cells in columns that are as wide as their widest cell, two spaces apart. The first row can be a
/// heading; nothing but its text tells it from the others.
public final class Table {
    private final String alignments;
    private final List<String[]> rows = new ArrayList<>();

    /// A table with one column per character of `alignments`: `l` for left, `r` for right.
    public Table(String alignments) {
        this.alignments = alignments;
    }

    /// Adds a row; cells that are missing at its end stay empty.
    public Table row(Object... cells) {
        String[] row = new String[alignments.length()];
        for (int i = 0; i < row.length; i++) {
            row[i] = i < cells.length ? cells[i].toString() : "";
        }
        rows.add(row);
        return this;
    }

    /// Prints the rows, each behind `indent`.
    public void print(PrintWriter out, String indent) {
        int[] widths = new int[alignments.length()];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder(indent);
            for (int i = 0; i < row.length; i++) {
                String padding = " ".repeat(widths[i] - row[i].length());
                line.append(alignments.charAt(i) == 'r' ? padding + row[i] : row[i] + padding);
                line.append("  ");
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
