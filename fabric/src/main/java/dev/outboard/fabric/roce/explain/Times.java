package dev.outboard.fabric.roce.explain;

import java.util.Locale;

/// Times as people read them.
final class Times {
    private Times() {}

    /// Three digits and a unit, as in `1.25 s`.
    static String text(long nanos) {
        String[] units = {"ns", "µs", "ms"};
        double value = Math.max(0, nanos);
        for (String unit : units) {
            if (value < 999.5) {
                return digits(value) + " " + unit;
            }
            value /= 1000;
        }
        return value < 999.5 ? digits(value) + " s" : "%.0f s".formatted(value);
    }

    private static String digits(double value) {
        int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
        String text = String.format(Locale.ROOT, "%." + decimals + "f", value);
        return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
    }

    /// `1 packet`, `2 packets`.
    static String count(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /// `once`, `twice`, `3 times`.
    static String times(long count) {
        return count == 1 ? "once" : count == 2 ? "twice" : count + " times";
    }
}
