package dev.outboard.dpa.litmus;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Reads outcomes, and finds out what is observed: what `observe` names, or else what the outcomes
/// name, or else all registers.
final class OutcomeParser {
    private static final String HANG = "HANG";
    private static final String DONE = "done";

    private final Scanner scanner;
    private final ObservationNames names;
    private final Map<String, Observation> observed = new LinkedHashMap<>();
    private final Map<String, Observation> observedOnHang = new LinkedHashMap<>();
    private final List<Located> outcomes = new ArrayList<>();
    private boolean declared;

    private record Located(Place place, Outcome outcome) {}

    OutcomeParser(Scanner scanner, List<Actor> actors, VariableTable variables) {
        this.scanner = scanner;
        names = new ObservationNames(actors, variables);
    }

    /// `observe r M.x`, `observe on HANG r`.
    void observed() {
        while (scanner.accept("observe")) {
            declared = true;
            boolean onHang = scanner.accept("on");
            if (onHang) {
                scanner.expect(HANG);
            }
            while (scanner.peek().kind() == Scanner.Kind.WORD
                    && !LitmusParser.KEYWORDS.contains(scanner.peek().text())) {
                Scanner.Token first = scanner.take();
                String name = first.text();
                if (scanner.accept(".")) {
                    name += "." + scanner.expectWord("a name after the dot").text();
                }
                Map<String, Observation> map = onHang ? observedOnHang : observed;
                map.put(name, names.resolve(name, first.place()));
            }
        }
    }

    /// One or more outcomes: `{r=0} {r=1}`.
    Set<Outcome> set() {
        if (!scanner.peek().is("{")) {
            throw scanner.unexpected("an outcome such as {r=0}");
        }
        Set<Outcome> set = new LinkedHashSet<>();
        while (scanner.accept("{")) {
            Scanner.Token text = scanner.takeUntil('}');
            Outcome outcome = outcome(text);
            if (!set.add(outcome)) {
                throw new LitmusSyntaxException(text.place(), outcome + " is listed twice");
            }
            outcomes.add(new Located(text.place(), outcome));
        }
        return set;
    }

    private Outcome outcome(Scanner.Token text) {
        Map<String, String> values = new HashMap<>();
        boolean hang = false;
        boolean done = false;
        for (String word : text.text().strip().split("\\s+")) {
            int equals = word.indexOf('=');
            if (word.equals(HANG)) {
                hang = true;
            } else if (word.equals(DONE)) {
                done = true;
            } else if (equals <= 0 || equals == word.length() - 1) {
                throw new LitmusSyntaxException(
                        text.place(),
                        "'%s' is no part of an outcome: name=value, HANG or done".formatted(word));
            } else if (values.put(word.substring(0, equals), value(word, equals, text)) != null) {
                throw new LitmusSyntaxException(text.place(), word + " is said twice");
            }
        }
        if (done && (hang || !values.isEmpty())) {
            throw new LitmusSyntaxException(text.place(), "{done} says nothing else");
        }
        if (!declared) {
            Map<String, Observation> map = hang ? observedOnHang : observed;
            for (String name : values.keySet().stream().sorted().toList()) {
                map.computeIfAbsent(name, any -> names.resolve(any, text.place()));
            }
        }
        return new Outcome(values, hang);
    }

    private static String value(String word, int equals, Scanner.Token text) {
        String value = word.substring(equals + 1);
        try {
            if (value.startsWith("0x")) {
                return Long.toUnsignedString(Long.parseUnsignedLong(value.substring(2), 16));
            }
            if (value.startsWith("-")) {
                return Long.toUnsignedString(Long.parseLong(value));
            }
            return Character.isDigit(value.charAt(0))
                    ? Long.toUnsignedString(Long.parseUnsignedLong(value))
                    : value;
        } catch (NumberFormatException e) {
            throw new LitmusSyntaxException(
                    text.place(), "'%s' is no number of at most 64 bits".formatted(value));
        }
    }

    /// Whether all outcomes tell all that is observed.
    void complete() {
        for (Located located : outcomes) {
            Outcome outcome = located.outcome();
            Set<String> told = (outcome.hang() ? observedOnHang : observed).keySet();
            if (!outcome.values().keySet().equals(told)) {
                throw new LitmusSyntaxException(
                        located.place(),
                        "%s has to tell exactly %s, as the others do".formatted(outcome, told));
            }
        }
        if (!declared && outcomes.isEmpty()) {
            for (Observation register : names.registers()) {
                observed.put(register.name(), register);
            }
        }
    }

    List<Observation> observations() {
        return List.copyOf(observed.values());
    }

    List<Observation> observationsOnHang() {
        return List.copyOf(observedOnHang.values());
    }
}
