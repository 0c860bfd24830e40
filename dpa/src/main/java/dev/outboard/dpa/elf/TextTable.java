package dev.outboard.dpa.elf;

import java.util.HashMap;
import java.util.Map;

/// A section of texts, which other sections refer to by offset.
final class TextTable {
    private final ByteCursor section;
    private final Budget budget;
    private final Map<Long, String> known = new HashMap<>();

    TextTable(ByteCursor section, Budget budget) {
        this.section = section;
        this.budget = budget;
    }

    String at(long offset) {
        String text = known.get(offset);
        if (text == null) {
            ByteCursor cursor = section.at(offset);
            cursor.skipText();
            budget.spend(cursor.position() - offset, section);
            cursor.seek(offset);
            text = cursor.text();
            known.put(offset, text);
        }
        return text;
    }
}
