package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.Profile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// DPA-OPM-18: reads what [HerdWriter] writes, and what a person writes in the same form. An actor
/// without a name is a DPA thread; a variable without an area lies in the heap, and without a place
/// in a line of its own. Of a condition other than a list of outcomes under `forall` only the names
/// are taken, as what is observed.
final class HerdReader {
    private static final Pattern FIRST = Pattern.compile("\\s*DPA\\s+(\\S+)\\s*");
    private static final Pattern TITLE = Pattern.compile("\\s*\"((?:[^\"\\\\]|\\\\.)*)\"\\s*");
    private static final Pattern INFORMATION = Pattern.compile("\\s*([A-Za-z_0-9]+)\\s*=(.*)");
    private static final Pattern VARIABLE =
            Pattern.compile(
                    "\\s*(?:(heap|globals|stack|external)\\s+)?(?:uint(8|16|32|64)_t\\s+)?"
                            + "([A-Za-z_]\\w*)\\s*(?:=\\s*(-?\\w+))?"
                            + "\\s*(?:@\\s*(\\d+)\\s*\\+\\s*(\\d+))?\\s*");
    private static final Pattern ACTOR = Pattern.compile("P(\\d+)(?::([A-Za-z_]\\w*))?(\\?)?");
    private static final Pattern ROLE =
            Pattern.compile("\\s*(\\w+)\\s+(\\w+)(?:\\s+of\\s+(\\w+))?\\s*");
    private static final Pattern CONDITION =
            Pattern.compile("\\s*(locations|forall|exists|~\\s*exists|filter)\\b(.*)");
    private static final Pattern TERM = Pattern.compile("(\\w[\\w.:]*)=([\\w,-]*)");

    private final String[] lines;
    private final VariableTable variables = new VariableTable();
    private final List<Actor> actors = new ArrayList<>();
    private final List<Role> roles = new ArrayList<>();
    private final Map<String, Observation> observed = new LinkedHashMap<>();
    private final Map<String, Observation> observedOnHang = new LinkedHashMap<>();
    private final Map<String, Integer> information = new LinkedHashMap<>();
    private int at;

    private HerdReader(String text) {
        lines = withoutComments(text).stripTrailing().split("\n", -1);
    }

    /// @throws LitmusSyntaxException if the text is not well-formed
    static LitmusTest read(String text) {
        return new HerdReader(text).test();
    }

    /// Comments become blanks, so that everything else stays where it is.
    private static String withoutComments(String text) {
        StringBuilder rest = new StringBuilder(text);
        int open = text.indexOf("(*");
        while (open >= 0) {
            int close = text.indexOf("*)", open);
            int end = close < 0 ? text.length() : close + 2;
            for (int i = open; i < end; i++) {
                if (text.charAt(i) != '\n') {
                    rest.setCharAt(i, ' ');
                }
            }
            open = text.indexOf("(*", end);
        }
        return rest.toString();
    }

    private LitmusSyntaxException error(String problem) {
        String line = at < lines.length ? lines[at] : "";
        int column = line.length() - line.stripLeading().length();
        return new LitmusSyntaxException(new Place(at + 1, column + 1), problem);
    }

    private void skipBlank() {
        while (at < lines.length && lines[at].isBlank()) {
            at++;
        }
        if (at == lines.length) {
            throw error("the text ends before it is complete");
        }
    }

    private LitmusTest test() {
        skipBlank();
        Matcher first = FIRST.matcher(lines[at]);
        if (!first.matches()) {
            throw error("expected 'DPA' and the name of the test");
        }
        at++;
        String title = "";
        skipBlank();
        while (!lines[at].strip().startsWith("{")) {
            Matcher string = TITLE.matcher(lines[at]);
            Matcher line = INFORMATION.matcher(lines[at]);
            if (string.matches()) {
                title = string.group(1).replaceAll("\\\\(.)", "$1");
            } else if (line.matches()) {
                information(line.group(1), line.group(2));
            } else {
                throw error("expected a title in quotes, information such as BF3=…, or '{'");
            }
            at++;
            skipBlank();
        }
        initial();
        columns();
        roles.forEach(role ->
                variables.require(
                        new Scanner.Token(Scanner.Kind.WORD, role.variable(), role.place())));
        ProgramChecks.check(actors);
        Map<Profile, Set<Outcome>> allowed = conditions();
        LitmusProgram program =
                new LitmusProgram(
                        variables.all(),
                        List.copyOf(roles),
                        List.copyOf(actors),
                        List.copyOf(observed.values()),
                        List.copyOf(observedOnHang.values()));
        Variant variant = new Variant("", "", program, allowed);
        return new LitmusTest(first.group(1), title, List.of(), List.of(variant));
    }

