package dev.outboard.fabric.spi;

import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Numbers with a unit, as they are written in a device's URI.
public final class Quantity {
    private static final Pattern PERCENTAGE = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,9})?)%");
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ns|us|ms|s)");
    private static final Pattern RATE = Pattern.compile("(\\d{1,6})(k|M|G)bit");
    private static final Pattern INTEGER = Pattern.compile("-?\\d{1,18}");
    private static final double HUNDRED = 100;

    private Quantity() {}

    /// Of `5%`: 0.05.
    ///
    /// @throws IllegalArgumentException that says what is expected
    public static double fraction(String text) {
        String expected = "a percentage such as 1% or 0.5%";
        double fraction = Double.parseDouble(match(text, PERCENTAGE, expected).group(1)) / HUNDRED;
        if (fraction > 1) {
            throw new IllegalArgumentException("at most 100% is possible");
        }
        return fraction;
    }

    /// Of `2us`: 2000.
    ///
    /// @throws IllegalArgumentException that says what is expected
    public static long nanos(String text) {
        String expected = "a time such as 20us or 2ms; units are ns, us, ms, s";
        Matcher matcher = match(text, DURATION, expected);
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ns" -> count;
            case "us" -> TimeUnit.MICROSECONDS.toNanos(count);
            case "ms" -> TimeUnit.MILLISECONDS.toNanos(count);
            default -> TimeUnit.SECONDS.toNanos(count);
        };
    }

    /// Of `10Gbit`: 10,000,000,000.
    ///
    /// @throws IllegalArgumentException that says what is expected
    public static long bitsPerSecond(String text) {
        String expected = "bits per second such as 100Mbit or 25Gbit; units are kbit, Mbit, Gbit";
        Matcher matcher = match(text, RATE, expected);
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "k" -> count * 1_000;
            case "M" -> count * 1_000_000;
            default -> count * 1_000_000_000;
        };
    }

    /// Of `-7`: -7.
    ///
    /// @throws IllegalArgumentException that says what is expected
    public static long integer(String text) {
        return Long.parseLong(match(text, INTEGER, "an integer").group());
    }

    private static Matcher match(String text, Pattern pattern, String expected) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("expected " + expected);
        }
        return matcher;
    }
}
