package dev.outboard.dpa.litmus.cat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads the subset of cat that `dpa.cat` uses: definitions, functions, checks, and the operators
/// of [Term.Kind]. From loosely to tightly binding: `|`, `;`, `\`, `&`, `*`, postfix.
final class CatParser {
    private static final Pattern TOKEN =
            Pattern.compile(
                    "\\s+|\\(\\*.*?\\*\\)|(\"[^\"]*\"|[A-Za-z][A-Za-z0-9-]*|\\^-1|[_0|&;*+?\\\\=,()\\[\\]])",
                    Pattern.DOTALL);

    private final List<String> tokens = new ArrayList<>();
    private final Set<String> flags;
    private final Map<String, Term> names = new HashMap<>();
    private final Map<String, Function> functions = new HashMap<>();
    private final List<CatModel.Check> checks = new ArrayList<>();
    private int position;

    private record Function(List<String> parameters, int body) {}

    CatParser(String text, Set<String> flags) {
        this.flags = flags;
        Matcher matcher = TOKEN.matcher(text);
        int end = 0;
        while (matcher.find() && matcher.start() == end) {
            end = matcher.end();
            if (matcher.group(1) != null) {
                tokens.add(matcher.group(1));
            }
        }
        if (end != text.length()) {
            throw new IllegalArgumentException(
                    "No word of cat: '%s'"
                            .formatted(text.substring(end).lines().findFirst().get()));
        }
        tokens.add("");
        names.put("id", new Term(Term.Kind.IDENTITY, "id", List.of()));
        names.put("_", new Term(Term.Kind.ALL, "_", List.of()));
        names.put("0", new Term(Term.Kind.NONE, "0", List.of()));
        model();
    }

    List<CatModel.Check> checks() {
        return checks;
    }

    private void model() {
        if (peek().startsWith("\"")) {
            position++;
        }
        while (!peek().isEmpty()) {
            if (accept("let")) {
                definition();
            } else {
                CatModel.Property property =
                        CatModel.Property.valueOf(take().toUpperCase(Locale.ROOT));
                Term term = union();
                expect("as");
                checks.add(new CatModel.Check(property, term, take()));
            }
        }
    }

    private void definition() {
        String name = take();
        if (!accept("(")) {
            expect("=");
            names.put(name, union());
            return;
        }
        List<String> parameters = new ArrayList<>();
        do {
            parameters.add(take());
        } while (accept(","));
        expect(")");
        expect("=");
        functions.put(name, new Function(parameters, position));
        Map<String, Term> outside = new HashMap<>(names);
        parameters.forEach(parameter -> names.put(parameter, names.get("0")));
        union();
        names.clear();
        names.putAll(outside);
    }

    private Term union() {
        Term left = sequence();
        while (accept("|")) {
            left = binary(Term.Kind.UNION, left, sequence());
        }
        return left;
    }

    private Term sequence() {
        Term left = difference();
        while (accept(";")) {
            left = binary(Term.Kind.SEQUENCE, left, difference());
        }
        return left;
    }

    private Term difference() {
        Term left = intersection();
        while (accept("\\")) {
            left = binary(Term.Kind.DIFFERENCE, left, intersection());
        }
        return left;
    }

    private Term intersection() {
        Term left = product();
        while (accept("&")) {
            left = binary(Term.Kind.INTERSECTION, left, product());
        }
        return left;
    }

    private Term product() {
        Term left = postfix();
        while (accept("*")) {
            left = binary(Term.Kind.PRODUCT, left, postfix());
        }
        return left;
    }

    private Term postfix() {
        Term term = primary();
        while (true) {
            Term.Kind kind = postfixOf(peek());
            if (kind == null) {
                return term;
            }
            position++;
            term = new Term(kind, "", List.of(term));
        }
    }

    private static Term.@Nullable Kind postfixOf(String token) {
        return switch (token) {
            case "^-1" -> Term.Kind.INVERSE;
            case "+" -> Term.Kind.CLOSURE;
            case "?" -> Term.Kind.OPTIONAL;
            default -> null;
        };
    }

    private Term primary() {
        if (accept("(")) {
            Term term = union();
            expect(")");
            return term;
        }
        // A set is the relation of its events with themselves already.
        if (accept("[")) {
            Term term = union();
            expect("]");
            return term;
        }
        if (accept("if")) {
            boolean holds = flags.contains(take().replace("\"", ""));
            expect("then");
            Term then = union();
            expect("else");
            Term otherwise = union();
            return holds ? then : otherwise;
        }
        String name = take();
        if (accept("(")) {
            return call(name);
        }
        return names.computeIfAbsent(name, any -> new Term(Term.Kind.GIVEN, any, List.of()));
    }

    private Term call(String name) {
        List<Term> arguments = new ArrayList<>();
        do {
            arguments.add(union());
        } while (accept(","));
        expect(")");
        if (name.equals("domain") || name.equals("range")) {
            Term.Kind kind = name.equals("domain") ? Term.Kind.DOMAIN : Term.Kind.RANGE;
            return new Term(kind, "", arguments);
        }
        Function function = functions.get(name);
        if (function == null || function.parameters().size() != arguments.size()) {
            throw new IllegalArgumentException(
                    "No function '%s' of %d arguments".formatted(name, arguments.size()));
        }
        Map<String, Term> outside = new HashMap<>(names);
        for (int i = 0; i < arguments.size(); i++) {
            names.put(function.parameters().get(i), arguments.get(i));
        }
        int after = position;
        position = function.body();
        Term result = union();
        position = after;
        names.clear();
        names.putAll(outside);
        return result;
    }

    private static Term binary(Term.Kind kind, Term left, Term right) {
        return new Term(kind, "", List.of(left, right));
    }

    private String peek() {
        return tokens.get(position);
    }

    private String take() {
        return tokens.get(position++);
    }

    private boolean accept(String token) {
        boolean there = peek().equals(token);
        position += there ? 1 : 0;
        return there;
    }

    private void expect(String token) {
        if (!accept(token)) {
            throw new IllegalArgumentException(
                    "'%s' instead of '%s' in cat, after %s"
                            .formatted(
                                    peek(),
                                    token,
                                    tokens.subList(Math.max(0, position - 8), position)));
        }
    }
}
