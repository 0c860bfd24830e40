package dev.outboard.dpa.litmus;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The litmus tables of `spec/dpa.md`, as they are written there.
final class CatalogTables {
    private static final Pattern HEADING =
            Pattern.compile("#### 10\\.\\d+ (.*) \\(DPA-LIT-(\\d+), .*\\)");
    private static final Pattern PROFILE = Pattern.compile("([A-Z0-9]+): (.*)");
    private static final String ALL_BUT_ONE =
            "all 16 combinations of a,b,c,d ∈{0,1} except {a=1 b=0 c=1 d=0}";

    /// A row: the first word of its first cell, the rest of it, the program, and outcome sets by
    /// profile.
    record Row(String variant, String title, String program, Map<String, String> outcomes) {}

    /// A table with its heading.
    record Table(int number, String title, List<Row> rows) {}

    private CatalogTables() {}

    static List<Table> read() throws IOException {
        List<Table> tables = new ArrayList<>();
        for (String line : Files.readAllLines(Repository.root().resolve("spec/dpa.md"))) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                int number = Integer.parseInt(heading.group(2));
                tables.add(new Table(number, heading.group(1), new ArrayList<>()));
            } else if (line.startsWith("Device-level scenario tests")) {
                break;
            } else if (!tables.isEmpty() && line.startsWith("| ") && !line.startsWith("| ---")) {
                String[] cells = line.substring(2, line.length() - 2).split(" \\| ");
                if (!cells[0].equals("variant")) {
                    tables.getLast().rows().add(row(cells));
                }
            }
        }
        return tables;
    }

    private static Row row(String[] cells) {
        String[] name = cells[0].split(" ", 2);
        Map<String, String> outcomes = new LinkedHashMap<>();
        for (String part : cells[2].split("<br>")) {
            Matcher matcher = PROFILE.matcher(part);
            boolean named = matcher.matches();
            String set = named ? matcher.group(2) : part;
            outcomes.put(
                    named ? matcher.group(1) : "SEED", set.equals(ALL_BUT_ONE) ? allButOne() : set);
        }
        return new Row(name[0], name[1], cells[1].replace("`", ""), outcomes);
    }

    private static String allButOne() {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 16; i++) {
            if (i != 0b1010) {
                all.append(
                        "{a=%d b=%d c=%d d=%d} "
                                .formatted(i >> 3, (i >> 2) & 1, (i >> 1) & 1, i & 1));
            }
        }
        return all.toString();
    }
}
