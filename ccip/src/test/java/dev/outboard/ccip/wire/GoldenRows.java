package dev.outboard.ccip.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The text resources of these tests: rows of words, `#` beginning a comment.
public final class GoldenRows {
    private GoldenRows() {}

    /// A header of `golden.txt`.
    record Vector(String name, BigInteger header, String kind, Map<String, String> fields) {
        /// A field whose text is a hexadecimal number.
        long number(String field) {
            return Long.parseLong(text(field), 16);
        }

        String text(String field) {
            String text = fields.get(field);
            if (text == null) {
                throw new IllegalStateException(name + " has no " + field);
            }
            return text;
        }

        @Override
        public String toString() {
            return name + " " + kind;
        }
    }

    /// A row of `layouts.txt` or `images.txt`: some bits of a header or of a packed structure.
    public record Field(String within, int high, int low, String name) {
        public BigInteger bits() {
            BigInteger ones = BigInteger.ONE.shiftLeft(high - low + 1).subtract(BigInteger.ONE);
            return ones.shiftLeft(low);
        }

        boolean reserved() {
            return name.equals("-");
        }

        @Override
        public String toString() {
            return within + " " + high + ":" + low + " " + name;
        }
    }

    static List<Vector> vectors() {
        return rows("golden.txt").stream()
                .map(row -> {
                    Map<String, String> fields = new LinkedHashMap<>();
                    for (String word : row.subList(3, row.size())) {
                        int equals = word.indexOf('=');
                        fields.put(word.substring(0, equals), word.substring(equals + 1));
                    }
                    return new Vector(
                            row.get(0), new BigInteger(row.get(1), 16), row.get(2), fields);
                })
                .toList();
    }

    static List<Field> layouts() {
        return fields("layouts.txt");
    }

    public static List<Field> images() {
        return fields("images.txt");
    }

    private static List<Field> fields(String resource) {
        return rows(resource).stream()
                .map(row -> {
                    String[] bits = row.get(1).split(":", -1);
                    return new Field(
                            row.get(0),
                            Integer.parseInt(bits[0]),
                            Integer.parseInt(bits[1]),
                            row.get(2));
                })
                .toList();
    }

    private static List<List<String>> rows(String resource) {
        List<List<String>> rows = new ArrayList<>();
        for (String line : text(resource).lines().toList()) {
            if (!line.isBlank() && !line.startsWith("#")) {
                rows.add(List.of(line.trim().split(" +", -1)));
            }
        }
        return rows;
    }

    private static String text(String resource) {
        try (InputStream in = GoldenRows.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("no resource " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + resource, e);
        }
    }
}
