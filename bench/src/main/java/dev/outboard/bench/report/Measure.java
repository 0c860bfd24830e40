package dev.outboard.bench.report;

import java.util.Locale;

/// Times and rates as people read them.
public final class Measure {
    private Measure() {}

    /// Three digits and a unit: `7.40 us`, `12.3 ms`, `1.25 s`.
    public static String time(long nanos) {
        if (nanos < 1_000_000) {
            return digits(nanos / 1e3) + " us";
        }
        return nanos < 1_000_000_000 ? digits(nanos / 1e6) + " ms" : digits(nanos / 1e9) + " s";
    }

    /// Bytes per second: `2.31 GB/s`, `840 MB/s`; empty if nothing moved or no time passed.
    public static String rate(long bytes, long nanos) {
        if (bytes == 0 || nanos <= 0) {
            return "";
        }
        double perSecond = bytes * 1e9 / nanos;
        return perSecond >= 1e9
                ? digits(perSecond / 1e9) + " GB/s"
                : digits(perSecond / 1e6) + " MB/s";
    }

    private static String digits(double value) {
        String format = value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f";
        return String.format(Locale.ROOT, format, value);
    }
}
