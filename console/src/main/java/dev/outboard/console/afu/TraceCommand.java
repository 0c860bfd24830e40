package dev.outboard.console.afu;

import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.trace.Transaction;
import dev.outboard.terminal.CommandException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard afu trace`: a transaction log as a table for people.
@Command(
        name = "trace",
        description = {
            "Print a transaction log of 'outboard afu run --log' as a table.",
            "A response shows the number of the request that it answers, and so does a lookup of the"
                    + " FPGA cache."
        })
final class TraceCommand implements Callable<Integer> {
    private static final String ROW = "%10s  %-6s  %-14s  %7s  %s";
    private static final int DATA_SHOWN = 16;

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The log.")
    private Path file = Path.of("");

    @Option(
            names = "--channel",
            paramLabel = "CHANNEL",
            description = "Only this channel: ${COMPLETION-CANDIDATES}.")
    private @Nullable Channel channel;

    @Option(
            names = "--cycles",
            paramLabel = "FROM-TO",
            converter = CycleRange.Converter.class,
            description = "Only these cycles.")
    private @Nullable CycleRange cycles;

    @Option(
            names = "--request",
            paramLabel = "N",
            description = "Only what belongs to requests with this number.")
    private @Nullable Long request;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (BufferedReader log = Files.newBufferedReader(file)) {
            if (!Transaction.HEADER_LINE.equals(log.readLine())) {
                throw new CommandException(
                        file
                                + " is no transaction log: its first line is not '"
                                + Transaction.HEADER_LINE.replace('\t', ' ')
                                + "'");
            }
            out.println(
                    String.format(ROW, "cycle", "wires", "what", "request", "").stripTrailing());
            int number = 1;
            for (String line = log.readLine(); line != null; line = log.readLine()) {
                Transaction beat = parse(line, ++number);
                if (isWanted(beat)) {
                    out.println(row(beat));
                }
            }
        }
        out.flush();
        return ExitCode.OK;
    }

    private Transaction parse(String line, int number) {
        try {
            return Transaction.parse(line);
        } catch (IllegalArgumentException e) {
            throw new CommandException(file + ", line " + number + ": " + e.getMessage(), e);
        }
    }

    private boolean isWanted(Transaction beat) {
        return (channel == null || beat.channel() == channel)
                && (cycles == null
                        || (beat.cycle() >= cycles.from() && beat.cycle() <= cycles.to()))
                && (request == null || beat.request() == request);
    }

    private static String row(Transaction beat) {
        return String.format(
                        ROW,
                        beat.cycle(),
                        beat.channel(),
                        beat.type(),
                        beat.request() == Transaction.NONE ? "" : beat.request(),
                        details(beat))
                .stripTrailing();
    }

    /// The fields that this beat has; of long data the end, which comes first in memory.
    private static String details(Transaction beat) {
        StringBuilder text = new StringBuilder();
        if (!beat.vc().equals(Transaction.NO_TEXT)) {
            text.append(beat.vc()).append(' ');
        }
        number(text, "lines ", beat.lines());
        number(text, "line ", beat.line());
        if (beat.address() != Transaction.NONE) {
            text.append("at 0x").append(Long.toHexString(beat.address())).append(' ');
        }
        hexadecimal(text, "mdata ", beat.mdata());
        hexadecimal(text, "tid ", beat.tid());
        if (beat.mode() == 1) {
            text.append("from byte ").append(beat.byteStart()).append(' ');
            number(text, "bytes ", beat.byteLength());
        }
        if (beat.channel() == Channel.CACHE) {
            return lookup(text, beat);
        }
        flag(text, "hit ", beat.hit());
        flag(text, "packed ", beat.format());
        String data = beat.data();
        if (!data.equals(Transaction.NO_TEXT)) {
            boolean cut = data.length() > DATA_SHOWN;
            text.append(cut ? "…" : "")
                    .append(cut ? data.substring(data.length() - DATA_SHOWN) : data);
        }
        return text.toString();
    }

    /// What was found, the states of the line before and after, and what UPI carried.
    private static String lookup(StringBuilder text, Transaction beat) {
        boolean evicts = beat.victim() != Transaction.NONE;
        text.append(beat.hit() == 1 ? "hit " : "miss ")
                .append(evicts ? "I" : beat.before())
                .append('→')
                .append(beat.after());
        if (evicts) {
            text.append(" evicts 0x")
                    .append(Long.toHexString(beat.victim()))
                    .append(" in ")
                    .append(beat.before());
        }
        if (!beat.upi().equals(Transaction.NO_TEXT)) {
            text.append(' ').append(beat.upi());
        }
        return text.toString();
    }

    private static void number(StringBuilder text, String name, int value) {
        if (value != Transaction.NONE) {
            text.append(name).append(value).append(' ');
        }
    }

    private static void hexadecimal(StringBuilder text, String name, int value) {
        if (value != Transaction.NONE) {
            text.append(name).append("0x").append(Integer.toHexString(value)).append(' ');
        }
    }

    private static void flag(StringBuilder text, String name, int value) {
        text.append(value == 1 ? name : "");
    }
}
