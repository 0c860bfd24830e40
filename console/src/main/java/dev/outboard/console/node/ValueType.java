package dev.outboard.console.node;

import dev.outboard.naa.server.AddressPrefix;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.TypeConversionException;

/// What values a key of a node file can have, and its option with it.
///
/// @param label what help and reference call a value
/// @param valid which values there are, for people
/// @param words all values there are; empty if there are others
/// @param reader of a value as it is written; throws [TypeConversionException] with what is wrong
record ValueType<T>(String label, String valid, List<String> words, Function<String, T> reader) {
    static final ValueType<ByteSize> SIZE =
            open("SIZE", "a size: 64, 4KiB, 1MiB, 1GiB", ByteSize::parse);

    static final ValueType<Duration> TIME =
            open("TIME", "a time: 20us, 500ms, 60s, 5min", Measure::parseTime);

    static final ValueType<Integer> PORT = number("PORT", 0, 65_535);

    static final ValueType<String> NAME = open("NAME", "a name", text -> text);

    static final ValueType<Path> JAR = open("JAR", "a JAR", Path::of);

    static final ValueType<Path> FILE = open("FILE", "a file", Path::of);

    static final ValueType<String> MODULE = open("MODULE", "a module", text -> text);

    static final ValueType<String> ADDRESS =
            open("ADDR", "an IP address, or auto", ValueType::address);

    static final ValueType<AddressPrefix> NETWORK =
            open("NETWORK", "a network: 10.0.0.0/8", ValueType::network);

    static final ValueType<Boolean> TRUTH = oneOf("TRUTH", Map.of("true", true, "false", false));

    /// Whether values are files.
    boolean isFile() {
        return equals(JAR) || equals(FILE);
    }

    /// Whole numbers from `min` on.
    static ValueType<Integer> atLeast(int min) {
        return number("N", min, Integer.MAX_VALUE);
    }

    /// Whole numbers.
    static ValueType<Integer> number(String label, int min, int max) {
        String valid = max == Integer.MAX_VALUE ? min + " or more" : min + " to " + max;
        return open(label, valid, text -> number(text, min, max, valid));
    }

    /// Words.
    static <T> ValueType<T> oneOf(String label, Map<String, T> values) {
        List<String> words = values.keySet().stream().sorted().toList();
        String valid = String.join(", ", words);
        return new ValueType<>(
                label,
                valid,
                words,
                text -> {
                    T value = values.get(text);
                    if (value == null) {
                        throw wrong(
                                "%s '%s'; valid: %s"
                                        .formatted(label.toLowerCase(Locale.ROOT), text, valid));
                    }
                    return value;
                });
    }

    private static <T> ValueType<T> open(String label, String valid, Function<String, T> reader) {
        return new ValueType<>(label, valid, List.of(), reader);
    }

    private static Integer number(String text, int min, int max, String valid) {
        if (!text.matches("-?[0-9]{1,18}")) {
            throw wrong("'%s' is not a whole number; valid: %s".formatted(text, valid));
        }
        long value = Long.parseLong(text);
        if (value < min || value > max) {
            throw wrong("%d is out of range; valid: %s".formatted(value, valid));
        }
        return (int) value;
    }

    private static String address(String text) {
        try {
            return text.equals("auto") ? text : InetAddress.ofLiteral(text).getHostAddress();
        } catch (IllegalArgumentException e) {
            throw wrong("'%s' is no address; valid: 127.0.0.2, fd00::1 or auto".formatted(text));
        }
    }

    private static AddressPrefix network(String text) {
        try {
            return AddressPrefix.parse(text);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private static TypeConversionException wrong(String text) {
        return new TypeConversionException(text);
    }
}
