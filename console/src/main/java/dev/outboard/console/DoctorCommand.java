package dev.outboard.console;

import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.Finding;
import dev.outboard.terminal.Reporting;
import dev.outboard.terminal.Table;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `outboard doctor`: prints what [Fabric#diagnose] finds, and what to do about it.
@Command(
        name = "doctor",
        description = {
            "Find out whether RoCE works here, and what to do if it does not.",
            "Looks at this process, the local address and its sockets, and with --peer at the way"
                    + " to another machine. Ends with 1 if something fails."
        })
final class DoctorCommand implements Callable<Integer> {

    @Option(
            names = "--bind",
            paramLabel = "ADDR",
            description =
                    "The local address to examine. Default: the one that leads to the peer, or"
                            + " 127.0.0.1.")
    private @Nullable String bind;

    @Option(
            names = "--peer",
            paramLabel = "ADDR",
            description = "A machine to reach. It needs a node, or any RoCE device, to answer.")
    private @Nullable String peer;

    @Mixin private Reporting reporting;

    @Override
    public Integer call() {
        List<Finding> findings = Fabric.diagnose(uri());
        reporting.print(findings, out -> print(out, findings));
        return findings.stream().anyMatch(f -> f.verdict() == Finding.Verdict.FAIL)
                ? ExitCode.SOFTWARE
                : ExitCode.OK;
    }

    private String uri() {
        String device = bind != null ? bracketed(bind) : peer != null ? "auto" : "127.0.0.1";
        return "roce://"
                + device
                + (peer == null ? "" : "?peer=" + URLEncoder.encode(peer, StandardCharsets.UTF_8));
    }

    private static String bracketed(String address) {
        return address.contains(":") ? "[" + address + "]" : address;
    }

    private static void print(PrintWriter out, List<Finding> findings) {
        Table table = new Table("lll");
        for (Finding finding : findings) {
            String verdict = finding.verdict().name().toLowerCase(Locale.ROOT);
            table.row(verdict, finding.subject(), finding.detail());
            if (!finding.remedy().isEmpty()) {
                table.row("", "", "→ " + finding.remedy());
            }
        }
        table.print(out, "");
    }
}
