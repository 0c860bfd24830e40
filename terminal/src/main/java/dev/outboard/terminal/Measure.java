package dev.outboard.terminal;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/// Times and rates as people read and write them.
public final class Measure {
    private static final Pattern TIME = Pattern.compile("([0-9]{1,9})(us|ms|s|min)");

    private Measure() {}

    /// Reads a time in the command line: `20us`, `500ms`, `60s`, `5min`.
    ///
    /// @throws TypeConversionException if it is not a time
    public static Duration parseTime(String text) {
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "'" + text + "' is not a time; write 20us, 500ms, 60s or 5min");
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "us" -> Duration.ofNanos(1000 * amount);
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            default -> Duration.ofMinutes(amount);
        };
    }

    /// Three digits and a unit: `7.40 us`, `12.3 ms`, `1.25 s`.
    public static String time(long nanos) {
        if (nanos < 999_500) {
            return digits(nanos / 1e3) + " us";
        }
        return nanos < 999_500_000 ? digits(nanos / 1e6) + " ms" : digits(nanos / 1e9) + " s";
    }

    /// Bytes per second: `2.31 GB/s`, `840 MB/s`; empty if nothing moved or no time passed.
    public static String rate(long bytes, long nanos) {
        if (bytes == 0 || nanos <= 0) {
            return "";
        }
        double perSecond = bytes * 1e9 / nanos;
        if (perSecond >= 999.5e6) {
            return digits(perSecond / 1e9) + " GB/s";
        }
        return perSecond >= 999.5e3
                ? digits(perSecond / 1e6) + " MB/s"
                : digits(perSecond / 1e3) + " KB/s";
    }

    private static String digits(double value) {
        String format = value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f";
        return String.format(Locale.ROOT, format, value);
    }
}
