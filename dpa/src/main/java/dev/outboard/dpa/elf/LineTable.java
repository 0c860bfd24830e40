package dev.outboard.dpa.elf;

import dev.outboard.dpa.machine.CodePlace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/// Which instruction comes from which line.
final class LineTable {

    /// Rows of ascending addresses, each higher than the one before; it holds up to the next one.
    ///
    /// @param addresses at least one
    /// @param rows as many
    /// @param end the address after the last instruction
    @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
    record Sequence(long[] addresses, Row[] rows, long end) {
        /// The last row at or before the address, which is not below the first one.
        Row at(long address) {
            int index = Arrays.binarySearch(addresses, address);
            return rows[index < 0 ? -index - 2 : index];
        }
    }

    /// A line of source.
    record Row(String file, int line, int column) {}

    private final NavigableMap<Long, Sequence> sequences = new TreeMap<>();

    LineTable(List<Sequence> sequences) {
        for (Sequence sequence : sequences) {
            this.sequences.put(sequence.addresses[0], sequence);
        }
    }

    /// Where code of a line begins, in ascending order.
    List<Long> addresses(String file, int line) {
        List<Long> found = new ArrayList<>();
        for (Sequence sequence : sequences.values()) {
            boolean inLine = false;
            for (int i = 0; i < sequence.rows.length; i++) {
                boolean fits = fits(sequence.rows[i], file, line);
                if (fits && !inLine) {
                    found.add(sequence.addresses[i]);
                }
                inLine = fits;
            }
        }
        return found;
    }

    private static boolean fits(Row row, String file, int line) {
        return row.line == line && (row.file.equals(file) || row.file.endsWith("/" + file));
    }

    CodePlace place(long address, String function) {
        Map.Entry<Long, Sequence> entry = sequences.floorEntry(address);
        if (entry == null || address >= entry.getValue().end) {
            return CodePlace.NONE;
        }
        Row row = entry.getValue().at(address);
        return new CodePlace(row.file, row.line, row.column, function);
    }
}
