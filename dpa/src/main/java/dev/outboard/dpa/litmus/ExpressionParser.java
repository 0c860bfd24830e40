package dev.outboard.dpa.litmus;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Reads what statements are made of: values, accesses, and words out of a list.
final class ExpressionParser {
    /// Operators by how tightly they bind, the loosest first.
    private static final List<Map<String, Expression.Operator>> LEVELS =
            List.of(
                    Map.of("|", Expression.Operator.OR, "or", Expression.Operator.OR),
                    Map.of("^", Expression.Operator.XOR),
                    Map.of("&", Expression.Operator.AND),
                    Map.of("+", Expression.Operator.PLUS, "-", Expression.Operator.MINUS));

    private static final String SIZES = "1248";

    private final Scanner scanner;
    private final VariableTable variables;

    ExpressionParser(Scanner scanner, VariableTable variables) {
        this.scanner = scanner;
        this.variables = variables;
    }

    Expression expression() {
        return expression(0);
    }

    private Expression expression(int level) {
        if (level == LEVELS.size()) {
            return operand();
        }
        Expression left = expression(level + 1);
        while (true) {
            Scanner.Token next = scanner.peek();
            boolean may = next.kind() == Scanner.Kind.SYMBOL || next.kind() == Scanner.Kind.WORD;
            Expression.Operator operator = may ? LEVELS.get(level).get(next.text()) : null;
            if (operator == null) {
                return left;
            }
            scanner.take();
            left = new Expression.Combination(left, operator, expression(level + 1));
        }
    }

    private Expression operand() {
        Scanner.Token token = scanner.peek();
        if (scanner.accept("(")) {
            Expression inner = expression();
            scanner.expect(")");
            return inner;
        }
        if (token.kind() == Scanner.Kind.WORD) {
            scanner.take();
            return new Expression.Register(token.place(), token.text());
        }
        return new Expression.Constant(scanner.expectNumber("a number or a register"));
    }

    Condition condition() {
        Expression left = expression();
        Comparison comparison = comparison();
        return new Condition(left, comparison, expression());
    }

    Comparison comparison() {
        return word("==, != or >=", Comparison.values(), Comparison::sign);
    }

    /// One of the words or symbols that the values have.
    <T> T word(String what, T[] values, Function<T, String> text) {
        Scanner.Token token = scanner.peek();
        for (T value : values) {
            if (token.is(text.apply(value))) {
                scanner.take();
                return value;
            }
        }
        throw scanner.unexpected(what);
    }

    /// One of the constants of an enumeration, by its name.
    <T extends Enum<T>> T constant(Class<T> type) {
        T[] values = type.getEnumConstants();
        String what =
                Arrays.stream(values)
                        .map(Enum::name)
                        .collect(Collectors.joining(", ", "one of ", ""));
        return word(what, values, Enum::name);
    }

    /// Whether the next token begins an access.
    boolean isAccess() {
        Scanner.Token token = scanner.peek();
        return token.kind() == Scanner.Kind.WORD
                && viaOf(token.text()) != null
                && scanner.peekSecond("[");
    }

    /// `M[x]`, `M4[x+4]`, through one of these ways.
    Access access(Via... allowed) {
        Scanner.Token token = scanner.peek();
        String letters =
                Arrays.stream(allowed)
                        .map(via -> via.letter() + "[…]")
                        .collect(Collectors.joining(" or "));
        Via via = token.kind() == Scanner.Kind.WORD ? viaOf(token.text()) : null;
        if (via == null || !Arrays.asList(allowed).contains(via)) {
            throw scanner.unexpected(letters);
        }
        scanner.take();
        scanner.expect("[");
        Scanner.Token name = scanner.expectWord("the name of a variable");
        Place place = scanner.peek().place();
        int offset = 0;
        if (scanner.accept("+")) {
            long number = scanner.expectNumber("a number of bytes");
            offset = Math.clamp(number, 0, Variable.LINE_BYTES);
        }
        scanner.expect("]");
        Variable variable = variables.use(name, via);
        int size = token.text().length() == 1 ? variable.sizeBytes() - offset : size(token);
        return checked(new Access(token.place(), via, name.text(), offset, size), variable, place);
    }

    /// The first 4 bytes of a variable of DPA memory.
    Access lock() {
        Scanner.Token name = scanner.expectWord("the name of a lock");
        Variable variable = variables.use(name, Via.DPA);
        Access access = new Access(name.place(), Via.DPA, name.text(), 0, Integer.BYTES);
        return checked(access, variable, name.place());
    }

    /// DPA-MEM-4: an access that is not aligned cannot be written down.
    private static Access checked(Access access, Variable variable, Place place) {
        int end = access.offset() + access.sizeBytes();
        if (end > variable.sizeBytes()) {
            throw new LitmusSyntaxException(
                    place,
                    "byte %d of variable '%s' is past its end: it has %d bytes"
                            .formatted(end - 1, variable.name(), variable.sizeBytes()));
        }
        int address = variable.address() + access.offset();
        if (Integer.bitCount(access.sizeBytes()) != 1 || address % access.sizeBytes() != 0) {
            throw new LitmusSyntaxException(
                    place,
                    "an access of %d bytes at offset %d of '%s' is misaligned"
                            .formatted(access.sizeBytes(), access.offset(), variable.name()));
        }
        return access;
    }

    private static @Nullable Via viaOf(String text) {
        boolean sized = text.length() == 2 && SIZES.indexOf(text.charAt(1)) >= 0;
        for (Via via : Via.values()) {
            if (text.startsWith(via.letter()) && (text.length() == 1 || sized)) {
                return via;
            }
        }
        return null;
    }

    private static int size(Scanner.Token token) {
        return token.text().charAt(1) - '0';
    }
}
