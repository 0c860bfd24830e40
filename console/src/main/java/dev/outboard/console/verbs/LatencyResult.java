package dev.outboard.console.verbs;

import dev.outboard.terminal.Table;
import java.io.PrintWriter;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/// How long messages took. One thread.
final class LatencyResult {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Histogram nanos = new Histogram(SIGNIFICANT_DIGITS);
    private final long bytes;

    /// @param bytes of a message
    LatencyResult(long bytes) {
        this.bytes = bytes;
    }

    /// Adds the time of one message.
    void add(long time) {
        nanos.recordValue(time);
    }

    /// Prints the table of the originals.
    void print(PrintWriter out) {
        new Table("rrrrrrrrr")
                .row(
                        "#bytes",
                        "#iterations",
                        "min[usec]",
                        "max[usec]",
                        "typical[usec]",
                        "avg[usec]",
                        "stdev[usec]",
                        "99%[usec]",
                        "99.9%[usec]")
                .row(
                        bytes,
                        nanos.getTotalCount(),
                        micros(nanos.getMinValue()),
                        micros(nanos.getMaxValue()),
                        micros(nanos.getValueAtPercentile(50)),
                        micros(nanos.getMean()),
                        micros(nanos.getStdDeviation()),
                        micros(nanos.getValueAtPercentile(99)),
                        micros(nanos.getValueAtPercentile(99.9)))
                .print(out, " ");
        out.flush();
    }

    private static String micros(Number nanos) {
        return String.format(Locale.ROOT, "%.2f", nanos.doubleValue() / 1e3);
    }
}
