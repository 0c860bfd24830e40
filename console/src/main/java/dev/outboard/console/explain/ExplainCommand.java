package dev.outboard.console.explain;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.Finding.Verdict;
import dev.outboard.fabric.pcapng.PcapngReader;
import dev.outboard.fabric.pcapng.PcapngReader.CapturedPacket;
import dev.outboard.fabric.roce.explain.CaptureExplainer;
import dev.outboard.terminal.CommandException;
import dev.outboard.terminal.Reporting;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `outboard explain`: what a capture tells about transfers that failed, or what an error means.
@Command(
        name = "explain",
        description = {
            "Say in plain words why an RDMA transfer failed.",
            "From a capture (pcapng or pcap, as --capture, tcpdump and Wireshark write it): who did"
                    + " not answer, from which packet on, what was repeated, and what to look at."
                    + " From the text of an error: what it means. It knows the messages of"
                    + " outboard, the statuses of completions (RETRY_EXCEEDED,"
                    + " IBV_WC_RETRY_EXC_ERR, 'transport retry counter exceeded'), the codes of"
                    + " NAAICE ('return code 0x11', 'MRSP error 0x02'), errors of DOCA, faults of a"
                    + " DPA and violations of CCI-P."
        })
public final class ExplainCommand implements Runnable {
    private static final int MOST_IN_ORDER = 8;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|ERROR",
            description = "A capture, or the text or name of an error.")
    private List<String> words = List.of();

    @Mixin private Reporting reporting;

    /// For picocli.
    public ExplainCommand() {}

    @Override
    public void run() {
        String text = String.join(" ", words).strip();
        Path file = file(text);
        if (file != null) {
            explain(file);
        } else {
            List<Finding> findings = errors(text);
            reporting.print(
                    findings,
                    out -> findings.forEach(finding -> print(out, finding.subject(), finding)));
        }
    }

    /// The file that `text` names; null if it is to be taken for an error.
    private static @Nullable Path file(String text) {
        try {
            Path path = Path.of(text);
            if (Files.isDirectory(path)) {
                throw new CommandException(text + " is a directory; valid: a capture");
            }
            boolean isName = text.matches("\\S+\\.(pcap|pcapng|cap)");
            if (isName && !Files.exists(path)) {
                throw new CommandException("no such file or directory: " + text);
            }
            return Files.exists(path) ? path : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    // A capture.

    private void explain(Path file) {
        CaptureExplainer explainer = new CaptureExplainer();
        String end = read(file, explainer);
        if (explainer.packets() == 0) {
            throw new CommandException("the capture " + file + " holds no packet");
        }
        List<Finding> findings = new ArrayList<>(explainer.findings());
        if (explainer.rocePackets() == 0 && count(findings, Verdict.FAIL) == 0) {
            StringBuilder none =
                    new StringBuilder(
                            "the capture %s holds %d packets, and none that can be explained of RoCEv2 (UDP port 4791)"
                                    .formatted(file, explainer.packets()));
            findings.forEach(finding -> none.append("; ").append(finding.detail()));
            throw new CommandException(none.toString());
        }
        if (!end.isEmpty()) {
            findings.add(
                    Finding.ok(
                            "the capture",
                            "it was read up to where it is damaged or still written: " + end));
        }
        reporting.print(
                findings,
                out -> {
                    out.println(heading(file, explainer, findings));
                    print(out, findings);
                });
    }

    /// Takes all packets that can be read.
    ///
    /// @return why it ended before the end; empty if it did not
    private static String read(Path file, CaptureExplainer explainer) {
        try (PcapngReader reader = PcapngReader.open(file, CaptureExplainer.MAX_PACKET_BYTES)) {
            for (CapturedPacket packet = reader.next(); packet != null; packet = reader.next()) {
                explainer.packet(packet);
            }
            return "";
        } catch (FabricException e) {
            if (explainer.packets() == 0) {
                throw e;
            }
            return String.valueOf(e.getMessage());
        }
    }

    private static long count(List<Finding> findings, Verdict verdict) {
        return findings.stream().filter(finding -> finding.verdict() == verdict).count();
    }

    private static String heading(Path file, CaptureExplainer explainer, List<Finding> findings) {
        long failures = count(findings, Verdict.FAIL);
        long repaired = count(findings, Verdict.WARN);
        String verdict =
                failures > 0
                        ? failures + (failures == 1 ? " failure" : " failures")
                        : "no failure found";
        return "%s: %s%s, in %d packets of RoCE"
                .formatted(
                        file,
                        verdict,
                        repaired == 0 ? "" : ", " + repaired + " to look at",
                        explainer.rocePackets());
    }

    private static void print(PrintWriter out, List<Finding> findings) {
        findings.stream()
                .filter(finding -> finding.verdict() != Verdict.OK)
                .forEach(finding -> print(out, finding));
        List<Finding> inOrder =
                findings.stream().filter(finding -> finding.verdict() == Verdict.OK).toList();
        inOrder.stream().limit(MOST_IN_ORDER).forEach(finding -> print(out, finding));
        if (inOrder.size() > MOST_IN_ORDER) {
            out.println();
            out.println((inOrder.size() - MOST_IN_ORDER) + " more without a failure");
        }
    }

    /// A paragraph.
    private static void print(PrintWriter out, Finding finding) {
        String verdict =
                switch (finding.verdict()) {
                    case FAIL -> "failed";
                    case WARN -> "look at";
                    case OK -> "ok";
                };
        out.println();
        print(out, verdict + ": " + finding.subject(), finding);
    }

    private static void print(PrintWriter out, String title, Finding finding) {
        out.println(title);
        out.println("  " + finding.detail());
        if (!finding.remedy().isEmpty()) {
            out.println("  → " + finding.remedy());
        }
    }

    // An error.

    /// What `text` can mean: what tells of it most, or several that do so equally.
    static List<Finding> errors(String text) {
        List<KnownError> known =
                Stream.of(VerbsErrors.all(), GuideErrors.all(), AcceleratorErrors.all())
                        .flatMap(errors -> errors)
                        .toList();
        List<Finding> findings = new ArrayList<>();
        for (String meaning : GuideErrors.inWords(text)) {
            int best = known.stream().mapToInt(error -> error.match(meaning)).max().orElse(0);
            known.stream()
                    .filter(error -> best > 0 && error.match(meaning) == best)
                    .map(KnownError::finding)
                    .filter(finding -> !findings.contains(finding))
                    .forEach(findings::add);
        }
        if (findings.isEmpty()) {
            throw new CommandException(
                    "'%s' is no file, and no error that is known; valid: a capture, a message of outboard, the status of a completion, a code of NAAICE ('return code 0x11'), an error of DOCA, a fault of a DPA, a violation of CCI-P; docs/guide/troubleshooting.md may have more"
                            .formatted(text));
        }
        return findings;
    }
}