    private void information(String key, String value) {
        if (!key.equals("Role")) {
            information.put(key, at);
            return;
        }
        Matcher matcher = ROLE.matcher(value);
        Optional<Role.Kind> kind =
                matcher.matches()
                        ? Arrays.stream(Role.Kind.values())
                                .filter(one -> one.word().equals(matcher.group(1)))
                                .findFirst()
                        : Optional.empty();
        if (kind.isEmpty()) {
            throw error("expected a role such as 'Role=entry wqe of sq'");
        }
        String queue = matcher.group(3) == null ? "" : matcher.group(3);
        roles.add(new Role(new Place(at + 1, 1), kind.get(), matcher.group(2), queue));
    }

    private void initial() {
        StringBuilder inside = new StringBuilder();
        int start = at;
        while (at < lines.length && !lines[at].contains("}")) {
            inside.append(lines[at++]).append('\n');
        }
        if (at == lines.length) {
            throw error("'{' of line %d is not closed".formatted(start + 1));
        }
        inside.append(lines[at], 0, lines[at].indexOf('}'));
        int end = at;
        at = start;
        String all = inside.substring(inside.indexOf("{") + 1);
        for (String declaration : all.split(";")) {
            at += (int) declaration.chars().filter(c -> c == '\n').count();
            if (!declaration.isBlank()) {
                declare(declaration);
            }
        }
        at = end + 1;
    }

    private void declare(String declaration) {
        Matcher matcher = VARIABLE.matcher(declaration);
        if (!matcher.matches()) {
            throw error(
                    "'%s' declares no variable; valid is 'heap uint64_t x=0 @1+8'"
                            .formatted(declaration.strip()));
        }
        Area area = Area.HEAP;
        for (Area one : Area.values()) {
            area = one.word().equals(matcher.group(1)) ? one : area;
        }
        int size =
                matcher.group(2) == null
                        ? Variable.GRANULE_BYTES
                        : Integer.parseInt(matcher.group(2)) / Byte.SIZE;
        Optional<int[]> place =
                matcher.group(5) == null
                        ? Optional.empty()
                        : Optional.of(
                                new int[] {
                                    Integer.parseInt(matcher.group(5)),
                                    Integer.parseInt(matcher.group(6))
                                });
        int offset = place.map(where -> where[1]).orElse(0);
        if (offset % size != 0 || offset + size > Variable.LINE_BYTES) {
            throw error("%d bytes do not lie at offset %d of a line".formatted(size, offset));
        }
        Scanner.Token name =
                new Scanner.Token(Scanner.Kind.WORD, matcher.group(3), new Place(at + 1, 1));
        variables.declare(name, area, size, initial(matcher.group(4)), place);
    }

    private long initial(@Nullable String value) {
        return value == null ? 0 : new Scanner(value).expectNumber("an initial value");
    }

    // Columns

    private void columns() {
        skipBlank();
        int header = at;
        List<int[]> names = cells(header);
        while (at < lines.length && !CONDITION.matcher(lines[at]).matches()) {
            if (!lines[at].isBlank() && cells(at).size() != names.size()) {
                throw error(
                        "this row has %d cells, and there are %d actors"
                                .formatted(cells(at).size(), names.size()));
            }
            at++;
        }
        for (int column = 0; column < names.size(); column++) {
            actor(header, names.get(column), column);
        }
    }

