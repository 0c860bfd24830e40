package dev.outboard.console.demo;

import dev.outboard.node.offload.Target;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import dev.outboard.terminal.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What one call, once it is warm, costs on each target.
final class TargetTable {
    /// The processor's own counter of energy in microjoules (RAPL), where the system lets one read
    /// it.
    private static final Path ENERGY = Path.of("/sys/class/powercap/intel-rapl:0/energy_uj");

    private static final int MICRO = 1_000_000;

    private final List<Row> rows = new ArrayList<>();

    /// What is known before a call.
    record Before(Duration processor, OptionalLong energy) {}

    private record Row(
            Target target, long nanos, long bytes, Duration processor, OptionalLong energy) {}

    /// Looks at the clocks of a node and of the machine.
    Before before(NodeProcess node) {
        return new Before(node.processorTime(), energy());
    }

    /// A call has ended that was begun then.
    void add(Target target, NodeProcess node, Before before, long nanos, long bytes) {
        OptionalLong now = energy();
        OptionalLong energy =
                now.isPresent() && before.energy.isPresent()
                        ? OptionalLong.of(now.getAsLong() - before.energy.getAsLong())
                        : OptionalLong.empty();
        rows.add(
                new Row(
                        target,
                        nanos,
                        bytes,
                        node.processorTime().minus(before.processor),
                        energy));
    }

    int size() {
        return rows.size();
    }

    /// @param ended what the nodes have printed, in the order of the calls
    /// @param callsOfEach how many equal calls each has served
    void print(PrintWriter out, List<List<String>> ended, int callsOfEach) {
        Table table = new Table("lrrrrrr");
        table.row("TARGET", "TIME", "BYTES", "PCLK", "DPA", "PROCESSOR", "ENERGY");
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            table.row(
                    row.target.word(),
                    Measure.time(row.nanos),
                    new ByteSize(row.bytes),
                    cycles(ended.get(i), "afu.cycles", callsOfEach),
                    cycles(ended.get(i), "dpa.cycles", callsOfEach),
                    row.processor.toMillis() + " ms",
                    row.energy.isPresent()
                            ? "%.2f J".formatted((double) row.energy.getAsLong() / MICRO)
                            : "-");
        }
        table.print(out, "");
        out.println();
        out.println(
                "Of one call, once it is warm. PCLK and DPA: cycles of the function of the FPGA, and of");
        out.println(
                "the handler's execution unit, its wait for the function included. PROCESSOR: what the");
        out.println(
                rows.stream().anyMatch(row -> row.energy.isPresent())
                        ? "node's process has used. ENERGY: of the whole processor package."
                        : "node's process has used. ENERGY: this machine has no counter that may be read.");
    }

    private static String cycles(List<String> lines, String counter, int calls) {
        Pattern pattern = Pattern.compile(Pattern.quote(counter) + " +([0-9,]+)");
        for (String line : lines) {
            Matcher found = pattern.matcher(line);
            if (found.find()) {
                long sum = Long.parseLong(found.group(1).replace(",", ""));
                return sum == 0 ? "-" : "%,d".formatted(sum / calls);
            }
        }
        return "-";
    }

    private static OptionalLong energy() {
        try {
            return OptionalLong.of(Long.parseLong(Files.readString(ENERGY).strip()));
        } catch (IOException | NumberFormatException noCounter) {
            return OptionalLong.empty();
        }
    }
}
