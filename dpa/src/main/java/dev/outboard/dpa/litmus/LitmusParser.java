package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.Profile;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads the text form of a [LitmusTest].
final class LitmusParser {
    /// Words that begin something other than a statement.
    static final Set<String> KEYWORDS =
            Set.of(
                    "litmus",
                    "note",
                    "variant",
                    "heap",
                    "globals",
                    "stack",
                    "external",
                    "role",
                    "observe",
                    "allowed");

    private final Scanner scanner;
    private final VariableTable sharedVariables = new VariableTable();
    private final List<Role> sharedRoles = new ArrayList<>();

    LitmusParser(String text) {
        scanner = new Scanner(text);
    }

    LitmusTest test() {
        scanner.expect("litmus");
        String name = scanner.expectName("the name of the test").text();
        String title = title();
        List<String> notes = new ArrayList<>();
        while (scanner.accept("note")) {
            notes.add(scanner.expectString("a sentence in quotes"));
        }
        declarations(sharedVariables, sharedRoles);
        List<Variant> variants = new ArrayList<>();
        if (!scanner.peek().is("variant")) {
            variants.add(variant("", ""));
        }
        Set<String> names = new HashSet<>();
        while (scanner.accept("variant")) {
            Scanner.Token variant = scanner.expectName("the name of a variant");
            if (!names.add(variant.text())) {
                throw new LitmusSyntaxException(
                        variant.place(), "there are two variants " + variant);
            }
            variants.add(variant(variant.text(), title()));
        }
        if (scanner.peek().kind() != Scanner.Kind.END) {
            throw scanner.unexpected("'allowed', 'variant' or the end of the text");
        }
        return new LitmusTest(name, title, List.copyOf(notes), List.copyOf(variants));
    }

    private String title() {
        return scanner.peek().kind() == Scanner.Kind.STRING ? scanner.take().text() : "";
    }

    private void declarations(VariableTable variables, List<Role> roles) {
        while (true) {
            Area area = area(scanner.peek());
            if (area != null) {
                scanner.take();
                variables.declareLine(scanner, area);
            } else if (scanner.peek().is("role")) {
                role(roles);
            } else {
                return;
            }
        }
    }

    private static @Nullable Area area(Scanner.Token token) {
        for (Area area : Area.values()) {
            if (token.is(area.word())) {
                return area;
            }
        }
        return null;
    }

    /// `role entry w0 w1 of sq`.
    private void role(List<Role> roles) {
        scanner.take();
        ExpressionParser words = new ExpressionParser(scanner, sharedVariables);
        String what = "entry, record, index, ignored_index, buffer, cqe, syndrome or flag";
        Role.Kind kind = words.word(what, Role.Kind.values(), Role.Kind::word);
        List<Scanner.Token> variables = new ArrayList<>();
        do {
            variables.add(scanner.expectWord("the name of a variable"));
        } while (scanner.peek().kind() == Scanner.Kind.WORD
                && !scanner.peek().is("of")
                && !KEYWORDS.contains(scanner.peek().text())
                && !scanner.peekSecond(":")
                && !scanner.peekSecond("?"));
        String queue = scanner.accept("of") ? scanner.expectWord("the name of a queue").text() : "";
        for (Scanner.Token variable : variables) {
            roles.add(new Role(variable.place(), kind, variable.text(), queue));
        }
    }

    private Variant variant(String name, String title) {
        VariableTable variables = new VariableTable(sharedVariables);
        List<Role> roles = new ArrayList<>(sharedRoles);
        declarations(variables, roles);
        List<Actor> actors = new ArrayList<>();
        Set<String> names = new HashSet<>();
        do {
            actors.add(actor(variables, names));
        } while (scanner.accept("∥")
                || scanner.accept("||")
                || scanner.peekSecond(":")
                || scanner.peekSecond("?"));
        for (Role role : roles) {
            variables.require(new Scanner.Token(Scanner.Kind.WORD, role.variable(), role.place()));
        }
        ProgramChecks.check(actors);
        OutcomeParser outcomes = new OutcomeParser(scanner, actors, variables);
        outcomes.observed();
        Map<Profile, Set<Outcome>> allowed = allowed(outcomes);
        LitmusProgram program =
                new LitmusProgram(
                        variables.all(),
                        List.copyOf(roles),
                        List.copyOf(actors),
                        outcomes.observations(),
                        outcomes.observationsOnHang());
        return new Variant(name, title, program, allowed);
    }

    private Actor actor(VariableTable variables, Set<String> names) {
        Scanner.Token name = scanner.peek();
        Actor.Kind kind = null;
        for (Actor.Kind one : Actor.Kind.values()) {
            if (name.kind() == Scanner.Kind.WORD && name.text().startsWith(one.letter())) {
                kind = one;
            }
        }
        if (kind == null) {
            throw scanner.unexpected("an actor: T… (DPA thread), N… (NIC) or H… (host)");
        }
        scanner.take();
        if (!names.add(name.text())) {
            throw new LitmusSyntaxException(name.place(), "there are two actors " + name);
        }
        boolean optional = scanner.accept("?");
        scanner.expect(":");
        List<Statement> body = new StatementParser(scanner, variables, kind).statements();
        return new Actor(name.place(), kind, name.text(), optional, body);
    }

    private Map<Profile, Set<Outcome>> allowed(OutcomeParser outcomes) {
        Map<Profile, Set<Outcome>> allowed = new EnumMap<>(Profile.class);
        Place place = scanner.peek().place();
        while (scanner.accept("allowed")) {
            Set<Profile> profiles = EnumSet.noneOf(Profile.class);
            ExpressionParser words = new ExpressionParser(scanner, sharedVariables);
            while (scanner.peek().kind() == Scanner.Kind.WORD) {
                profiles.add(words.constant(Profile.class));
            }
            if (profiles.isEmpty()) {
                profiles.add(Profile.SEED);
            }
            Set<Outcome> set = outcomes.set();
            for (Profile profile : profiles) {
                if (allowed.put(profile, set) != null) {
                    throw new LitmusSyntaxException(
                            place, "what is allowed in %s is said twice".formatted(profile));
                }
            }
            place = scanner.peek().place();
        }
        outcomes.complete();
        return allowed;
    }
}
