package dev.outboard.naa;

import java.nio.charset.StandardCharsets;

/// NAA-CONN-7: text that a peer sent along may hold anything; here it is made harmless.
final class PrintableText {
    private PrintableText() {}

    /// The bytes before the first zero, with everything but printable ASCII replaced by dots.
    static String of(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf('\0');
        return (end < 0 ? text : text.substring(0, end)).replaceAll("[^ -~]", ".");
    }
}
