package dev.outboard.dpa.elf;

import java.util.ArrayList;
import java.util.List;

/// Reads the names of source files in the header of a line program: as the compiler was given them,
/// without the directory that it was started in.
///
/// @param texts `.debug_str`
/// @param lineTexts `.debug_line_str`
/// @param budget what all names may cost
record FileNames(TextTable texts, TextTable lineTexts, Budget budget) {
    private static final int PATH = 1;
    private static final int DIRECTORY = 2;

    /// A name, and the number of its directory.
    private record Entry(String path, int directory) {}

    /// What a column of the table holds, and in which form.
    private record Column(int content, int form) {}

    /// Numbers start at 1.
    List<String> version4(ByteCursor cursor) {
        List<String> directories = new ArrayList<>();
        directories.add("");
        for (String name = text(cursor); !name.isEmpty(); name = text(cursor)) {
            directories.add(name);
        }
        List<String> files = new ArrayList<>();
        files.add("");
        for (String name = text(cursor); !name.isEmpty(); name = text(cursor)) {
            files.add(joined(new Entry(name, cursor.index()), directories, cursor));
            cursor.unsigned();
            cursor.unsigned();
        }
        return files;
    }

    /// Numbers start at 0.
    List<String> version5(ByteCursor cursor) {
        List<String> directories = new ArrayList<>();
        for (Entry entry : table(cursor)) {
            directories.add(directories.isEmpty() ? "" : entry.path);
        }
        List<String> files = new ArrayList<>();
        for (Entry entry : table(cursor)) {
            files.add(joined(entry, directories, cursor));
        }
        return files;
    }

    private List<Entry> table(ByteCursor cursor) {
        List<Column> columns = new ArrayList<>();
        for (int i = cursor.u8(); i > 0; i--) {
            columns.add(new Column(cursor.index(), cursor.index()));
        }
        int count = cursor.index();
        if (count > 0 && columns.isEmpty()) {
            throw cursor.error("%d entries without content".formatted(count));
        }
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(entry(cursor, columns));
        }
        return entries;
    }

    private Entry entry(ByteCursor cursor, List<Column> columns) {
        String path = "";
        int directory = 0;
        for (Column column : columns) {
            switch (column.content) {
                case PATH -> path = path(cursor, column.form);
                case DIRECTORY -> directory = directory(cursor, column.form);
                default -> skip(cursor, column.form);
            }
        }
        return new Entry(path, directory);
    }

    private String path(ByteCursor cursor, int form) {
        return switch (form) {
            case Form.STRING -> text(cursor);
            case Form.LINE_STRP -> lineTexts.at(cursor.u32());
            case Form.STRP -> texts.at(cursor.u32());
            default -> throw cursor.error("form 0x%x is not one of a path".formatted(form));
        };
    }

    private static int directory(ByteCursor cursor, int form) {
        return switch (form) {
            case Form.DATA1 -> cursor.u8();
            case Form.DATA2 -> cursor.u16();
            case Form.UDATA -> cursor.index();
            default -> throw cursor.error("form 0x%x is not one of a directory".formatted(form));
        };
    }

    /// Anything that takes room, so that the number of entries is bounded.
    private static void skip(ByteCursor cursor, int form) {
        int before = cursor.position();
        Form.read(cursor, form, 0);
        if (cursor.position() == before) {
            throw cursor.error("form 0x%x takes no room".formatted(form));
        }
    }

    private String text(ByteCursor cursor) {
        int before = cursor.position();
        cursor.skipText();
        budget.spend(cursor.position() - before, cursor);
        cursor.seek(before);
        return cursor.text();
    }

    private String joined(Entry entry, List<String> directories, ByteCursor cursor) {
        if (entry.directory >= directories.size()) {
            throw cursor.error(
                    "the file %s is in directory %d; there are %d"
                            .formatted(entry.path, entry.directory, directories.size()));
        }
        String directory = directories.get(entry.directory);
        budget.spend(directory.length() + entry.path.length(), cursor);
        return directory.isEmpty() || entry.path.startsWith("/")
                ? entry.path
                : directory + "/" + entry.path;
    }
}
