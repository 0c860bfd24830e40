package dev.outboard.bench;

import dev.outboard.bench.Timings.Summary;
import dev.outboard.bench.comparison.Machine;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import dev.outboard.terminal.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/// What `outboard bench rpc` found out; with the names of JSON.
///
/// @param command how to run it again
/// @param runs how often every subject was measured, in turns
/// @param method what was compared with what
record RpcReport(String command, Machine machine, int runs, String method, List<Row> rows) {
    static final String METHOD =
            "One RPC of the empty routine with one input and one output region of the size, against"
                    + " as many bytes there and back over connected UDP datagrams of at most 4096 bytes"
                    + " (Java DatagramChannel, direct buffers, non-blocking, flow control every 8"
                    + " datagrams). Two threads of one process, loopback, all sides spinning.";

    /// One size.
    ///
    /// @param bytes in and out, each
    /// @param ratio median of Outboard divided by median of UDP
    record Row(long bytes, Summary outboard, Summary udp, double ratio) {
        static Row of(long bytes, Summary outboard, Summary udp) {
            return new Row(bytes, outboard, udp, (double) outboard.median() / udp.median());
        }
    }

    void print(PrintWriter out) {
        out.println(machine);
        out.println(METHOD);
        out.println();
        Table table = new Table("rlrrrrrrr");
        table.row("SIZE", "", "MEDIAN", "BEST RUN", "WORST", "p99", "p99.9", "RATE", "RATIO");
        for (Row row : rows) {
            String ratio = String.format(Locale.ROOT, "%.2f", row.ratio);
            add(table, new ByteSize(row.bytes).toString(), "RPC", row.outboard, row.bytes, ratio);
            add(table, "", "UDP", row.udp, row.bytes, "1");
        }
        table.print(out, "");
    }

    private static void add(
            Table table, String size, String what, Summary times, long bytes, String ratio) {
        table.row(
                size,
                what,
                Measure.time(times.median()),
                Measure.time(times.lowestMedian()),
                Measure.time(times.highestMedian()),
                Measure.time(times.p99()),
                Measure.time(times.p999()),
                Measure.rate(2 * bytes, times.median()),
                ratio);
    }
}