    /// The cells of a line, each as its first column and the column after it.
    private List<int[]> cells(int line) {
        String row = lines[line];
        int end = row.lastIndexOf(';');
        if (end < 0) {
            throw error("expected a row of cells with '|' between them and ';' at its end");
        }
        List<int[]> cells = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= end; i++) {
            if (i == end || row.charAt(i) == '|') {
                cells.add(new int[] {start, i});
                start = i + 1;
            }
        }
        return cells;
    }

    private void actor(int header, int[] cell, int column) {
        String head = lines[header].substring(cell[0], cell[1]).strip();
        Matcher matcher = ACTOR.matcher(head);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) != column) {
            throw new LitmusSyntaxException(
                    new Place(header + 1, cell[0] + 1),
                    "'%s' names no actor; valid is 'P%d' or 'P%d:N'"
                            .formatted(head, column, column));
        }
        String name = matcher.group(2) == null ? "T" + column : matcher.group(2);
        Actor.Kind kind =
                Arrays.stream(Actor.Kind.values())
                        .filter(one -> name.startsWith(one.letter()))
                        .findFirst()
                        .orElseThrow(() ->
                                new LitmusSyntaxException(
                                        new Place(header + 1, cell[0] + 1),
                                        "'%s' is no actor: T…, N… or H…".formatted(name)));
        Scanner scanner = new Scanner(statements(header + 1, column));
        List<Statement> body = new StatementParser(scanner, variables, kind).statements();
        if (scanner.peek().kind() != Scanner.Kind.END) {
            throw scanner.unexpected("the end of the column");
        }
        Place place = new Place(header + 1, cell[0] + 1);
        actors.add(new Actor(place, kind, name, matcher.group(3) != null, body));
    }

    /// One column as the statements of an actor, each where it is in the whole text, so that errors
    /// name its place.
    private String statements(int from, int column) {
        StringBuilder all = new StringBuilder("\n".repeat(from));
        boolean needed = false;
        int endOfLast = 0;
        for (int line = from; line < at; line++) {
            if (!lines[line].isBlank()) {
                int[] cell = cells(line).get(column);
                String statement = lines[line].substring(cell[0], cell[1]);
                String plain = statement.strip();
                if (!plain.isEmpty()) {
                    if (needed && !plain.startsWith("}")) {
                        all.setCharAt(endOfLast, ';');
                    }
                    all.append(" ".repeat(cell[0])).append(statement).append(' ');
                    needed = !plain.endsWith("{");
                    endOfLast = all.length() - 1;
                }
            }
            all.append('\n');
        }
        if (needed) {
            all.setCharAt(endOfLast, ';');
        }
        return all.toString();
    }

    // Conditions

    private Map<Profile, Set<Outcome>> conditions() {
        ObservationNames names = new ObservationNames(actors, variables);
        Map<Profile, Set<Outcome>> allowed = new EnumMap<>(Profile.class);
        List<Map.Entry<Profile, String>> sets = new ArrayList<>();
        for (; at < lines.length; at++) {
            Matcher matcher = CONDITION.matcher(lines[at]);
            if (matcher.matches()) {
                observe(names, matcher.group(2), observed);
                if (matcher.group(1).equals("forall") && !matcher.group(2).contains("(true)")) {
                    sets.add(Map.entry(Profile.SEED, matcher.group(2)));
                }
            } else if (!lines[at].isBlank()) {
                throw error("expected 'locations', 'forall' or 'exists'");
            }
        }
        for (Map.Entry<String, Integer> entry : information.entrySet()) {
            at = entry.getValue();
            String value = lines[at].substring(lines[at].indexOf('=') + 1);
            if (entry.getKey().equals("Hang")) {
                observe(names, value, observedOnHang);
            }
            Arrays.stream(Profile.values())
                    .filter(profile -> profile.name().equals(entry.getKey()))
                    .forEach(profile -> sets.add(Map.entry(profile, value)));
        }
        for (Map.Entry<Profile, String> set : sets) {
            allowed.put(set.getKey(), outcomes(names, set.getValue()));
        }
        return allowed;
    }

    /// Takes the names that a condition or a list has.
    private void observe(ObservationNames names, String condition, Map<String, Observation> into) {
        Matcher name = Pattern.compile("[A-Za-z0-9_][\\w.:]*(?=\\s*[=;])").matcher(condition);
        while (name.find()) {
            Observation observation = resolve(names, name.group());
            into.put(observation.name(), observation);
        }
    }

    private Observation resolve(ObservationNames names, String name) {
        Place place = new Place(at + 1, 1);
        int colon = name.indexOf(':');
        if (colon >= 0) {
            int actor = Integer.parseInt(name.substring(0, colon));
            if (actor >= actors.size()) {
                throw error("'%s': there are %d actors".formatted(name, actors.size()));
            }
            String owner = actors.get(actor).name();
            String register = name.substring(colon + 1);
            names.resolve(owner + "." + register, place);
            return names.ofRegister(owner, register);
        }
        if (name.startsWith("nic.")) {
            return names.resolve(name, place);
        }
        Variable variable = variables.require(new Scanner.Token(Scanner.Kind.WORD, name, place));
        return new Observation.OfMemory(name, !variable.inDpaMemory());
    }

    private Set<Outcome> outcomes(ObservationNames names, String condition) {
        Set<Outcome> outcomes = new LinkedHashSet<>();
        for (String part : condition.split("\\\\/")) {
            Map<String, String> values = new HashMap<>();
            Matcher term = TERM.matcher(part);
            while (term.find()) {
                values.put(resolve(names, term.group(1)).name(), term.group(2));
            }
            outcomes.add(new Outcome(values, part.contains("hang")));
        }
        return outcomes;
    }
}
