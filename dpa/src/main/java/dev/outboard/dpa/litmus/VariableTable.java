package dev.outboard.dpa.litmus;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The variables of a program while it is read: those that the text declares, and those that come
/// into being by their first use, each alone in its line.
final class VariableTable {
    private final Map<String, Variable> variables = new LinkedHashMap<>();
    private int dpaLines;
    private int externalLines;

    VariableTable() {}

    VariableTable(VariableTable original) {
        variables.putAll(original.variables);
        dpaLines = original.dpaLines;
        externalLines = original.externalLines;
    }

    /// `heap {a:4 b:4=1}`: a line, each variable at the first fitting place after the one before.
    void declareLine(Scanner scanner, Area area) {
        int line = nextLine(area);
        int offset = 0;
        Scanner.Token open = scanner.expect("{");
        do {
            Scanner.Token name = scanner.expectWord("the name of a variable");
            int size = scanner.accept(":") ? size(scanner) : Variable.GRANULE_BYTES;
            long initial = scanner.accept("=") ? scanner.expectNumber("an initial value") : 0;
            offset = (offset + size - 1) / size * size;
            if (variables.containsKey(name.text())) {
                throw new LitmusSyntaxException(
                        name.place(),
                        "variable %s is declared already, at %s"
                                .formatted(name, place(name.text())));
            }
            add(new Variable(name.place(), name.text(), area, line, offset, size, initial));
            offset += size;
        } while (!scanner.accept("}"));
        if (offset > Variable.LINE_BYTES) {
            throw new LitmusSyntaxException(
                    open.place(),
                    "these variables take %d bytes, and a line has %d"
                            .formatted(offset, Variable.LINE_BYTES));
        }
    }

    private static int size(Scanner scanner) {
        Place place = scanner.peek().place();
        long size = scanner.expectNumber("a size in bytes");
        if (size != 1 && size != 2 && size != 4 && size != Variable.GRANULE_BYTES) {
            throw new LitmusSyntaxException(
                    place, "a variable has 1, 2, 4 or 8 bytes, not " + size);
        }
        return (int) size;
    }

    /// Declares a variable in a line of its own, unless it is placed.
    ///
    /// @param place where it is, or empty
    void declare(Scanner.Token name, Area area, int size, long initial, Optional<int[]> place) {
        if (variables.containsKey(name.text())) {
            throw new LitmusSyntaxException(
                    name.place(),
                    "variable %s is declared already, at %s".formatted(name, place(name.text())));
        }
        int line = place.map(at -> at[0]).orElseGet(() -> nextLine(area));
        int offset = place.map(at -> at[1]).orElse(0);
        if (area == Area.EXTERNAL) {
            externalLines = Math.max(externalLines, line + 1);
        } else {
            dpaLines = Math.max(dpaLines, line + 1);
        }
        add(new Variable(name.place(), name.text(), area, line, offset, size, initial));
    }

    /// The variable of that name, reached that way.
    Variable use(Scanner.Token name, Via via) {
        boolean external = via != Via.DPA;
        Variable variable = variables.get(name.text());
        if (variable == null) {
            Area area = external ? Area.EXTERNAL : Area.HEAP;
            return add(
                    new Variable(
                            name.place(),
                            name.text(),
                            area,
                            nextLine(area),
                            0,
                            Variable.GRANULE_BYTES,
                            0));
        }
        if (variable.inDpaMemory() == external) {
            throw new LitmusSyntaxException(
                    name.place(),
                    "%s is %s memory since %s, which %s does not reach"
                            .formatted(
                                    name,
                                    external ? "DPA" : "external",
                                    variable.place(),
                                    via.letter()));
        }
        return variable;
    }

    /// The variable of that name, which must be there.
    Variable require(Scanner.Token name) {
        Variable variable = variables.get(name.text());
        if (variable == null) {
            throw new LitmusSyntaxException(
                    name.place(),
                    "no variable is called %s: there are %s".formatted(name, variables.keySet()));
        }
        return variable;
    }

    List<Variable> all() {
        return List.copyOf(new ArrayList<>(variables.values()));
    }

    private Place place(String name) {
        Variable variable = variables.get(name);
        return variable == null ? Place.NONE : variable.place();
    }

    private int nextLine(Area area) {
        return area == Area.EXTERNAL ? externalLines++ : dpaLines++;
    }

    private Variable add(Variable variable) {
        variables.put(variable.name(), variable);
        return variable;
    }
}
