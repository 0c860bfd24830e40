package dev.outboard.console.dpa;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.spi.ExecutionEnvironment.Kind;
import dev.outboard.terminal.CommandException;
import dev.outboard.terminal.Reporting;
import dev.outboard.terminal.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `outboard dpa devices`: which devices there are, and what each can have beside it.
@Command(
        name = "devices",
        description = {
            "List the devices of this machine, and which execution environments each offers: what"
                    + " programs of DOCA can run on beside the CPU.",
            "With URIs only those devices, which need not be listed otherwise."
        },
        footer = {
            "",
            "Examples:",
            "  outboard dpa devices",
            "  outboard dpa devices --json roce://10.0.0.1 sim://lab/10.9.0.1",
            "",
            "DPA is a data-path accelerator, GPU a graphics processor; both are simulated."
        })
final class DevicesCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "URI",
            arity = "0..*",
            description = "As of 'outboard dpa run --device'. Default: all that are found.")
    private List<String> uris = List.of();

    @Mixin private Reporting reporting;

    /// A device.
    ///
    /// @param iface the network interface, or empty if it has none
    record Line(String device, String iface, List<Kind> environments) {
        static Line of(DocaDevInfo info) {
            return new Line(info.ibdevName(), iface(info), List.copyOf(info.environments()));
        }

        private static String iface(DocaDevInfo info) {
            try {
                return info.ifaceName();
            } catch (DocaException e) {
                if (e.error() != DocaError.NOT_SUPPORTED) {
                    throw e;
                }
                return "";
            }
        }
    }

    @Override
    public Integer call() {
        List<Line> lines = devices().stream().map(Line::of).toList();
        reporting.print(lines, out -> print(out, lines));
        return ExitCode.OK;
    }

    private List<DocaDevInfo> devices() {
        try {
            return uris.isEmpty()
                    ? DocaDevInfo.list()
                    : uris.stream().map(DocaDevInfo::of).toList();
        } catch (DocaException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }

    private static void print(PrintWriter out, List<Line> lines) {
        Table table = new Table("lll");
        table.row("device", "interface", "environments");
        for (Line line : lines) {
            String environments =
                    line.environments.stream().map(Kind::name).collect(Collectors.joining(", "));
            table.row(line.device, line.iface, environments.isEmpty() ? "none" : environments);
        }
        table.print(out, "");
    }
}
