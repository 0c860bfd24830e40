package dev.outboard.dpa.elf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The shapes of entries, table after table.
final class Abbreviations {
    /// So that an entry of one byte cannot stand for much.
    private static final int MOST_ATTRIBUTES = 64;

    /// The shape of entries.
    record Shape(int tag, boolean hasChildren, List<Attribute> attributes) {}

    /// A part of an entry.
    ///
    /// @param implicit its value, for a form that has no place in the entry
    record Attribute(int name, int form, long implicit) {}

    private final ByteCursor section;
    private final Map<Long, Map<Long, Shape>> tables = new HashMap<>();

    Abbreviations(ByteCursor section) {
        this.section = section;
        while (section.remaining() > 0) {
            long offset = section.position();
            tables.put(offset, table());
        }
    }

    /// The shapes of a unit by their codes.
    ///
    /// @param offset where the table begins
    Map<Long, Shape> table(long offset) {
        Map<Long, Shape> table = tables.get(offset);
        if (table == null) {
            throw section.error(offset, "no table of abbreviations begins here");
        }
        return table;
    }

    private Map<Long, Shape> table() {
        Map<Long, Shape> shapes = new HashMap<>();
        for (long code = section.unsigned(); code != 0; code = section.unsigned()) {
            int tag = section.index();
            boolean hasChildren = section.u8() != 0;
            shapes.put(code, new Shape(tag, hasChildren, attributes()));
        }
        return shapes;
    }

    private List<Attribute> attributes() {
        List<Attribute> attributes = new ArrayList<>();
        while (true) {
            int name = section.index();
            int form = section.index();
            if (name == 0 && form == 0) {
                return attributes;
            }
            if (attributes.size() == MOST_ATTRIBUTES) {
                throw section.error(
                        "an abbreviation has more than %d attributes".formatted(MOST_ATTRIBUTES));
            }
            long implicit = form == Form.IMPLICIT_CONST ? section.signed() : 0;
            attributes.add(new Attribute(name, form, implicit));
        }
    }
}
