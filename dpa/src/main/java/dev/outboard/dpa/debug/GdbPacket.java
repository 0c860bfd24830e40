package dev.outboard.dpa.debug;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// A packet of gdb, read from left to right.
final class GdbPacket {
    private static final int HEX = 16;
    private static final int MOST_DIGITS = 16;
    private static final HexFormat BYTES = HexFormat.of();

    /// The packet is not as the protocol has it.
    static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1;

        MalformedException(String message) {
            super(message, null, false, false);
        }
    }

    private final String text;
    private int at;

    GdbPacket(String text) {
        this.text = text;
    }

    /// Goes on after these characters if they come next.
    boolean takes(String next) {
        boolean found = text.startsWith(next, at);
        at += found ? next.length() : 0;
        return found;
    }

    /// Goes on after these characters, which have to come next.
    void expect(String next) throws MalformedException {
        if (!takes(next)) {
            throw malformed("no '%s'".formatted(next));
        }
    }

    boolean isAtEnd() {
        return at == text.length();
    }

    /// The next character.
    char character() throws MalformedException {
        if (isAtEnd()) {
            throw malformed("it is too short");
        }
        return text.charAt(at++);
    }

    /// A number in hexadecimal digits, the highest first.
    long number() throws MalformedException {
        int from = at;
        long value = 0;
        while (at < text.length() && Character.digit(text.charAt(at), HEX) >= 0) {
            value = (value << 4) | Character.digit(text.charAt(at), HEX);
            at++;
        }
        if (at == from || at - from > MOST_DIGITS) {
            throw malformed("no number of 64 bits");
        }
        return value;
    }

    /// The same, not negative and not above a limit.
    int number(int most) throws MalformedException {
        long value = number();
        if (value < 0 || value > most) {
            throw malformed("0x%x is above 0x%x".formatted(value, most));
        }
        return (int) value;
    }

    /// The number of a thread, one below what gdb calls it: 0 and -1 stand for `any`.
    int thread(int any) throws MalformedException {
        if (takes("-1")) {
            return any;
        }
        int id = number(Integer.MAX_VALUE);
        return id == 0 ? any : id - 1;
    }

    /// A register of 8 bytes, in the order of memory.
    long word() throws MalformedException {
        byte[] bytes = bytes(Long.BYTES);
        long value = 0;
        for (int i = Long.BYTES - 1; i >= 0; i--) {
            value = (value << Byte.SIZE) | (bytes[i] & 0xff);
        }
        return value;
    }

    /// So many bytes in hexadecimal digits.
    byte[] bytes(int count) throws MalformedException {
        int end = at + 2 * count;
        if (end > text.length()) {
            throw malformed("fewer than %d bytes".formatted(count));
        }
        try {
            byte[] bytes = BYTES.parseHex(text, at, end);
            at = end;
            return bytes;
        } catch (IllegalArgumentException e) {
            throw malformed("no bytes");
        }
    }

    /// What is left, as bytes.
    byte[] rest() {
        byte[] bytes = text.substring(at).getBytes(StandardCharsets.ISO_8859_1);
        at = text.length();
        return bytes;
    }

    /// A register of 8 bytes in hexadecimal digits, in the order of memory.
    static String hex(long word) {
        return "%016x".formatted(Long.reverseBytes(word));
    }

    static String hex(byte[] bytes) {
        return BYTES.formatHex(bytes);
    }

    private MalformedException malformed(String what) {
        return new MalformedException("%s at %d of '%s'".formatted(what, at, text));
    }
}
