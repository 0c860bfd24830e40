package dev.outboard.dpa.litmus;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Cuts the text of a litmus test into tokens. `#` begins a comment that ends with its line; line
/// ends mean nothing else.
final class Scanner {
    private static final List<String> LONG_SYMBOLS = List.of("==", "!=", ">=", "||");
    private static final String SYMBOLS = "=;{}()[],:@.+-&|^?∥";
    private static final char END = '\0';

    /// What a token is.
    enum Kind {
        WORD,
        NUMBER,
        STRING,
        SYMBOL,
        END
    }

    /// A token; a string without its quotes.
    record Token(Kind kind, String text, Place place) {
        boolean is(String expected) {
            return (kind == Kind.WORD || kind == Kind.SYMBOL) && text.equals(expected);
        }

        @Override
        public String toString() {
            return switch (kind) {
                case END -> "the end of the text";
                case STRING -> '"' + text + '"';
                default -> "'" + text + "'";
            };
        }
    }

    private final String text;
    private int position;
    private int line = 1;
    private int lineStart;
    private @Nullable Token next;

    Scanner(String text) {
        this.text = text;
    }

    /// The next token, which stays.
    Token peek() {
        if (next == null) {
            next = scan();
        }
        return next;
    }

    /// Whether the token after the next one is this symbol.
    boolean peekSecond(String symbol) {
        peek();
        int at = position;
        while (Character.isWhitespace(at(at))) {
            at++;
        }
        return text.startsWith(symbol, at) && !(symbol.equals("=") && at(at + 1) == '=');
    }

    /// Takes the next token.
    Token take() {
        Token taken = peek();
        next = null;
        return taken;
    }

    /// Takes the next token if it is this word or symbol.
    boolean accept(String expected) {
        if (!peek().is(expected)) {
            return false;
        }
        next = null;
        return true;
    }

    /// Takes the next token, which must be this word or symbol.
    Token expect(String expected) {
        if (!peek().is(expected)) {
            throw unexpected("'" + expected + "'");
        }
        return take();
    }

    /// Takes a word.
    Token expectWord(String what) {
        if (peek().kind() != Kind.WORD) {
            throw unexpected(what);
        }
        return take();
    }

    /// Takes a string.
    String expectString(String what) {
        if (peek().kind() != Kind.STRING) {
            throw unexpected(what);
        }
        return take().text();
    }

    /// Takes a number: decimal or hexadecimal, unsigned, or with a minus.
    long expectNumber(String what) {
        boolean negative = accept("-");
        if (peek().kind() != Kind.NUMBER) {
            throw unexpected(what);
        }
        Token token = take();
        long value = number(token);
        return negative ? -value : value;
    }

    private static long number(Token token) {
        try {
            return token.text().startsWith("0x")
                    ? Long.parseUnsignedLong(token.text().substring(2), 16)
                    : Long.parseUnsignedLong(token.text());
        } catch (NumberFormatException e) {
            throw new LitmusSyntaxException(
                    token.place(), token + " is no number of at most 64 bits");
        }
    }

    /// Takes what stands before the next white space, whatever it is.
    Token expectName(String what) {
        if (next != null) {
            throw new IllegalStateException("A token was looked at already");
        }
        skipBlank();
        Place place = place();
        int start = position;
        while (!isEnd() && !Character.isWhitespace(at(position))) {
            position++;
        }
        if (start == position) {
            throw unexpected(what);
        }
        return new Token(Kind.WORD, text.substring(start, position), place);
    }

    /// Takes everything up to a character, and that.
    Token takeUntil(char end) {
        if (next != null) {
            throw new IllegalStateException("A token was looked at already");
        }
        skipBlank();
        Place place = place();
        int start = position;
        while (!isEnd() && at(position) != end && at(position) != '\n') {
            position++;
        }
        if (isEnd() || at(position) != end) {
            throw new LitmusSyntaxException(place(), "expected '" + end + "' in this line");
        }
        return new Token(Kind.STRING, text.substring(start, position++), place);
    }

    /// The error that something else stands where the next token is.
    LitmusSyntaxException unexpected(String expected) {
        Token found = peek();
        return new LitmusSyntaxException(
                found.place(), "expected %s, but found %s".formatted(expected, found));
    }

    private Token scan() {
        skipBlank();
        Place place = place();
        if (isEnd()) {
            return new Token(Kind.END, "", place);
        }
        char first = at(position);
        if (first == '"') {
            return new Token(Kind.STRING, scanString(place), place);
        }
        int start = position;
        if (Character.isLetterOrDigit(first) || first == '_') {
            while (Character.isLetterOrDigit(at(position)) || at(position) == '_') {
                position++;
            }
            Kind kind = Character.isDigit(first) ? Kind.NUMBER : Kind.WORD;
            return new Token(kind, text.substring(start, position), place);
        }
        for (String symbol : LONG_SYMBOLS) {
            if (text.startsWith(symbol, position)) {
                position += symbol.length();
                return new Token(Kind.SYMBOL, symbol, place);
            }
        }
        if (SYMBOLS.indexOf(first) < 0) {
            throw new LitmusSyntaxException(
                    place, "'%c' begins nothing that a litmus test may hold".formatted(first));
        }
        position++;
        return new Token(Kind.SYMBOL, Objects.toString(first), place);
    }

    private String scanString(Place place) {
        StringBuilder string = new StringBuilder();
        position++;
        while (at(position) != '"') {
            if (at(position) == '\\') {
                position++;
            }
            if (isEnd() || at(position) == '\n') {
                throw new LitmusSyntaxException(
                        place, "this string has no closing '\"' in its line");
            }
            string.append(at(position++));
        }
        position++;
        return string.toString();
    }

    private void skipBlank() {
        while (!isEnd()) {
            char c = at(position);
            if (c == '\n') {
                position++;
                line++;
                lineStart = position;
            } else if (Character.isWhitespace(c)) {
                position++;
            } else if (c == '#') {
                while (!isEnd() && at(position) != '\n') {
                    position++;
                }
            } else {
                return;
            }
        }
    }

    private boolean isEnd() {
        return position >= text.length();
    }

    private char at(int index) {
        return index < text.length() ? text.charAt(index) : END;
    }

    private Place place() {
        return new Place(line, position - lineStart + 1);
    }
}
