package dev.outboard.console.verbs;

import dev.outboard.terminal.Table;
import java.io.PrintWriter;
import java.util.Locale;

/// How fast messages went one way. The originals print "MB/sec" and mean mebibytes.
///
/// @param bytes of a message
/// @param iterations messages
/// @param peakMebibytes per second, over the fastest stretch
/// @param averageMebibytes per second
/// @param millionMessages per second
record BandwidthResult(
        long bytes,
        int iterations,
        double peakMebibytes,
        double averageMebibytes,
        double millionMessages) {
    private static final double MEBIBYTE = 1 << 20;

    /// @param peakNanos how long a message took in the fastest stretch
    /// @param averageNanos how long a message took
    static BandwidthResult of(long bytes, int iterations, double peakNanos, double averageNanos) {
        return new BandwidthResult(
                bytes,
                iterations,
                bytes * 1e9 / peakNanos / MEBIBYTE,
                bytes * 1e9 / averageNanos / MEBIBYTE,
                1e3 / averageNanos);
    }

    /// What a side has that has measured nothing.
    static BandwidthResult none(long bytes) {
        return new BandwidthResult(bytes, 0, 0, 0, 0);
    }

    /// Prints the table of the originals.
    void print(PrintWriter out) {
        new Table("rrrrr")
                .row("#bytes", "#iterations", "peak[MiB/sec]", "average[MiB/sec]", "rate[Mpps]")
                .row(
                        bytes,
                        iterations,
                        decimals(2, peakMebibytes()),
                        decimals(2, averageMebibytes()),
                        decimals(6, millionMessages()))
                .print(out, " ");
        out.flush();
    }

    private static String decimals(int digits, double value) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
